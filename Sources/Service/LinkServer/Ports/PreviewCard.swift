import HTTPTypes
import LinkCatalog
package import LinkRouting

/// What chats show of a link. Nothing is recorded, and nothing counts.
package struct PreviewCard: Sendable {
    private let linkResolver: LinkResolver

    package init(_ dependencies: ServerDependencies) { linkResolver = dependencies.linkResolver }

    /// What the short link, its route and the table say, in this order. Nil without a title, so that chats show the page to
    /// which the link leads, and for a link that is not one of the tenant's.
    package func card(of link: String, of tenant: TenantID) async throws -> LinkPreview? {
        let catalog = linkResolver.catalog.current
        var facts = ClickContext(.get, [:]).context
        facts.now = linkResolver.now()
        var known: LinkResolver.KnownCodes = [:]
        let resolved = try await linkResolver.followed(catalog.locate(link), in: facts, of: catalog, &known)
        guard resolved.answer.table?.tenant == tenant, PreviewPage(resolved) != nil else { return nil }
        return resolved.preview
    }
}
