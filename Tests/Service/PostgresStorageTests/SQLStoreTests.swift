import CatalogSupport
import Foundation
import LinkStorage
import TestSupport
import Testing

@testable import PostgresStorage

/// What the catalog expects of a store. It holds for SQLite files, and for PostgreSQL.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct SQLStoreTests {
    enum Kind: CaseIterable { case sqlite, postgresql }

    private func withStore(_ kind: Kind, _ body: (any SQLStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store: any SQLStore =
                switch kind {
                case .sqlite: try CatalogDatabase.makeStore(directory + "/catalog.db")
                case .postgresql: try await TestPostgres.makeStore()
                }
            try await body(store)
            try store.close()
        }
    }

    @Test(arguments: Kind.allCases)
    func valuesComeBackAsTheyWere(_ kind: Kind) async throws {
        let long = String(repeating: "ä", count: 1 << 19)
        let texts: [String?] = ["", "a", "ä€😀\u{202E}", "'; DROP TABLE tenant; --", "\\x00", long, nil]
        let bytes: [Data] = [Data(), Data(0...255), Data(repeating: 0, count: 100_000)]
        let numbers = [Int64.min, 0, .max]
        try await withStore(kind) { store in
            try await store.storing { db in
                for (number, text) in texts.enumerated() {
                    try db.execute(
                        sql: """
                            INSERT INTO audit (id, at, actor_kind, actor_id, actor_name, action, environment, subject,
                                request_id, hash)
                            VALUES (?, ?, 'key', 'a', 'a', 'a', ?, ?, 'a', ?)
                            """,
                        arguments: [number + 1, numbers[number % 3], text, text ?? "", bytes[number % 3]]
                    )
                }
            }
            let rows = try await store.read {
                try SQLRow.fetchAll(
                    $0,
                    sql: "SELECT * FROM audit WHERE actor_id = :a AND tenant IS NULL ORDER BY id",
                    arguments: ["a": "a"]
                )
            }
            try #require(rows.count == texts.count)
            for (number, row) in rows.enumerated() {
                #expect(try row["environment"] as String? == texts[number])
                #expect(try row["subject"] as String == texts[number] ?? "")
                #expect(try row["hash"] as Data == bytes[number % 3])
                #expect(try row["at"] as Int64 == numbers[number % 3])
                #expect(try row["tenant"] as Int? == nil)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func wrongTypesAreErrors(_ kind: Kind) async throws {
        try await withStore(kind) { store in
            try await store.storing { try $0.execute(sql: "INSERT INTO tenant (id, created_at) VALUES ('shop', 7)") }
            let row = try #require(try await store.read { try SQLRow.fetchOne($0, sql: "SELECT * FROM tenant") })
            #expect(throws: SQLTypeMismatch.self) { try row["id"] as Int64 }
            #expect(throws: SQLTypeMismatch.self) { try row["archived_at"] as Int64 }
            #expect(throws: SQLTypeMismatch.self) { try row["created_at"] as String? }
            #expect(try row["created_at"] as Int == 7)
        }
    }

    @Test(arguments: Kind.allCases)
    func failedTransactionsLeaveNothing(_ kind: Kind) async throws {
        try await withStore(kind) { store in
            let insert = "INSERT INTO tenant (id, created_at) VALUES ('shop', 1)"
            await #expect(throws: CancellationError.self) {
                try await store.storing { db in
                    try db.execute(sql: insert)
                    throw CancellationError()
                }
            }
            try await store.storing { try $0.execute(sql: insert) }
            await #expect(throws: SQLUniqueViolation.self) { try await store.storing { try $0.execute(sql: insert) } }
            await #expect(throws: (any Error).self) {
                try await store.storing { try $0.execute(sql: "SELECT nonsense") }
            }
            #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tenant") } == 1)
        }
    }

    /// Each of them reads before it writes.
    @Test(arguments: Kind.allCases)
    func transactionsThatWriteComeOneAfterAnother(_ kind: Kind) async throws {
        try await withStore(kind) { store in
            try await store.storing { try $0.execute(sql: "INSERT INTO tenant (id, created_at) VALUES ('shop', 1)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await store.storing { db in
                            let counter = try Int.fetchOne(db, sql: "SELECT counter FROM tenant") ?? 0
                            try db.execute(sql: "UPDATE tenant SET counter = ?", arguments: [counter + 1])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT counter FROM tenant") } == 64)
        }
    }

    @Test(arguments: Kind.allCases)
    func auditRowsAreOnlyAdded(_ kind: Kind) async throws {
        try await withStore(kind) { store in
            try await store.storing {
                try $0.execute(
                    sql: """
                        INSERT INTO audit (id, at, actor_kind, actor_id, actor_name, action, subject, request_id, hash)
                        VALUES (1, 1, 'key', 'a', 'a', 'a', 'a', 'a', ?)
                        """,
                    arguments: [Data([1])]
                )
            }
            for sql in ["UPDATE audit SET action = 'b'", "DELETE FROM audit", "DELETE FROM audit_head"] {
                await #expect(throws: (any Error).self) { try await store.storing { try $0.execute(sql: sql) } }
            }
            #expect(try await store.read { try String.fetchOne($0, sql: "SELECT action FROM audit") } == "a")
        }
    }
}
