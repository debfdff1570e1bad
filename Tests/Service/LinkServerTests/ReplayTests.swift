import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Synchronization
import Testing

/// A replay resolves recorded events with the live table and the draft, and reports the events for which the result is
/// unknown.
struct ReplayTests {
    private static let settings = """
        domains: [go.replay.example]
        schemes: [rep]
        privacy: {recordQuery: [lang], unmatchedPath: firstSegment}
        """

    private static let routes = """
        - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}}
        - {id: user, path: "/user/{name}", open: {screen: User}}
        - {id: reset, path: "/reset/{token}", sensitive: [token], open: {screen: Reset}}
        - {id: coded, path: /coded, query: {code: present}, open: {screen: Coded}}
        """

    private static func document(settings: String = settings, _ routes: String) -> String {
        """
        formatVersion: 1
        tenant: rep
        settings:
        \(settings.indented(by: 2))
        table:
          defaults: {fallback: {open: {screen: Home}}}
          routes:
        \(routes.indented(by: 4))
        """
    }

    private let location: PublishingService.DraftLocation

    init() throws { location = PublishingService.DraftLocation(try #require(TenantID("rep")), .production) }

    private func withReplay(
        settings: String = settings,
        live: String = routes,
        _ body: (TestService) async throws -> Void
    ) async throws {
        try await withService { service in
            try await service.load(Self.document(settings: settings, live))
            try await body(service)
        }
    }

    private func draft(_ routes: String, _ service: TestService) async throws {
        let table = try #require(try TenantDocument(Self.document(routes)).table)
        let change = AuditContext(
            actor: Actor(kind: .person, id: "a", name: "A"),
            at: service.clock.now,
            requestID: "r"
        )
        _ = try await service.dependencies.publishing.saveDraft(table, at: location, expected: nil, change: change)
    }

    private func record(_ urls: [String], purpose: String = "live", _ service: TestService) async throws {
        for url in urls {
            let answer = try await service.resolve(#"{"url":"\#(url)","purpose":"\#(purpose)"}"#)
            #expect(answer.status == 200)
        }
    }

    private func replay(_ service: TestService, _ request: ReplayRequest = ReplayRequest()) async throws -> JSONNode {
        try await service.dependencies.replayer.replay(request, at: location).json
    }

    // MARK: Changes

    @Test func changesAreCountedByRoute() async throws {
        try await withReplay { service in
            try await record(
                [
                    "https://go.replay.example/item/1", "https://go.replay.example/item/2", "rep://item/3",
                    "https://go.replay.example/user/anna", "https://go.replay.example/user/bert",
                ],
                service
            )
            try await draft(
                Self.routes.replacing("{id:int}", with: "{id:int(..2)}")
                    .replacing("screen: User", with: "screen: Profile"),
                service
            )
            let report = try await replay(service)
            #expect(
                report.counts(["events", "replayed", "changed", "unchanged"]) == [5, 5, 3, 2]
            )
            #expect(
                report["byRoute"]?.json() == """
                    [{"route":"user","outcome":"matched","replayed":2,"changed":2,"gained":0},\
                    {"route":null,"outcome":"fallback","replayed":0,"changed":0,"gained":1},\
                    {"route":"item","outcome":"matched","replayed":3,"changed":1,"gained":0}]
                    """
            )
            let changes = try #require(report["changes"]?.elements)
            #expect(changes.map { $0["count"]?.int } == [2, 1])
            #expect(changes[0]["differs"]?.json() == #"["screen"]"#)
            #expect(changes[1]["from"]?.json() == #"{"route":"item","outcome":"matched","action":"open_app"}"#)
            #expect(changes[1]["to"]?.json() == #"{"route":null,"outcome":"fallback","action":"open_app"}"#)
            let sample = changes[1]["samples"]?.elements?.first
            #expect(sample?["link"]?.text == "rep://item/3")
            #expect(sample?["from"]?["screen"]?.text == "Item")
            #expect(sample?["to"]?["screen"]?.text == "Home")
        }
    }

    @Test func aLinkThatCameOftenIsOneSample() async throws {
        try await withReplay { service in
            let links = (1...7).map { "https://go.replay.example/user/p\($0)" }
            try await record(links + links + ["https://go.replay.example/user/p7"], service)
            try await draft(Self.routes.replacing("screen: User", with: "screen: Profile"), service)
            let change = try #require(try await replay(service)["changes"]?.elements?.first)
            #expect(change["count"]?.int == 15)
            let samples = change["samples"]?.elements?.compactMap { $0["link"]?.text } ?? []
            #expect(samples.count == 5)
            #expect(Set(samples).count == 5)
        }
    }

    @Test func aVeryLongLinkIsCountedButNoSample() async throws {
        try await withReplay { service in
            try await record(["rep://user/\(String(repeating: "x", count: 4_000))", "rep://user/anna"], service)
            try await draft(Self.routes.replacing("screen: User", with: "screen: Profile"), service)
            let change = try #require(try await replay(service)["changes"]?.elements?.first)
            #expect(change["count"]?.int == 2)
            #expect(change["samples"]?.elements?.compactMap { $0["link"]?.text } == ["rep://user/anna"])
        }
    }

    /// A short link is recorded as its target; a blocked or unknown one itself, without its code. So what an unknown code
    /// led to is not known.
    @Test func targetsOfShortLinksAreNotReplayed() async throws {
        let settings = Self.settings.replacing("firstSegment", with: "full")
        let routes = Self.routes + "\n- {id: go, path: \"/s/{code}\", follow: shortLinks}"
        try await withReplay(settings: settings, live: routes) { service in
            var session = try await AdminSession(service)
            session.tenant = "rep"
            let link = #"{"code": "spring", "target": "https://go.replay.example/item/1"}"#
            #expect(try await session.post("short-links", link).status == 201)
            try await record(["https://go.replay.example/s/spring"], service)
            #expect(try await session.post("short-links/spring/block", #"{"reason": "Reported."}"#).status == 200)
            try await record(["https://go.replay.example/s/spring", "https://go.replay.example/s/nowhere"], service)
            try await draft(routes, service)
            #expect(try await replay(service).counts(["events", "replayed", "changed"]) == [3, 2, 0])
            try await draft(Self.routes, service)
            let report = try await replay(service)
            #expect(report.counts(["events", "replayed", "changed"]) == [3, 2, 1])
            let change = try #require(report["changes"]?.elements?.first)
            #expect(change["from"]?.json() == #"{"route":"go","outcome":"undecided","action":null}"#)
            #expect(change["to"]?.json() == #"{"route":null,"outcome":"fallback","action":"open_app"}"#)
        }
    }

    @Test func theContextIsReplayed() async throws {
        try await withReplay { service in
            for version in ["1.0", "2.0"] {
                let context = #"{"platform":"ios","appVersion":"\#(version)","country":"GB","locale":["de"]}"#
                _ = try await service.resolve(#"{"url":"rep://user/anna","context":\#(context)}"#)
            }
            let conditions = #"{appVersion: {from: "2.0"}, country: GB, locale: de, platform: ios}"#
            try await draft(
                Self.routes + #"\#n- {id: newer, path: /user/anna, when: \#(conditions), open: {screen: Newer}}"#,
                service
            )
            let report = try await replay(service)
            #expect(report["changed"]?.int == 1)
            #expect(
                report["changes"]?.elements?.first?["samples"]?.elements?.first?["context"]?["appVersion"]?.text
                    == "2.0"
            )
        }
    }

    @Test func timeConditionsAreEvaluatedAtTheTimeOfEachEvent() async throws {
        try await withReplay { service in
            try await record(["rep://user/anna"], service)
            service.clock.advance(seconds: 600)
            let instant = service.clock.now
            try await record(["rep://user/anna", "rep://user/anna"], service)
            try await draft(
                Self.routes
                    + #"\#n- {id: sale, path: /user/anna, when: {time: {from: "\#(instant)"}}, open: {screen: Sale}}"#,
                service
            )
            #expect(try await replay(service).counts(["replayed", "changed"]) == [3, 2])
        }
    }

    // MARK: Selected events

    @Test func onlyTheRequestedPeriodIsReplayed() async throws {
        try await withReplay { service in
            try await record(["rep://item/1"], service)
            // Past midnight, so that there are two files.
            service.clock.advance(seconds: 86_400)
            try await record(["rep://item/2", "rep://item/3"], service)
            service.clock.advance(seconds: 60)
            try await draft(Self.routes, service)
            #expect(try await replay(service, ReplayRequest(seconds: 59))["events"]?.int == 0)
            #expect(try await replay(service, ReplayRequest(seconds: 60))["events"]?.int == 2)
            #expect(try await replay(service, ReplayRequest(seconds: 90_000))["events"]?.int == 3)
        }
    }

    @Test func theNewestAreReplayedWhenThereAreMore() async throws {
        try await withReplay { service in
            for number in 1...5 {
                try await record(["rep://item/\(number)"], service)
                service.clock.advance(seconds: 10)
            }
            try await draft(Self.routes.replacing("screen: Item", with: "screen: Product"), service)
            let report = try await replay(service, ReplayRequest(limit: 2))
            #expect(report.counts(["events", "changed"]) == [2, 2])
            #expect(report["limited"]?.bool == true)
            let start = Timestamp(milliseconds: service.clock.now.milliseconds - 20_000)
            #expect(report["from"]?.text == start.description)
            let samples = report["changes"]?.elements?.first?["samples"]?.elements ?? []
            #expect(samples.compactMap { $0["link"]?.text } == ["rep://item/5", "rep://item/4"])
            #expect(try await replay(service, ReplayRequest(limit: 5))["limited"]?.bool == false)
        }
    }

    /// A replay of slow tables reports what it has read after two minutes. The clock goes on by 35 seconds with each look.
    @Test func replayEndsAfterTwoMinutes() async throws {
        try await withReplay { service in
            for number in 1...5 { try await record(["rep://item/\(number)"], service) }
            try await draft(Self.routes.replacing("screen: Item", with: "screen: Product"), service)
            let replayer = Replayer(history: service.log, publishing: service.dependencies.publishing) {
                defer { service.clock.advance(seconds: 35) }
                return service.clock.now
            }
            let report = try await replayer.replay(ReplayRequest(), at: location).json
            #expect(report.counts(["events", "changed"]) == [2, 2])
            #expect(report["limited"]?.bool == true)
        }
    }

    @Test func moreThanAPageIsReplayed() async throws {
        try await withReplay { service in
            let urls = (1...100).map { #""rep://item/\#($0)""# }.joined(separator: ",")
            for _ in 1...25 { _ = try await service.resolve(#"{"links":[\#(urls)]}"#) }
            try await draft(Self.routes, service)
            #expect(try await replay(service).counts(["events", "unchanged"]) == [2_500, 2_500])
        }
    }

    @Test func testsAndPrefetchesAreOmittedByDefault() async throws {
        try await withReplay { service in
            try await record(["rep://item/1"], service)
            try await record(["rep://item/2"], purpose: "test", service)
            try await record(["rep://item/3"], purpose: "prefetch", service)
            try await draft(Self.routes, service)
            #expect(try await replay(service)["events"]?.int == 1)
            #expect(try await replay(service, ReplayRequest(purposes: [.test, .live]))["events"]?.int == 2)
        }
    }

    // MARK: Hidden values

    @Test func omittedLogDataIsCountedByReason() async throws {
        try await withReplay { service in
            try await record(
                [
                    "rep://a/../b", "https://go.replay.example/unknown/of/several", "rep://unknown/2",
                    "https://go.replay.example/coded?code=7&lang=de", "https://go.replay.example/lonely",
                    "https://go.replay.example/lonely/", "rep://lonely?lang=de",
                ],
                service
            )
            try await draft(Self.routes + "\n- {id: lonely, path: /lonely, open: {screen: Lonely}}", service)
            let report = try await replay(service)
            #expect(report["hidden"]?.json() == #"{"rejected":1,"pathCut":2,"notReproduced":1}"#)
            #expect(report.counts(["events", "replayed", "changed"]) == [7, 3, 3])
            #expect(report["unseen"]?.json() == #"[{"fact":"query code","count":1,"routes":["coded"]}]"#)
        }
    }

    @Test func buildsAndListedTraitsAreReplayed() async throws {
        let settings = Self.settings.replacing("privacy: {", with: "privacy: {recordTraits: [plan], ")
        try await withReplay(settings: settings) { service in
            for (build, plan) in [(411, "pro"), (412, "pro"), (412, "free")] {
                _ = try await service.resolve(
                    #"{"url":"rep://item/1","context":{"appBuild":\#(build),"traits":{"plan":["\#(plan)","x"],"age":"30"}}}"#
                )
            }
            let when = #"when: {appBuild: {from: 412}, traits: {plan: pro}}"#
            try await draft(
                "- {id: paid, path: \"/item/{id:int}\", \(when), open: {screen: Paid}}\n" + Self.routes,
                service
            )
            let report = try await replay(service)
            #expect(report.counts(["replayed", "changed"]) == [3, 1])
            let sample = report["changes"]?.elements?.first?["samples"]?.elements?.first
            #expect(sample?["context"]?["traits"]?.json() == #"{"plan":["pro","x"]}"#)
            #expect(sample?["context"]?["appBuild"]?.int == 412)
            #expect(report["unseen"]?.json().contains("plan") == false)
        }
    }

    @Test func pathsThatAreNotRecordedAreHidden() async throws {
        let settings = Self.settings.replacing("firstSegment", with: "none")
        try await withReplay(settings: settings) { service in
            try await record(["rep://unknown", "rep://item/1"], service)
            try await draft(Self.routes, service)
            let report = try await replay(service)
            #expect(report["hidden"]?.json() == #"{"noPath":1}"#)
            #expect(report["replayed"]?.int == 1)
        }
    }

    @Test func fullPathsAreReplayed() async throws {
        let settings = Self.settings.replacing("firstSegment", with: "full")
        try await withReplay(settings: settings) { service in
            try await record(["https://go.replay.example/un%20known/%C3%A9%2F%7Bx%7D/c"], service)
            try await draft(
                Self.routes + "\n- {id: found, path: \"/un known/é%2F\\\\{x\\\\}/{c}\", open: {screen: Found}}",
                service
            )
            let report = try await replay(service)
            #expect(report.counts(["replayed", "changed"]) == [1, 1])
            #expect(report["changes"]?.elements?.first?["to"]?["route"]?.text == "found")
        }
    }

    @Test func aSensitiveValueIsReplayedByAStandInOfBothTypes() async throws {
        try await withReplay { service in
            try await record(["rep://reset/s3cret", "rep://reset/an0ther"], service)
            try await draft(Self.routes.replacing("{token}", with: "{token:uuid}"), service)
            let report = try await replay(service)
            #expect(report.counts(["replayed", "changed", "standIns"]) == [2, 0, 2])
            try await draft(Self.routes.replacing("screen: Reset", with: "screen: NewReset"), service)
            let change = try await replay(service)["changes"]?.elements?.first
            #expect(change?["count"]?.int == 2)
            #expect(change?["samples"]?.elements?.compactMap { $0["link"]?.text } == ["rep://reset/{token}"])
            #expect(try await replay(service).json().contains("s3cret") == false)
        }
    }

    @Test func aSensitiveValueWithoutAStandInIsHidden() async throws {
        try await withReplay { service in
            try await record(["rep://reset/s3cret"], service)
            // The route that identifies the value is gone from both tables.
            let routes = Self.routes.split(separator: "\n").filter { !$0.contains("reset") }.joined(separator: "\n")
            try await draft(routes, service)
            let change = AuditContext(
                actor: Actor(kind: .person, id: "a", name: "A"),
                at: service.clock.now,
                requestID: "r"
            )
            _ = try await service.dependencies.publishing.publish(location, change: change)
            try await draft(routes, service)
            #expect(try await replay(service)["hidden"]?.json() == #"{"sensitive":1}"#)
        }
    }

    // MARK: The API

    @Test func theAdminPortAnswersTheReport() async throws {
        try await withReplay { service in
            let key = try service.makeKey(tenant: "rep", scopes: [.tablesRead, .exportsRead])
            try await record(["rep://item/1"], service)
            let path = "/admin/v1/tenants/rep/draft/replay"
            #expect(try await service.adminPort(.post, path, key: key).json?["code"]?.text == "no_draft")
            try await draft(Self.routes.replacing("screen: Item", with: "screen: Product"), service)
            let answer = try await service.adminPort(.post, path, key: key, body: #"{"sinceSeconds":60,"limit":10}"#)
            #expect(answer.status == 200)
            #expect(answer.json?["changed"]?.int == 1)
            for body in [#"{"sinceSeconds":0}"#, #"{"limit":0}"#, #"{"since":"24h"}"#, #"{"purposes":[]}"#] {
                #expect(try await service.adminPort(.post, path, key: key, body: body).status == 400, "\(body)")
            }
        }
    }

    @Test(arguments: [KeyGrant.Scope.tablesRead, .exportsRead, .publish])
    func aKeyNeedsBothScopes(_ scope: KeyGrant.Scope) async throws {
        try await withReplay { service in
            let key = try service.makeKey(scopes: [scope])
            let answer = try await service.adminPort(.post, "/admin/v1/tenants/rep/draft/replay", key: key)
            #expect(answer.status == 403)
        }
    }

    @Test func aDraftWithErrorsIsNotReplayed() async throws {
        try await withReplay { service in
            let key = try service.makeKey()
            try await draft(Self.routes + "\n- {id: again, path: \"/user/{other}\", open: {screen: Again}}", service)
            let answer = try await service.adminPort(.post, "/admin/v1/tenants/rep/draft/replay", key: key)
            #expect(answer.status == 422)
            #expect(answer.json?["findings"]?.elements?.isEmpty == false)
        }
    }

    @Test func aSecondReplayIsRefusedWhileOneRuns() async throws {
        try await withReplay { service in
            try await draft(Self.routes, service)
            let history = AskingHistory()
            let replayer = Replayer(history: history, publishing: service.dependencies.publishing) { service.clock.now }
            var dependencies = service.dependencies
            dependencies.replayer = replayer
            let second = TestService(
                dependencies: dependencies,
                clock: service.clock,
                directory: service.directory,
                log: service.log
            )
            let key = try service.makeKey()
            history.ask { try await second.adminPort(.post, "/admin/v1/tenants/rep/draft/replay", key: key) }
            #expect(try await replayer.replay(ReplayRequest(), at: location).json["events"]?.int == 0)
            let answer = try #require(history.answer)
            #expect(answer.status == 503)
            #expect(answer.json?["code"]?.text == "busy")
            #expect(answer["Retry-After"] == "10")
            // Afterwards another replay can run.
            #expect(try await second.adminPort(.post, "/admin/v1/tenants/rep/draft/replay", key: key).status == 200)
        }
    }
}

/// An empty log that requests a second replay while the first one waits for it.
private final class AskingHistory: EventHistory {
    private let question = Mutex<(@Sendable () async throws -> TestResponse)?>(nil)
    private let answered = Mutex<TestResponse?>(nil)

    var answer: TestResponse? { answered.withLock(\.self) }

    func ask(_ question: @escaping @Sendable () async throws -> TestResponse) {
        self.question.withLock { $0 = question }
    }

    func events(
        of tenant: TenantID,
        before cursor: LogCursor,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent] {
        let question = question.withLock { question in
            defer { question = nil }
            return question
        }
        if let question {
            let answer = try await question()
            answered.withLock { $0 = answer }
        }
        return []
    }

    func event(_: RecordedID, of _: TenantID) -> StoredEvent? { nil }
    func event(at _: Int64, of _: TenantID) -> StoredEvent? { nil }
    func events(of _: TenantID, after _: LogCursor, limit _: Int) -> [StoredEvent] { [] }
    func end() -> LogCursor { LogCursor(0) }
    func end(of _: CivilDay) -> LogCursor? { nil }
    func nodes() -> [ShippedNode] { [] }
}

extension JSONNode {
    fileprivate func counts(_ keys: [String]) -> [Int64?] { keys.map { self[$0]?.int } }
}

extension String {
    fileprivate func indented(by spaces: Int) -> String {
        split(separator: "\n").map { String(repeating: " ", count: spaces) + $0 }.joined(separator: "\n")
    }
}
