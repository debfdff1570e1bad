import CatalogSupport
import Foundation
import LinkCatalog
import LinkRouting
import PostgresStorage
import TestSupport
import Testing

@testable import LinkStorage

/// Nodes with their short links in one PostgreSQL database, each with a copy.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct ShortLinkNodesTests {
    private static let shop = tenant("shop")
    private static let now = instant("2026-11-29T10:00:00Z")
    private static let editor = Actor(kind: .key, id: "k", name: "k")

    private static func day(_ number: Int) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + Int64(number) * Timestamp.millisecondsPerDay)
    }

    private func withNodes(
        _ body: (ShortLinkDatabase, ShortLinkDatabase, PostgresStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await TestPostgres.makeStore()
            let nodes = try ["a", "b"].map { name in
                try ShortLinkDatabase("\(directory)/\(name).db", copyOf: PostgresStore(store.address)) {
                    .random(in: 0..<$0)
                }
            }
            for node in nodes { try await node.follow() }
            try await body(nodes[0], nodes[1], store)
            for node in nodes { try node.close() }
        }
    }

    private static func new(_ code: String?, expires: Timestamp? = nil) throws -> NewShortLink {
        NewShortLink(
            code: try code.map { try #require(ShortCode($0)) },
            content: ShortLink.Content(target: "https://www.acme.com/item/7", expires: expires),
            createdAt: now,
            createdBy: editor,
            isFromApp: expires != nil
        )
    }

    private static func link(_ code: String, in node: ShortLinkDatabase) async throws -> ShortLink? {
        try await node.link(try #require(ShortCode(code)), of: shop, ignoringCase: false)
    }

    private static func rows(_ node: ShortLinkDatabase) async throws -> [[SQLValue]] {
        try await node.local.read { db in
            let columns = try CopiedTable.columns(in: db, of: "short_link")
            return try SQLRow.fetchAll(db, sql: "SELECT * FROM short_link ORDER BY id").map { row in
                columns.map { row[value: $0] }
            }
        }
    }

    @Test func aNewLinkIsClickedOnEveryNode() async throws {
        try await withNodes { first, second, _ in
            let made = try await first.create([Self.new("spring")], of: Self.shop)
            #expect(try await Self.link("spring", in: first) == made.first?.link)
            #expect(try await Self.link("spring", in: second) == nil)
            try await second.follow()
            #expect(try await Self.link("spring", in: second) == made.first?.link)
            let code = try #require(ShortCode("spring"))
            _ = try await second.update(code, of: Self.shop, by: Self.editor, at: Self.now) {
                var link = $0
                link.content.title = "Spring"
                return link
            }
            try await first.follow()
            #expect(try await Self.link("spring", in: first)?.content.title == "Spring")
            #expect(try await first.history(of: code, of: Self.shop) == second.history(of: code, of: Self.shop))
            #expect(try await first.history(of: code, of: Self.shop).count == 2)
        }
    }

    /// Both nodes create at once: each code is given once, and no follower misses a link.
    @Test func linksOfTwoNodesAreAllCopied() async throws {
        try await withNodes { first, second, _ in
            let created = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let node = number.isMultiple(of: 2) ? first : second
                        let code = number % 4 < 2 ? "c\(number / 4)" : nil
                        let results = try await node.create([Self.new(code)], of: Self.shop)
                        if number.isMultiple(of: 7) { try await node.follow() }
                        return results.first?.link != nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            // Of each pair with the same code, one was taken.
            #expect(created == 300)
            for node in [first, second] {
                try await node.follow()
                #expect(try await node.count(of: Self.shop) == 300)
            }
            #expect(try await Self.rows(first) == Self.rows(second))
            #expect(await first.faults() == [])
        }
    }

    /// A migration adds columns to the copy, for which the store has had values.
    @Test func aMigratedCopyIsCopiedAgain() async throws {
        try await withNodes { a, b, _ in
            for code in ["one", "two"] { _ = try await a.create([Self.new(code)], of: Self.shop) }
            try await b.follow()
            try await b.local.storing { db in
                try db.execute(sql: "UPDATE link_position SET schema = schema - 1")
                try db.execute(sql: "UPDATE short_link SET reuse = 0")
            }
            try await b.follow()
            #expect(try await Self.rows(b) == Self.rows(a))
            #expect(try await Self.rows(b).count == 2)
        }
    }

    @Test func anInterruptedCopyIsContinued() async throws {
        try await withNodes { first, second, store in
            try await store.storing { db in
                try ShortLinkDatabase.add(Self.shop, db)
                try db.execute(
                    sql: """
                        INSERT INTO short_link (tenant, code, content, status, created_at, updated_at, actor_kind, actor_id,
                            actor_name, version, from_app, reuse)
                        SELECT 1, 'c' || n, '{"target":"https://www.acme.com/"}', 'active', 1, 1, 'key', 'k', 'k', 1, 0, 0
                        FROM generate_series(1, 12000) AS n
                        """
                )
                try ShortLinkReplica.note(db)
            }
            let copying = Task {
                try await first.follow { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            await #expect(throws: CancellationError.self) { try await copying.value }
            #expect(try await first.count(of: Self.shop) == 5_000)
            // Others change links meanwhile.
            _ = try await second.create([Self.new("last")], of: Self.shop)
            for node in [first, second] { try await node.follow() }
            #expect(try await first.count(of: Self.shop) == 12_001)
            #expect(try await Self.rows(first) == Self.rows(second))
        }
    }

    @Test func theLatestClickOfAllNodesDecides() async throws {
        try await withNodes { first, second, store in
            let end = Self.day(90)
            _ = try await first.create([Self.new("app", expires: end)], of: Self.shop)
            try await second.follow()
            let code = try #require(ShortCode("app"))
            let ends = (Self.day(130), Self.day(120))
            #expect(try await first.prolong(code, of: Self.shop, from: end, to: ends.0))
            #expect(try await second.prolong(code, of: Self.shop, from: end, to: ends.1))
            #expect(try await Self.link("app", in: second)?.content.expires == ends.1)
            for node in [first, second, first] { try await node.follow() }
            #expect(try await Self.link("app", in: first)?.content.expires == ends.0)
            #expect(try await Self.link("app", in: second)?.content.expires == ends.0)
            let stored = try await store.read { try Int64.fetchOne($0, sql: "SELECT expires FROM short_link") }
            #expect(stored == ends.0.milliseconds)
        }
    }

    @Test(arguments: [true, false])
    func noLinkOfAnAppEndsWhileANodeIsMissing(_ isMissing: Bool) async throws {
        try await withNodes { first, _, store in
            let ends = [1, 3].map { Self.day($0) }
            _ = try await first.create(
                [Self.new("soon", expires: ends[0]), Self.new("later", expires: ends[1])],
                of: Self.shop
            )
            let seen = Timestamp(milliseconds: Self.now.milliseconds - (isMissing ? 4_000_000 : 30_000))
            try await store.report(
                FleetNode(name: "b", seenAt: seen, version: "1", catalog: 1, links: 1, lastSequence: 0)
            )
            try await first.holdAppLinks(at: Self.now)
            try await first.follow()
            let soon = try await Self.link("soon", in: first)?.content.expires
            #expect(soon == (isMissing ? Self.day(9) : ends[0]))
            #expect(try await Self.link("later", in: first)?.content.expires == ends[1])
            #expect(try await store.forget("b", at: Self.now))
            #expect(try await store.forget("b", at: Self.now) == false)
        }
    }

    @Test func everyNodeDeletesWhatHasEnded() async throws {
        try await withNodes { first, second, _ in
            _ = try await first.create([Self.new("old", expires: Self.now), Self.new("kept")], of: Self.shop)
            try await second.follow()
            for node in [first, second] {
                _ = try await node.deleteAppLinks(expiredBefore: Self.day(1))
                #expect(try await node.count(of: Self.shop) == 1)
            }
            // The code is free again, also on a node that has not deleted the old link.
            _ = try await first.create([Self.new("kept2", expires: Self.now)], of: Self.shop)
            try await second.follow()
            _ = try await first.deleteAppLinks(expiredBefore: Self.day(1))
            _ = try await first.create([Self.new("kept2")], of: Self.shop)
            try await second.follow()
            #expect(try await Self.link("kept2", in: second)?.isFromApp == false)
            #expect(try await Self.rows(first) == Self.rows(second))
        }
    }

    /// As after a failover to a standby that lagged: the last transactions are gone, and others have their numbers.
    @Test func lostLinksAreFollowedOnceThatIsAccepted() async throws {
        try await withNodes { first, second, store in
            _ = try await first.create([Self.new("kept"), Self.new("changed")], of: Self.shop)
            try await second.follow()
            _ = try await first.create([Self.new("lost")], of: Self.shop)
            try await store.storing { db in
                try db.execute(sql: "DELETE FROM short_link WHERE code = 'lost'")
                try db.execute(sql: "DELETE FROM link_commit WHERE number = (SELECT max(number) FROM link_commit)")
                try db.execute(sql: "SELECT setval('link_number', (SELECT max(number) FROM link_commit))")
            }
            // A click of the lost time is not told yet.
            try await first.local.storing {
                try $0.execute(sql: "INSERT INTO unsent_end (link, expires) VALUES (1, 5)")
            }
            // The second node has not seen what was lost. Its links get the lost ids, also in another tenant.
            _ = try await second.create([Self.new("new")], of: tenant("blog"))
            _ = try await second.create([Self.new("newer")], of: Self.shop)
            await #expect(throws: ForeignHistory.self) { try await first.follow() }
            #expect(try await Self.link("lost", in: first) != nil)
            try await store.acceptHistory()
            for node in [first, second, first] { try await node.follow() }
            #expect(try await Self.link("lost", in: first) == nil)
            #expect(try await Self.link("new", in: first) == nil)
            #expect(try await first.count(of: tenant("blog")) == 1)
            let unsent = try await first.local.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM unsent_end") }
            #expect(unsent == 0)
            #expect(await first.faults() == [])
            #expect(try await Self.rows(first) == Self.rows(second))
            // Accepted once: the next loss is refused again.
            try await store.storing { try $0.execute(sql: "UPDATE link_commit SET id = 'x'") }
            await #expect(throws: ForeignHistory.self) { try await first.follow() }
            await #expect(throws: ForeignHistory.self) { try await second.follow() }
        }
    }

    @Test func aNodeThatDoesNotFollowIsNamed() async throws {
        try await withNodes { first, _, store in
            let later = Self.now.later(minutes: 10)
            func report(_ name: String, _ seen: Timestamp, catalog: Int64 = 0, links: Int64) async throws {
                try await store.report(
                    FleetNode(name: name, seenAt: seen, version: "1", catalog: catalog, links: links, lastSequence: 0)
                )
            }
            _ = try await first.create([Self.new("a")], of: Self.shop)
            try await store.storing {
                try $0.execute(sql: "UPDATE link_commit SET at = ?", arguments: [Self.now.milliseconds])
            }
            let last = try first.lastChange
            try await report("gone", Self.now, links: last)
            try await report("behind", later, links: last - 1)
            try await report("ahead", later, catalog: 9, links: last)
            try await report("well", later, links: last)
            let fleet = try await store.fleet(at: later)
            #expect(fleet.map(\.node.name) == ["ahead", "behind", "gone", "well"])
            #expect(
                fleet.map(\.problem)
                    == ["has changes that the catalog lacks", "does not follow", "has not reported", nil]
            )
        }
    }

    /// A data directory with links of its own is not overwritten.
    @Test func ownLinksAreNotReplaced() async throws {
        try await withTemporaryDirectory { directory in
            let own = try ShortLinkDatabase(directory + "/links.db") { .random(in: 0..<$0) }
            _ = try await own.create([Self.new("a")], of: Self.shop)
            try own.close()
            let store = try await TestPostgres.makeStore()
            // Not even if a history was accepted once.
            try await store.acceptHistory()
            let copy = try ShortLinkDatabase(directory + "/links.db", copyOf: store) { .random(in: 0..<$0) }
            await #expect(throws: ForeignHistory.self) { try await copy.follow() }
            #expect(try await copy.count(of: Self.shop) == 1)
            try copy.close()
        }
    }
}

extension ShortLinkCreation {
    fileprivate var link: ShortLink? { if case .created(let link) = self { link } else { nil } }
}

extension Timestamp {
    fileprivate func later(minutes: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + minutes * 60_000) }
}
