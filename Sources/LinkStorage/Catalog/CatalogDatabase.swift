import Foundation
import GRDB
package import LinkCatalog
import LinkRouting
import Migrations

/// `catalog.db`: tenants, settings, drafts, revisions, suites, keys, audit. Every write is one transaction with its audit row.
package final class CatalogDatabase: CatalogStore {
    let pool: DatabasePool

    /// Opens the file; after an unclean stop it is checked first.
    package init(_ path: String, checkFirst: CheckFirst = .no) throws {
        let schema = SQLiteSchema(applicationID: 0x4650_4341, migrations: Migrations.catalog)
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, schema) }
        pool = try SQLiteFile.open(path, schema)
        // What the last process did not finish is answered by nobody any more: it may be sent again.
        try pool.write { try $0.execute(sql: "DELETE FROM repeated_request WHERE status IS NULL") }
    }

    package enum CheckFirst: Sendable { case yes, no }

    package func close() throws { try SQLiteFile.close(pool) }

    package func snapshot() async throws -> CatalogSnapshot {
        try await pool.read { db in
            var tenants: [(settings: SettingsRow, live: [CatalogSnapshot.Live])] = []
            for id in try String.fetchAll(db, sql: "SELECT id FROM tenant ORDER BY id") {
                guard let tenant = TenantID(id), let settings = try Self.settings(of: tenant, nil, db) else { continue }
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT live.environment, live.number, revision.content FROM live
                        JOIN revision USING (tenant, number) WHERE live.tenant = ? ORDER BY live.environment
                        """,
                    arguments: [id]
                )
                let live = try rows.map { row in
                    CatalogSnapshot.Live(
                        environment: try Self.environment(row["environment"]),
                        revision: Revision(rawValue: row["number"]),
                        text: row["content"]
                    )
                }
                tenants.append((settings, live))
            }
            return CatalogSnapshot(
                // Every write adds a row there.
                version: try Int64.fetchOne(db, sql: "SELECT max(id) FROM audit") ?? 0,
                tenants: tenants,
                installKeys: try Self.installKeys(db)
            )
        }
    }

    // MARK: Shared

    static func content(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 64 << 20, maximumDepth: 64))
    }

    static func environment(_ text: String) throws -> EnvironmentID {
        guard let environment = EnvironmentID(text) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(text)' is no environment")
        }
        return environment
    }

    static func actor(_ row: Row) -> Actor {
        Actor(kind: Actor.Kind(rawValue: row["actor_kind"]) ?? .system, id: row["actor_id"], name: row["actor_name"])
    }

    static func live(of tenant: TenantID, in environment: EnvironmentID, _ db: Database) throws -> Revision? {
        try Int64.fetchOne(
            db,
            sql: "SELECT number FROM live WHERE tenant = ? AND environment = ?",
            arguments: [tenant.rawValue, environment.rawValue]
        ).map(Revision.init(rawValue:))
    }

    /// The next of a tenant's numbers for drafts and suites.
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

extension Data {
    var hexadecimal: String { Hex.text(self) }
}
