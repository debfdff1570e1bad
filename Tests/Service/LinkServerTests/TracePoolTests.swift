import Dispatch
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// Traces are computed in a pool. If it takes no more work of a tenant, only requests for traces are refused, and nothing
/// is recorded.
@Suite(.timeLimit(.minutes(15)))
struct TracePoolTests {
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
}

extension TestService {
    /// The same service with another pool for traces.
    fileprivate func with(_ pool: WorkQueue) -> TestService {
        var dependencies = dependencies
        dependencies.tracePool = pool
        return TestService(dependencies: dependencies, clock: clock, directory: directory, log: log)
    }
}

extension WorkQueue {
    fileprivate func untilRunning(_ count: Int) async {
        while counts.running != count { await Task.yield() }
    }
}
