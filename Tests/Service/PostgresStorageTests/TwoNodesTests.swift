import CatalogSupport
import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage
import TestSupport
import Testing

@testable import PostgresStorage

/// Two nodes with one catalog in PostgreSQL, each with a copy.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct TwoNodesTests {
    private static let shop = tenant("shop")
    private static let change = AuditContext(
        actor: .system,
        at: instant("2026-11-29T10:00:00Z"),
        requestID: "r"
    )

    private struct Node {
        let catalog: CatalogDatabase
        let publishing: PublishingService

        init(_ address: PostgresAddress, _ path: String) throws {
            catalog = try CatalogDatabase(PostgresStore(address), copy: path, node: path)
            publishing = PublishingService(
                store: catalog,
                random: { Data(repeating: 1, count: $0) },
                runSuite: { _, _, _ in [] },
                onCommit: { _ in }
            )
        }

        func saveSettings(_ domains: String...) async throws {
            let list = domains.map { "\"\($0)\"" }.joined(separator: ",")
            _ = try await publishing.saveSettings(
                try Document.read("{\"domains\":[\(list)]}"),
                of: shop,
                expected: nil,
                change: change
            )
        }

        func publish(_ path: String) async throws -> Revision? {
            let location = PublishingService.DraftLocation(shop, .production)
            let table = "{\"routes\":[{\"id\":\"a\",\"path\":\"\(path)\",\"open\":{\"screen\":\"A\"}}]}"
            _ = try await publishing.saveDraft(try Document.read(table), at: location, expected: nil, change: change)
            return try await publishing.publish(location, note: .init(message: "m"), change: change).row.revision
        }

        /// The hosts and the live tables that the copy has.
        func served() async throws -> [String] {
            try await catalog.snapshot().tenants.map {
                "\($0.id) \($0.settingsRevision) \($0.live.map(\.revision.rawValue))"
            }
        }
    }

    private func withNodes(_ body: (Node, Node, PostgresStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await TestPostgres.makeStore()
            let first = try Node(store.address, directory + "/first.db")
            let second = try Node(store.address, directory + "/second.db")
            try await body(first, second, store)
            try first.catalog.close()
            try second.catalog.close()
        }
    }

    @Test func aPublicationArrivesAtTheOtherNode() async throws {
        try await withNodes { first, second, _ in
            try await first.saveSettings("acme.com")
            #expect(try await second.catalog.follow())
            #expect(try await second.catalog.follow() == false)
            #expect(try await first.publish("/a") == Revision(rawValue: 1))
            #expect(try await second.served() == ["shop 1 []"])
            #expect(try await second.catalog.follow())
            #expect(try await second.served() == ["shop 1 [1]"])
            #expect(try await second.publish("/b") == Revision(rawValue: 2))
            #expect(try await first.catalog.follow())
            #expect(try await first.served() == ["shop 1 [2]"])
            #expect(try await first.catalog.served.content(of: Revision(rawValue: 1), tenant: Self.shop) != nil)
            #expect(try await first.catalog.verifyAudit().brokenAt == nil)
        }
    }

    @Test func keysAreCopiedAndRevokedKeysGo() async throws {
        try await withNodes { first, second, _ in
            let grant = KeyGrant(
                id: KeyID(rawValue: "key000000000"),
                secretHash: Data(repeating: 7, count: 32),
                tenant: nil,
                scopes: [.admin],
                createdAt: Self.change.at,
                expiresAt: nil,
                name: "a"
            )
            _ = try await first.catalog.saveKey(grant, change: Self.change)
            #expect(try await second.catalog.follow())
            #expect(try await second.catalog.served.keyGrantsNotRevoked().map(\.id) == [grant.id])
            _ = try await first.catalog.endKey(grant.id, at: Self.change.at, as: .revoke, change: Self.change)
            #expect(try await second.catalog.follow())
            #expect(try await second.catalog.served.keyGrantsNotRevoked().isEmpty)
        }
    }

    @Test func sealingKeysAreSharedAndAnnounced() async throws {
        try await withNodes { first, second, _ in
            let old = Data(repeating: 1, count: 32)
            let keys = try await first.catalog.sealingKeys(of: .continuation, random: old, at: Self.change.at)
            #expect(keys == [old])
            #expect(try await second.catalog.follow())
            let later = Timestamp(milliseconds: Self.change.at.milliseconds + SealingKeyRing.continuation.period + 1)
            let new = Data(repeating: 2, count: 32)
            // A new key opens at once, and seals when the other node knows it.
            #expect(try await first.catalog.sealingKeys(of: .continuation, random: new, at: later) == [old, new])
            #expect(try await second.catalog.follow())
            #expect(try await second.catalog.served.sealingKeys(of: .continuation, at: later) == [old, new])
            let muchLater = Timestamp(milliseconds: later.milliseconds + 120_000)
            #expect(try await second.catalog.served.sealingKeys(of: .continuation, at: muchLater) == [new, old])
        }
    }

    @Test func aHistoryThatLostChangesIsNotFollowed() async throws {
        try await withNodes { first, second, store in
            try await first.saveSettings("acme.com")
            _ = try await first.publish("/a")
            #expect(try await second.catalog.follow())
            // As after a failover to a standby that lagged.
            try await store.storing { db in
                try db.execute(sql: "ALTER TABLE audit DISABLE TRIGGER ALL")
                try db.execute(
                    sql: "UPDATE audit SET hash = ? WHERE id > 1",
                    arguments: [Data(repeating: 9, count: 32)]
                )
                try db.execute(sql: "UPDATE audit_head SET hash = ?", arguments: [Data(repeating: 9, count: 32)])
            }
            await #expect(throws: ForeignHistory.self) { _ = try await second.catalog.follow() }
            #expect(try await second.served() == ["shop 1 [1]"])
        }
    }

    /// What an operator has accepted once does not make an empty database, or one from before, the one to follow.
    @Test func anAcceptedHistoryIsFollowedOnce() async throws {
        try await withNodes { first, second, store in
            func lose(_ hash: UInt8) async throws {
                try await store.storing { db in
                    try db.execute(sql: "ALTER TABLE audit DISABLE TRIGGER ALL")
                    let bytes = Data(repeating: hash, count: 32)
                    try db.execute(sql: "UPDATE audit SET hash = ? WHERE id > 1", arguments: [bytes])
                    try db.execute(sql: "UPDATE audit_head SET hash = ?", arguments: [bytes])
                }
            }
            try await first.saveSettings("acme.com")
            _ = try await first.publish("/a")
            #expect(try await second.catalog.follow())
            for (hash, expected) in [(9, 1), (8, 2)] as [(UInt8, Int)] {
                try await lose(hash)
                await #expect(throws: ForeignHistory.self) { _ = try await second.catalog.follow() }
                try await store.acceptHistory()
                #expect(try await second.catalog.follow())
                #expect(
                    try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM accepted_history") }
                        == expected
                )
            }
            try await lose(7)
            await #expect(throws: ForeignHistory.self) { _ = try await second.catalog.follow() }
            for older in ["number > 1", "number > 0"] {
                try await store.storing { try $0.execute(sql: "DELETE FROM accepted_history WHERE \(older)") }
                await #expect(throws: ForeignHistory.self) { _ = try await second.catalog.follow() }
            }
            try await store.acceptHistory()
            #expect(try await second.catalog.follow())
        }
    }

    @Test func aCopyIsNotUsedAsACatalog() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/catalog.db"
            let store = try await TestPostgres.makeStore()
            let node = try Node(store.address, path)
            try await node.saveSettings("acme.com")
            try node.catalog.close()
            #expect(throws: StorageError.copiedCatalog(file: path, source: store.name)) { try CatalogDatabase(path) }
            let own = try CatalogDatabase(directory + "/own.db")
            try await own.note(AuditAction(.forceRetention, of: Self.shop, .object([:])), change: Self.change)
            try own.close()
            let taken = try CatalogDatabase(PostgresStore(store.address), copy: directory + "/own.db", node: "own")
            await #expect(throws: ForeignHistory.self) { _ = try await taken.follow() }
            #expect(try taken.hasFollowed == false)
            try taken.close()
        }
    }

    /// Edits of both nodes serialise: no lost update, no number twice.
    @Test func nodesThatWriteTogetherLoseNothing() async throws {
        try await withNodes { first, second, _ in
            try await first.saveSettings("acme.com")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for node in [first, second] {
                    for number in 0..<16 {
                        group.addTask {
                            let name = try #require(SuiteName("s\(number)"))
                            _ = try await node.catalog.saveSuite(
                                "{}",
                                name: name,
                                of: Self.shop,
                                expected: nil,
                                change: Self.change
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
            let suites = try await first.catalog.suites(of: Self.shop)
            #expect(suites.count == 16)
            #expect(Set(suites.map(\.version)).count == 16)
            let verdict = try await second.catalog.verifyAudit()
            #expect(verdict.brokenAt == nil && verdict.rows == 33)
        }
    }
}
