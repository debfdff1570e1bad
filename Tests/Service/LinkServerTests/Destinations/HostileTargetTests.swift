import HTTPTypes
import LinkRouting
import LinkServer
import Testing

/// Publishing refuses destinations on other sites.
@Suite(.timeLimit(.minutes(15)))
struct HostileTargetTests {
    private static let settings = """
        domains: [go.acme.test, {host: www.acme.test, serves: association}]
        schemes: [acme]
        apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
        destinations: {hosts: [www.acme.test, go.acme.test, bücher.test]}
        """

    /// With the tenant `acme`, live as revision 1.
    private func withTenant(_ body: (AdminSession) async throws -> Void) async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            #expect(try await session.put("settings", yaml: Self.settings).status == 201)
            let table = #"{"routes": [{"id": "a", "path": "/a/{x}", "web": "https://www.acme.test/{x}"}]}"#
            #expect(try await session.send(.put, "draft", table).status == 200)
            #expect(try await session.post("draft/publish").status == 201)
            try await body(session)
            let live = try await session.get("table")
            #expect(live["ETag"] == "\"1\"", "nothing of it was published")
        }
    }

    /// Publishes a table with this route. Returns the codes of its findings, or none if it is live.
    private func publish(_ target: [String: JSONNode], _ session: AdminSession) async throws -> [String] {
        let route = JSONNode.object([
            "id": .string("a"), "path": .string("/a/{x}"),
            "open": target["uri"].map { uri in
                .object(["screen": .string("S"), "uri": uri])
            },
            "web": target["web"],
        ])
        let table = JSONNode.object(["routes": .array([route])]).json()
        var answer = try await session.send(.put, "draft", table)
        if answer.status == 200 { answer = try await session.post("draft/publish") }
        guard answer.status != 201 else { return [] }
        #expect(answer.status == 422 && answer.code == "invalid_table", "\(table): \(answer.text)")
        let findings = answer.json?["findings"]?.elements ?? []
        let path = target["uri"] == nil ? "table.routes[0].web" : "table.routes[0].open.uri"
        let errors = findings.filter { $0["severity"]?.text == "error" }
        #expect(errors.allSatisfy { $0["path"]?.text == path }, "\(table): \(answer.text)")
        #expect(errors.allSatisfy { $0["message"]?.text?.isEmpty == false })
        return errors.compactMap { $0["code"]?.text }
    }

    @Test func hostilePageIsRefusedWithItsFinding() async throws {
        try await withTenant { session in
            for target in HostileTarget.pages {
                let codes = try await publish(["web": .string(target.text)], session)
                #expect(codes == [target.code], "\(target.text)")
            }
        }
    }

    @Test func hostileURIIsRefusedWithItsFinding() async throws {
        try await withTenant { session in
            for target in HostileTarget.uris {
                let codes = try await publish(["uri": .string(target.text)], session)
                #expect(codes == [target.code], "\(target.text)")
            }
        }
    }

    private static let tables = [
        #"{"routes": [{"id": "a", "path": "/a", "web": {"ios": "URL", "default": "https://www.acme.test/"}}]}"#,
        #"{"routes": [{"id": "a", "path": "/a", "web": {"ipad": "URL"}}]}"#,
        #"{"routes": [{"id": "a", "path": "/a", "web": {"android": "URL"}}]}"#,
        #"{"routes": [{"id": "a", "path": "/a", "web": {"desktop": "URL"}}]}"#,
        #"{"routes": [], "defaults": {"fallback": {"web": "URL"}}}"#,
        #"""
        {"routes": [{"id": "a", "path": "/a", "web": "https://www.acme.test/", "experiment":
            {"id": "e", "variants": [{"name": "a"}, {"name": "b", "web": "URL"}]}}]}
        """#,
    ]

    /// Pages for one platform, of a variant and of the fallback are checked too.
    @Test func everyPlaceOfAPageIsChecked() async throws {
        try await withTenant { session in
            for table in Self.tables {
                for (url, code) in [
                    ("https://evil.test/", "destination_not_allowed"), ("https://go.acme.test/", "web_loop"),
                    ("https://www.acme.test@evil.test/", "invalid"), ("javascript:alert(1)", "invalid"),
                ] {
                    var answer = try await session.send(.put, "draft", table.replacing("URL", with: url))
                    if answer.status == 200 { answer = try await session.post("draft/publish") }
                    #expect(answer.status == 422, "\(url): \(answer.text)")
                    #expect(answer.text.contains(#""code":"\#(code)""#), "\(url): \(answer.text)")
                }
            }
        }
    }

    @Test func allowedPageComesOutInItsCanonicalForm() async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            #expect(try await session.put("settings", yaml: Self.settings).status == 201)
            for (text, page) in HostileTarget.canonical {
                let codes = try await publish(["web": .string(text)], session)
                #expect(codes == [], "\(text)")
                let answer = try await service.resolve(#"{"url": "https://go.acme.test/a/x"}"#)
                #expect(answer.json?["destination"]?["web"]?.text == page, "\(text)")
                let click = try await service.publicPort(.get, "/a/x", host: "go.acme.test")
                #expect(click.status == 302 && click["Location"] == page, "\(text)")
            }
        }
    }

    private static let dangerousDestinations = [
        "schemes: [javascript]", "schemes: [JavaScript]", "schemes: [intent]", "schemes: [data, acme]",
        "schemes: [https]",
        "schemes: ['java script']", "schemes: ['javascript:']", "schemes: ['']", "schemes: [x]", "hosts: ['*']",
        "hosts: ['*.test']",
        "hosts: ['*.*.test']", "hosts: ['a.*.test']", "hosts: ['evil.test/']", "hosts: ['evil.test:80']",
        "hosts: ['@evil.test']",
        "hosts: ['https://evil.test']", "hosts: ['']", "hosts: ['[::1]']", "hosts: ['evil.test#']",
        "hosts: [\"a\\r\\nb.test\"]",
        "hosts: [ｅvil.test]",
    ]

    /// Settings accept neither forbidden schemes nor hosts and schemes that are shared by everybody.
    @Test func settingsAllowNothingDangerous() async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            for destinations in Self.dangerousDestinations {
                let yaml = "domains: [go.acme.test]\nschemes: [acme]\ndestinations: {\(destinations)}\n"
                let answer = try await session.put("settings", yaml: yaml)
                #expect(answer.status == 422 && answer.code == "invalid_settings", "\(answer.text)")
            }
        }
    }

    private static let wrongStores = [
        "{kind: appStore, id: '1?x'}", "{kind: appStore, id: '../1'}", "{kind: appStore, id: 'https://evil.test'}",
        "{kind: appStore, id: \"1\\r\\n\"}", "{kind: appStore, id: '١٢٣'}", "{kind: web, id: '1'}",
        "{kind: appStore, id: ''}",
    ]

    /// A store page's URL is built from an ID that cannot contain URL syntax.
    @Test func storeTakesAnIDOnly() async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            for store in Self.wrongStores {
                let app = "{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme, stores: [\(store)]}"
                let yaml = "domains: [go.acme.test]\nschemes: [acme]\napps: [\(app)]\n"
                let answer = try await session.put("settings", yaml: yaml)
                #expect(answer.status == 422 && answer.code == "invalid_settings", "\(answer.text)")
            }
        }
    }
}
