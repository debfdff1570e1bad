import LinkCatalog
import LinkRouting
import Testing

struct TenantDocumentTests {
    @Test func documentHoldsSettingsAndTable() throws {
        let document = try TenantDocument(
            "formatVersion: 1\ntenant: shop\nsettings: {retentionDays: 7}\ntable: {routes: []}"
        )
        let checked = document.checked()

        #expect(document.tenant == TenantID("shop"))
        #expect(checked.settings?.retentionDays == 7)
        #expect(checked.table == RouteTable())
        #expect(checked.findings == [])
    }

    @Test func settingsAndTableMayStandInTwoFiles() throws {
        let settings = try TenantDocument("formatVersion: 1\ntenant: shop\nsettings: {}").checked()
        let table = try TenantDocument("formatVersion: 1\ntenant: shop\ntable: {routes: [{id: a, path: /a}]}").checked()

        #expect(settings.settings != nil)
        #expect(settings.table == nil)
        #expect(table.settings == nil)
        #expect(table.table?.routes.count == 1)
        #expect(settings.findings + table.findings == [])
    }

    @Test(arguments: [
        "routes: [{id: a, path: /a}]",
        "formatVersion: 1\ndefaults: {caseSensitive: false}\nroutes: [{id: a, path: /a}]",
        #"{"formatVersion": 1, "routes": [{"id": "a", "path": "/a"}]}"#,
    ])
    func fileOfATableAloneIsRead(_ text: String) throws {
        let checked = try TenantDocument(text).checked()

        #expect(checked.table?.routes.map(\.id.rawValue) == ["a"])
        #expect(checked.settings == nil)
    }

    @Test func yamlAndJSONAreEquivalent() throws {
        let yaml = try Examples.document("shop")
        let json =
            #"{"formatVersion": 1, "tenant": "shop", "settings": "#
            + (try #require(yaml.settings)).json() + #", "table": "# + (try #require(yaml.table)).json() + "}"
        let document = try TenantDocument(json)

        #expect(document.settings == yaml.settings)
        #expect(document.table == yaml.table)
        #expect(document.checked().settings == yaml.checked().settings)
        #expect(document.checked().table == yaml.checked().table)
    }

    @Test(arguments: ["", "\ntable: {routes: []}"])
    func findingInTheSettingsHasItsPosition(_ table: String) throws {
        let app = "{id: ios, platform: ios, teamID: ABCDE12345, bundleID: ABCDE12345.com.acme}"
        let found = try TenantDocument("formatVersion: 1\nsettings:\n  apps: [\(app)]\(table)").checked().findings

        #expect(found.map(\.code) == [.unlikelyValue])
        #expect(found.map(\.path) == ["settings.apps[0].bundleID"])
        #expect(found.first?.position == JSONNode.Position(line: 3, column: 65))
    }

    @Test(
        arguments: [
            ("recordQuery: [a, utm_*]", "recordQuery[1]", "List each name."),
            ("recordQuery: ['*']", "recordQuery[0]", "List each name."),
            ("recordTraits: ['*']", "recordTraits[0]", "List each name."),
            ("recordQuery: [utmSource]", "recordQuery[0]", "Write utm_source."),
            ("recordQuery: [utm_source, utmContent]", "recordQuery[1]", "Write utm_content."),
            ("recordQuery: [utm_source, ref], recordTraits: [utmSource]", nil, nil),
        ] as [(String, String?, String?)]
    )
    func nameThatRecordsNothingIsFound(_ privacy: String, _ path: String?, _ fix: String?) throws {
        let text = "formatVersion: 1\nsettings:\n  privacy: {\(privacy)}\ntable: {routes: []}\n"
        let found = try TenantDocument(text).checked().findings

        #expect(found.map(\.path) == (path.map { ["settings.privacy.\($0)"] } ?? []))
        #expect(found.map(\.fix) == (fix.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.code == .unlikelyValue && $0.severity == .warning && $0.position?.line == 3 })
    }

    @Test func findingsOfATableAloneHaveNoPrefix() throws {
        #expect(try TenantDocument("routes: [{id: a}]").checked().findings.map(\.path) == ["routes[0]"])
    }
}

struct FileSizeTests {
    @Test(arguments: [("routes", 3_000, ["association_too_large"]), ("coarse", 3_000, []), ("routes", 100, [])])
    func fileThatNoDeviceAcceptsPreventsPublication(
        _ detail: String,
        _ count: Int,
        _ codes: [String]
    ) throws {
        let routes = (0..<count).map {
            "    - {id: r\($0), path: /\($0 < count / 3 ? "guide" : "shop")/article-\($0), open: {screen: A}}"
        }
        let document = try TenantDocument(
            """
            formatVersion: 1
            settings:
              domains: [{host: www.acme.com, serves: association}]
              apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
              association: {detail: \(detail)}
            table:
              routes:
            \(routes.joined(separator: "\n"))
            """
        )
        let findings = document.checked().findings.filter { $0.severity == .error }

        #expect(findings.map(\.code.rawValue) == codes)
        guard let finding = findings.first else { return }
        #expect(finding.severity == .error)
        #expect(finding.path == "table.routes")
        #expect(finding.message.contains("'www.acme.com' would have 1"))
        #expect(finding.message.contains("from '/shop' 100000 in 2000 rules"))
        #expect(finding.fix.contains("settings.association.detail"))
    }
}
