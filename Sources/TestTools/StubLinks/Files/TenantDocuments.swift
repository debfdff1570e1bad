import LinkCatalog
import LinkRouting
import Synchronization

/// The settings and tables of the tenant files, numbered like published versions of the service: each change of a
/// file's table is a new revision, and so is each change of its settings.
final class TenantDocuments: RevisionReader {
    private struct State {
        var histories: [TenantID: History] = [:]
        var version: Int64 = 0
    }

    /// The versions that were read for one tenant, the newest at the end.
    fileprivate struct History {
        var settingsRevision: Int64 = 0
        var settings: [StoredSettings] = []
        var lastRevision: Int64 = 0
        var live: [CatalogSnapshot.Live] = []
        var tables: [(metadata: PublishedRevision, text: String)] = []
        var source: TenantSource?
    }

    /// The maximum number of earlier revisions for each tenant and environment. Apps report decisions of these.
    fileprivate static let keptRevisions = 8

    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// Adopts the content of the files, and returns it in the form of the service's store.
    func update(_ sources: [TenantSource]) throws -> CatalogSnapshot {
        let now = now()
        return try state.withLock { state in
            state.version += 1
            let tenants = try sources.map { source in
                var history = state.histories[source.tenant] ?? History()
                try history.update(source, at: now)
                state.histories[source.tenant] = history
                return CatalogSnapshot.Tenant(
                    source.tenant,
                    settingsRevision: history.settingsRevision,
                    settings: source.settings,
                    live: history.live
                )
            }
            return CatalogSnapshot(version: state.version, tenants: tenants)
        }
    }

    func settings(of tenant: TenantID, revision: Int64?) async throws -> StoredSettings? {
        state.withLock { state in
            let settings = state.histories[tenant]?.settings
            guard let revision else { return settings?.last }
            return settings?.last { $0.revision == revision }
        }
    }

    func revision(_ revision: Revision, of tenant: TenantID) async throws -> PublishedRevision? {
        state.withLock { $0.histories[tenant]?.tables.last { $0.metadata.revision == revision }?.metadata }
    }

    func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode? {
        let text = state.withLock { $0.histories[tenant]?.tables.last { $0.metadata.revision == revision }?.text }
        return try text.map(Document.readStored)
    }
}

extension TenantDocuments.History {
    mutating func update(_ source: TenantSource, at now: Timestamp) throws {
        let earlier = self.source
        self.source = source
        let actor = Actor(kind: .system, id: "stub", name: "stub")
        if earlier?.settings != source.settings {
            settingsRevision += 1
            settings.append(
                StoredSettings(
                    tenant: source.tenant,
                    revision: settingsRevision,
                    content: try Document.readStored(source.settings),
                    actor: actor,
                    writtenAt: now
                )
            )
        }
        guard let table = source.table else {
            live = []
            return
        }
        guard earlier?.table != source.table || earlier?.environments != source.environments else { return }
        live = source.environments.map { environment in
            let parent = live.first { $0.environment == environment }?.revision
            lastRevision += 1
            let revision = Revision(rawValue: lastRevision)
            let metadata = PublishedRevision(
                revision: revision,
                environment: environment,
                parent: parent,
                contentHash: "",
                message: source.path,
                actor: actor,
                publishedAt: now,
                routeCount: source.routeCount,
                origin: .draft,
                approvals: [],
                overrideReason: nil
            )
            tables.append((metadata, table))
            return CatalogSnapshot.Live(environment: environment, revision: revision, text: table)
        }
        tables.removeFirst(max(0, tables.count - TenantDocuments.keptRevisions * source.environments.count))
        settings.removeFirst(max(0, settings.count - TenantDocuments.keptRevisions))
    }
}
