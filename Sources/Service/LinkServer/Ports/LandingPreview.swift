package import HTTPTransport
import HTTPTypes
import LinkCatalog
package import LinkRouting

/// What people get for a link, for those who set up the pages of their tenant. Nothing is recorded, and nothing counts.
package struct LandingPreview: Sendable {
    private let linkResolver: LinkResolver

    package init(_ dependencies: ServerDependencies) { linkResolver = dependencies.linkResolver }

    /// A page, or where a redirect leads.
    package enum Answer: Sendable {
        case page(BufferedResponse)
        case redirect(to: String)
    }

    /// Returns nil for a link that is not one of the tenant's.
    ///
    /// - Parameter userAgent: That of the browser or app.
    package func answer(to link: String, of tenant: TenantID, userAgent: String) async throws -> Answer? {
        let visitor = ClickContext(.get, [.userAgent: userAgent])
        let catalog = linkResolver.catalog.current
        guard let (resolved, facts) = try await resolve(link, of: tenant, for: visitor, in: catalog),
            let table = resolved.answer.table
        else { return nil }
        let host = (try? DeepLink.parse(link))?.host
        let page = TenantPage(table.settings, host: host, languages: facts.locale)
        let plan = try LandingPlan(
            resolved,
            for: LandingPlan.Visitor(context: facts, app: visitor.app, botClass: visitor.botClass),
            store: { try linkResolver.storePage(of: resolved, recordedAs: nil) },
            in: catalog
        )
        return switch plan {
        case .preview(let preview): .page(preview.response(site: page.name ?? ""))
        case .redirect(let target): .redirect(to: target.asciiText)
        case .landing(let landing): .page(landing.response(in: page))
        case .problem(let problem, let status): .page(problem.response(status, in: page))
        }
    }

    /// Returns what chats show of a link: what the short link, its route and the table say, in this order. Nil without a title,
    /// so that chats show the page to which the link leads, and for a link that is not one of the tenant's.
    package func card(of link: String, of tenant: TenantID) async throws -> LinkPreview? {
        let catalog = linkResolver.catalog.current
        guard let (resolved, _) = try await resolve(link, of: tenant, for: ClickContext(.get, [:]), in: catalog),
            PreviewPage(resolved) != nil
        else { return nil }
        return resolved.preview
    }

    private func resolve(_ link: String, of tenant: TenantID, for visitor: ClickContext, in catalog: Catalog)
        async throws
        -> (LinkResolver.ResolvedLink, LinkContext)?
    {
        var facts = visitor.context
        facts.now = linkResolver.now()
        var known: LinkResolver.KnownCodes = [:]
        let resolved = try await linkResolver.followed(catalog.locate(link), in: facts, of: catalog, &known)
        return resolved.answer.table?.tenant == tenant ? (resolved, facts) : nil
    }
}
