import Foundation
import HTTPTransport
import LinkServer
import Testing

/// What becomes of answers that their clients do not take, or take slowly.
@Suite(.timeLimit(.minutes(15)))
struct UnsentResponseTests {
    private static let file = "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\n\r\n"
    private static let refused = "GET /nothing HTTP/1.1\r\nHost: nobody.example\r\n\r\n"
    private static let large = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"

    private func metric(_ name: String, of service: TestService) -> Double {
        service.dependencies.metrics.exposition(service.dependencies.unsent.readings).split(separator: "\n")
            .filter { $0.hasPrefix(name) }
            .reduce(0) { $0 + ($1.split(separator: " ").last.flatMap { Double($0) } ?? 0) }
    }

    /// A small response, a refusal, and a large response.
    @Test(arguments: [file, refused, large])
    func requestsWaitWhileAnswersAreUnsent(_ request: String) async throws {
        try await withService { service in
            try await service.listening({
                $0.stalledSeconds = 60; $0.headSeconds = 600
            }) { port in
                try await onThread {
                    let connection = try RawConnection(port: port, window: 4_096)
                    var rest = Array(String(repeating: request, count: 60_000).utf8)
                    // A busy machine may take nothing for a while.
                    repeat {
                        rest = connection.sendUntilBlocked(rest)
                    } while !rest.isEmpty
                        && metric("fingerpost_unsent_bytes{", of: service) == 0
                    // Until it has stood still.
                    var answered = -1.0
                    while answered != metric("fingerpost_http_requests_total", of: service) {
                        answered = metric("fingerpost_http_requests_total", of: service)
                        poll(nil, 0, 1_000)
                    }
                    // A mark of the channel, and the largest answer; the system's own buffers are not ours.
                    let waiting = metric("fingerpost_unsent_bytes{", of: service)
                    #expect(waiting < 400_000)
                    #expect(metric("fingerpost_http_requests_total", of: service) < 30_000)
                }
            }
        }
    }

    /// All requests are answered in their order, however late the client reads the responses.
    @Test(arguments: [(file, 1_000), (large, 60)])
    func halfClosedClientGetsAllAnswers(_ request: String, _ count: Int) async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port, window: 4_096)
                    connection.send(String(repeating: request, count: count))
                    connection.finish()
                    return try connection.readToEnd()
                }
                #expect(answer.split(separator: "HTTP/1.1 200 OK").count == count)
                #expect(["}\n", "}", "]"].contains(where: answer.hasSuffix))
            }
        }
    }

    /// Ten connections may be open; those that read no answers do not exclude other clients.
    @Test func clientsThatReadNothingAreEvicted() async throws {
        try await withService { service in
            try await service.listening({
                $0.connections = 10; $0.stalledSeconds = 600
            }) { port in
                try await onThread {
                    let requests = Array(String(repeating: Self.large, count: 64).utf8)
                    let silent = try (0..<10).map { _ in Held(try RawConnection(port: port, window: 4_096)) }
                    for one in silent { one.connection.sendUntilBlocked(requests) }
                    // While the others still wait for their first responses, a new connection may give way itself.
                    var answered = 0
                    for _ in 0..<1_000 where answered < 30 {
                        let connection = try RawConnection(port: port)
                        connection.send(Self.file)
                        let answer = try connection.read { $0.contains("]") }
                        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 200 "))
                        if !answer.isEmpty { answered += 1 }
                    }
                    #expect(answered == 30)
                    withExtendedLifetime(silent) {}
                }
            }
        }
    }

    @Test func answersBeyondTheBudgetCloseTheLargest() async throws {
        try await withService { service in
            var service = service
            var dependencies = service.dependencies
            dependencies.unsent = UnsentResponses(limit: 200_000)
            service = TestService(
                dependencies: dependencies,
                clock: service.clock,
                directory: service.directory,
                log: service.log
            )
            try await service.listening { [service] port in
                try await onThread {
                    let requests = Array(String(repeating: Self.large, count: 64).utf8)
                    let greedy = try (0..<20).map { _ in Held(try RawConnection(port: port, window: 4_096)) }
                    for one in greedy {
                        one.connection.sendUntilBlocked(requests)
                        #expect(metric("fingerpost_unsent_bytes{", of: service) <= 200_000)
                    }
                    // Who takes what he asked for is answered.
                    let connection = try RawConnection(port: port)
                    connection.send(Self.file)
                    #expect(try connection.read { $0.contains("]") }.hasPrefix("HTTP/1.1 200 "))
                    withExtendedLifetime(greedy) {}
                }
            }
        }
    }

    /// However little waits in the service when the system takes no more: one of these has less than the mark of the channel.
    @Test func clientThatStopsReadingIsDisconnected() async throws {
        try await withService { service in
            try await service.listening({ $0.stalledSeconds = 1 }) { port in
                try await onThread {
                    let last = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    let silent = try (1...60).map { count in
                        let connection = try RawConnection(port: port, window: 4_096)
                        connection.send(String(repeating: Self.large, count: count) + last)
                        return Held(connection)
                    }
                    while metric("fingerpost_connections{", of: service) > 0 { sched_yield() }
                    withExtendedLifetime(silent) {}
                }
            }
        }
    }

    private final class Held: Sendable {
        let connection: RawConnection
        init(_ connection: consuming RawConnection) { self.connection = connection }
    }
}
