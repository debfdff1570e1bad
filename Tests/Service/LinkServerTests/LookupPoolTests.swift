import Dispatch
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// One pool resolves the links of slow tables, another one computes traces. If a pool takes no more work of a tenant, only
/// such requests are refused, and nothing is recorded.
@Suite(.timeLimit(.minutes(15)))
struct LookupPoolTests {
    private let explained = #"{"url":"yourapp://user/anna","explain":true}"#

    @Test func traceIsRefusedAndNotRecordedWhileItsTenantHasWorkWaiting() async throws {
        try await withService { service in
            let shop = try #require(TenantID("shop"))
            let (pool, end) = (WorkQueue(threads: 1, waitingOfOwner: 0, waiting: 0), DispatchSemaphore(value: 0))
            let busy = service.with(pool)
            async let work: Void = pool.run(for: .tenant(shop)) { _ in end.wait() }
            await pool.untilRunning(1)

            let refused = try await busy.resolve(explained)
            #expect(refused.status == 429)
            #expect(refused["Retry-After"] == "5")
            #expect(refused.json?["code"]?.text == "rate_limited")
            #expect(refused.json?["scope"]?.text == "tenant")
            #expect(try await service.events(of: "shop").isEmpty)
            #expect(try await busy.resolve(#"{"url":"yourapp://user/anna"}"#).status == 200)

            end.signal()
            try await work
            await pool.untilRunning(0)
            let answered = try await busy.resolve(explained)
            #expect(answered.status == 200)
            #expect(answered.json?["trace"] != nil)
            #expect(try await service.events(of: "shop").count == 2)
        }
    }

    /// Each of the 300 routes may be the first whose condition holds, so lookups of the table are measured.
    private static let slowTable = """
        formatVersion: 1
        tenant: slow
        settings:
          domains: [go.slow.test]
          schemes: [slow]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.slow}]
        table:
          routes: [\((0..<300).map { "{id: r\($0), path: /p, when: {traits: {t: v\($0)}}, open: {screen: S}}" }
            .joined(separator: ", "))]
        """

    private let slowLink = #"{"url": "slow://p", "context": {"platform": "ios", "traits": {"t": ["v7"]}}}"#

    private func report(_ id: String, tenant: String = "slow") -> String {
        """
        {"tenant": "\(tenant)", "app": "ios", "install": "i-1", "engineVersion": "1.0", "events": [
          {"clientEventId": "\(id)", "occurredAt": "2026-11-21T09:59:00.000Z", "url": "https://go.slow.test/p",
           "result": "shown", "context": {"platform": "ios", "traits": {"t": ["v7"]}}, "revision": 1,
           "settingsRevision": 1, "outcome": "matched", "action": "open_app", "route": "r7"}]}
        """
    }

    /// Publishes the table, and notes a slow lookup.
    private func withSlowTable(_ body: (TestService, TenantID) async throws -> Void) async throws {
        try await withService { service in
            try await service.load(Self.slowTable)
            let slow = try #require(TenantID("slow"))
            let table = try #require(service.dependencies.linkResolver.catalog.current.table(of: slow, in: .production))
            try #require(table.lookupSpeed).note(nanoseconds: 1_000_000)
            try await body(service, slow)
        }
    }

    @Test func slowTableIsLookedUpInThePool() async throws {
        try await withSlowTable { service, slow in
            let (pool, end) = (WorkQueue(threads: 1, waitingOfOwner: 0, waiting: 0), DispatchSemaphore(value: 0))
            let busy = service.with(pool)
            async let work: Void = pool.run(for: .tenant(slow)) { _ in end.wait() }
            await pool.untilRunning(1)

            let shopLink = #"{"url":"yourapp://user/anna"}"#
            let message = #"{"links": [{"url": "yourapp://user/anna"}, {"url": "slow://p"}, {"url": "slow://p"}]}"#
            for refused in [
                try await busy.resolve(slowLink), try await busy.resolve(message),
                try await busy.publicPort(.get, "/p", host: "go.slow.test"),
                try await busy.publicPort(.post, "/_fp/events", body: report("e-1")),
            ] {
                #expect(refused.status == 429, "\(refused.text)")
                #expect(refused["Retry-After"] == "5")
            }
            #expect(try await busy.resolve(shopLink).status == 200)
            #expect(try await service.events(of: "slow").isEmpty)

            end.signal()
            try await work
            await pool.untilRunning(0)
            let answered = try await busy.resolve(slowLink)
            #expect(answered.json?["route"]?["id"]?.text == "r7", "\(answered.text)")
            let batch = try await busy.resolve(message)
            #expect(
                batch.json?["results"]?.elements?.compactMap { $0["outcome"]?.text }
                    == ["matched", "unmatched", "unmatched"],
                "\(batch.text)"
            )
            #expect(try await busy.publicPort(.get, "/p", host: "go.slow.test").status == 404)
            let reported = try await busy.publicPort(.post, "/_fp/events", body: report("e-1"))
            #expect(reported.json?["results"]?.elements?.first?["status"]?.text == "stored", "\(reported.text)")
            let events = try await service.events(of: "slow")
            #expect(events.map(\.kind) == [.resolve, .resolve, .resolve, .click, .app])
            #expect(events.last?.agreement == .same)
            #expect(pool.counts.done == 6)
        }
    }

    /// Otherwise, a report for a fast table could ask for links of a slow one.
    @Test func linkOfAnotherTenantIsRefusedBeforeItIsLookedUp() async throws {
        try await withSlowTable { service, _ in
            let pool = WorkQueue(threads: 1)
            let body = report("e-1", tenant: "shop")
            let refused = try await service.with(pool).publicPort(.post, "/_fp/events", body: body)
            let result = refused.json?["results"]?.elements?.first
            #expect(result?["status"]?.text == "rejected", "\(refused.text)")
            #expect(result?["code"]?.text == "other_tenant", "\(refused.text)")
            #expect(pool.counts.done == 0)
        }
    }

    @Test(arguments: [true, false])
    func waitingLookupEndsWithItsClient(isHalfClosed: Bool) async throws {
        try await withSlowTable { service, slow in
            let (pool, end) = (WorkQueue(threads: 1), DispatchSemaphore(value: 0))
            let busy = service.with(pool)
            async let work: Void = pool.run(for: .tenant(slow)) { _ in end.wait() }
            await pool.untilRunning(1)
            let connection = try await PublicTestConnection(busy.dependencies)
            try await connection.write(Array("GET /p HTTP/1.1\r\nHost: go.slow.test\r\n\r\n".utf8))
            while pool.counts.waiting == 0 { await Task.yield() }
            try await isHalfClosed ? connection.closeInput() : connection.close()
            while pool.counts.waiting > 0 { await Task.yield() }
            #expect(pool.counts.cancelled == 1)
            end.signal()
            try await work
        }
    }
}

extension TestService {
    /// The same service with another pool for lookups and traces.
    fileprivate func with(_ pool: WorkQueue) -> TestService {
        var dependencies = dependencies
        dependencies.lookupPool = pool
        dependencies.tracePool = pool
        return TestService(dependencies: dependencies, clock: clock, directory: directory, log: log)
    }
}

extension WorkQueue {
    fileprivate func untilRunning(_ count: Int) async {
        while counts.running != count { await Task.yield() }
    }
}
