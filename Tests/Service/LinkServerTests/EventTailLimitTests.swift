import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// Event tails have separate limits, so tails never use up the limits of links.
@Suite(.timeLimit(.minutes(15)))
struct EventTailLimitTests {
    private static let link = #"{"url":"https://go.acme.test/item/7"}"#

    @Test func tailsUseUpNothingOfTheirTenantsLimit() async throws {
        let limit = try #require(RateLimit(perSecond: 1, burst: 10))
        var policy = AdmissionPolicy.unlimited
        policy.tenant = limit
        try await withService(admitting: policy) { service in
            let session = try await AdminSession.acme(service)
            service.clock.advance(seconds: 60)
            // Each tail wakes at once, writes what there is, and ends.
            for _ in 0..<10 { #expect(try await session.get("events/tail").status == 200) }
            for _ in 0..<10 { #expect(try await service.resolve(Self.link).status == 200) }
            #expect(try await service.resolve(Self.link).status == 429)
            // Nor do links use up the limit of tails; opening too many tails is refused.
            let refused = try await session.get("events/tail")
            #expect(refused.status == 429 && refused.json?["scope"]?.text == "tail", "\(refused.text)")
        }
    }

    @Test func tailsOfAKeyAreBounded() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let acme = try #require(TenantID("acme"))
            let commits = service.dependencies.linkResolver.recorder.commits
            let kept = (0..<8).map { _ in commits.listen(to: acme, with: session.id) }
            #expect(kept.allSatisfy { $0 != nil })
            #expect(try await session.get("events/tail").code == "busy")
            let other = try await AdminSession(service)
            #expect(try await other.get("events/tail").status == 200)
            for listening in kept { listening?.end() }
        }
    }
}
