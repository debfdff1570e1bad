import GRDB
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The revisions of a tenant are bounded, and each table is stored once.
struct RevisionRoomTests {
    private let shop = tenant("shop")
    private let change = AuditContext(
        actor: Actor(kind: .person, id: "anna", name: "Anna"),
        at: instant("2026-11-21T10:00:00Z"),
        requestID: "r1"
    )

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

    /// A table of about as many bytes.
    private func table(_ name: String, bytes: Int = 0) -> JSONNode {
        .object(["routes": .array([]), "note": .string(name + String(repeating: "x", count: bytes))])
    }

    @discardableResult
    private func publish(
        _ content: JSONNode,
        of tenant: TenantID? = nil,
        in environment: EnvironmentID = .production,
        within room: RevisionRoom = .ofTenant,
        by share: QuotaShare = .unlimited,
        _ database: CatalogDatabase
    ) async throws -> Publication.Outcome {
        let tenant = tenant ?? shop
        let live = try await database.live(of: tenant, in: environment)
        return try await database.publish(
            Publication(
                tenant: tenant,
                environment: environment,
                content: content,
                message: "",
                origin: .file,
                checked: Publication.Checked(live: live, settings: 0, suites: 0),
                room: room
            ),
            change: AuditContext(actor: change.actor, at: change.at, requestID: "r1", share: share)
        )
    }

    private func numbers(_ database: CatalogDatabase) async throws -> [Int64] {
        try await database.revisions(of: shop, in: nil, before: nil, limit: 1_000).map(\.revision.rawValue).reversed()
    }

    private func contents(_ database: CatalogDatabase) async throws -> Int {
        try await database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM revision_content") ?? 0 }
    }

    // MARK: Contents

    @Test func liveTableMakesNoRevision() async throws {
        try await withCatalog { database in
            try await publish(table("a"), database)
            let rows = try await database.audit(of: shop, before: nil, limit: 100).count
            for _ in 0..<3 {
                let again = try await publish(table("a"), database)
                #expect(again.new == nil && again.row.revision == Revision(rawValue: 1))
            }
            #expect(try await numbers(database) == [1])
            #expect(try await database.audit(of: shop, before: nil, limit: 100).count == rows)
            // It is a new revision in an environment where it is not live.
            let staging = try #require(EnvironmentID("staging"))
            #expect(try await publish(table("a"), in: staging, database).new?.revision == Revision(rawValue: 2))
        }
    }

    @Test func tableOfATenantIsStoredOnce() async throws {
        try await withCatalog { database in
            for _ in 0..<4 {
                try await publish(table("a"), database)
                try await publish(table("b"), database)
            }
            #expect(try await contents(database) == 2)
            #expect(try await numbers(database) == [1, 2, 3, 4, 5, 6, 7, 8])
            #expect(try await database.content(of: Revision(rawValue: 3), tenant: shop) == table("a"))
            // Tenants share nothing.
            try await publish(table("a"), of: tenant("blog"), database)
            #expect(try await contents(database) == 3)
        }
    }

    @Test func contentGoesWithItsLastRevision() async throws {
        try await withCatalog { database in
            for name in ["a", "b", "a", "c"] { try await publish(table(name), database) }
            let later = Timestamp(milliseconds: change.at.milliseconds + 1)
            #expect(try await database.prune(shop, keep: 2, before: later, change: change).map(\.rawValue) == [1, 2])
            #expect(try await contents(database) == 2)
            #expect(try await database.content(of: Revision(rawValue: 3), tenant: shop) == table("a"))
        }
    }

