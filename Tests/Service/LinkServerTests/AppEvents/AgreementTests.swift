import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// The server decides again what an app decided.
@Suite(.timeLimit(.minutes(15)))
struct AgreementTests {
    private func report(
        _ service: TestService,
        _ url: String,
        _ decided: String,
        settings: String = ""
    ) async throws -> Event {
        let before = try await service.events(of: "acme").count
        let body = AppEventTests.batch(AppEventTests.event("e\(before)", url, decided))
        let response = try await service.publicPort(.post, "/_fp/events", body: body)
        #expect(response.json?["results"]?.elements?.first?["status"]?.text == "stored", "\(response.text)")
        return try #require(try await service.events(of: "acme").last)
    }

    private static let matched = #""outcome": "matched", "action": "open_app""#

    @Test(arguments: [
        ("https://go.acme.test/item/7", #"\#(matched), "route": "item""#, Event.Agreement.same),
        ("acme://item/7", #"\#(matched), "route": "item""#, .same),
        ("https://go.acme.test/item/7", #"\#(matched), "route": "ticket""#, .different),
        ("https://go.acme.test/item/7", #""outcome": "matched", "action": "open_web", "route": "item""#, .different),
        ("https://go.acme.test/item/7", #""outcome": "unmatched""#, .different),
        ("https://go.acme.test/nowhere", #""outcome": "unmatched", "action": null, "route": null"#, .same),
        ("https://go.acme.test/../x", #""outcome": "rejected""#, .same),
        ("https://go.acme.test/../x", #""outcome": "unmatched""#, .different),
        ("no link at all", #""outcome": "rejected""#, .same),
    ])
    func decisionOfTheLiveRevisionIsCompared(url: String, decided: String, agreement: Event.Agreement) async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let event = try await report(service, url, #""revision": 1, "settingsRevision": 1, \#(decided)"#)
            #expect(event.agreement == agreement && event.tenant == tenant("acme"))
            let metrics = try await service.opsPort("/metrics").text
            let sample = #"fingerpost_app_events_total{agreement="\#(agreement.rawValue)",engine="same"} 1"#
            #expect(metrics.contains(sample), "\(metrics.matches(of: /fingerpost_app.*/).map(\.output))")
        }
    }

    /// The app has revision 1, in which the path is another one.
    @Test func decisionOfAnEarlierRevisionIsComparedWithItsTable() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            try await service.load(
                AppEventTests.acme(routes: #"{id: thing, path: "/thing/{id:int}", open: {screen: Thing}}"#)
            )
            let old = #""revision": 1, "settingsRevision": 1, \#(Self.matched)"#
            let item = try await report(service, "https://go.acme.test/item/7", #"\#(old), "route": "item""#)
            #expect(item.agreement == .same && item.path == "/item/7" && item.parameters == #"{"id":7}"#)
            #expect(item.revision?.rawValue == 1)
            let ticket = try await report(service, "https://go.acme.test/ticket/geheim", #"\#(old), "route": "ticket""#)
            #expect(ticket.agreement == .same && ticket.path == "/ticket/{code}" && ticket.parameters == nil)
            let thing = try await report(service, "https://go.acme.test/thing/7", #"\#(old), "route": "thing""#)
            // The live table has the route.
            #expect(thing.agreement == .different && thing.route == RouteID("thing"))
            let other = try await report(service, "https://go.acme.test/item/7", #"\#(old), "route": "ticket""#)
            // The table of the app has the route.
            #expect(other.agreement == .different && other.route == RouteID("ticket"))
        }
    }

    /// Totals are counted by route and revision, so an app can add no values of its own.
    @Test(
        arguments: [
            (1, 1, "ticket", .different, "ticket", 1), (1, 1, "invented", .different, nil, 1),
            (1, 99, "ticket", .unchecked, "ticket", 1), (1, 99, "invented", .unchecked, nil, 1),
            (9, 1, "item", .unchecked, "item", nil), (9, 1, "invented", .unchecked, nil, nil),
        ] as [(Int, Int, String, Event.Agreement, String?, Int64?)]
    )
    func onlyRoutesAndRevisionsOfTheTenantAreRecorded(
        revision: Int,
        settings: Int,
        route: String,
        agreement: Event.Agreement,
        recordedRoute: String?,
        recordedRevision: Int64?
    ) async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let version = #""revision": \#(revision), "settingsRevision": \#(settings)"#
            let decided = #"\#(version), \#(Self.matched), "route": "\#(route)""#
            let event = try await report(service, "https://go.acme.test/item/7", decided)
            #expect(event.agreement == agreement)
            #expect(event.route == recordedRoute.flatMap { RouteID($0) })
            #expect(event.revision?.rawValue == recordedRevision)
        }
    }

    /// Every table rejects a link that cannot be read, so the decision is the same with an invented revision.
    @Test func rejectedLinkOfAnInventedRevisionHasNone() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let decided = #""revision": 9, "settingsRevision": 1, "outcome": "rejected", "route": "invented""#
            let event = try await report(service, "https://go.acme.test/../x", decided)
            #expect(event.agreement == .same && event.revision == nil && event.route == nil)
        }
    }

    /// Reasons of rejected links are counted, so an app can add no values of its own.
    @Test func reasonOfARejectedLinkIsTheServers() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let version = #""revision": 1, "settingsRevision": 1"#
            let reason = #""reason": "invented""#
            let rejected = #"\#(version), "outcome": "rejected", \#(reason)"#
            let event = try await report(service, "https://go.acme.test/item/7", rejected)
            #expect(event.agreement == .different && event.outcome == .rejected && event.reason == nil)
            let matched = #"\#(version), \#(Self.matched), "route": "item", \#(reason)"#
            #expect(try await report(service, "https://go.acme.test/item/7", matched).reason == "invented")
        }
    }

    /// Without the table, the server does not know which parts of the link are sensitive.
    @Test(arguments: [
        #""revision": 9, "settingsRevision": 1"#, #""revision": 1, "settingsRevision": 99"#, #""revision": 1"#,
    ])
    func uncheckedDecisionHidesTheLink(version: String) async throws {
        try await withService { service in
            try await service.load(
                AppEventTests.acme("privacy: {unmatchedPath: full, recordQuery: [utm_source]}")
            )
            let decided = #"\#(version), \#(Self.matched), "route": "ticket""#
            let event = try await report(service, "https://go.acme.test/ticket/geheim?utm_source=x", decided)
            #expect(event.agreement == .unchecked)
            #expect(event.path == "/ticket/{slug}" && event.query == [] && event.parameters == nil)
            #expect(event.outcome == .matched && event.route == RouteID("ticket"))
            #expect(event.revision?.rawValue == (version.hasPrefix(#""revision": 1"#) ? 1 : nil))
            let shop = try await report(service, "https://geheim.shops.acme.test/ticket/1", decided)
            #expect(shop.host == nil)
        }
    }

    @Test func loadingOfEarlierTablesIsBounded() async throws {
        try await withService { service in
            for number in 0..<10 {
                let route = #"{id: r\#(number), path: "/item/{id:int}", open: {screen: Item}}"#
                try await service.load(AppEventTests.acme(routes: route))
            }
            var agreements: [Event.Agreement?] = []
            for number in 1...9 {
                let version = #""revision": \#(number), "settingsRevision": \#(number)"#
                let decided = #"\#(version), \#(Self.matched), "route": "r\#(number - 1)""#
                agreements.append(try await report(service, "https://go.acme.test/item/7", decided).agreement)
            }
            #expect(agreements == Array(repeating: .same, count: 6) + Array(repeating: .unchecked, count: 3))
        }
    }

    @Test func disagreementsAreCountedByEngineVersion() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let version = #""revision": 1, "settingsRevision": 1"#
            _ = try await report(service, "https://go.acme.test/item/7", #"\#(version), "outcome": "unmatched""#)
            _ = try await report(service, "https://go.acme.test/x", #"\#(version), "outcome": "unmatched""#)
            let key = try service.makeKey(tenant: "acme", scopes: [.analyticsRead])
            for (dimension, values) in [
                ("engineVersion", ["1.0": 2]), ("disagreement", ["1.0": 1]), ("appEngine", ["ios 3.2.0 1.0": 2]),
                ("kind", ["app": 2]), ("result", ["shown": 2]),
            ] {
                let answer = try await service.adminPort(
                    .get,
                    "/admin/v1/tenants/acme/stats/top/\(dimension)",
                    key: key
                )
                let counts = (answer.json?["top"]?.elements ?? []).map {
                    ($0["value"]?.text ?? "?", Int($0["count"]?.int ?? -1))
                }
                #expect(Dictionary(counts) { $1 } == values, "\(dimension): \(answer.text)")
            }
        }
    }
}
