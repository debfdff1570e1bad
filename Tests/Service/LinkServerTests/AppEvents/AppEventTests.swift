import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import TestSupport
import Testing

/// Decisions that apps report with `POST /_fp/events`.
@Suite(.timeLimit(.minutes(15)))
struct AppEventTests {
    static func acme(_ settings: String = "", routes: String = Self.routes) -> String {
        """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [go.acme.test, "*.shops.acme.test"]
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme}]
          \(settings)
        table: {routes: [\(routes)]}
        """
    }

    private static let routes = """
        {id: item, path: "/item/{id:int}", open: {screen: Item}},
        {id: ticket, path: "/ticket/{code}", sensitive: [code], open: {screen: Ticket}}
        """

    /// An event, with other members in the place of the usual ones.
    static func event(_ id: String, _ url: String = "https://go.acme.test/item/7", _ members: String? = nil) -> String {
        let decided =
            members
            ?? #""revision": 1, "settingsRevision": 1, "outcome": "matched", "action": "open_app", "route": "item""#
        return """
            {"clientEventId": "\(id)", "occurredAt": "2026-11-21T09:59:00.000Z", "url": "\(url)", "result": "shown",
             "context": {"platform": "ios", "appVersion": "3.2.0"}, \(decided)}
            """
    }

    static func batch(_ events: String..., members: String = #""tenant": "acme""#) -> String {
        """
        {\(members), "app": "ios", "install": "install-42", "engineVersion": "1.0",
         "events": [\(events.joined(separator: ", "))]}
        """
    }

    private func send(
        _ service: TestService,
        _ body: String,
        host: String = "localhost",
        key: String? = nil
    ) async throws -> TestResponse {
        try await service.publicPort(
            .post,
            "/_fp/events",
            host: host,
            headers: key.map { [.authorization: "Bearer \($0)"] } ?? [:],
            body: body
        )
    }

    private func statuses(_ response: TestResponse) -> [String] {
        (response.json?["results"]?.elements ?? []).map { $0["status"]?.text ?? "?" }
    }

    @Test func decisionIsRecordedWithWhatTheSettingsAllow() async throws {
        try await withService { service in
            try await service.load(Self.acme("privacy: {recordInstall: true, recordQuery: [utm_source]}"))
            let url = "https://go.acme.test/item/7?utm_source=mail&secret=1"
            let response = try await send(service, Self.batch(Self.event("a", url)))
            #expect(response.status == 200)
            let result = try #require(response.json?["results"]?.elements?.first)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(result["clientEventId"]?.text == "a" && result["status"]?.text == "stored")
            #expect(result["id"]?.text == event.id.description)
            #expect(event.source == "app" && event.kind == .app && event.result == .shown)
            #expect(event.agreement == .same && event.engineVersion == "1.0")
            #expect(event.clientEventID == "a" && event.occurredAt == instant("2026-11-21T09:59:00Z"))
            #expect(event.outcome == .matched && event.action == .openApp && event.route == RouteID("item"))
            #expect(event.revision?.rawValue == 1 && event.settingsRevision == 1)
            #expect(event.path == "/item/7" && event.parameters == #"{"id":7}"#)
            #expect(event.query == [Event.QueryItem(name: "utm_source", value: "mail")])
            #expect(event.app == AppID("ios") && event.platform == .ios && event.appVersion == "3.2.0")
            let install = try await service.dependencies.store.install(of: "install-42", tenant: tenant("acme"))
            #expect(event.install == install && install != nil)
        }
    }

