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
        let catalog = linkResolver.catalog.current
        let visitor = ClickContext(.get, [.userAgent: userAgent])
        var facts = visitor.context
        facts.now = linkResolver.now()
        let located = catalog.locate(link)
        var known: LinkResolver.KnownCodes = [:]
        let resolved = try await linkResolver.followed(located, in: facts, of: catalog, &known)
        guard let table = resolved.answer.table, table.tenant == tenant, case .success(let clicked) = located.parsed
        else { return nil }
        let page = TenantPage(table.settings, host: clicked.host, languages: facts.locale)
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
}
