import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Synchronization
import TestSupport
import Testing

/// `POST /_fp/installs`: the link that led to the installation of an app.
@Suite(.timeLimit(.minutes(15)))
struct InstallTests {
    static func tenantFile(_ name: String = "acme", settings: String = "") -> String {
        """
        formatVersion: 1
        tenant: \(name)
        settings:
          domains: [go.\(name).example]
          schemes: [\(name)]
          privacy: {recordInstall: true}
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.\(name), stores: [{kind: appStore, id: "123456789"}]}
            - {id: android, platform: android, package: com.example.\(name), fingerprints: ["\(fingerprint)"], stores: [{kind: playStore}]}
            - {id: beta, platform: android, package: com.example.\(name).beta, fingerprints: ["\(fingerprint)"]}
          \(settings)
        table:
          routes:
            - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}, store: true}
            - {id: phone, path: "/phone/{id:int}", when: {platform: android}, open: {screen: Phone}, store: true}
            - {id: reset, path: "/reset/{token}", sensitive: [token], open: {screen: Reset}, store: true}
            - {id: short, path: "/s/{code}", follow: shortLinks}
            - {id: room, path: "/room/{id:int}", open: {screen: Room}}
            - {id: mail, path: "/mail/{address}", query: {link: string}, follow: "{link}", sensitive: [address]}
        """
    }

    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
    static let android =
        "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"
    static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"

    /// Clicks a link, and returns the store page.
    private func store(
        _ service: TestService,
        _ path: String = "/item/7",
        of tenant: String = "acme",
        agent: String = android
    ) async throws -> String {
        let answer = try await service.publicPort(
            .get,
            path,
            host: "go.\(tenant).example",
            headers: [.userAgent: agent]
        )
        #expect(answer.status == 302, "\(answer.text)")
        return try #require(answer["Location"])
    }

    private func token(
        _ service: TestService,
        _ path: String = "/item/7",
        of tenant: String = "acme"
    ) async throws -> String {
        let store = try await store(service, path, of: tenant)
        let mark = try #require(store.firstRange(of: "fp%3D"))
        return String(store[mark.upperBound...])
    }

    /// - Parameter members: What the message says besides.
    private func claim(
        _ service: TestService,
        _ evidence: String,
        tenant: String = "acme",
        app: String = "android",
        install: String = "install-1",
        members: String = "",
        key: String? = nil
    ) async throws -> TestResponse {
        try await service.publicPort(
            .post,
            "/_fp/installs",
            headers: key.map { [.authorization: "Bearer \($0)"] } ?? [:],
            body: #"{"tenant": "\#(tenant)", "app": "\#(app)", "install": "\#(install)", \#(evidence)\#(members)}"#
        )
    }

    private func installs(_ service: TestService, of tenant: String = "acme") async throws -> [Event] {
        try await service.events(of: tenant).filter { $0.kind == .install }
    }

    // MARK: Tokens

