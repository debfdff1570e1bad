import CatalogSupport
import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage
import PostgresStorage
import TestSupport
import Testing

/// Moving a catalog from a data directory to PostgreSQL and back.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct StoreCopyTests {
    private static let shop = tenant("shop")
    private static let change = AuditContext(actor: .system, at: instant("2026-11-29T10:00:00Z"), requestID: "r")

    /// A catalog with rows in all tables.
    private static func fill(_ directory: String) async throws {
        let catalog = try CatalogDatabase(directory + "/catalog.db")
        let publishing = PublishingService(
            store: catalog,
            random: { Data(repeating: 1, count: $0) },
            runSuite: { _, _, _ in [] },
            onCommit: { _ in }
        )
        _ = try await publishing.saveSettings(
            try Document.read(#"{"domains":["acme.com"],"schemes":["acme"]}"#),
            of: shop,
            expected: nil,
            change: change
        )
        let location = PublishingService.DraftLocation(shop, .production)
        let table = #"{"routes":[{"id":"a","path":"/ä/{id}","open":{"screen":"A"}}]}"#
        for _ in 0..<2 {
            _ = try await publishing.saveDraft(try Document.read(table), at: location, expected: nil, change: change)
            _ = try await publishing.publish(location, note: .init(message: "m"), change: change)
        }
        _ = try await publishing.saveDraft(try Document.read(table), at: location, expected: nil, change: change)
        _ = try await catalog.sealingKeys(of: .install, random: Data(repeating: 3, count: 32), at: change.at)
        let grant = KeyGrant(
            id: KeyID(rawValue: "key000000000"),
            secretHash: Data(repeating: 7, count: 32),
            tenant: nil,
            scopes: [.admin],
            createdAt: change.at,
            expiresAt: nil,
            name: "a"
        )
        _ = try await catalog.saveKey(grant, change: change)
        try catalog.close()
        let links = try ShortLinkDatabase(directory + "/links.db") { .random(in: 0..<$0) }
        let new = (0..<5_000).map { number in
            NewShortLink(
                code: ShortCode("c\(number)"),
                content: ShortLink.Content(target: "https://acme.com/ä/\(number)", tags: ["t"]),
                createdAt: change.at,
                createdBy: .system
            )
        }
        _ = try await links.create(new, of: shop)
        for code in ["c1", "c2"].compactMap({ ShortCode($0) }) {
            _ = try await links.update(code, of: shop, by: .system, at: change.at) {
                var link = $0
                link.status = .archived
                return link
            }
        }
        try links.close()
    }

    private static func files(_ directory: String) throws -> StoreCopy.Store {
        (
            catalog: try CatalogDatabase.makeStore(directory + "/catalog.db"),
            links: try ShortLinkDatabase.makeStore(directory + "/links.db")
        )
    }

    private func withDirectories(_ body: (String, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { first in
            try await withTemporaryDirectory { second in
                try await Self.fill(first)
                try await body(first, second)
            }
        }
    }

    @Test func thereAndBackLeavesEqualRows() async throws {
        try await withDirectories { first, second in
            let store = try await TestPostgres.makeStore()
            let there = try await StoreCopy(from: Self.files(first), named: "first", to: (store, store)).run { _, _ in }
            let counts = Dictionary(there.map { ($0.table, $0.rows) }) { one, _ in one }
            #expect(counts["short_link"] == 5_000 && counts["short_link_change"] == 4 && counts["audit"] == 7)
            #expect(counts.values.count { $0 == 0 } == 3, "\(counts)")
            let back = try await StoreCopy(from: (store, store), named: "there", to: Self.files(second)).run { _, _ in }
            #expect(back.map(\.rows) == there.map(\.rows))

            let catalog = try CatalogDatabase(second + "/catalog.db")
            #expect(try await catalog.verifyAudit().brokenAt == nil)
            #expect(try await catalog.verifyAudit().rows == 7)
            #expect(try await catalog.keyGrantsNotRevoked().count == 1)
            try catalog.close()
            let links = try ShortLinkDatabase(second + "/links.db") { .random(in: 0..<$0) }
            #expect(try await links.count(of: Self.shop) == 5_000)
            try links.close()

            // Nodes go on with the database: their links get ids that no copied one has.
            let node = try ShortLinkDatabase(second + "/node.db", copyOf: store) { .random(in: 0..<$0) }
            try await node.follow()
            let made = try await node.create(
                [
                    NewShortLink(
                        code: nil,
                        content: ShortLink.Content(target: "https://acme.com/"),
                        createdAt: Self.change.at,
                        createdBy: .system
                    )
                ],
                of: Self.shop
            )
            #expect(made.count == 1)
            #expect(try await node.count(of: Self.shop) == 5_001)
            try node.close()
        }
    }

    @Test func anInterruptedCopyIsContinuedAndNotUsedBefore() async throws {
        try await withDirectories { first, _ in
            let store = try await TestPostgres.makeStore()
            let copy = StoreCopy(from: try Self.files(first), named: "first", to: (store, store))
            for table in ["tenant", "audit", "short_link", "comparing live"] {
                let run = Task {
                    try await copy.run { name, _ in if name == table { withUnsafeCurrentTask { $0?.cancel() } } }
                }
                await #expect(throws: CancellationError.self) { _ = try await run.value }
                await #expect(throws: PostgresError.self) { _ = try await PostgresStore(store.address).prepare() }
            }
            #expect(try await copy.run { _, _ in }.contains { $0 == ("short_link", 5_000) })
            _ = try await PostgresStore(store.address).prepare()
        }
    }

    @Test func onlyAnEmptyStoreIsFilled() async throws {
        try await withDirectories { first, second in
            let store = try await TestPostgres.makeStore()
            let copy = StoreCopy(from: try Self.files(first), named: "first", to: (store, store))
            _ = try await copy.run { _, _ in }
            await #expect(throws: StoreCopy.Failure.targetNotEmpty(store.name)) { _ = try await copy.run { _, _ in } }
            try await Self.fill(second)
            let back = StoreCopy(from: (store, store), named: "there", to: try Self.files(second))
            await #expect(throws: StoreCopy.Failure.targetNotEmpty(second + "/catalog.db")) {
                _ = try await back.run { _, _ in }
            }
        }
    }

    // MARK: What nodes tell each other

    @Test func aRequestIsInProgressOnOneNode() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await TestPostgres.makeStore()
            let nodes = try ["a", "b"].map {
                try CatalogDatabase(PostgresStore(store.address), copy: "\(directory)/\($0).db", node: $0)
            }
            let now = Self.change.at
            let oldest = Timestamp(milliseconds: now.milliseconds - 86_400_000)
            let request = IdempotentRequest(actor: "k", key: "x", hash: Data([1]))
            func claim(_ node: Int) async throws -> KnownRequest {
                try await nodes[node].claim(request, at: now, since: oldest)
            }
            #expect(try await claim(0) == .new)
            #expect(try await claim(1) == .working)
            // A start frees only what its own process had begun.
            try await nodes[1].releaseRequests()
            #expect(try await claim(1) == .working)
            try await nodes[0].releaseRequests()
            #expect(try await claim(1) == .new)
            try await nodes[1].release(request)
            #expect(try await claim(0) == .new)
            try await store.storing { try $0.execute(sql: "UPDATE repeated_request SET lease = lease - 600001") }
            #expect(try await claim(1) == .new)
            let answer = StoredResponse(status: 201, headers: ["a": "b"], body: Data([2]))
            try await nodes[1].keep(answer, to: request, of: Self.shop, at: now, since: oldest)
            try await nodes[1].release(request)
            #expect(try await claim(0) == .answered(answer))
            let other = IdempotentRequest(actor: "k", key: "x", hash: Data([2]))
            #expect(try await nodes[0].claim(other, at: now, since: oldest) == .other)
            for node in nodes { try node.close() }
        }
    }

    @Test func theFirstNodesKeyOfADayIsThatOfAll() async throws {
        let store = try await TestPostgres.makeStore()
        let today = try #require(CivilDay("9000-01-01"))
        #expect(try await store.addressKey(of: today, proposal: Data([1])) == Data([1]))
        #expect(try await store.addressKey(of: today, proposal: Data([2])) == Data([1]))
        let past = try #require(CivilDay("2020-01-01"))
        _ = try await store.addressKey(of: past, proposal: Data([3]))
        _ = try await store.addressKey(of: today, proposal: Data([4]))
        let days = try await store.read { try String.fetchAll($0, sql: "SELECT day FROM address_key") }
        #expect(days == ["9000-01-01"])
    }
}
