import HTTPTypes
import LinkEvents
import Testing

/// The time from a request to the commit of its event, measured with a monotonic clock.
@Suite(.timeLimit(.minutes(15)))
struct LatencyTests {
    @Test func resolutionAndClickCarryTheirLatency() async throws {
        try await withService { service in
            service.clock.setStep(.microseconds(731))
            _ = try await service.resolve(#"{"url":"yourapp://home"}"#)
            _ = try await service.publicPort(.get, "/product/1", host: "go.yourappdomain.com")

            let events = try await service.events(of: "shop")
            #expect(events.map(\.kind) == [.resolve, .click])
            #expect(events.map(\.latencyMicroseconds) == [731, 731])
        }
    }

    @Test func linksOfABatchShareTheLatencyOfTheirRequest() async throws {
        try await withService { service in
            service.clock.setStep(.seconds(2))
            _ = try await service.resolve(#"{"links":["yourapp://home","nobody://x","yourapp://product/1"]}"#)

            #expect(try await service.events(of: "shop").map(\.latencyMicroseconds) == [2_000_000, 2_000_000])
            #expect(try await service.unownedEvents().map(\.latencyMicroseconds) == [2_000_000])
        }
    }
}