    @Test func appGetsTheLinkOfTheClickAsOftenAsItAsksAndIsCountedOnce() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let token = try await token(service, "/item/7?utm_source=mail")
            let first = try await claim(service, #""token": "\#(token)""#)
            #expect(first.status == 200, "\(first.text)")
            #expect(first.json?["link"]?.text == "https://go.acme.example/item/7?utm_source=mail")
            #expect(first.json?["method"]?.text == "referrer")
            #expect(first.json?["answer"]?["action"]?.text == "open_app")
            #expect(first.json?["answer"]?["parameters"]?["id"]?.int == 7)
            #expect(first.json?["answer"]?["recorded"]?.bool == true)
            service.clock.advance(seconds: 29 * 86_400)
            for install in ["install-1", "install-2"] {
                let again = try await claim(service, #""token": "\#(token)""#, install: install)
                #expect(again.json?["link"] == first.json?["link"], "\(again.text)")
                #expect(again.json?["answer"]?["destination"] == first.json?["answer"]?["destination"])
                #expect(again.json?["answer"]?["recorded"]?.bool == false)
            }
            let events = try await service.events(of: "acme")
            let (click, install) = (try #require(events.first), try #require(events.last))
            #expect(events.map(\.kind) == [.click, .install])
            #expect(install.parent == click.id && install.purpose == .install && install.source == "install")
            #expect(install.route == RouteID("item") && install.app == AppID("android") && install.platform == .android)
            #expect(install.id.description == first.json?["answer"]?["id"]?.text)
            let hash = try await service.dependencies.store.install(of: "install-1", tenant: tenant("acme"))
            #expect(install.install == hash && hash != nil)
        }
    }

    /// A route without `store` has a page with the same store page, in a button and for browsers without the app.
    @Test func buttonOfALandingPageHasAToken() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let page = try await service.publicPort(
                .get,
                "/room/7",
                host: "go.acme.example",
                headers: [.userAgent: Self.android]
            )
            #expect(page.status == 200, "\(page.text)")
            let mark = try #require(page.text.firstRange(of: "&amp;referrer=fp%3D"))
            let token = page.text[mark.upperBound...].prefix { $0 != "\"" }
            let answer = try await claim(service, #""token": "\#(token)""#)
            #expect(answer.json?["link"]?.text == "https://go.acme.example/room/7", "\(answer.text)")
            #expect(page.text.contains("S.browser_fallback_url=https%3A%2F%2Fplay.google.com%2F"))
        }
    }

