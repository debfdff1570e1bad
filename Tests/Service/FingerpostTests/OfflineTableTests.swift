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

    private static let settings = """
        settings:
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
          environments: [staging]
        table:
        """

    /// Keys of a suite, keys of its case, and why it cannot be about the file.
    @Test(
        arguments: [
            ("tenant: acme", "app: ios, context: {platform: ios}", nil),
            ("context: {app: ios}", "context: {app: null}", nil),
            ("tenant: other", "app: ios", "the suite is for the tenant 'other', but the table is that of 'acme'."),
            ("", "app: iso", "line 4: the settings have no app 'iso'; did you mean 'ios'?"),
            ("context: {app: web}", "app: ios", "line 4: the settings have no app 'web'."),
            ("environments: [staging, production]", "environments: [staging]", nil),
            ("environments: [stagin, qa]", "app: ios", "the settings have no environment 'qa'."),
            (
                "", "environments: [prodution]",
                "the settings have no environment 'prodution'; did you mean 'production'?"
            ),
            (
                "context: {platform: android}", "app: ios",
                "line 4: the app 'ios' is for ios, but the context has the platform android."
            ),
        ] as [(String, String, String?)]
    )
    func suiteOfAnotherTenantOrAppIsRefused(_ keys: String, _ oneCase: String, _ reason: String?) throws {
        let text = Self.table.replacing("table:", with: Self.settings)
        let suite = try LinkSuite(
            "formatVersion: 1\n\(keys)\ncases:\n  - {link: \"acme://item/7\", \(oneCase), expect: {route: item}}"
        )
        try Self.file(Array(text.utf8)) { path in
            let table = try OfflineTable(path, now: Timestamp(milliseconds: 0))
            guard let reason else { return try table.check(suite) }
            let failure = #expect(throws: CommandFailure.self) { try table.check(suite) }
            #expect(failure?.status == .unreadableInput && failure?.lines == ["fingerpost: : \(reason)"])
        }
        // Without settings, every app and every tenant but another one may be meant.
        guard keys != "tenant: other" else { return }
        try Self.file(Array(Self.table.utf8)) { path in
            try OfflineTable(path, now: Timestamp(milliseconds: 0)).check(suite)
        }
    }

    @Test(
        arguments: [
            ("environments: [staging, production]", "", []),
            (
                "", "via: system, ",
                ["line 4: 'via' tests the association file only with 'app'; add the id of an app."]
            ),
            ("", "via: app, ", []),
        ] as [(String, String, [String])]
    )
    func whatASuitePassesOverIsNamed(_ keys: String, _ oneCase: String, _ warnings: [String]) throws {
        let text = Self.table.replacing("table:", with: Self.settings)
        let suite = try LinkSuite(
            "formatVersion: 1\n\(keys)\ncases:\n  - {link: \"https://a.test/\", \(oneCase)expect: {route: item}}"
        )
        try Self.file(Array(text.utf8)) { path in
            let table = try OfflineTable(path, now: Timestamp(milliseconds: 0))
            #expect(table.warnings(about: suite) == warnings)
        }
    }

    @Test(arguments: [("acmee://item/7", "no scheme 'acmee'"), ("acme://item/7", nil), ("no link", nil)])
    func caseWithAnUnknownHostIsExplained(_ link: String, _ warning: String?) throws {
        let text = Self.table.replacing("table:", with: Self.settings)
        let suite = try LinkSuite("formatVersion: 1\ncases: [{link: \"\(link)\", expect: {route: item}}]")
        try Self.file(Array(text.utf8)) { path in
            let table = try OfflineTable(path, now: Timestamp(milliseconds: 0))
            let found = table.unknownHostWarning(for: try #require(suite.cases.first))
            #expect((found == nil) == (warning == nil) && found?.contains(warning ?? "") ?? true)
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
