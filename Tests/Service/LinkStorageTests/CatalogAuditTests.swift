import Foundation
import GRDB
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Audit rows cannot be changed or removed without detection.
struct CatalogAuditTests {
    private let change = AuditContext(
        actor: Actor(kind: .person, id: "anna", name: "Anna"),
        at: instant("2026-11-21T10:00:00Z"),
        requestID: "r1"
    )

    /// A catalog with five changes.
    private func filled(_ path: String) async throws {
        let database = try CatalogDatabase(path)
        for number in 0..<5 {
            _ = try await database.saveSettings(
                .object(["retentionDays": .int(number + 1)]),
                identity: Identity(),
                of: tenant("shop"),
                installKey: nil,
                expected: Int64(number),
                checked: [:],
                claims: .exclusive,
                change: change
            )
        }
        #expect(try await database.verifyAudit().brokenAt == nil)
        #expect(try await database.verifyAudit().rows == 5)
        try database.close()
    }

    private static let free = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_removed;"

    @Test(arguments: [
        ("UPDATE audit SET actor_name = 'Eve' WHERE id = 3", 3), ("UPDATE audit SET at = at + 1 WHERE id = 1", 1),
        ("UPDATE audit SET after = '{}' WHERE id = 5", 5), ("UPDATE audit SET before = NULL WHERE id = 4", 4),
        ("UPDATE audit SET request_id = 'r2' WHERE id = 2", 2),
        ("UPDATE audit SET hash = zeroblob(32) WHERE id = 2", 2),
        ("UPDATE audit SET hash = x'' WHERE id = 5", 5), ("UPDATE audit SET hash = x''", 1),
        ("DELETE FROM audit WHERE id = 1", 2), ("DELETE FROM audit WHERE id = 3", 4),
        ("DELETE FROM audit WHERE id = 5", 5),
        ("DELETE FROM audit", 1), ("UPDATE audit SET environment = 'x' WHERE id = 3", 3),
    ])
    func tamperingIsFound(sql: String, brokenAt: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/catalog.db"
            try await filled(path)
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "\(Self.free) \(sql)") }
            try queue.close()
            let database = try CatalogDatabase(path)
            #expect(try await database.verifyAudit().brokenAt == brokenAt)
            #expect(await database.faults() == ["\(path): the audit log is broken at row \(brokenAt)"])
            try database.close()
        }
    }

    @Test func changedTableIsFound() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/catalog.db"
            try await filled(path)
            let database = try CatalogDatabase(path)
            let hash = CatalogDatabase.contentHash("{}")
            for (text, count) in [("{}", 0), ("{ }", 1)] {
                try await database.pool.storing { db in
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO revision_content VALUES ('shop', ?, 2, ?)",
                        arguments: [hash, text]
                    )
                }
                let faults = await database.faults()
                #expect(faults.count == count && faults.allSatisfy { $0.contains("a table of shop is not as it was") })
            }
            try database.close()
        }
    }

    /// No query has to read the page.
    @Test func damagedPageIsFound() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/catalog.db"
            try await filled(path)
            let queue = try DatabaseQueue(path: path)
            let (page, bytes) = try await queue.read { db in
                (
                    try UInt64.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'suite'") ?? 0,
                    try UInt64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                )
            }
            try queue.close()
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seek(toOffset: (page - 1) * bytes)
            try file.write(contentsOf: Data(repeating: 0x79, count: Int(bytes)))
            try file.close()
            let database = try CatalogDatabase(path)
            let faults = await database.faults()
            #expect(faults.count == 1 && faults.allSatisfy { $0.hasPrefix("\(path) is damaged (") }, "\(faults)")
            try database.close()
        }
    }

    @Test(arguments: ["UPDATE audit SET action = 'x'", "DELETE FROM audit WHERE id = 5"])
    func rowsAreOnlyAdded(sql: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/catalog.db"
            try await filled(path)
            let queue = try DatabaseQueue(path: path)
            await #expect(throws: DatabaseError.self) { try await queue.write { try $0.execute(sql: sql) } }
            try queue.close()
        }
    }

    // MARK: Room

    /// Every row of a tenant's key counts, and a new day starts at 0.
    @Test func auditRowsOfATenantsKeysAreBoundedADay() async throws {
        try await withTemporaryDirectory { directory in
            let database = try CatalogDatabase(directory + "/catalog.db")
            let shop = tenant("shop")
            try await database.pool.storing {
                try $0.execute(sql: "INSERT INTO tenant (id, created_at) VALUES ('shop', 1)")
            }
            func change(_ time: String, of keyTenant: TenantID?, _ share: QuotaShare? = nil) -> AuditContext {
                let actor = Actor(kind: .key, id: "key000000000", name: "key")
                return AuditContext(
                    actor: actor,
                    at: instant(time),
                    requestID: "r1",
                    share: share ?? keyTenant.map(QuotaShare.all) ?? .unlimited
                )
            }
            let name = try #require(SuiteName("a"))
            func save(_ change: AuditContext) async throws {
                _ = try await database.saveSuite("{}", name: name, of: shop, expected: nil, change: change)
            }
            func counted() async throws -> Int {
                try await database.pool.read { try Int.fetchOne($0, sql: "SELECT audit_bytes FROM tenant") ?? 0 }
            }
            let (today, tomorrow) = ("2026-11-21T10:00:00Z", "2026-11-22T00:00:00Z")
            try await save(change(today, of: nil))
            #expect(try await counted() == 0)
            try await save(change(today, of: shop))
            let one = try await counted()
            #expect(one > 200 && one < 1_000)
            try await save(change(today, of: shop))
            #expect(try await counted() >= 2 * one)
            let grant = KeyGrant(
                id: KeyID(rawValue: "key000000000"),
                secretHash: Data(repeating: 1, count: 32),
                tenant: shop,
                scopes: [.keys],
                createdAt: instant(today),
                expiresAt: nil,
                name: "a"
            )
            _ = try await database.saveKey(grant, change: change(today, of: nil))
            // Half of it stays for keys with all permissions.
            try await database.pool.storing {
                try $0.execute(
                    sql: "UPDATE tenant SET audit_bytes = ?",
                    arguments: [DailyQuota.auditBytes.maximum / 2]
                )
            }
            let half = DailyQuotaReached(.auditBytes, for: .half(shop), at: instant(today))
            await #expect(throws: half) { try await save(change(today, of: shop, .half(shop))) }
            try await save(change(today, of: shop))
            try await database.pool.storing {
                try $0.execute(
                    sql: "UPDATE tenant SET audit_bytes = ?",
                    arguments: [DailyQuota.auditBytes.maximum - one / 2]
                )
            }
            let reached = DailyQuotaReached(.auditBytes, for: .all(shop), at: instant(today))
            let version = try await database.snapshot().version
            await #expect(throws: reached) { try await save(change(today, of: shop)) }
            #expect(try await database.snapshot().version == version)
            // The operator, the end of a key, and the next day.
            try await save(change(today, of: nil))
            let end = change(today, of: shop)
            #expect(try await database.endKey(grant.id, at: end.at, as: .revoke, change: end) != nil)
            await #expect(throws: reached) { try await save(change(today, of: shop)) }
            try await save(change(tomorrow, of: shop))
            #expect(try await counted() < 2 * one)
            #expect(try await database.verifyAudit().brokenAt == nil)
            try database.close()
        }
    }
}
