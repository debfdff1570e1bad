import HTTPTypes
import LinkRouting
import LinkServer
import Testing

@Suite(.timeLimit(.minutes(15)))
struct RequestLogTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Runs the service with a log. Returns the logged lines.
    private func logged(
        _ requests: RequestLogging,
        _ body: (TestService) async throws -> Void
    ) async throws -> [JSONNode] {
        let log = WrittenLog(.init(requests: requests))
        try await withService { service in
            var dependencies = service.dependencies
            dependencies.logger = log.logger
            dependencies.logSettings = log.settings
            try await body(
                TestService(
                    dependencies: dependencies,
                    clock: service.clock,
                    directory: service.directory,
                    log: service.log
                )
            )
        }
        return try log.objects().filter { $0["event"]?.text == "request" }
    }

    @Test func lineNamesTheEndpointAndTheOutcome() async throws {
        let lines = try await logged(.all) { service in
            _ = try await service.resolve(
                #"{"url": "yourapp://product/123?utm_source=mail"}"#,
                headers: [.init("X-Request-ID") ?? .accept: "r-1"]
            )
        }
        let line = try #require(lines.first)
        let texts = ["port", "method", "route", "tenant", "route_id", "outcome", "request_id"].map { line[$0]?.text }
        #expect(texts == ["public", "POST", "/resolve", "shop", "product", "matched", "r-1"])
        #expect(line["status"]?.int == 200)
        #expect(line["revision"]?.int == 1)
        #expect(line["dur_ms"] != nil)
        #expect(lines.count == 1)
    }

    @Test func lineHoldsNothingThatTheCallerWrote() async throws {
        let secret = "s3cr3t"
        let lines = try await logged(.all) { service in
            _ = try await service.resolve(#"{"url": "yourapp://product/\#(secret)?token=\#(secret)"}"#)
            _ = try await service.publicPort(.get, "/\(secret)?\(secret)", host: "go.yourappdomain.com")
            _ = try await service.publicPort(
                .get,
                "/a%0d%0a\(secret)",
                host: "\(secret).example",
                headers: [.userAgent: secret, .authorization: "Bearer \(secret)", .referer: secret]
            )
            _ = try await service.adminPort(.init(secret) ?? .get, "/admin/v1/tenants/\(secret)", key: secret)
            _ = try await service.adminPort(.get, "/admin/v1/tenants/\(secret)?\(secret)", key: secret)
        }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { !$0.json().contains(secret) }, "\(lines.map { $0.json() })")
    }

    @Test func refusalIsNamedByItsCode() async throws {
        let lines = try await logged(.all) { service in _ = try await service.resolve("{") }
        #expect(lines.first?["code"]?.text == "malformed_json")
        #expect(lines.first?["status"]?.int == 400)
    }

    /// A client can break its connection at any time, which is not an error of the service.
    @Test func connectionThatBreaksWithinABodyIsNoFailure() async throws {
        let lines = try await logged(.all) { service in
            try await service.listening { port in
                try await onThread {
                    let connection = try RawConnection(port: port)
                    // The first answer proves that the second request has been read too.
                    let first = "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\n\r\n"
                    let second = "POST /resolve HTTP/1.1\r\nHost: yourappdomain.com\r\nContent-Length: 100\r\n\r\n{"
                    connection.send(first + second)
                    _ = try connection.read { $0.contains("\r\n\r\n") }
                    connection.reset()
                }
            }
        }
        #expect(lines.map { $0["status"]?.int } == [200, 400])
    }

    @Test func failuresAreLoggedAndSuccessesSampled() async throws {
        for (requests, expected) in [(RequestLogging.off, 0), (.errors, 0), (.all, 30)] {
            let lines = try await logged(requests) { service in
                for _ in 0..<30 { _ = try await service.resolve(#"{"url": "yourapp://product/1"}"#) }
            }
            #expect(lines.count == expected, "\(requests)")
        }
        // The test's clock stands still, so all requests fall into one second.
        let sampled = try await logged(.sampled) { service in
            for _ in 0..<30 { _ = try await service.resolve(#"{"url": "yourapp://product/1"}"#) }
        }
        #expect((1...10).contains(sampled.count))
    }

    @Test func traceOfTheCallerContinues() async throws {
        try await withService { service in
            let name = try #require(HTTPField.Name("traceparent"))
            let answer = try await service.resolve(
                #"{"url": "yourapp://product/1"}"#,
                headers: [name: Self.parent]
            )
            let response = try #require(answer["traceresponse"])
            #expect(response.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && response.hasSuffix("-01"))
            #expect(response != Self.parent)
            let silent = try await service.resolve(#"{"url": "yourapp://product/1"}"#)
            #expect(silent["traceresponse"] == nil)
            let broken = try await service.resolve(
                #"{"url": "yourapp://product/1"}"#,
                headers: [name: Self.parent + "\r\nX-Evil: 1"]
            )
            #expect(broken["traceresponse"]?.contains("4bf92f3577b34da6") == false)
            #expect(broken["X-Evil"] == nil)
        }
    }
}
