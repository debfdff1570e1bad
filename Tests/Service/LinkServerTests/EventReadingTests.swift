import HTTPTypes
import Hummingbird
import LinkEvents
import LinkRouting
import LinkStorage
import NIOCore
import Synchronization
import Testing

@testable import LinkServer

/// Reading individual recorded events: page by page and as a tail.
@Suite(.timeLimit(.minutes(15)))
struct EventReadingTests {
    private func sequences(_ answer: TestResponse) -> [Int64] {
        (answer.json?["events"]?.elements ?? []).compactMap { $0["seq"]?.int }
    }

    @Test func eventsComeInPartsFromEitherEnd() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let shop = try #require(TenantID("shop"))
            for minute in 1...5 {
                try await service.record("2026-11-21T09:0\(minute):00Z")
                try await service.record("2026-11-21T09:0\(minute):30Z") { $0.tenant = shop }
            }
            let newest = try await session.get("events?limit=2")
            #expect(sequences(newest) == [9, 7] && newest.json?["nextCursor"]?.text == "7")
            #expect(newest.json?["events"]?.elements?.first?["recordedAt"]?.text == "2026-11-21T09:05:00.000Z")
            let rest = try await session.get("events?limit=3&cursor=7")
            #expect(sequences(rest) == [5, 3, 1])
            #expect(rest.json?["nextCursor"]?.kind == "null")
            let oldest = try await session.get("events?after=0&limit=2")
            #expect(sequences(oldest) == [1, 3] && oldest.json?["nextAfter"]?.int == 3)
            let end = try await session.get("events?after=3")
            #expect(sequences(end) == [5, 7, 9] && end.json?["nextAfter"]?.int == 10)
            let nothing = try await session.get("events?after=10")
            #expect(sequences(nothing).isEmpty && nothing.json?["nextAfter"]?.int == 10)
            #expect(try await session.get("events?after=\(Int64.max)").json?["nextAfter"]?.int == 10)
            let row = try #require(newest.json?["events"]?.elements?.first)
            #expect(row.members?.count == ExportSchema.columns.count)
        }
    }

    @Test func eventsAreFiltered() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let staging = try #require(EnvironmentID("staging"))
            try await service.record("2026-11-20T09:00:00Z")
            service.clock.advance(seconds: 86_400)
            try await service.record("2026-11-21T09:00:00Z") { $0.purpose = .test }
            try await service.record("2026-11-21T09:00:00Z", .fallback)
            service.clock.advance(seconds: 3 * 86_400)
            try await service.record("2026-11-24T09:00:00Z") { $0.environment = staging }
            try await service.log.closeFinishedDays()
            for (query, expected) in [
                ("", [3, 2, 1]), ("?environment=staging", [4]), ("?purpose=live", [3, 1]), ("?outcome=fallback", [3]),
                ("?route=item", [2, 1]), ("?from=2026-11-21", [3, 2]), ("?until=2026-11-21", [1]),
                ("?after=0&purpose=test", [2]), ("?from=2026-11-20&until=2026-11-20T10:00:00Z", [1]),
            ] as [(String, [Int64])] {
                #expect(sequences(try await session.get("events\(query)")) == expected, "\(query)")
            }
            for query in [
                "after=x", "after=-1", "after=1&from=2026-11-20", "outcome=lost", "from=2026-11-21&until=2026-11-20",
            ] {
                #expect(try await session.get("events?\(query)").code == "invalid_request", "\(query)")
            }
        }
    }

    /// Links of a host that no tenant has, and links that are rejected before their host is read.
    @Test func linksOfNoTenantNeedAKeyForAllTenants() async throws {
        try await withService { service in
            var session = try await AdminSession.acme(service)
            for url in ["https://nobody.test/x", "https://nobody.test/../x", "https://u@go.acme.test/x"] {
                #expect(try await service.resolve(#"{"url": "\#(url)"}"#).status == 200)
            }
            session.tenant = "-"
            let events = try await session.get("events?after=0").json?["events"]?.elements ?? []
            #expect(events.map { $0["host"]?.text } == ["nobody.test", "nobody.test", nil])
            #expect(events.map { $0["reason"]?.text } == [nil, "dot_segment", "user_info"])
            #expect(try await session.get("stats/rejected").json?["count"]?.int == 2)
            for path in ["settings", "draft", "events/tail"] {
                #expect(try await session.get(path).code == "unknown_tenant", "\(path)")
            }
            var acme = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            acme.tenant = "-"
            for path in ["events", "stats/totals"] {
                #expect(try await acme.get(path).code == "forbidden", "\(path)")
            }
        }
    }

    // MARK: The tail

    @Test func tailResumesAtTheReadersPosition() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for minute in 1...3 { try await service.record("2026-11-21T09:0\(minute):00Z") }
            let lastEventID = try #require(HTTPField.Name("Last-Event-ID"))
            let answer = try await session.send(.get, "events/tail", headers: [lastEventID: "1"])
            #expect(answer["Content-Type"] == "text/event-stream")
            let blocks = answer.text.split(separator: "\n\n")
            #expect(blocks.first == "retry: 2000\n: listening")
            #expect(blocks.dropFirst().map { $0.prefix(20) } == ["id: 2\ndata: {\"seq\":2", "id: 3\ndata: {\"seq\":3"])
            // Without the header the tail starts now. A reader that is ahead of the log continues from the log's end.
            for header in [nil, "700"] as [String?] {
                let now = try await session.send(
                    .get,
                    "events/tail",
                    headers: header.map { [lastEventID: $0] } ?? [:]
                )
                #expect(now.text.hasSuffix(": nothing new\nid: 3\n\n"))
            }
            #expect(try await session.send(.get, "events/tail", headers: [lastEventID: "x"]).code == "invalid_request")
        }
    }

    /// A tail of `acme` without heartbeats.
    private func tail(
        of service: TestService,
        in environment: EnvironmentID = .production,
        mayContinue: @escaping @Sendable () -> Bool = { true }
    ) throws -> EventTail {
        let acme = try #require(TenantID("acme"))
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/"),
            body: RequestBody(buffer: ByteBuffer())
        )
        return EventTail(
            tenant: acme,
            filter: try EventFilter(request, in: environment),
            history: service.log,
            listening: try #require(service.dependencies.linkResolver.recorder.commits.listen(to: acme, with: "key")),
            mayContinue: mayContinue,
            lifetime: .seconds(3_600),
            sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }
        )
    }

    @Test func tailWritesWhatIsCommitted() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let tail = try tail(of: service)
            let (chunks, continuation) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var writer: any ResponseBodyWriter = StreamingBody(continuation: continuation)
                    try await tail.run(from: LogCursor(0), to: &writer)
                }
                var reader = chunks.makeAsyncIterator()
                #expect(await reader.next() == "retry: 2000\n: listening\n\n")
                #expect(await reader.next() == ": nothing new\nid: 0\n\n")
                for number in 1...3 {
                    #expect(try await session.route(of: "acme://item/\(number)") == "item")
                    let event = try #require(await reader.next())
                    #expect(event.hasPrefix("id: \(number)\ndata: {\"seq\":\(number),") && event.hasSuffix("}\n\n"))
                }
                tail.listening.end()
                try await group.waitForAll()
            }
        }
    }

    /// While a tail reads a long log whose events do not match, it checks its key and reports its position.
    @Test func tailChecksItsKeyWhileItCatchesUp() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let links = Array(repeating: #"{"url": "acme://item/1"}"#, count: 100).joined(separator: ",")
            for _ in 1...3 { #expect(try await service.resolve("{\"links\": [\(links)]}").status == 200) }
            let checks = Mutex(0)
            var tail = try tail(of: service, in: try #require(EnvironmentID("staging"))) {
                checks.withLock { checks in
                    checks += 1
                    return checks == 1
                }
            }
            tail.pagesAtOnce = 1
            let (chunks, continuation) = AsyncStream.makeStream(of: String.self)
            var writer: any ResponseBodyWriter = StreamingBody(continuation: continuation)
            try await tail.run(from: LogCursor(0), to: &writer)
            continuation.finish()
            let written = await chunks.reduce(into: []) { $0.append($1) }
            #expect(written == ["retry: 2000\n: listening\n\n", ": nothing new\nid: 200\n\n"])
        }
    }

    @Test func tailEndsWithItsKey() async throws {
        try await withService { service in
            let tail = try tail(of: service) { false }
            let (chunks, continuation) = AsyncStream.makeStream(of: String.self)
            var writer: any ResponseBodyWriter = StreamingBody(continuation: continuation)
            try await tail.run(from: LogCursor(0), to: &writer)
            continuation.finish()
            var written: [String] = []
            for await chunk in chunks { written.append(chunk) }
            #expect(written == ["retry: 2000\n: listening\n\n"])
        }
    }
}

/// Passes on each write at once.
private struct StreamingBody: ResponseBodyWriter {
    let continuation: AsyncStream<String>.Continuation

    mutating func write(_ buffer: ByteBuffer) async throws { continuation.yield(String(buffer: buffer)) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
