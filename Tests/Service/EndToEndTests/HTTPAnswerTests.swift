import Foundation
import TestSupport
import Testing

/// How the three ports of the running process end answers.
@Suite(.timeLimit(.minutes(15)))
struct HTTPAnswerTests {
    private func withServer(_ body: (RunningServer) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            try body(server)
        }
    }

    /// Pages, files, errors, paths with other methods, and requests that are refused early.
    @Test func answersToHeadHaveNoBody() async throws {
        try await withServer { server in
            let paths = [
                (
                    server.publicPort,
                    ["/", "/nothing", "/resolve", "/openapi.json", "/.well-known/assetlinks.json", "/x#y"]
                ),
                (server.adminPort, ["/openapi.json", "/admin/v1/tenants", "/nothing", "/x#y"]),
                (server.opsPort, ["/livez", "/metrics", "/nothing", "/x#y"]),
            ]
            for (port, paths) in paths {
                for path in paths {
                    let connection = try HTTPConnection(port: port)
                    try connection.begin(
                        "HEAD \(path) HTTP/1.1\r\nHost: yourappdomain.com\r\nConnection: close\r\n\r\n"
                    )
                    let answer = try connection.read()
                    #expect(answer.hasPrefix("HTTP/1.1 ") && answer.hasSuffix("\r\n\r\n"), "\(port) \(path): \(answer)")
                    #expect(answer.split(separator: "\r\n\r\n").count == 1, "\(port) \(path): \(answer)")
                }
            }
        }
    }

    /// Answers of endpoints, of the router, of the parser, and to other versions of HTTP; those of HTTP/2 have
    /// HTTP2ConnectionTests.
    @Test func noAnswerNamesTheServer() async throws {
        try await withServer { server in
            let requests = [
                "GET / HTTP/1.1\r\nHost: go.yourappdomain.com", "GET /product/7 HTTP/1.1\r\nHost: go.yourappdomain.com",
                "HEAD /openapi.json HTTP/1.1\r\nHost: a",
                "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com",
                "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
                "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999", "OPTIONS * HTTP/1.1\r\nHost: a",
                "GET /console HTTP/1.1\r\nHost: a", "GET /admin/v1/tenants HTTP/1.1\r\nHost: a", "GET /livez HTTP/1.0",
                "GET /metrics HTTP/1.1\r\nHost: a", "DELETE /readyz HTTP/1.1\r\nHost: a",
                "GET /nothing HTTP/1.1\r\nHost: a",
                "GET / HTTP/1.1", "GET / HTTP/9.9\r\nHost: a", "nonsense", "GET / HTTP/1.1\r\nHost: a\r\nbad header",
                "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a",
                "GET / HTTP/1.1\r\nHost: a\r\n" + (0..<200).map { "X-\($0): 1" }.joined(separator: "\r\n"),
            ]
            for port in [server.publicPort, server.adminPort, server.opsPort] {
                for request in requests {
                    let connection = try HTTPConnection(port: port)
                    try connection.begin(request + "\r\n\r\n")
                    connection.endInput()
                    let head = try connection.read().split(separator: "\r\n\r\n").first ?? ""
                    let names = head.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
                    #expect(
                        head.hasPrefix("HTTP/1.") && names.contains("date"),
                        "\(port) \(request.prefix(60)): \(head)"
                    )
                    #expect(
                        names.allSatisfy { !["server", "via", "x-powered-by"].contains($0) },
                        "\(port) \(request.prefix(60)): \(head)"
                    )
                }
            }
        }
    }

    @Test func clientsOfHTTP10GetNoChunks() async throws {
        try await withServer { server in
            let key = try #require(server.key)
            func lines(_ version: String, _ more: String = "") throws -> String {
                let connection = try HTTPConnection(port: server.adminPort)
                try connection.begin(
                    "GET /admin/v1/tenants/shop/draft/routes HTTP/\(version)\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n"
                        + "Accept: application/x-ndjson\r\n\(more)\r\n"
                )
                return try connection.read()
            }
            let new = try lines("1.1", "Connection: close\r\n")
            #expect(new.hasPrefix("HTTP/1.1 200 ") && new.contains("chunked"))
            for more in ["", "Connection: keep-alive\r\n"] {
                let old = try lines("1.0", more)
                #expect(old.hasPrefix("HTTP/1.1 200 ") && !old.lowercased().contains("chunked"))
                let body = try #require(old.split(separator: "\r\n\r\n", maxSplits: 1).last)
                #expect(body.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
                #expect(new.contains(try #require(body.split(separator: "\n").last)))
            }
        }
    }

    /// An answer larger than all socket buffers reaches the client completely, even if the client has closed its
    /// sending side or the server is stopping.
    @Test(arguments: [true, false])
    func largeAnswerReachesItsEnd(halfClosed: Bool) async throws {
        try await withServer { server in
            let key = "Authorization: Bearer \(try #require(server.key))"
            let web = "https://www.yourappdomain.com/" + String(repeating: "a", count: 4_000)
            let routes = (0..<2_500).map { #"{"id":"r\#($0)","path":"/r/\#($0)","web":"\#(web)"}"# }
            let draft = try HTTPConnection(port: server.adminPort)
            let body = #"{"routes":[\#(routes.joined(separator: ","))]}"#
            try draft.begin(
                "PUT /admin/v1/tenants/shop/draft HTTP/1.1\r\nHost: a\r\n\(key)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            #expect(try draft.response().status == 200)
            let slow = try HTTPConnection(port: server.adminPort, window: 4_096)
            try slow.begin("GET /admin/v1/tenants/shop/draft HTTP/1.1\r\nHost: a\r\n\(key)\r\n\r\n")
            _ = try slow.read { !$0.isEmpty }
            if halfClosed {
                slow.endInput()
            } else {
                server.send(SIGTERM)
                try server.ops("/readyz") { $0.status == 503 }
            }
            let answer = try slow.response()
            #expect(answer.status == 200 && answer.body.count > 8 << 20)
            #expect(Array(answer.body.suffix(2)) == Array("}\n".utf8))
            if !halfClosed { #expect(server.wait().status == 0) }
        }
    }

    /// Requests from before SIGTERM are answered completely, however slowly the client reads.
    @Test func shutdownSendsTheLastByte() async throws {
        try await withServer { server in
            let slow = try HTTPConnection(port: server.publicPort, window: 4_096)
            // Answers of 1.2 MB, which is more than the system's buffers take, so that requests are held. All requests
            // fit into the server's first read.
            try slow.begin(String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 60))
            _ = try slow.read { !$0.isEmpty }
            server.send(SIGTERM)
            try server.ops("/readyz") { $0.status == 503 }
            let answers = try slow.read()
            #expect(answers.split(separator: "HTTP/1.1 200 OK").count == 60)
            #expect(answers.hasSuffix("}\n"))
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
        }
    }
}
