import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Testing

extension TestService {
    /// Records an event of the tenant `acme` at that time.
    func record(_ time: String, _ change: (inout Event.Fields) -> Void = { _ in }) async throws {
        var event = Event.Fields(
            id: "event",
            recordedAt: try #require(Timestamp(time)),
            tenant: try #require(TenantID("acme")),
            environment: .production,
            outcome: .matched,
            linkLength: 20,
            source: "api",
            node: "a",
            requestID: "request",
            method: "POST"
        )
        event.route = RouteID("item")
        event.revision = Revision(rawValue: 1)
        event.action = .openApp
        change(&event)
        _ = try await log.append([Event(event)])
    }

    /// As above, for a link with a fallback or a rejection.
    func record(_ time: String, _ outcome: Outcome, path: String? = nil, reason: String? = nil) async throws {
        try await record(time) { event in
            (event.outcome, event.route, event.action) = (outcome, nil, nil)
            (event.path, event.reason) = (path, reason)
        }
    }
}

/// Counts over the admin port. The clock stands at 2026-11-21T10:00Z.
@Suite(.timeLimit(.minutes(15)))
struct AnalyticsTests {
    @Test func totalsCountLinksByOutcome() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for minute in ["01", "02", "17"] { try await service.record("2026-11-21T09:\(minute):00Z") }
            try await service.record("2026-11-20T23:59:00Z") { $0.action = .openWeb }
            try await service.record("2026-11-21T09:00:00Z", .fallback)
            let all = try await session.get("stats/totals?by=route,action")
            #expect(
                all.text == """
                    {"from":"2026-10-23T00:00:00.000Z","until":"2026-11-22T00:00:00.000Z","zone":"UTC","environment":"production",\
                    "purposes":["live"],"count":5,"totals":[{"route":"item","action":"open_app","count":3},\
                    {"route":null,"action":null,"count":1},{"route":"item","action":"open_web","count":1}],"rest":null}
                    """
            )
            // The interval is widened to quarter-hours, and the first of them has two events.
            let quarter = try await session.get(
                "stats/totals?from=2026-11-21T09:01:00Z&until=2026-11-21T09:14:00Z&route=item"
            )
            #expect(quarter.json?["from"]?.text == "2026-11-21T09:00:00.000Z")
            #expect(quarter.json?["until"]?.text == "2026-11-21T09:15:00.000Z")
            #expect(quarter.json?["totals"]?.json() == #"[{"count":2}]"#)
            let unrouted = try await session.get("stats/totals?route=&by=outcome")
            #expect(unrouted.json?["totals"]?.json() == #"[{"outcome":"fallback","count":1}]"#)
            let one = try await session.get("stats/totals?by=revision,outcome&limit=1")
            #expect(one.json?["totals"]?.json() == #"[{"revision":1,"outcome":"matched","count":4}]"#)
            #expect(one.json?["rest"]?.json() == #"{"groups":1,"count":1}"#)
        }
    }

    @Test func otherPurposesEnvironmentsAndTenantsAreCountedApart() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let staging = try #require(EnvironmentID("staging"))
            let shop = try #require(TenantID("shop"))
            try await service.record("2026-11-21T09:00:00Z")
            try await service.record("2026-11-21T09:00:00Z") { $0.purpose = .test }
            try await service.record("2026-11-21T09:00:00Z") { $0.purpose = .prefetch }
            for _ in 0..<4 {
                try await service.record("2026-11-21T09:00:00Z") {
                    $0.environment = staging
                    $0.revision = Revision(rawValue: 2)
                }
            }
            for _ in 0..<9 { try await service.record("2026-11-21T09:00:00Z") { $0.tenant = shop } }
            func count(_ query: String) async throws -> Int64? {
                try await session.get("stats/totals\(query)").json?["count"]?.int
            }
            #expect(try await count("") == 1)
            #expect(try await count("?purpose=test,live") == 2)
            #expect(try await count("?purpose=all") == 3)
            #expect(try await count("?environment=staging") == 4)

            let reader = try await AdminSession(service, scopes: [.analyticsRead]) { $0.environments = [staging] }
            #expect(try await reader.get("stats/totals").status == 403)
            #expect(try await reader.get("stats/totals?environment=staging").json?["count"]?.int == 4)
            #expect(try await reader.get("events?environment=staging").status == 403)
            #expect(try await reader.get("/tenants/nobody/stats/totals?environment=staging").code == "unknown_tenant")
        }
    }

    // MARK: Series

    @Test func seriesHasEveryDayOfTheZone() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            // In Paris the clocks go back on 25 October, a day of 25 hours that ends at 23:00 UTC.
            try await service.record("2026-10-24T21:59:00Z")
            try await service.record("2026-10-24T22:00:00Z")
            try await service.record("2026-10-25T22:59:00Z") { $0.action = .openWeb }
            try await service.record("2026-10-26T23:00:00Z")
            let days = try await session.get(
                "stats/series?from=2026-10-24&until=2026-10-27&zone=Europe/Paris&by=action"
            )
            #expect(days.json?["days"]?.json() == #"["2026-10-24","2026-10-25","2026-10-26"]"#)
            #expect(
                days.json?["starts"]?.json()
                    == #"["2026-10-23T22:00:00.000Z","2026-10-24T22:00:00.000Z","2026-10-25T23:00:00.000Z"]"#
            )
            #expect(
                days.json?["series"]?.json() == """
                    [{"action":"open_app","count":2,"counts":[1,1,0]},{"action":"open_web","count":1,"counts":[0,1,0]}]
                    """
            )
            let hours = try await session.get(
                "stats/series?from=2026-10-25&until=2026-10-26&zone=Europe/Paris&interval=hour&by=route"
            )
            let counts = (hours.json?["series"]?.elements?.first?["counts"]?.elements ?? []).compactMap(\.int)
            #expect(counts.count == 25 && counts.first == 1 && counts.last == 1 && counts.reduce(0, +) == 2)
            #expect(hours.json?["days"] == nil)
        }
    }

    @Test func seriesOfAValueAndWhatTheLimitLeavesOut() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for (day, country) in [("19", "DE"), ("19", "FR"), ("20", "DE"), ("21", "DE")] {
                try await service.record("2026-11-\(day)T08:00:00Z") { $0.country = country }
            }
            try await service.record("2026-11-21T08:00:00Z", .rejected)
            let value = try await session.get("stats/series?dimension=country&value=DE&from=2026-11-19")
            #expect(value.json?["series"]?.json() == #"[{"country":"DE","count":3,"counts":[1,1,1]}]"#)
            let one = try await session.get("stats/series?by=outcome&limit=1&from=2026-11-19")
            #expect(one.json?["series"]?.json() == #"[{"outcome":"matched","count":4,"counts":[2,1,1]}]"#)
            #expect(one.json?["rest"]?.json() == #"{"groups":1,"count":1,"counts":[0,0,1]}"#)
            let none = try await session.get("stats/series?from=2026-11-01&until=2026-11-03")
            #expect(none.json?["series"]?.elements?.isEmpty == true && none.json?["starts"]?.elements?.count == 2)
        }
    }

    // MARK: Rankings

    @Test func partsOfARankingAddUp() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for country in ["DE", "FR", "DE", "GB", nil] {
                try await service.record("2026-11-21T09:00:00Z") { $0.country = country }
            }
            let top = try await session.get("stats/top/country?limit=1")
            #expect(
                top.text.hasSuffix(
                    #""dimension":"country","count":5,"top":[{"value":"DE","count":2}],"rest":2,"other":0,"none":1}"#
                )
            )
            let routes = try await session.get("stats/top/route")
            #expect(routes.json?["top"]?.json() == #"[{"value":"item","count":5}]"#)
            #expect(try await session.get("stats/top/shoeSize").code == "invalid_request")
        }
    }

    @Test func unmatchedLinksAreRanked() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for path in ["/sale", "/sale", "/help"] {
                try await service.record("2026-11-21T09:00:00Z", .fallback, path: path)
            }
            try await service.record("2026-11-21T09:00:00Z", .unmatched, path: "/sale")
            try await service.record("2026-11-21T09:00:00Z", .unmatched)
            try await service.record("2026-11-21T09:00:00Z")
            let answer = try await session.get("stats/unmatched")
            let links = #"[{"path":"/sale","count":3},{"path":"/help","count":1}]"#
            #expect(
                answer.text.hasSuffix(
                    #""unmatchedPath":"shape","unmatched":2,"fallback":3,"count":5,"links":\#(links),"rest":0,"other":0,"none":1}"#
                )
            )
        }
    }

    @Test func reasonsOfRejectedLinksAreRanked() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for reason in ["dot_segment", "bad_port", "dot_segment"] {
                try await service.record("2026-11-21T09:00:00Z", .rejected, reason: reason)
            }
            try await service.record("2026-11-21T09:00:00Z")
            let reasons = #"[{"reason":"dot_segment","count":2},{"reason":"bad_port","count":1}]"#
            let answer = try await session.get("stats/rejected")
            #expect(answer.text.hasSuffix(#""count":3,"reasons":\#(reasons),"rest":0,"other":0,"none":0}"#))
        }
    }

    @Test func revisionsStandSideBySide() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            func record(_ revision: Int64, _ route: String?, times: Int) async throws {
                for _ in 0..<times {
                    try await service.record("2026-11-21T09:00:00Z") { event in
                        event.revision = Revision(rawValue: revision)
                        event.route = route.flatMap { RouteID($0) }
                        if route == nil { (event.outcome, event.action) = (.fallback, .openWeb) }
                    }
                }
            }
            try await record(1, "home", times: 2)
            try await record(1, "blog", times: 2)
            try await record(2, "home", times: 1)
            try await record(3, "home", times: 2)
            try await record(3, nil, times: 2)
            let both = try await session.get("stats/revisions?compare=1,3")
            #expect(
                both.text.hasSuffix(
                    """
                    "revisions":[1,3],"counts":[4,4],\
                    "outcomes":[{"outcome":"fallback","counts":[0,2]},{"outcome":"matched","counts":[4,2]}],\
                    "actions":[{"action":"open_app","counts":[4,2]},{"action":"open_web","counts":[0,2]}],\
                    "routes":[{"route":null,"counts":[0,2]},{"route":"blog","counts":[2,0]},{"route":"home","counts":[2,2]}],\
                    "rest":null}
                    """
                )
            )
            let all = try await session.get("stats/revisions?limit=1")
            #expect(all.json?["revisions"]?.json() == "[1,2,3]" && all.json?["counts"]?.json() == "[4,1,4]")
            #expect(all.json?["rest"]?.json() == "[4,1,2]")
        }
    }

    // MARK: Parameters

    @Test func unchangedAnswerIsNotSentAgain() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            try await service.record("2026-11-20T09:00:00Z")
            let over = "stats/totals?from=2026-11-01&until=2026-11-21"
            let first = try await session.get(over)
            #expect(first["Cache-Control"] == "private, max-age=300")
            let tag = try #require(first["ETag"])
            let second = try await session.send(.get, over, headers: [.ifNoneMatch: "\"x\", \(tag)"])
            #expect(second.status == 304 && second.body.isEmpty && second["ETag"] == tag)

            let running = try await session.get("stats/totals")
            #expect(running["Cache-Control"] == "private, no-cache")
            try await service.record("2026-11-21T09:00:00Z")
            let known = try #require(running["ETag"])
            let third = try await session.send(.get, "stats/totals", headers: [.ifNoneMatch: known])
            #expect(third.status == 200 && third.json?["count"]?.int == 2)
        }
    }

    private static let unanswerable = [
        "totals?from=2026-11-21&until=2026-11-21", "totals?from=yesterday", "totals?until=1969-12-31",
        "totals?from=2020-01-01", "totals?zone=Mars/Olympus", "totals?zone=GMT%2B14:99", "totals?zone=UTC%00",
        "totals?purpose=", "totals?purpose=live,",
        "totals?by=country", "totals?by=route,route", "totals?by=", "totals?revision=x", "totals?limit=0",
        "totals?outcome=match", "totals?outcome=", "totals?action=open", "series?outcome=match", "series?action=open",
        "totals?limit=1001", "series?interval=week", "series?interval=hour&from=2026-01-01",
        "series?dimension=country", "series?dimension=size&value=1",
        "series?dimension=country&value=DE&by=route", "series?dimension=country&value=DE&zone=Asia/Kolkata",
        "series?limit=101", "revisions?compare=", "revisions?compare=7,7", "revisions?compare=0",
        "revisions?compare=1,2,3,4,5,6,7,8,9,10,11",
    ]

    @Test func requestThatCannotBeAnsweredIsRefused() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for path in Self.unanswerable {
                let answer = try await session.get("stats/\(path)")
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(path): \(answer.text)")
            }
        }
    }

    @Test func filterOfAnUnknownValueIsNotAnsweredWithZero() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            try await service.record("2026-11-21T09:00:00Z")
            for (path, detail) in [
                ("totals?outcome=match", "'outcome' must be matched, fallback, unmatched or rejected."),
                ("totals?action=open", "'action' must be empty, or one of: open_app, open_web,"),
                ("totals?revision=99", "There is no revision 99; list them at …/revisions."),
                ("series?revision=99", "There is no revision 99; list them at …/revisions."),
            ] {
                let answer = try await session.get("stats/\(path)")
                #expect(answer.status == (path.contains("99") ? 404 : 400), "\(path): \(answer.text)")
                #expect(answer.json?["detail"]?.text?.hasPrefix(detail) == true, "\(path): \(answer.text)")
            }
            for query in ["outcome=matched", "action=open_app", "revision=1"] {
                let counted = try await session.get("stats/totals?\(query)")
                #expect(counted.json?["count"]?.int == 1, "\(query): \(counted.text)")
            }
            #expect(try await session.get("stats/totals?action=").json?["count"]?.int == 0)
            let staging = try #require(EnvironmentID("staging"))
            let limited = try await AdminSession(service) { $0.environments = [staging] }
            #expect(try await limited.get("stats/totals?environment=staging&revision=99").status == 200)
        }
    }

    /// Distant dates, clock changes, and zones with odd minutes.
    private static let odd = [
        "series?from=1970-01-01&until=1972-03-01", "series?from=9890-01-01&until=9891-01-01",
        "series?interval=hour&zone=Australia/Lord_Howe&from=2026-04-04&until=2026-04-06",
        "series?zone=Asia/Kathmandu&interval=hour&from=2026-11-20",
        "series?zone=Pacific/Apia&from=2011-12-28&until=2012-01-02",
        "series?zone=Africa/Monrovia&from=1970-01-01&until=1970-01-09", "top/country?zone=Asia/Kolkata",
        "totals?until=2026-11-01", "totals?from=2026-11-21T10:00:00+01:00",
    ]

    @Test func oddRangesAreAnswered() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for path in Self.odd { #expect(try await session.get("stats/\(path)").status == 200, "\(path)") }
        }
    }
}
