import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// The bytes of events that a tenant records in a day from requests without one of its keys.
@Suite(.timeLimit(.minutes(15)))
struct DayBytesTests {
    private static let link = #"{"url": "yourapp://product/1"}"#
    private static let clicks = "go.yourappdomain.com"

    /// A limit that one event reaches.
    private func withOneEventADay(_ body: (TestService) async throws -> Void) async throws {
        try await withService(dayBytes: 1, body)
    }

    /// Resolves a link, and expects it to be answered and recorded, or answered unrecorded.
    private func expect(
        recorded: Bool,
        _ service: TestService,
        _ body: String = link,
        keyOf tenant: String?? = .none,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        var headers: HTTPFields = [:]
        if let tenant { headers[.authorization] = "Bearer \(try service.makeKey(tenant: tenant, scopes: [.resolve]))" }
        let answer = try await service.resolve(body, headers: headers)
        #expect(answer.status == 200, sourceLocation: location)
        #expect(answer.json?["recorded"]?.bool == recorded, sourceLocation: location)
    }

    @Test func linksBeyondTheLimitAreAnsweredUnrecordedUntilMidnight() async throws {
        try await withOneEventADay { service in
            try await expect(recorded: true, service)
            let second = try await service.resolve(Self.link)
            #expect(second.status == 200 && second.json?["outcome"]?.text == "matched")
            #expect(second.json?["recorded"]?.bool == false)
            let click = try await service.publicPort(.get, "/product/1", host: Self.clicks)
            #expect(click.status == 302)
            #expect(try await service.events(of: "shop").count == 1)
            let text = service.dependencies.metrics.exposition()
            #expect(text.contains("fingerpost_resolutions_total{outcome=\"matched\",tenant=\"shop\"} 1\n"))
            service.clock.advance(seconds: 86_400)
            try await expect(recorded: true, service)
        }
    }

    @Test func requestsWithAKeyOfTheTenantAreRecorded() async throws {
        try await withOneEventADay { service in
            for tenant in ["shop", nil, "shop"] { try await expect(recorded: true, service, keyOf: tenant) }
            // They did not count. Another tenant's key is none for this one.
            try await expect(recorded: true, service, keyOf: "blogs")
            try await expect(recorded: false, service, keyOf: "blogs")
            try await expect(recorded: false, service)
            for tenant in ["shop", nil] { try await expect(recorded: true, service, keyOf: tenant) }
        }
    }

    @Test func otherTenantsAreRecordedAlsoInTheSameBatch() async throws {
        try await withOneEventADay { service in
            try await expect(recorded: true, service)
            let batch = try await service.resolve(
                #"{"links": ["yourapp://product/1", "https://farechoice.taxi/", "yourapp://product/2"]}"#
            )
            #expect(batch.json?["results"]?.elements?.map { $0["recorded"]?.bool } == [false, true, false])
            #expect(try await service.events(of: "taxi").count == 1)
            #expect(try await service.events(of: "shop").count == 1)
        }
    }

    @Test func strictTenantGetsNoAnswerAndRetryAfter() async throws {
        try await withOneEventADay { service in
            try await service.load(RecorderRefusalTests.strict)
            try await expect(recorded: true, service, #"{"url":"strict:"}"#)
            let answer = try await service.resolve(#"{"url":"strict:"}"#)
            #expect(answer.status == 503 && answer["Retry-After"] == "60")
            #expect(answer.json?["code"]?.text == "log_unavailable")
            let click = try await service.publicPort(.get, "/", host: "go.strict.example")
            #expect(click.status == 503 && click["Location"] == nil)
            // Nothing of the batch is answered, so nothing of it is recorded.
            #expect(try await service.resolve(#"{"links":["strict:","yourapp://home"]}"#).status == 503)
            #expect(try await service.events(of: "shop").isEmpty)
        }
    }

    /// An app keeps the reports of a message that got 503.
    @Test func reportsBeyondTheLimitAreRefused() async throws {
        try await withOneEventADay { service in
            try await service.load(AppEventTests.acme())
            func report(_ id: String, headers: HTTPFields = [:]) async throws -> TestResponse {
                let body = AppEventTests.batch(AppEventTests.event(id))
                return try await service.publicPort(.post, "/_fp/events", headers: headers, body: body)
            }
            #expect(try await report("a").status == 200)
            let refused = try await report("b")
            #expect(refused.status == 503 && refused["Retry-After"] == "60")
            #expect(refused.json?["code"]?.text == "log_unavailable")
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            #expect(try await report("b", headers: [.authorization: "Bearer \(key)"]).status == 200)
        }
    }

    /// Links that belong to no tenant have a limit of their own.
    @Test func linksOfNoTenantHaveTheLimitToo() async throws {
        try await withOneEventADay { service in
            let unowned = #"{"url": "https://nobody.example/"}"#
            try await expect(recorded: true, service, unowned)
            try await expect(recorded: false, service, unowned)
            try await expect(recorded: true, service)
        }
    }

    @Test func limitTakesEffectAtOnceAndCanBeSwitchedOff() async throws {
        try await withOneEventADay { service in
            let recorder = service.dependencies.linkResolver.recorder
            for (limit, recorded) in [(1, true), (1, false), (0, true), (1 << 20, true), (1, false)] {
                recorder.limit(dayBytes: limit)
                try await expect(recorded: recorded, service)
            }
        }
    }

    /// The service stays ready: it answers every link.
    @Test func tenantAtTheLimitIsNamedByReadinessAndMetrics() async throws {
        try await withOneEventADay { service in
            let recorder = service.dependencies.linkResolver.recorder
            service.health.run()
            service.health.watch([recorder.dayBytesCheck])
            #expect(try await service.opsPort("/readyz").text == #"{"status":"ready"}"#)
            _ = try await service.resolve(Self.link)
            let answer = try await service.opsPort("/readyz?verbose")
            #expect(answer.status == 200 && answer.json?["status"]?.text == "degraded", "\(answer.text)")
            #expect(answer.json?["degraded"]?.elements?.compactMap(\.text) == ["day bytes"])
            #expect(answer.text.contains("shop") && !answer.text.contains("taxi"), "\(answer.text)")
            service.readings.add { recorder.readings(by: service.dependencies.linkResolver.tenants) }
            let metrics = try await service.opsPort("/metrics").text
            let bytes = try #require(recorder.dayBytes.recorded.first?.value)
            #expect(metrics.contains("\nfingerpost_day_bytes{tenant=\"shop\"} \(bytes)\n"))
            #expect(metrics.contains("\nfingerpost_day_bytes_limit 1\n"))
            service.clock.advance(seconds: 86_400)
            #expect(try await service.opsPort("/readyz").text == #"{"status":"ready"}"#)
        }
    }
}
