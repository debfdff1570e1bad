import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The newest old settings are kept, within limits on their number and size.
struct SettingsHistoryTests {
    private let change = AuditContext(
        actor: Actor(kind: .person, id: "anna", name: "Anna"),
        at: instant("2026-11-21T10:00:00Z"),
        requestID: "r1"
    )

    /// The kept revisions after `count` writes, newest first.
    private func kept(writing count: Int, textBytes: Int) async throws -> [Int64] {
        let shop = tenant("shop")
        let text = String(repeating: "x", count: textBytes)
        return try await withTemporaryDirectory { directory in
            let database = try CatalogDatabase(directory + "/catalog.db")
            for number in 0..<count {
                _ = try await database.saveSettings(
                    .object(["number": .int(number), "text": .string(text)]),
                    identity: Identity(),
                    of: shop,
                    installKey: nil,
                    expected: Int64(number),
                    checked: [:],
                    claims: .exclusive,
                    change: change
                )
            }
            let history = try await database.settingsHistory(of: shop, before: nil, limit: 1_000)
            #expect(try await database.settings(of: shop)?.revision == Int64(count))
            #expect(try await database.settings(of: shop, revision: 1) == nil)
            try database.close()
            return history.map(\.revision)
        }
    }

    @Test func oldestAreDroppedAboveTheCount() async throws {
        let revisions = try await kept(writing: 103, textBytes: 10)
        #expect(revisions.count == 100 && revisions.first == 103 && revisions.last == 4)
    }

    @Test func oldestAreDroppedAboveTheSize() async throws {
        // Seven of them take less than 16 MiB, and eight take more.
        let revisions = try await kept(writing: 10, textBytes: 2 << 20)
        #expect(revisions == [10, 9, 8, 7, 6, 5, 4])
    }
}
