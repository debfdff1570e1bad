package import LinkCatalog
import LinkRouting

/// Compiled tables of earlier revisions that apps still use.
///
/// Reading and compiling a table takes up to a second, and callers choose the revision. Therefore one table is loaded at
/// a time, a tenant's tables are loaded at most ``loadsPerMinute`` times a minute, and few tables are kept.
package actor RevisionTables {
    private let store: any RevisionReader
    private let queue: WorkQueue
    private let uptime: @Sendable () -> ContinuousClock.Instant

    /// The tables used last, the most recent at the end. Nil for a revision that cannot be loaded.
    private var cached: [(version: TableVersion, catalog: Catalog?)] = []
    private var loads: [TenantID: (start: ContinuousClock.Instant, count: Int)] = [:]
    private var loading: (version: TableVersion, task: Task<Catalog?, Never>)?

    static let loadsPerMinute = 6
    private static let mostTables = 8
    /// Maximum number of routes of a table, and of all tables together.
    private static let mostRoutes = 20_000
    private static let mostRoutesKept = 50_000
    private static let mostTenants = 1_000

    package init(
        store: any RevisionReader,
        queue: WorkQueue,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.store = store
        self.queue = queue
        self.uptime = uptime
    }

    /// Returns a catalog with only this table; nil if it does not exist any more, is too large, or may not be loaded
    /// now.
    func catalog(of version: TableVersion) async -> Catalog? {
        if let index = cached.firstIndex(where: { $0.version == version }) {
            let found = cached.remove(at: index)
            cached.append(found)
            return found.catalog
        }
        if let loading, loading.version == version { return await loading.task.value }
        guard loading == nil, mayLoad(for: version.tenant) else { return nil }
        // Awaited below, and by requests that need the same table meanwhile. So it does not end with this client.
        let task = ClientPresence.$current.withValue(nil) { Task { await load(version) } }
        loading = (version, task)
        let catalog = await task.value
        loading = nil
        keep(version, catalog)
        return catalog
    }

    private func mayLoad(for tenant: TenantID) -> Bool {
        let now = uptime()
        if loads.count >= Self.mostTenants { loads = loads.filter { now - $0.value.start < .seconds(60) } }
        guard loads.count < Self.mostTenants || loads[tenant] != nil else { return false }
        var own = loads[tenant] ?? (now, 0)
        if now - own.start >= .seconds(60) { own = (now, 0) }
        guard own.count < Self.loadsPerMinute else { return false }
        own.count += 1
        loads[tenant] = own
        return true
    }

    private func keep(_ version: TableVersion, _ catalog: Catalog?) {
        cached.append((version, catalog))
        while cached.count > Self.mostTables || cached.count > 1 && routesKept > Self.mostRoutesKept {
            cached.removeFirst()
        }
    }

    private var routesKept: Int {
        cached.reduce(0) { sum, entry in
            sum + (entry.catalog?.tables.reduce(0) { $0 + $1.router.table.routes.count } ?? 0)
        }
    }

    /// Returns nil for a table that cannot be read. Its events are recorded as unchecked.
    private func load(_ version: TableVersion) async -> Catalog? {
        guard let revision = version.revision,
            let published = try? await store.revision(revision, of: version.tenant),
            published.routeCount <= Self.mostRoutes,
            let table = try? await store.table(of: version, on: queue)
        else { return nil }
        return Catalog([table])
    }
}

extension RevisionReader {
    /// Reads and compiles the table of a version; an empty one without a revision. Nil if its settings do not exist any
    /// more, or if its environment has no such revision: apps report revisions, so that one may be of another.
    func table(of version: TableVersion, on queue: WorkQueue) async throws -> PublishedTable? {
        guard let stored = try await settings(of: version.tenant, revision: version.settingsRevision) else {
            return nil
        }
        var content: JSONNode?
        if let revision = version.revision {
            guard let row = try await self.revision(revision, of: version.tenant),
                row.environment == version.environment
            else { return nil }
            content = try await self.content(of: revision, tenant: version.tenant)
            guard content != nil else { return nil }
        }
        return try await queue.run(for: .tenant(version.tenant)) { [content] _ in
            PublishedTable(
                tenant: version.tenant,
                environment: version.environment,
                revision: version.revision,
                settingsRevision: version.settingsRevision,
                settings: try stored.read(),
                table: try content.map { try RouteTable(DocumentField($0, path: "table")) } ?? RouteTable()
            )
        }
    }
}
