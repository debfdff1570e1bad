import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The copy of a catalog on a node's disk. Here the catalog is in a SQLite file, too.
struct CatalogReplicaTests {
    private static let change = AuditContext(actor: .system, at: instant("2026-11-29T10:00:00Z"), requestID: "r")

    private func withCopy(_ body: (_ catalog: CatalogDatabase, _ node: CatalogDatabase) async throws -> Void)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let catalog = try CatalogDatabase(directory + "/catalog.db")
            let node = try CatalogDatabase(
                SQLiteStore(directory + "/catalog.db", CatalogDatabase.schema),
                copy: directory + "/copy.db",
                node: "a"
            )
            try await body(catalog, node)
            try node.close()
            try catalog.close()
        }
    }

    private func rows(_ store: any SQLStore, _ table: CopiedTable) async throws -> [[SQLValue]] {
        try await store.read { db in
            let columns = try CopiedTable.columns(in: db, of: table.name)
            let order = table.key.joined(separator: ", ")
            return try SQLRow.fetchAll(db, sql: "SELECT * FROM \(table.name) ORDER BY \(order)")
                .map { row in columns.map { row[value: $0] } }
        }
    }

    /// Random changes of all copied tables; after each following, both have the same rows.
    @Test(arguments: RandomCases.seeds(20))
    func copyHasTheRowsOfTheCatalog(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        try await withCopy { catalog, node in
            for step in 0..<12 {
                let name = ["shop", "blog", "taxi"][Int.random(in: 0..<3, using: &random)]
                let sql = Self.changes(step, name).randomElement(using: &random) ?? []
                try await catalog.pool.storing { db in
                    for statement in sql { try? db.execute(sql: statement) }
                    try CatalogDatabase.audit(Audited("test", tenant(name), subject: "x"), Self.change, db)
                }
                guard Bool.random(using: &random) || step == 11 else { continue }
                #expect(try await node.follow())
                #expect(try await node.follow() == false)
                for table in CopiedTable.ofReplica {
                    #expect(try await rows(node.local, table) == rows(catalog.pool, table), "\(table.name)")
                }
            }
        }
    }

    /// Statements that change a tenant; some fail, as when a host belongs to another.
    private static func changes(_ step: Int, _ name: String) -> [[String]] {
        let hash = String(repeating: "\(step % 10)", count: 64)
        return [
            ["INSERT INTO tenant (id, created_at) VALUES ('\(name)', \(step))"],
            ["UPDATE tenant SET archived_at = \(step) WHERE id = '\(name)'"],
            [
                """
                INSERT INTO settings (tenant, revision, content, bytes, actor_kind, actor_id, actor_name, created_at)
                VALUES ('\(name)', \(step + 1), '{}', 2, 'key', 'a', 'a', 1)
                """,
                "DELETE FROM settings WHERE tenant = '\(name)' AND revision < \(step - 3)",
            ],
            ["INSERT INTO domain VALUES ('acme.com', 0, 0, '\(name)')"],
            ["DELETE FROM domain WHERE tenant = '\(name)'"],
            [
                "INSERT INTO revision_content VALUES ('\(name)', '\(hash)', 2, '{}')",
                """
                INSERT INTO revision (tenant, number, environment, content_hash, route_count, message, actor_kind, actor_id,
                    actor_name, published_at) VALUES ('\(name)', \(step + 1), 'production', '\(hash)', 1, '', 'key', 'a', 'a', 1)
                """,
                """
                INSERT INTO live VALUES ('\(name)', 'production', \(step + 1))
                ON CONFLICT (tenant, environment) DO UPDATE SET number = excluded.number
                """,
            ],
            ["DELETE FROM revision WHERE tenant = '\(name)' AND number < \(step - 2)"],
            [
                """
                INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at)
                VALUES ('key0000000\(String(step + 10))', zeroblob(32), '\(name)', '[]', 'a', 1)
                """
            ],
            ["UPDATE api_key SET revoked_at = 5 WHERE tenant = '\(name)'"],
            ["INSERT INTO install_key VALUES ('\(name)', zeroblob(32), 1)"],
        ]
    }

    /// A migration adds columns to the copy, for which the catalog has had values.
    @Test func migratedCopyIsCopiedAgain() async throws {
        try await withCopy { catalog, node in
            try await catalog.pool.storing { db in
                for sql in [0, 2, 3, 5, 7, 9].flatMap({ Self.changes(5, "shop")[$0] }) { try db.execute(sql: sql) }
                try CatalogDatabase.audit(Audited("test", tenant("shop"), subject: "x"), Self.change, db)
            }
            #expect(try await node.follow())
            try await node.local.storing { db in
                try db.execute(sql: "UPDATE copy_of SET schema = schema - 1")
                try db.execute(sql: "UPDATE revision SET message = 'before'")
            }
            #expect(try await node.follow())
            for table in CopiedTable.ofReplica {
                #expect(try await rows(node.local, table) == rows(catalog.pool, table), "\(table.name)")
            }
            #expect(try await node.follow() == false)
        }
    }

    @Test func everyTableOfTheCatalogIsCopiedOrNamedHere() async throws {
        let elsewhere: Set = ["draft", "suite", "audit", "ended_key", "repeated_request", "session"]
        let special: Set = ["sealing_key", "audit_head", "copy_of", "accepted_history"]
        try await withTemporaryDirectory { directory in
            let store = try SQLiteStore(directory + "/catalog.db", CatalogDatabase.schema)
            let tables = try await store.read {
                try String.fetchAll(
                    $0,
                    sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                )
            }
            #expect(Set(tables) == Set(CopiedTable.ofReplica.map(\.name)).union(elsewhere).union(special))
            try store.close()
        }
    }

    @Test func anOlderOrOtherHistoryIsRefused() async throws {
        try await withCopy { catalog, node in
            let action = AuditAction(.forceRetention, of: tenant("shop"), .object([:]))
            try await catalog.note(action, change: Self.change)
            try await catalog.note(action, change: Self.change)
            #expect(try await node.follow())
            #expect(try node.hasFollowed)
            try await node.local.storing { try $0.execute(sql: "UPDATE audit_head SET id = 3") }
            await #expect(throws: ForeignHistory(known: 3, found: 2)) { _ = try await node.follow() }
            try await node.local.storing {
                try $0.execute(sql: "UPDATE audit_head SET id = 2, hash = ?", arguments: [Data([1])])
            }
            await #expect(throws: ForeignHistory(known: 2, found: 2)) { _ = try await node.follow() }
        }
    }
}