    @Test func tokenHasNoSensitiveValueOfARouteThatFollows() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let path = "/mail/a@b.c?link=https%3A%2F%2Fgo.acme.example%2Fitem%2F7"
            let token = try await token(service, path)
            let answer = try await claim(service, #""token": "\#(token)""#)
            #expect(answer.status == 200 && answer.json?["link"]?.value == .null, "\(answer.text)")
        }
    }

    @Test func sixtyFourClientsThatClaimOneTokenAreOneInstall() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let token = try await token(service)
            let links = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        try await claim(service, #""token": "\#(token)""#, install: "i-\(number)").json?["link"]?.text
                    }
                }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(links == Array(repeating: "https://go.acme.example/item/7", count: 64))
            #expect(try await installs(service).count == 1)
        }
    }

    struct Store: Sendable, CustomTestStringConvertible {
        let path: String
        var agent = InstallTests.android
        /// What is before the token; nil for the whole page.
        let page: String
        var hasToken = true
        var link: String?

        var testDescription: String { "\(path) \(hasToken)" }
    }

    private static let play = "https://play.google.com/store/apps/details?id=com.example.acme"

    @Test(arguments: [
        Store(path: "/item/7", page: play + "&referrer=fp%3D", link: "https://go.acme.example/item/7"),
        Store(
            path: "/item/7?utm_campaign=a%26b",
            page: play + "&referrer=utm_source%3Dacme%26utm_campaign%3Da%2526b%26fp%3D",
            link: "https://go.acme.example/item/7?utm_campaign=a%26b"
        ),
        Store(path: "/item/7", agent: iPhone, page: "https://apps.apple.com/app/id123456789", hasToken: false),
        Store(path: "/reset/s3cret", page: play + "&referrer=fp%3D"),
        Store(path: "/item/7?a=" + String(repeating: "b", count: 600), page: play + "&referrer=fp%3D"),
        Store(path: "/s/spring?gclid=1", page: play + "&referrer=fp%3D", link: "https://go.acme.example/s/spring"),
    ])
    func storeGetsATokenInTheReferrer(one: Store) async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            try await ShortLinkFollowTests.add(service, "spring", "https://go.acme.example/item/7")
            let store = try await store(service, one.path, agent: one.agent)
            #expect(store.hasPrefix(one.page) && store.contains("fp%3D") == one.hasToken, "\(store)")
            guard one.hasToken else { return }
            let token = store.dropFirst(one.page.count)
            #expect(!token.isEmpty && !token.contains("%") && !token.contains("s3cret"))
            let answer = try await claim(service, #""token": "\#(token)""#)
            #expect(answer.status == 200 && answer.json?["link"]?.text == one.link, "\(answer.text)")
            #expect((answer.json?["answer"]?["route"] == nil) == (one.link == nil), "\(answer.text)")
            let event = try #require(try await installs(service).first)
            let isShort = one.path.hasPrefix("/s/")
            let click = try #require(try await service.events(of: "acme").first)
            #expect(event.parent == click.id)
            #expect((event.shortLink?.text == "go.acme.example/spring") == isShort)
        }
    }

    /// Wrong tokens and foreign links get the same response, byte for byte, so that it tells nothing about them.
    @Test func everyWrongTokenIsUnknownAndUsesUpNothing() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile(settings: "environments: [staging]\n  environmentKey: optional"))
            try await service.load(Self.tenantFile("bank"))
            let token = try await token(service)
            var flipped = Array(token.utf8)
            flipped[40] ^= 1
            let changed = String(decoding: flipped, as: UTF8.self)
            func body(_ answer: TestResponse) -> String {
                let id = answer.json?["requestId"]?.text ?? "-"
                return "\(answer.status) \(answer.text.replacing(id, with: ""))"
            }
            let evidence = #""token": "\#(token)""#
            var answers = [
                body(try await claim(service, #""token": "\#(changed)""#)),
                body(try await claim(service, #""token": """#)),
                body(try await claim(service, #""token": "\#(String(repeating: "A", count: 8_000))""#)),
                body(try await claim(service, evidence, tenant: "bank")),
                body(try await claim(service, evidence, app: "beta")),
                body(try await claim(service, evidence, app: "nobody")),
                body(try await claim(service, evidence, members: #", "environment": "staging""#)),
                body(try await claim(service, #""link": "https://go.bank.example/item/7""#)),
                body(try await claim(service, #""link": "https://nobody.example/""#)),
                body(try await claim(service, #""link": "no link""#)),
            ]
            #expect(try await installs(service).isEmpty)
            let valid = try await claim(service, evidence)
            #expect(valid.status == 200 && valid.json?["answer"]?["recorded"]?.bool == true)
            service.clock.advance(seconds: 30 * 86_400)
            answers.append(body(try await claim(service, evidence)))
            #expect(Set(answers).count == 1, "\(Set(answers))")
            #expect(answers[0].hasPrefix("404 ") && answers[0].contains("unknown_install"))
            #expect(try await installs(service).count == 1)
        }
    }

    /// Two tenants behind one address.
    @Test func noInstallGetsTheLinkOfAnother() async throws {
        try await withService { service in
            let tenants = ["acme", "bank"]
            for name in tenants { try await service.load(Self.tenantFile(name)) }
            var tokens: [(tenant: String, number: Int, token: String)] = []
            for number in 0..<200 {
                let name = tenants[number % 2]
                tokens.append((name, number, try await token(service, "/item/\(number)", of: name)))
            }
            for (name, number, token) in tokens.shuffled() {
                let install = "i-\(number)"
                let answer = try await claim(service, #""token": "\#(token)""#, tenant: name, install: install)
                #expect(answer.json?["link"]?.text == "https://go.\(name).example/item/\(number)", "\(answer.text)")
            }
            for name in tenants {
                let installs = try await installs(service, of: name)
                #expect(installs.count == 100)
                #expect(Set(installs.map(\.parent)).count == 100)
            }
        }
    }

    // MARK: Pasted links

    @Test func pastedLinkIsCountedOnceForAnInstallAndHasNoClick() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            for (install, isFirst) in [("a", true), ("a", false), ("b", true)] {
                let answer = try await claim(service, #""link": " https://go.acme.example/item/7 ""#, install: install)
                #expect(answer.json?["link"]?.text == "https://go.acme.example/item/7", "\(answer.text)")
                #expect(answer.json?["method"]?.text == "pasted")
                #expect(answer.json?["answer"]?["recorded"]?.bool == isFirst)
            }
            let events = try await installs(service)
            #expect(events.map(\.purpose) == [.pasted, .pasted] && events.map(\.parent) == [nil, nil])
        }
    }

    /// The app says on which platform it runs, so that the answer is the one that it would get later.
    @Test(arguments: [("android", "Phone"), ("ios", nil)] as [(String, String?)])
    func appNamesThePlatform(app: String, screen: String?) async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let answer = try await claim(service, #""link": "acme://phone/1""#, app: app)
            #expect(answer.json?["answer"]?["destination"]?["screen"]?.text == screen, "\(answer.text)")
        }
    }

    // MARK: Refusals

    @Test(arguments: [
        ("{", 400, "malformed_json"), ("{}", 400, "invalid_request"),
        (#"{"tenant": "acme", "app": "ios", "install": "i"}"#, 400, "invalid_request"),
        (#"{"tenant": "acme", "app": "ios", "install": "i", "link": "acme://", "token": "a"}"#, 400, "invalid_request"),
        (#"{"tenant": "acme", "app": "ios", "install": "", "link": "acme://"}"#, 400, "invalid_request"),
        (#"{"tenant": "acme", "install": "i", "link": "acme://"}"#, 400, "invalid_request"),
        (
            #"{"tenant": "acme", "app": "ios", "install": "i", "link": "acme://", "purpose": "live"}"#, 400,
            "invalid_request"
        ),
        (#"{"tenant": "none", "app": "ios", "install": "i", "link": "acme://"}"#, 404, "unknown_tenant"),
        (#"{"app": "ios", "install": "i", "link": "acme://"}"#, 404, "unknown_host"),
        (
            #"{"tenant": "acme", "app": "ios", "install": "i", "link": "\#(String(repeating: "a", count: 20_000))"}"#,
            413, "body_too_large"
        ),
    ])
    func wrongMessageIsRefused(body: String, status: Int, code: String) async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let answer = try await service.publicPort(.post, "/_fp/installs", body: body)
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
            #expect(try await service.events(of: "acme").isEmpty)
        }
    }

    @Test func keyIsNeededAsForReports() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile(settings: "clientKey: required"))
            let link = #""link": "acme://item/7""#
            let without = try await claim(service, link)
            #expect(without.code == "missing_key", "\(without.text)")
            let foreign = try await claim(service, link, key: service.makeKey(tenant: "shop", scopes: [.resolve]))
            #expect(foreign.code == "unknown_tenant", "\(foreign.text)")
            let own = try await claim(service, link, key: service.makeKey(tenant: "acme", scopes: [.resolve]))
            #expect(own.status == 200, "\(own.text)")
        }
    }

    /// The app asks again, and gets its link.
    @Test func refusedLogUsesUpNothing() async throws {
        let isFull = Mutex(false)
        try await withService(failing: { _ in isFull.withLock { $0 } ? .full : nil }) { service in
            try await service.load(Self.tenantFile())
            let token = try await token(service)
            let evidence = #""token": "\#(token)""#
            isFull.withLock { $0 = true }
            let refused = try await claim(service, evidence)
            #expect(refused.status == 503 && refused.code == "log_unavailable" && refused["Retry-After"] == "1")
            isFull.withLock { $0 = false }
            let answer = try await claim(service, evidence)
            #expect(answer.status == 200 && answer.json?["answer"]?["recorded"]?.bool == true, "\(answer.text)")
        }
    }

    /// Only the service names these purposes.
    @Test(arguments: ["install", "pasted"])
    func callersDoNotNameThePurposesOfInstalls(purpose: String) async throws {
        try await withService { service in
            try await service.load(Self.tenantFile())
            let answer = try await service.resolve(#"{"url": "acme://item/7", "purpose": "\#(purpose)"}"#)
            #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.text)")
        }
    }
}
