import Foundation
import GRDB
package import LinkCatalog
import LinkRouting
import Migrations

/// `catalog.db`: tenants, settings, drafts, revisions, suites, keys, audit log. Every change is one transaction with
/// its audit row.
package final class CatalogDatabase: CatalogStore {
    let pool: StorageFile
    private let connections: DatabasePool

    /// A change of the catalog reads and writes few pages, so a small cache suffices.
    static let schema = SQLiteSchema(
        applicationID: 0x4650_4341,
        migrations: Migrations.catalog,
        writerCache: 2_000
    )

    /// Opens or creates the file and migrates it. Throws `StorageError`.
    ///
    /// - Parameter checkFirst: Whether to check the whole file before opening, as required after an unclean stop.
    package init(_ path: String, checkFirst: CheckFirst = .no) throws {
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, Self.schema) }
        connections = try SQLiteFile.open(path, Self.schema)
        pool = StorageFile(path, connections)
        // Nobody will complete the requests that the last process left unfinished, so their idempotency keys become
        // free again.
        try pool.storing { try $0.execute(sql: "DELETE FROM repeated_request WHERE status IS NULL") }
    }

    package enum CheckFirst: Sendable { case yes, no }

    package func close() throws { try SQLiteFile.close(connections) }

    package func snapshot(without known: Set<TableVersion>) async throws -> CatalogSnapshot {
        try await pool.read { db in
            let live = try Self.live(db)
            let tenants = try Self.liveSettings(db).map { row in
                CatalogSnapshot.Tenant(
                    row.tenant,
                    settingsRevision: row.revision,
                    settings: row.text,
                    live: try (live[row.tenant] ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        let version = TableVersion(
                            tenant: row.tenant,
                            environment: $0,
                            revision: $1,
                            settingsRevision: row.revision
                        )
                        let text = known.contains(version) ? nil : try Self.text(of: $1, tenant: row.tenant, db)
                        return CatalogSnapshot.Live(environment: $0, revision: $1, text: text)
                    }
                )
            }
            return CatalogSnapshot(
                // Every change adds an audit row.
                version: try Int64.fetchOne(db, sql: "SELECT max(id) FROM audit") ?? 0,
                tenants: tenants,
                archived: try Self.archivedTenants(db),
                installKeys: try Self.installKeys(db)
            )
        }
    }

    // MARK: Shared

    /// Returns the live revisions of all tenants. Skips rows with damaged names.
    static func live(_ db: Database) throws -> [TenantID: [EnvironmentID: Revision]] {
        var live: [TenantID: [EnvironmentID: Revision]] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT tenant, environment, number FROM live") {
            guard let tenant = TenantID(row["tenant"] as String),
                let environment = EnvironmentID(row["environment"] as String)
            else { continue }
            live[tenant, default: [:]][environment] = Revision(rawValue: row["number"])
        }
        return live
    }

    static func content(_ text: String) throws -> JSONNode { try Document.readStored(text) }

    /// Parses a stored document. Throws ``UnreadableDocument``, which names the document.
    static func content(_ text: String, of kind: UnreadableDocument.Kind) throws -> JSONNode {
        do {
            return try Document.readStored(text)
        } catch {
            throw UnreadableDocument(kind, error.description)
        }
    }

    static func environment(_ text: String) throws -> EnvironmentID {
        guard let environment = EnvironmentID(text) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(text)' is not an environment")
        }
        return environment
    }

    static func name<Name: Identifier>(_ text: String, _: Name.Type) throws -> Name {
        guard let name = Name(text) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(text)' is not a valid \(Name.self)")
        }
        return name
    }

    static func actor(_ row: Row) -> Actor {
        Actor(kind: Actor.Kind(rawValue: row["actor_kind"]) ?? .system, id: row["actor_id"], name: row["actor_name"])
    }

    static func live(of tenant: TenantID, _ db: Database) throws -> [EnvironmentID: Revision] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT environment, number FROM live WHERE tenant = ?",
            arguments: [tenant.rawValue]
        )
        return Dictionary(
            try rows.map { (try environment($0["environment"]), Revision(rawValue: $0["number"])) }
        ) { first, _ in first }
    }

    static func live(of tenant: TenantID, in environment: EnvironmentID, _ db: Database) throws -> Revision? {
        try Int64.fetchOne(
            db,
            sql: "SELECT number FROM live WHERE tenant = ? AND environment = ?",
            arguments: [tenant.rawValue, environment.rawValue]
        ).map(Revision.init(rawValue:))
    }

    /// Returns the next version number, which a tenant's drafts and suites share.
    static func nextVersion(of tenant: TenantID, _ db: Database) throws -> Int64 {
        try db.execute(
            sql: "UPDATE tenant SET counter = counter + 1 WHERE id = ?",
            arguments: [tenant.rawValue]
        )
        return try Int64.fetchOne(
            db,
            sql: "SELECT counter FROM tenant WHERE id = ?",
            arguments: [tenant.rawValue]
        ) ?? 0
    }
}
