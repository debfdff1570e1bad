import Foundation
import GRDB
import LinkCatalog
import LinkRouting
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
                try await database.saveKey(grant("shop00000000", of: shop), change: change)
            }
            try await database.saveKey(grant("blog00000000", of: blog), change: change)
            try await database.saveKey(grant("all000000000", of: nil), change: change)
            #expect(try await database.keyIDs(of: shop).count == 1_000)
            #expect(try await database.keyIDs(of: nil).count == 1_002)
            // Ended keys free their places.
            _ = try await database.endKey(KeyID(rawValue: "k00000000001"), at: now, as: .revoke, change: change)
            try await database.saveKey(grant("shop00000000", of: shop), change: change)
        }
    }

    @Test func revokedKeyCreatesNoKey() async throws {
        try await withCatalog { database in
            let shop = tenant("shop")
            try await database.saveKey(grant("maker0000000", of: shop), change: change)
            try await database.saveKey(grant("child0000000", of: shop, by: "maker0000000"), change: change)
            let ended = try await database.endKey(KeyID(rawValue: "maker0000000"), at: now, as: .revoke, change: change)
            #expect(ended?.others.map(\.id.rawValue) == ["child0000000"])
            for maker in ["maker0000000", "nobody000000"] {
                await #expect(throws: MakerHasEnded()) {
                    try await database.saveKey(grant("late00000000", of: shop, by: maker), change: change)
                }
            }
            #expect(try await database.keyGrants([KeyID(rawValue: "late00000000")]).isEmpty)
        }
    }
}