    @Test func eventThatIsSentAgainIsADuplicate() async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let body = Self.batch(Self.event("a"), Self.event("b"), Self.event("a"))
            #expect(statuses(try await send(service, body)) == ["stored", "stored", "duplicate"])
            #expect(statuses(try await send(service, body)) == ["duplicate", "duplicate", "duplicate"])
            // Another install chose the same id.
            let other = body.replacing("install-42", with: "install-43")
            #expect(statuses(try await send(service, other)) == ["stored", "stored", "duplicate"])
            #expect(try await service.events(of: "acme").count == 4)
        }
    }

    /// A wrong event is refused with its reason; the others are stored.
    @Test(arguments: [
        (#"{"clientEventId": "x"}"#, "invalid_event", "'occurredAt' is missing"),
        (#"7"#, "invalid_event", "write an object"),
        (Self.event("x").replacing(#""shown""#, with: #""lost""#), "invalid_event", "not one of: shown, failed"),
        (Self.event("x").replacing(#""matched""#, with: #""undecided""#), "invalid_event", "POST /resolve"),
        (Self.event(""), "invalid_event", "1 to 128 bytes"),
        (Self.event("x", "yourapp://product/123"), "other_tenant", "does not belong"),
        (Self.event("x", "https://nobody.test/"), "other_tenant", "does not belong"),
        (Self.event("x").replacing(#""revision": 1"#, with: #""revision": -1"#), "invalid_event", "whole number"),
    ])
    func wrongEventIsRefusedAlone(event: String, code: String, detail: String) async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let response = try await send(service, Self.batch(Self.event("a"), event, Self.event("b")))
            #expect(statuses(response) == ["stored", "rejected", "stored"], "\(response.text)")
            let refused = response.json?["results"]?.elements?[1]
            #expect(refused?["code"]?.text == code)
            #expect(refused?["detail"]?.text?.contains(detail) == true, "\(response.text)")
            #expect(try await service.events(of: "acme").map(\.clientEventID) == ["a", "b"])
        }
    }

    @Test(arguments: [
        (#"{"events": []}"#, 400, "invalid_request"), ("[", 400, "malformed_json"),
        (batch(event("a")).replacing("install-42", with: ""), 400, "invalid_request"),
        (batch(event("a")).replacing(#""1.0""#, with: #""new""#), 400, "invalid_request"),
        (batch(event("a"), members: #""tenant": "nobody""#), 404, "unknown_tenant"),
        (batch(event("a"), members: #""environment": "production""#), 404, "unknown_host"),
        (batch(event("a"), members: #""tenant": "acme", "environment": "prodution""#), 401, "missing_key"),
        (
            #"{"tenant": "acme", "install": "i", "engineVersion": "1", "events": ["#
                + String(repeating: "1,", count: 100) + "1]}", 400, "invalid_request"
        ),
        (#"{"tenant": "acme", "x": ""# + String(repeating: "y", count: 300_000) + #""}"#, 413, "body_too_large"),
    ])
    func wrongMessageStoresNothing(body: String, status: Int, code: String) async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let response = try await send(service, body)
            #expect(response.status == status && response.json?["code"]?.text == code, "\(response.text)")
            #expect(try await service.events(of: "acme") == [])
        }
    }

    /// A sentence may contain personal data, so it is dropped, and the app is told.
    @Test(arguments: [("no_such_screen", true), ("No such screen for Jane", false)])
    func reasonIsRecordedIfItIsAWord(reason: String, isWord: Bool) async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let event = Self.event("a").replacing(
                #""result": "shown""#,
                with: #""result": "failed", "reason": "\#(reason)""#
            )
            let response = try await send(service, Self.batch(event))
            #expect(statuses(response) == ["stored"], "\(response.text)")
            #expect(try await service.events(of: "acme").map(\.reason) == [isWord ? reason : nil])
            let warnings = response.json?["warnings"]?.elements ?? []
            #expect(warnings.compactMap(\.text).filter { $0.contains("reason") }.count == (isWord ? 0 : 1))
        }
    }

    /// An app on devices may report for longer than it is in the settings, and a typo must not go unnoticed.
    @Test(
        arguments: [
            ("ios", "ios", "item", "ios"),
            // The server resolves the link for the first app of the platform, as for POST /resolve.
            ("iso", "ios", "item", "ios"),
            // The app decided differently from the server.
            ("iso", "ios", "ticket", "ios"), ("ios", "windows", "ticket", "ios"), ("iso", "windows", "ticket", nil),
        ] as [(String, String, String, String?)]
    )
    func eventOfAnUnknownAppIsStoredWithAWarning(
        app: String,
        platform: String,
        route: String,
        recorded: String?
    ) async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let event = Self.event("a").replacing(#""platform": "ios""#, with: #""platform": "\#(platform)""#)
                .replacing(#""route": "item""#, with: #""route": "\#(route)""#)
            let body = Self.batch(event).replacing(#""app": "ios""#, with: #""app": "\#(app)""#)
            let response = try await send(service, body)
            #expect(statuses(response) == ["stored"], "\(response.text)")
            #expect(try await service.events(of: "acme").map(\.app) == [recorded.flatMap { AppID($0) }])
            let warnings = (response.json?["warnings"]?.elements ?? []).compactMap(\.text)
            let warning = "app: 'iso' is not an app in the tenant's settings; correct it."
            #expect(warnings.contains { $0.hasPrefix(warning) } == (app == "iso"), "\(response.text)")
        }
    }

    @Test func hostOrKeyNamesTheTenant() async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let body = Self.batch(Self.event("a"), members: #""purpose": "live""#)
            #expect(statuses(try await send(service, body, host: "go.acme.test")) == ["stored"])
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            #expect(statuses(try await send(service, body, key: key)) == ["duplicate"])
        }
    }

    /// With another tenant's key, nothing is accepted, whether or not the tenant requires a key.
    @Test(arguments: ["", "clientKey: required"])
    func keyOfAnotherTenantStoresNothing(settings: String) async throws {
        try await withService { service in
            try await service.load(Self.acme(settings))
            let key = try service.makeKey(tenant: "shop", scopes: [.admin])
            let named = try await send(service, Self.batch(Self.event("a")), key: key)
            #expect(named.status == 404 && named.json?["code"]?.text == "unknown_tenant")
            let body = Self.batch(Self.event("a"), members: #""purpose": "live""#)
            let byHost = try await send(service, body, host: "go.acme.test", key: key)
            #expect(byHost.status == 404 && byHost.json?["code"]?.text == "unknown_tenant")
            #expect(try await service.events(of: "acme") == [])
            #expect(try await service.events(of: "shop") == [])
        }
    }

    @Test func clientKeyIsRequiredAsForResolve() async throws {
        try await withService { service in
            try await service.load(Self.acme("clientKey: required"))
            let body = Self.batch(Self.event("a"))
            #expect(try await send(service, body).json?["code"]?.text == "missing_key")
            let weak = try service.makeKey(tenant: "acme", scopes: [.explain])
            #expect(try await send(service, body, key: weak).status == 403)
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            #expect(statuses(try await send(service, body, key: key)) == ["stored"])
        }
    }

    @Test func eventsCountAgainstTheTenantsRateLimit() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.tenant = RateLimit(perSecond: 1, burst: 3)
        try await withService(admitting: policy) { service in
            try await service.load(Self.acme())
            let body = Self.batch(Self.event("a"), Self.event("b"))
            let (first, second) = (try await send(service, body), try await send(service, body))
            let refused = try await send(service, body)
            #expect([first.status, second.status, refused.status] == [200, 200, 429])
            #expect(refused["Retry-After"] == "2")
        }
    }

    @Test func fullDiskAsksToSendAgain() async throws {
        try await withService(failing: { $0.contains { $0.source == "app" } ? .full : nil }) { service in
            try await service.load(Self.acme())
            let response = try await send(service, Self.batch(Self.event("a")))
            #expect(response.status == 503 && response["Retry-After"] == "1")
            #expect(response.json?["code"]?.text == "log_unavailable")
        }
    }

    /// An event that the log cannot store is refused alone.
    @Test func unstorableEventIsRefusedAlone() async throws {
        let failure: @Sendable ([Event]) -> EventStoreError? = { events in
            events.contains { $0.clientEventID == "bad" } ? .refused("bad") : nil
        }
        try await withService(failing: failure) { service in
            try await service.load(Self.acme())
            let body = Self.batch(Self.event("a"), Self.event("bad"), Self.event("b"))
            let response = try await send(service, body)
            #expect(statuses(response) == ["stored", "rejected", "stored"])
            #expect(response.json?["results"]?.elements?[1]["code"]?.text == "not_recorded")
        }
    }
}
