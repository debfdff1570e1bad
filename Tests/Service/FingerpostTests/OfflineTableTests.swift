import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import Testing
import fingerpost

/// Tables that commands read from files.
struct OfflineTableTests {
    private static func file<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "table-\(UUID().uuidString).yaml").path
        try Data(bytes).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private static let table = """
        formatVersion: 1
        tenant: acme
        table:
          routes:
            - {id: item, path: "/item/{id:int}", open: {screen: Item}}
        """

    @Test func tableWithoutSettingsAppliesToEveryLink() throws {
        try Self.file(Array(Self.table.utf8)) { path in
            let table = try OfflineTable(path, now: Timestamp(milliseconds: 0))
            let answer = table.answer("https://anywhere.example/item/7", in: LinkContext(), explanation: .omitted)
            #expect(answer.answer.resolution.route?.rawValue == "item")
            #expect(answer.id == nil && answer.isRecorded == nil)
        }
    }

    @Test(arguments: [
        ("bakry://bread/7", "no scheme 'bakry', so no route was tried; did you mean 'bakery'?"),
        (
            "https://go.bakry.example/",
            "no domain 'go.bakry.example', so no route was tried; did you mean 'go.bakery.example'?"
        ),
        ("https://elsewhere.test/", "no domain 'elsewhere.test', so no route was tried."),
        ("bakery://bread/7", nil), ("no link", nil),
    ])
    func unownedLinkIsExplained(_ link: String, _ warning: String?) throws {
        let text = Self.table.replacing(
            "table:",
            with: "settings: {domains: [go.bakery.example], schemes: [bakery]}\ntable:"
        )
        try Self.file(Array(text.utf8)) { path in
            let table = try OfflineTable(path, now: Timestamp(milliseconds: 0))
            for explanation in [Router.Explanation.omitted, .included] {
                let warnings = table.answer(link, in: LinkContext(), explanation: explanation).warnings
                #expect(warnings == [warning].compactMap { $0.map { "The settings of this file have \($0)" } })
            }
        }
    }

    @Test func suiteFailsWhereTheTableDiffers() throws {
        try Self.file(Array(Self.table.utf8)) { path in
            let suite = try LinkSuite(
                """
                formatVersion: 1
                cases:
                  - {link: "https://x.example/item/7", expect: {route: item}}
                  - {link: "https://x.example/item/seven", expect: {route: item}}
                """
            )
            let failures = try OfflineTable(path, now: Timestamp(milliseconds: 0)).failures(of: suite)
            #expect(failures.map(\.link) == ["https://x.example/item/seven"])
        }
    }

    @Test(arguments: ["formatVersion: 1\ntenant: acme\n", "{", "formatVersion: 99\n", "table: [\n"])
    func fileWithoutAUsableTableIsSixtyFive(_ text: String) throws {
        try Self.file(Array(text.utf8)) { path in
            let failure = #expect(throws: CommandFailure.self) {
                try OfflineTable(path, now: Timestamp(milliseconds: 0))
            }
            #expect(failure?.status == .unreadableInput)
            #expect(failure?.lines.first?.hasPrefix("fingerpost: \(path): ") == true)
        }
    }

    @Test func fileThatIsNotUTF8IsSixtyFive() throws {
        try Self.file([0x66, 0xFF, 0xFE]) { path in
            let failure = #expect(throws: CommandFailure.self) { try readText(path) }
            #expect(failure?.lines == ["fingerpost: \(path) is not UTF-8; save it as UTF-8."])
        }
    }

    @Test func missingFileIsNamed() {
        let failure = #expect(throws: CommandFailure.self) { try readText("/nowhere/table.yaml") }
        #expect(failure?.status == .unreadableInput)
        #expect(failure?.lines.first?.contains("/nowhere/table.yaml") == true)
    }

    @Test func fileOfAnotherTenantIsRefused() throws {
        try Self.file(Array(Self.table.utf8)) { path in
            let own = try TableFile(path, tenant: nil)
            #expect(own.tenant == TenantID("acme"))
            let failure = #expect(throws: CommandFailure.self) { try TableFile(path, tenant: "other") }
            #expect(failure?.lines.first?.contains("belongs to tenant 'acme', not to 'other'") == true)
        }
    }
}
