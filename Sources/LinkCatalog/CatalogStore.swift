package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where tenants, settings, drafts, revisions and keys are kept. Every write is one transaction with its audit row.
package protocol CatalogStore: Sendable {
    /// Every tenant with its live settings and tables.
    func snapshot() async throws -> CatalogSnapshot

    func settings(of tenant: TenantID) async throws -> SettingsRow?
    /// Writes the next settings and the domains and schemes that come with them; makes the tenant if it is new.
    /// Throws `OwnershipConflict` when another tenant owns one of them, `StaleWrite` when `expected` is not the current revision.
    func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        expected: Int64?,
        change: Change
    ) async throws -> SettingsRow

    func draft(_ name: String, of tenant: TenantID, in environment: EnvironmentID) async throws -> DraftRow?
    /// Throws `StaleWrite` when `expected` is not the draft's current version.
    func saveDraft(
        _ content: JSONNode,
        name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: Int64?,
        change: Change
    ) async throws -> DraftRow

    /// Stores the content as the next revision and makes it live.
    func publish(
        _ content: JSONNode,
        of tenant: TenantID,
        in environment: EnvironmentID,
        message: String,
        change: Change
    ) async throws -> RevisionRow
    func revisions(of tenant: TenantID, in environment: EnvironmentID, before: Revision?, limit: Int) async throws
        -> [RevisionRow]
    func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode?

    func saveKey(_ grant: KeyGrant, change: Change) async throws
    func keyGrants() async throws -> [KeyGrant]

    /// The continuation keys, newest first; makes one from `random` when there is none or the newest is older than `age` ms.
    func continuationKeys(random: Data, at now: Timestamp, age: Int64) async throws -> [Data]
}

/// Who changes the catalog, when, and with which request.
package struct Change: Sendable {
    package let actor: Actor
    package let at: Timestamp
    package let requestID: String

    package init(actor: Actor, at: Timestamp, requestID: String) {
        self.actor = actor
        self.at = at
        self.requestID = requestID
    }
}

package struct SettingsRow: Sendable, Hashable {
    package let tenant: TenantID
    package let revision: Int64
    package let content: JSONNode

    package init(tenant: TenantID, revision: Int64, content: JSONNode) {
        self.tenant = tenant
        self.revision = revision
        self.content = content
    }
}

package struct DraftRow: Sendable, Hashable {
    package let name: String
    /// The revision that the draft was begun from.
    package let base: Revision?
    /// Counts the draft's writes: 1, 2, 3 …
    package let version: Int64
    package let content: JSONNode

    package init(name: String, base: Revision?, version: Int64, content: JSONNode) {
        self.name = name
        self.base = base
        self.version = version
        self.content = content
    }
}

package struct RevisionRow: Sendable, Hashable {
    package let revision: Revision
    package let environment: EnvironmentID
    package let parent: Revision?
    /// SHA-256 of the content, hexadecimal.
    package let contentHash: String
    package let message: String
    package let actor: Actor
    package let publishedAt: Timestamp
    package let routeCount: Int

    package init(
        revision: Revision,
        environment: EnvironmentID,
        parent: Revision?,
        contentHash: String,
        message: String,
        actor: Actor,
        publishedAt: Timestamp,
        routeCount: Int
    ) {
        self.revision = revision
        self.environment = environment
        self.parent = parent
        self.contentHash = contentHash
        self.message = message
        self.actor = actor
        self.publishedAt = publishedAt
        self.routeCount = routeCount
    }
}

package struct CatalogSnapshot: Sendable {
    package struct Live: Sendable {
        package let environment: EnvironmentID
        package let revision: Revision
        package let content: JSONNode

        package init(environment: EnvironmentID, revision: Revision, content: JSONNode) {
            self.environment = environment
            self.revision = revision
            self.content = content
        }
    }

    package let tenants: [(settings: SettingsRow, live: [Live])]

    package init(tenants: [(settings: SettingsRow, live: [Live])]) { self.tenants = tenants }

    /// The catalog that the rows say. Rows were checked when they were written; one that cannot be read is a broken store.
    package func catalog() throws -> Catalog {
        var tables: [PublishedTable] = []
        for (row, live) in tenants {
            let settings = try Settings(Field(row.content, path: "settings"))
            for table in live {
                tables.append(
                    PublishedTable(
                        tenant: row.tenant,
                        environment: table.environment,
                        revision: table.revision,
                        settingsRevision: row.revision,
                        settings: settings,
                        table: try RouteTable(Field(table.content, path: "table"))
                    )
                )
            }
            if live.isEmpty {
                tables.append(
                    PublishedTable(
                        tenant: row.tenant,
                        environment: .production,
                        revision: nil,
                        settingsRevision: row.revision,
                        settings: settings,
                        table: RouteTable()
                    )
                )
            }
        }
        return Catalog(tables)
    }
}

/// Another tenant owns a domain or scheme.
package struct OwnershipConflict: Error, Hashable, Sendable {
    package enum Kind: String, Sendable { case domain, scheme }
    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Somebody else wrote first; read again and repeat.
package struct StaleWrite: Error, Hashable, Sendable {
    package let current: Int64
    package init(current: Int64) { self.current = current }
}
