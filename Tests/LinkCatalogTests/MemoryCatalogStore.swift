import FoundationEssentials
import LinkCatalog
import LinkRouting

/// A catalog store in memory, with the rules of the real one: owners of hosts and schemes, expected versions, revisions
/// that count up.
actor MemoryCatalogStore: CatalogStore {
    private struct Place: Hashable {
        let tenant: TenantID
        let environment: EnvironmentID
    }

    private var settingsRows: [TenantID: SettingsRow] = [:]
    private var identities: [TenantID: Identity] = [:]
    private var drafts: [Place: [String: DraftRow]] = [:]
    private var published: [TenantID: [(row: RevisionRow, content: JSONNode)]] = [:]
    private var grants: [KeyGrant] = []
    private(set) var writes = 0

    func snapshot() -> CatalogSnapshot {
        CatalogSnapshot(
            tenants: settingsRows.values.sorted { $0.tenant < $1.tenant }.map { settings in
                var live: [EnvironmentID: CatalogSnapshot.Live] = [:]
                for (row, content) in published[settings.tenant] ?? [] {
                    live[row.environment] = CatalogSnapshot.Live(
                        environment: row.environment,
                        revision: row.revision,
                        content: content
                    )
                }
                return (settings, live.values.sorted { $0.environment < $1.environment })
            }
        )
    }

    func settings(of tenant: TenantID) -> SettingsRow? { settingsRows[tenant] }

    func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        expected: Int64?,
        change: Change
    ) throws -> SettingsRow {
        let current = settingsRows[tenant]?.revision ?? 0
        if let expected, expected != current { throw StaleWrite(current: current) }
        for (other, owned) in identities where other != tenant {
            if let domain = identity.domains.first(where: { owned.domains.map(\.host).contains($0.host) }) {
                throw OwnershipConflict(kind: .domain, name: domain.host)
            }
        }
        writes += 1
        let row = SettingsRow(tenant: tenant, revision: current + 1, content: content)
        settingsRows[tenant] = row
        identities[tenant] = identity
        return row
    }

    func draft(_ name: String, of tenant: TenantID, in environment: EnvironmentID) -> DraftRow? {
        drafts[Place(tenant: tenant, environment: environment)]?[name]
    }

    func saveDraft(
        _ content: JSONNode,
        name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: Int64?,
        change: Change
    ) throws -> DraftRow {
        let place = Place(tenant: tenant, environment: environment)
        let current = drafts[place]?[name]?.version ?? 0
        if let expected, expected != current { throw StaleWrite(current: current) }
        writes += 1
        let base = published[tenant]?.last { $0.row.environment == environment }?.row.revision
        let row = DraftRow(name: name, base: base, version: current + 1, content: content)
        drafts[place, default: [:]][name] = row
        return row
    }

    func publish(
        _ content: JSONNode,
        of tenant: TenantID,
        in environment: EnvironmentID,
        message: String,
        change: Change
    ) -> RevisionRow {
        writes += 1
        let row = RevisionRow(
            revision: Revision(rawValue: Int64(published[tenant]?.count ?? 0) + 1),
            environment: environment,
            parent: published[tenant]?.last?.row.revision,
            contentHash: "",
            message: message,
            actor: change.actor,
            publishedAt: change.at,
            routeCount: content["routes"]?.elements?.count ?? 0
        )
        published[tenant, default: []].append((row, content))
        return row
    }

    func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID,
        before: Revision?,
        limit: Int
    ) -> [RevisionRow] {
        let rows = (published[tenant] ?? []).map(\.row).filter { row in
            row.environment == environment && before.map { row.revision < $0 } ?? true
        }
        return Array(rows.reversed().prefix(limit))
    }

    func content(of revision: Revision, tenant: TenantID) -> JSONNode? {
        published[tenant]?.first { $0.row.revision == revision }?.content
    }

    func saveKey(_ grant: KeyGrant, change: Change) { grants.append(grant) }
    func keyGrants() -> [KeyGrant] { grants }
    func continuationKeys(random: Data, at now: Timestamp, age: Int64) -> [Data] { [random] }
}
