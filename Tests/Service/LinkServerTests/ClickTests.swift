import HTTPTypes
import LinkEvents
import LinkRouting
import LinkStorage
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ClickTests {
    private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"
    private static let iPad = "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X)"
    private static let androidPhone = "Mozilla/5.0 (Linux; Android 15; Pixel 9) Mobile Safari/537.36"
    private static let desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"

    private static let links = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: go.acme.example}, {host: "*.acme.link"}, {host: www.acme.example, serves: association}]
          schemes: [acme]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme, stores: [{kind: appStore, id: "123456789"}]}
        table:
          routes:
            - {id: store, path: /store, open: {screen: Store}, store: true, web: "https://www.acme.example/store"}
            - {id: hello, path: /hello, when: {locale: fr}, web: "https://www.acme.example/bonjour"}
            - {id: hallo, path: /hello, web: "https://www.acme.example/hello"}
            - {id: appOnly, path: /app, open: {screen: App}}
        """
        .replacing("appOnly", with: "app-only")

    struct Case: CustomTestStringConvertible {
        let agent: String
        let path: String
        let status: Int
        var location: String?
        let platform: Platform
        let device: Device

        var testDescription: String { "\(platform) \(device) \(path)" }
    }

    private static let appStore = "https://apps.apple.com/app/id123456789"
    private static let page = "https://www.acme.example/store"

    static let cases = [
        Case(agent: iPhone, path: "/store", status: 302, location: appStore, platform: .ios, device: .phone),
        Case(agent: iPad, path: "/store", status: 302, location: appStore, platform: .ios, device: .tablet),
        Case(agent: androidPhone, path: "/store", status: 302, location: page, platform: .android, device: .phone),
        Case(agent: desktop, path: "/store", status: 302, location: page, platform: .windows, device: .desktop),
        Case(agent: iPhone, path: "/app", status: 200, platform: .ios, device: .phone),
        Case(agent: iPhone, path: "/nowhere", status: 404, platform: .ios, device: .phone),
    ]

    @Test(arguments: cases)
    func deviceDecidesWhereAClickLeads(one: Case) async throws {
        try await withService { service in
            try await service.load(Self.links)
            let answer = try await service.publicPort(
                .get,
                one.path,
                host: "go.acme.example",
                headers: [.userAgent: one.agent]
            )
            #expect(answer.status == one.status)
            #expect(answer["Location"] == one.location)
            #expect(answer["Cache-Control"] == "no-store")
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.kind == .click)
            #expect(event.platform == one.platform)
            #expect(event.device == one.device)
        }
    }

    @Test func acceptLanguageChoosesByWeight() async throws {
        try await withService { service in
            try await service.load(Self.links)
            func location(_ languages: String) async throws -> String? {
                try await service.publicPort(
                    .get,
                    "/hello",
                    host: "go.acme.example",
                    headers: [.acceptLanguage: languages]
                )["Location"]
            }
            #expect(try await location("en;q=0.5, fr-CA") == "https://www.acme.example/bonjour")
            #expect(try await location("en") == "https://www.acme.example/hello")
            #expect(try await location(",;q=;;q=x,fr;q=0") == "https://www.acme.example/hello")
        }
    }

    struct PurposeCase: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.get
        var path = "/hello"
        var header: (name: String, value: String)?
        var agent = ClickTests.iPhone
        let purpose: Event.Purpose
        var testDescription: String { "\(method) \(path) \(header?.name ?? ""): \(header?.value ?? "")" }
    }

    @Test(arguments: [
        PurposeCase(purpose: .live),
        PurposeCase(method: .head, purpose: .prefetch),
        PurposeCase(method: .head, agent: "Slackbot-LinkExpanding 1.0", purpose: .prefetch),
        PurposeCase(header: ("Sec-Purpose", "prefetch;prerender"), purpose: .prefetch),
        PurposeCase(header: ("Sec-Purpose", "prerender"), purpose: .prefetch),
        PurposeCase(header: ("Purpose", "Prefetch"), agent: "Slackbot-LinkExpanding 1.0", purpose: .prefetch),
        PurposeCase(header: ("X-Moz", "prefetch"), purpose: .prefetch),
        PurposeCase(header: ("X-Purpose", "preview"), purpose: .preview),
        PurposeCase(agent: "Slackbot-LinkExpanding 1.0", purpose: .preview),
        PurposeCase(path: "/favicon.ico", purpose: .probe),
        PurposeCase(path: "/favicon-32x32.png?v=2", purpose: .probe),
        PurposeCase(path: "/apple-touch-icon-120x120-precomposed.png", purpose: .probe),
        PurposeCase(path: "/robots.txt", purpose: .probe),
        PurposeCase(path: "//.ENV", purpose: .probe),
        PurposeCase(path: "/api/.git/config", purpose: .probe),
        PurposeCase(path: "/blog/wp-login.php", purpose: .probe),
        PurposeCase(method: .head, path: "/.env", purpose: .prefetch),
        PurposeCase(path: "/nothing.html", purpose: .live),
        PurposeCase(path: "/...", purpose: .live),
        // A route matches.
        PurposeCase(path: "/hello?file=.env", purpose: .live),
    ])
    func purposeOfAClick(_ one: PurposeCase) async throws {
        try await withService { service in
            try await service.load(Self.links)
            var headers: HTTPFields = [.userAgent: one.agent]
            if let (name, value) = one.header { headers[try #require(HTTPField.Name(name))] = value }
            let answer = try await service.publicPort(one.method, one.path, host: "go.acme.example", headers: headers)
            #expect(answer.status == (one.path.hasPrefix("/hello") ? 302 : 404))
            let events = try await service.events(of: "acme")
            #expect(events.map(\.purpose) == [one.purpose])
            #expect(events.map(\.method) == [one.method.rawValue])
        }
    }

    @Test func programsAreRecordedWithTheirClass() async throws {
        try await withService { service in
            try await service.load(Self.links)
            for agent in [Self.iPhone, "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "curl/8.5.0"] {
                let headers: HTTPFields = [.userAgent: agent]
                _ = try await service.publicPort(.get, "/hello", host: "go.acme.example", headers: headers)
            }
            let events = try await service.events(of: "acme")
            #expect(events.map(\.botClass) == [nil, "preview", "tool"])
            #expect(events.map(\.purpose) == [.live, .preview, .live])
            #expect(events.map(\.osVersion) == ["18.0", nil, nil])
        }
    }

    @Test(arguments: [
        "", "/", "go.acme.example/", "user@go.acme.example", "go.acme.example:8080", "go.acme.example:99999999999",
        "acme.link", "[::1", "..", "go.acme.example?x", "go.acme.example#x", "%00",
        "www.acme.example",
    ])
    func hostThatServesNoLinksIsUnknownAndNothingIsRecorded(host: String) async throws {
        try await withService { service in
            try await service.load(Self.links)
            let answer = try await service.publicPort(.get, "/hello", host: host)
            #expect(answer.status == 404)
            #expect(answer.json?["code"]?.text == "unknown_host")
            #expect(try await service.log.lastSequence() == 0)
        }
    }

    /// A proxy may send its own host instead of that of the link.
    @Test(
        arguments: [
            ("proxy.internal:8080", "'proxy.internal:8080'"), ("", "''"), ("a\u{1B}[2Jb", nil),
            (String(repeating: "h", count: 400), "'\(String(repeating: "h", count: 250))…'"),
        ] as [(String, String?)]
    )
    func unknownHostIsNamed(host: String, shown: String?) async throws {
        try await withService { service in
            let answer = try await service.publicPort(.get, "/hello", host: host)
            let detail = answer.json?["detail"]?.text ?? ""
            #expect(
                shown.map { detail.hasPrefix("No tenant of this server has the host \($0). Add") } ?? true,
                "\(detail)"
            )
            #expect(!detail.contains("\u{1B}") && detail.utf8.count < 400)
        }
    }

    @Test(arguments: [
        ("go.acme.example:8080", "'go.acme.example' is owned without a port: set 'port' of the domain, or"),
        ("a.acme.link:8080", "'a.acme.link' is owned without a port:"),
        ("127.0.0.1:8080", "Send a host from the 'domains' of a tenant, such as curl -H 'Host: "),
        ("[::1]:8080", "Send a host from the 'domains' of a tenant"),
        ("localhost", "Send a host from the 'domains' of a tenant"),
        ("nobody.example:8080", "Add the host to 'domains' in the settings of its tenant."),
    ])
    func unknownHostHasAdvice(host: String, advice: String) async throws {
        try await withService { service in
            try await service.load(Self.links)
            let detail = try await service.publicPort(.get, "/hello", host: host).json?["detail"]?.text ?? ""
            #expect(detail.hasPrefix("No tenant of this server has the host '\(host)'. \(advice)"), "\(detail)")
            for own in ["acme", "www"] where !host.contains(own) { #expect(!detail.contains(own), "\(detail)") }
        }
    }

    /// Only where a GET would be a click.
    @Test(
        arguments: [
            ("/hello", "go.acme.example", 405), ("/", "go.acme.example", 405), ("/nowhere?x", "a.acme.link", 405),
            ("/hello", "nobody.example", 404), ("/hello", "www.acme.example", 404), ("/_fp/x", "go.acme.example", 404),
            ("/%5Ffp/x", "go.acme.example", 404), ("/resolve/x", "go.acme.example", 404),
            ("/admin/v1/tenants", "go.acme.example", 404),
        ]
    )
    func clickTakesNoOtherMethod(path: String, host: String, status: Int) async throws {
        try await withService { service in
            try await service.load(Self.links)
            for method in [HTTPRequest.Method.post, .put, .delete, .options] {
                let answer = try await service.publicPort(method, path, host: host)
                #expect(answer.status == status, "\(method): \(answer.text)")
                #expect(answer["Allow"] == (status == 405 ? "GET, HEAD" : nil), "\(method)")
            }
            #expect(try await service.log.lastSequence() == 0)
        }
    }

    @Test(arguments: ["/_fp", "/_fp/x", "/.well-known", "/.well-known/x"])
    func reservedPathsAreNeverClicks(path: String) async throws {
        try await withService { service in
            try await service.load(Self.links)
            #expect(try await service.publicPort(.get, path, host: "go.acme.example").status == 404)
            #expect(try await service.log.lastSequence() == 0)
        }
    }
}
