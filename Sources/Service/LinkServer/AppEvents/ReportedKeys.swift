import LinkCatalog
import LinkRouting

/// The routes and revisions that the events of a message name, as far as the tenant has them. Totals are counted by
/// route and revision, and anyone can send invented ones.
struct ReportedKeys {
    private let names: Set<RouteID>
    private let newestRevision: Revision?
    /// The reported routes that a table has. A table may have many routes, so it is searched once for all events.
    private var found: [ObjectIdentifier: (table: PublishedTable, routes: Set<RouteID>)] = [:]

    init(_ request: AppEventsRequest, of tenant: TenantID, in catalog: Catalog) {
        names = Set(request.events.compactMap { try? $0.decision.get().route })
        // A publication makes its revision live, so the newest one is live in one of the environments.
        newestRevision = catalog.tables.lazy.filter { $0.tenant == tenant }.compactMap(\.revision).max()
    }

    /// Returns the revision if the tenant has had it.
    func recordable(_ revision: Revision?) -> Revision? {
        guard let revision, let newestRevision, revision <= newestRevision else { return nil }
        return revision
    }

    /// Returns the route if one of the tables has it.
    mutating func recordable(_ route: RouteID?, in tables: [PublishedTable]) -> RouteID? {
        guard let route else { return nil }
        for table in tables where routes(of: table).contains(route) { return route }
        return nil
    }

    private mutating func routes(of table: PublishedTable) -> Set<RouteID> {
        let key = ObjectIdentifier(table)
        if let found = found[key] { return found.routes }
        let names = names
        let own = Set(table.router.table.routes.lazy.map(\.id).filter { names.contains($0) })
        found[key] = (table, own)
        return own
    }
}
