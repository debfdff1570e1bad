import Foundation
import GRDB
import LinkCatalog
import LinkRouting
import Synchronization
import TestSupport
import Testing

@testable import LinkStorage

/// The number of keys is limited, and an ended key cannot create keys.
struct KeyQuotaTests {
    private let now = instant("2026-11-21T10:00:00Z")

    private var change: AuditContext {
        AuditContext(actor: Actor(kind: .system, id: "test", name: "test"), at: now, requestID: "r1")
    }

    private func grant(_ id: String, of tenant: TenantID?, by maker: String? = nil) -> KeyGrant {
        KeyGrant(
            id: KeyID(rawValue: id),
            secretHash: Data(repeating: 1, count: 32),
            tenant: tenant,
            scopes: [.keys],
            createdAt: now,
            expiresAt: nil,
            createdBy: maker.map { KeyID(rawValue: $0) },
            name: "a"
        )
    }

    private func withCatalog(_ body: (CatalogDatabase) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let database = try CatalogDatabase(directory + "/catalog.db")
            try await database.pool.storing {
                try $0.execute(sql: "INSERT INTO tenant (id, created_at) VALUES ('shop', 1), ('blog', 1)")
            }
            try await body(database)
            try database.close()
        }
    }

    @Test func validKeysOfATenantAreBounded() async throws {
        try await withCatalog { database in
            let (shop, blog) = (tenant("shop"), tenant("blog"))
            try await database.pool.storing {
                try $0.execute(
                    sql: """
                        WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
                        INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at)
                        SELECT printf('k%011d', n), zeroblob(32), 'shop', '["keys"]', 'a', 1 FROM number
                        """
                )
            }
            await #expect(throws: TooManyKeys(tenant: shop)) {
                _ = try await database.saveKey(grant("shop00000000", of: shop), change: change)
            }
            _ = try await database.saveKey(grant("blog00000000", of: blog), change: change)
            _ = try await database.saveKey(grant("all000000000", of: nil), change: change)
            #expect(try await database.keyIDs(of: shop).count == 1_000)
            #expect(try await database.keyIDs(of: nil).count == 1_002)
            // Ended keys free their places.
            _ = try await database.endKey(KeyID(rawValue: "k00000000001"), at: now, as: .revoke, change: change)
            _ = try await database.saveKey(grant("shop00000000", of: shop), change: change)
        }
    }

    @Test func keysThatKeysCreateInADayAreBounded() async throws {
        try await withCatalog { database in
            for tenant in [tenant("shop"), nil] {
                let name = tenant.map { "'\($0)'" } ?? "NULL"
                let (prefix, maker) = (tenant == nil ? "n" : "k", tenant == nil ? "makerofall00" : "makerofshop0")
                _ = try await database.saveKey(grant(maker, of: tenant), change: change)
                // With the maker, 1,000 today; all others are revoked.
                try await database.pool.storing {
                    try $0.execute(
                        sql: """
                            WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < 999)
                            INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, revoked_at)
                            SELECT printf('\(prefix)%011d', n), zeroblob(32), \(name), '["keys"]', 'a', ?, 1 FROM number
                            """,
                        arguments: [now.milliseconds]
                    )
                }
                let share = tenant.map(QuotaShare.all) ?? .unlimited
                let keyChange = AuditContext(actor: change.actor, at: now, requestID: "r1", share: share)
                let reached = DailyQuotaReached(.keys, for: share, at: now)
                #expect(reached.description.contains("Try again after 2026-11-22T00:00:00.000Z"))
                #expect(reached.secondsLeft == 14 * 3_600)
                await #expect(throws: reached) {
                    try await database.saveKey(grant("\(prefix)child000000", of: tenant, by: maker), change: keyChange)
                }
                // The machine itself is not limited, nor is a key for all tenants that creates a tenant's key.
                _ = try await database.saveKey(grant("\(prefix)local000000", of: tenant), change: change)
                if tenant != nil {
                    _ = try await database.saveKey(grant("\(prefix)rescue00000", of: tenant, by: maker), change: change)
                }
                var tomorrow = grant("\(prefix)tomorrow000", of: tenant, by: maker)
                tomorrow.createdAt = instant("2026-11-22T00:00:00Z")
                _ = try await database.saveKey(tomorrow, change: keyChange)
            }
        }
    }

    @Test func revokedKeyCreatesNoKey() async throws {
        try await withCatalog { database in
            let shop = tenant("shop")
            _ = try await database.saveKey(grant("maker0000000", of: shop), change: change)
            _ = try await database.saveKey(grant("child0000000", of: shop, by: "maker0000000"), change: change)
            let ended = try await database.endKey(KeyID(rawValue: "maker0000000"), at: now, as: .revoke, change: change)
            #expect(ended?.others.map(\.id.rawValue) == ["child0000000"])
            for maker in ["maker0000000", "nobody000000"] {
                await #expect(throws: MakerHasEnded()) {
                    _ = try await database.saveKey(grant("late00000000", of: shop, by: maker), change: change)
                }
            }
            #expect(try await database.keyGrants([KeyID(rawValue: "late00000000")]).isEmpty)
        }
    }

    // MARK: Ended keys

    private func after(days: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + days * 86_400_000) }

    /// The row of an ended key goes after 30 days. Its id stays, with the keys that it created and replaced.
    @Test func endedKeysAreRemovedAfterAMonth() async throws {
        try await withCatalog { database in
            let shop = tenant("shop")
            for (id, maker) in [("a", nil), ("b", "a"), ("c", "b"), ("d", nil)] as [(String, String?)] {
                let maker = maker.map { $0 + "00000000000" }
                _ = try await database.saveKey(grant(id + "00000000000", of: shop, by: maker), change: change)
            }
            let (first, second) = (KeyID(rawValue: "a00000000000"), KeyID(rawValue: "b00000000000"))
            _ = try await database.endKey(second, at: now, as: .revokeAlone, change: change)
            #expect(try await database.keyGrantsNotRevoked().count == 3)
            #expect(try await database.removeEndedKeys(at: after(days: 30)).isEmpty)
            #expect(try await database.keyGrants([second]).count == 1)
            #expect(try await database.removeEndedKeys(at: after(days: 31)) == [second])
            #expect(try await database.keyGrants([second]).isEmpty)
            #expect(try await database.keyIDs(of: shop).map(\.rawValue.first) == ["a", "c", "d"])
            // The id is not given again.
            await #expect(throws: DatabaseError.self) {
                _ = try await database.saveKey(grant("b00000000000", of: shop), change: change)
            }
            // The key that the removed one created ends with the first of the chain.
            let ended = try await database.endKey(first, at: after(days: 31), as: .revoke, change: change)
            #expect(ended?.others.map(\.id.rawValue) == ["c00000000000"])
        }
    }

    /// Expired keys may be valid again when a wrong clock is corrected, so as many of them stay as a tenant may have valid
    /// ones.
    @Test func expiredKeyGivesWayToANewOne() async throws {
        try await withCatalog { database in
            let shop = tenant("shop")
            func insert(_ prefix: String, _ count: Int, expiresAt end: String) async throws {
                try await database.pool.storing {
                    try $0.execute(
                        sql: """
                            WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
                            INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, expires_at)
                            SELECT printf('\(prefix)%011d', n), zeroblob(32), 'shop', '["keys"]', 'a', 1, \(end) FROM number
                            """
                    )
                }
            }
            try await insert("e", 999, expiresAt: "n")
            try await insert("v", 998, expiresAt: "NULL")
            #expect(try await database.saveKey(grant("a00000000000", of: shop), change: change) == nil)
            try await insert("f", 1, expiresAt: "5000")
            #expect(
                try await database.saveKey(grant("b00000000000", of: shop), change: change)?.rawValue == "e00000000001"
            )
            await #expect(throws: TooManyKeys(tenant: shop)) {
                try await database.saveKey(grant("c00000000000", of: shop), change: change)
            }
            #expect(try await database.keyGrantsNotRevoked().count == 1_999)
        }
    }

    /// The plan of SQLite for a revocation has no scan of all keys.
    @Test func revocationSearchesNotAllKeys() async throws {
        try await withCatalog { database in
            let plans = Mutex<[String]>([])
            try await database.file.storing { db in
                db.trace { event in
                    if case .statement(let statement) = event {
                        plans.withLock { $0.append(statement.sql) }
                    }
                }
            }
            _ = try await database.saveKey(grant("a00000000000", of: nil), change: change)
            plans.withLock { $0 = [] }
            _ = try await database.endKey(KeyID(rawValue: "a00000000000"), at: now, as: .revoke, change: change)
            let statements = plans.withLock(\.self).filter { $0.contains("api_key") }
            #expect(statements.contains { $0.contains("created_by IN (") })
            try await database.file.storing { db in
                db.trace()
                for sql in statements {
                    let count = sql.count { $0 == "?" }
                    let steps = try Row.fetchAll(
                        db,
                        sql: "EXPLAIN QUERY PLAN " + sql,
                        arguments: StatementArguments(Array(repeating: 1, count: count))
                    )
                    .map { $0["detail"] as String }
                    #expect(
                        steps.allSatisfy { !$0.hasPrefix("SCAN api_key") && !$0.hasPrefix("SCAN ended_key") },
                        "\(sql)"
                    )
                }
            }
        }
    }
}
