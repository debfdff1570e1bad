import Foundation
import LinkClient
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSession` against a server that writes what a test says.
@Suite(.timeLimit(.minutes(15)))
struct URLSessionTransportTests {
    private func request(
        _ url: String,
        method: LinkRequest.Method = .get,
        maximumBytes: Int = 1_000,
        timeout: Duration = HangLimit.duration
    ) -> LinkRequest {
        LinkRequest(method: method, url: url, maximumBytes: maximumBytes, timeout: timeout)
    }

    private func withServer(_ answers: SocketServer.Answer, _ body: (SocketServer) async throws -> Void) async throws {
        let server = try SocketServer(answers)
        defer { server.end() }
        try await body(server)
    }

    private static let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"

    @Test func statusHeadersAndBodyArrive() async throws {
        try await withServer(.text(Self.head + "ETag: \"v1\"\r\nX-Odd: a, b\r\nContent-Length: 5\r\n\r\nhello")) {
            server in
            var request = request(server.url("/_fp/table?app=ios"))
            request.headers = ["If-None-Match": "\"v0\"", "Authorization": "Bearer fp_test"]
            let response = try await URLSessionTransport().send(request)
            #expect(response.status == 200)
            #expect(response.headers["etag"] == "\"v1\"")
            #expect(response.headers["x-odd"] == "a, b")
            #expect(response.body == Array("hello".utf8))
            let sent = try #require(server.requests.first)
            #expect(sent.hasPrefix("GET /_fp/table?app=ios HTTP/1.1\r\n"))
            #expect(sent.contains("\r\nIf-None-Match: \"v0\"\r\n") && sent.contains("Bearer fp_test"))
        }
    }

    @Test func bodyIsSent() async throws {
        try await withServer(.text(Self.head + "Content-Length: 2\r\n\r\n{}")) { server in
            var request = request(server.url("/_fp/events"), method: .post)
            request.headers["Content-Type"] = "application/json"
            request.body = Array(#"{"events": []}"#.utf8)
            let response = try await URLSessionTransport().send(request)
            #expect(response.body == Array("{}".utf8))
            let sent = try #require(server.requests.first)
            #expect(sent.hasPrefix("POST /_fp/events ") && sent.hasSuffix(#"{"events": []}"#))
            #expect(sent.lowercased().contains("content-length: 14"))
        }
    }

    @Test(arguments: [
        (304, "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"),
        (503, "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        (404, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    ]) func everyStatusIsAResponse(_ status: Int, _ text: String) async throws {
        try await withServer(.text(text)) { server in
            let response = try await URLSessionTransport().send(request(server.url("/")))
            #expect(response.status == status)
            #expect(response.body == [])
        }
    }

    @Test func redirectIsNotFollowed() async throws {
        let server = try SocketServer(
            .text("HTTP/1.1 302 Found\r\nLocation: /other\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        )
        defer { server.end() }
        let response = try await URLSessionTransport().send(request(server.url("/")))
        #expect(response.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test func cookiesAreNotStored() async throws {
        let server = try SocketServer(
            .text(Self.head + "Set-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
        )
        defer { server.end() }
        let transport = URLSessionTransport()
        for _ in 1...2 { _ = try await transport.send(request(server.url("/"))) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") })
    }

    @Test func compressedBodyIsDecompressed() async throws {
        // `printf hello | gzip -n`
        let body: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
            0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
        ]
        let head = Self.head + "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        try await withServer(.bytes(Array(head.utf8) + body)) { server in
            let response = try await URLSessionTransport().send(request(server.url("/")))
            #expect(response.body == Array("hello".utf8))
        }
    }

    /// The server sends until the client closes the connection.
    @Test func responseAboveTheLimitEndsTheTransfer() async throws {
        try await withServer(.flood(after: Self.head + "\r\n")) { server in
            await #expect(throws: LinkResponseTooLarge.self) {
                try await URLSessionTransport().send(request(server.url("/"), maximumBytes: 100_000))
            }
            while !server.hasSentAll { await Task.yield() }
        }
    }

    @Test func bodyOfExactlyTheLimitIsAccepted() async throws {
        let body = String(repeating: "x", count: 1_000)
        try await withServer(.text(Self.head + "Content-Length: 1000\r\n\r\n" + body)) { server in
            let response = try await URLSessionTransport().send(request(server.url("/")))
            #expect(response.body.count == 1_000)
        }
    }

    @Test func truncatedBodyIsAnError() async throws {
        try await withServer(.text(Self.head + "Content-Length: 100\r\n\r\nhello")) { server in
            await #expect(throws: (any Error).self) { try await URLSessionTransport().send(request(server.url("/"))) }
        }
    }

    /// A server that never answers, and one that sends a byte now and then: the suite has a time limit.
    @Test(arguments: [0, 1]) func responseIsCompleteWithinTheTimeout(_ kind: Int) async throws {
        try await withServer(kind == 0 ? .silence : .drip(after: Self.head + "\r\n")) { server in
            await #expect(throws: URLError(.timedOut)) {
                try await URLSessionTransport().send(request(server.url("/"), timeout: .milliseconds(500)))
            }
        }
    }

    @Test func connectionIsRefusedWithoutAListener() async throws {
        let server = try SocketServer(.silence)
        server.end()
        // The thread of the server closes the port.
        let deadline = ContinuousClock.now + HangLimit.duration
        var hasFailed = false
        while !hasFailed, ContinuousClock.now < deadline {
            do {
                _ = try await URLSessionTransport().send(request(server.url("/"), timeout: .seconds(1)))
            } catch {
                hasFailed = true
            }
        }
        #expect(hasFailed)
    }

    @Test func wrongAddressIsAnError() async throws {
        await #expect(throws: (any Error).self) { try await URLSessionTransport().send(request("")) }
    }

    @Test func cancelledTaskEndsTheRequest() async throws {
        try await withServer(.silence) { server in
            let url = server.url("/")
            let sending = Task { try await URLSessionTransport().send(request(url)) }
            let deadline = ContinuousClock.now + HangLimit.duration
            while server.requests.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
        }
    }

    @Test func taskThatIsCancelledBeforehandSendsNothing() async throws {
        try await withServer(.silence) { server in
            let url = server.url("/")
            let sending = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await URLSessionTransport().send(request(url))
            }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
        }
    }
}