    /// The damage is in the stored text, so the hash of the row is still right.
    @Test func damagedLiveTableIsReplacedByTheSameTable() async throws {
        try await withCatalog { database in
            try await publish(table("a"), database)
            try await database.pool.storing { try $0.execute(sql: "UPDATE revision_content SET content = '['") }
            await #expect(throws: UnreadableDocument.self) {
                try await database.content(of: Revision(rawValue: 1), tenant: shop)
            }
            #expect(try await publish(table("a"), database).new?.revision == Revision(rawValue: 2))
            #expect(try await database.content(of: Revision(rawValue: 2), tenant: shop) == table("a"))
        }
    }

    // MARK: Room

    @Test func oldestRevisionsGoAboveTheNumber() async throws {
        try await withCatalog { database in
            let room = RevisionRoom(revisions: 55, bytes: 1 << 30)
            for number in 1...57 { try await publish(table("\(number)"), within: room, database) }
            #expect(try await numbers(database) == Array(3...57))
            #expect(try await contents(database) == 55)
            let row = try #require(try await database.audit(of: shop, before: nil, limit: 1).first)
            #expect(row.action == "revision.prune" && row.subject == "2-2" && row.actor.id == "anna")
            #expect(row.before?.json() == #"{"revisions":[2]}"# && row.after?.json() == #"{"madeRoomFor":57}"#)
            #expect(try await database.verifyAudit().brokenAt == nil)
        }
    }

    @Test func oldestRevisionsGoAboveTheSize() async throws {
        try await withCatalog { database in
            // 52 of them fit, whatever the number.
            let room = RevisionRoom(revisions: 1_000, bytes: 53_000)
            for number in 10...69 { try await publish(table("\(number)", bytes: 973), within: room, database) }
            let size = try await database.pool.read { try CatalogDatabase.size(of: shop, $0) }
            #expect(size.bytes <= room.bytes && size.bytes > room.bytes - 2_000)
            #expect(try await numbers(database).last == 60)
            #expect(try await numbers(database).count == size.revisions)
            // An equal table needs no room.
            let large = RevisionRoom(revisions: 1_000, bytes: size.bytes)
            try await publish(table("68", bytes: 973), within: large, database)
            #expect(try await numbers(database).count == size.revisions + 1)
        }
    }

    @Test func whatIsInUseStays() async throws {
        try await withCatalog { database in
            let room = RevisionRoom(revisions: 53, bytes: 1 << 30)
            let staging = try #require(EnvironmentID("staging"))
            try await publish(table("base"), database)
            _ = try await database.saveDraft(
                table("draft"),
                name: .main,
                of: shop,
                in: .production,
                base: .kept,
                expected: nil,
                within: DraftRoom(drafts: 64, tableBytes: 1 << 20),
                change: change
            )
            try await publish(table("staged"), in: staging, database)
            for number in 3...60 { try await publish(table("\(number)"), within: room, database) }
            #expect(try await numbers(database) == [1, 2] + Array(10...60))
        }
    }

    @Test func publicationIsRefusedWhereNothingMayGo() async throws {
        try await withCatalog { database in
            let room = RevisionRoom(revisions: 49, bytes: 1 << 30)
            for number in 1...49 { try await publish(table("\(number)"), within: room, database) }
            let before = try await database.snapshot().version
            await #expect(throws: TooManyRevisions(tenant: shop, room: room)) {
                try await publish(table("50"), within: room, database)
            }
            #expect(try await numbers(database) == Array(1...49))
            #expect(try await contents(database) == 49)
            #expect(try await database.snapshot().version == before)
            // The live table needs no room, and pruning makes some.
            #expect(try await publish(table("49"), within: room, database).new == nil)
            let later = Timestamp(milliseconds: change.at.milliseconds + 1)
            #expect(try await database.prune(shop, keep: 9, before: later, change: change).count == 40)
            #expect(try await publish(table("50"), within: room, database).new?.revision == Revision(rawValue: 50))
        }
    }

    // MARK: Pace

    /// Otherwise a key for staging could remove the history of production.
    @Test func revisionsOfTheSameEnvironmentGoFirst() async throws {
        try await withCatalog { database in
            let staging = try #require(EnvironmentID("staging"))
            let kept = RevisionRoom.kept
            for number in 1...kept + 3 { try await publish(table("p\(number)"), database) }
            for number in 1...kept { try await publish(table("s\(number)"), in: staging, database) }
            let room = RevisionRoom(revisions: 2 * kept + 3, bytes: 1 << 30)
            try await publish(table("more"), in: staging, within: room, database)
            #expect(try await !numbers(database).contains(Int64(kept + 4)))
            #expect(try await numbers(database).first == 1)
        }
    }

    /// The oldest revisions go no faster than a tenant's keys may publish.
    @Test func publicationsOfATenantsKeysAreBoundedADay() async throws {
        try await withCatalog { database in
            try await publish(table("first"), database)
            func insert(_ numbers: ClosedRange<Int>) async throws {
                try await database.pool.storing { db in
                    for number in numbers {
                        try db.execute(
                            sql: """
                                INSERT INTO revision (tenant, number, environment, content_hash, route_count, message,
                                    actor_kind, actor_id, actor_name, published_at)
                                SELECT 'shop', ?, 'production', content_hash, 0, '', 'key', 'k', 'K', published_at
                                FROM revision WHERE tenant = 'shop' AND number = 1
                                """,
                            arguments: [number]
                        )
                    }
                }
            }
            let maximum = DailyQuota.publications.maximum
            try await insert(2...maximum / 2)
            await #expect(throws: DailyQuotaReached(.publications, for: .half(shop), at: change.at)) {
                try await publish(table("a"), by: .half(shop), database)
            }
            try await publish(table("a"), by: .all(shop), database)
            try await insert(maximum / 2 + 2...maximum)
            await #expect(throws: DailyQuotaReached(.publications, for: .all(shop), at: change.at)) {
                try await publish(table("b"), by: .all(shop), database)
            }
            try await publish(table("b"), database)
        }
    }
}
