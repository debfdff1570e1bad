import LinkServer
import Synchronization
import TestSupport
import Testing

/// What a client may send, and how slowly, over a socket.
@Suite(.timeLimit(.minutes(15)))
struct ConnectionLimitTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let code: String
        let request: String

        init(_ description: String, _ status: Int, _ code: String, _ request: String) {
            testDescription = description
            self.status = status
            self.code = code
            self.request = request
        }
    }

    private static func head(_ fields: String...) -> String {
        "POST /resolve HTTP/1.1\r\nHost: a.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// A request that must never be answered: it stands in what another one calls its body.
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n"

    static let refused = [
        Refused("target of 9,000 bytes", 414, "uri_too_long", "GET /\(text(9_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target of 20,000 bytes", 414, "uri_too_long", "GET /\(text(20_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target of a megabyte", 414, "uri_too_long", "GET /\(text(1 << 20)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("field of 30,000 bytes", 431, "headers_too_large", head("X: \(text(30_000))")),
        Refused("field of a megabyte", 431, "headers_too_large", head("X: \(text(1 << 20))")),
        Refused("100 fields", 431, "headers_too_large", head((0..<100).map { "X-\($0): 1" }.joined(separator: "\r\n"))),
        Refused(
            "10,000 fields",
            431,
            "headers_too_large",
            head((0..<10_000).map { "X-\($0): 1" }.joined(separator: "\r\n"))
        ),
        Refused("length and encoding", 400, "invalid_request", head("Content-Length: 4", "Transfer-Encoding: chunked")),
        Refused("encoding and length", 400, "invalid_request", head("Transfer-Encoding: chunked", "Content-Length: 4")),
        Refused("two lengths", 400, "invalid_request", head("Content-Length: 4", "Content-Length: 5")),
        Refused("two equal lengths", 400, "invalid_request", head("Content-Length: 4", "Content-Length: 4")),
        Refused("length with a sign", 400, "invalid_request", head("Content-Length: +4")),
        Refused("negative length", 400, "invalid_request", head("Content-Length: -4")),
        Refused("hexadecimal length", 400, "invalid_request", head("Content-Length: 0x4")),
        Refused("length with an underscore", 400, "invalid_request", head("Content-Length: 1_0")),
        Refused("list of lengths", 400, "invalid_request", head("Content-Length: 4, 4")),
        Refused("length beyond 64 bits", 400, "invalid_request", head("Content-Length: 99999999999999999999")),
        Refused("other encoding", 400, "invalid_request", head("Transfer-Encoding: xchunked")),
        Refused("chunked is not last", 400, "invalid_request", head("Transfer-Encoding: chunked, identity")),
        Refused("packed and chunked", 400, "invalid_request", head("Transfer-Encoding: gzip, chunked")),
        Refused(
            "two encodings",
            400,
            "invalid_request",
            head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")
        ),
        Refused("space before the colon", 400, "invalid_request", head("Transfer-Encoding : chunked")),
        Refused("folded field", 400, "invalid_request", head("X: 1\r\n 2")),
        Refused("line feeds alone", 400, "invalid_request", "GET / HTTP/1.1\nHost: a\n\n"),
        Refused("carriage return in a field", 400, "invalid_request", head("X: 1\rY: 2")),
        Refused("NUL in a field", 400, "invalid_request", head("X: 1\u{0}2")),
        Refused("no host", 400, "invalid_request", "GET / HTTP/1.1\r\n\r\n"),
        Refused("two hosts", 400, "invalid_request", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Refused("two hosts in one", 400, "invalid_request", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        Refused("target of another host", 400, "host_mismatch", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target of a longer host", 400, "host_mismatch", "GET http://a.b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target with a user", 400, "host_mismatch", "GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n"),
        Refused("target without a slash", 400, "invalid_request", "GET smuggled HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target of another scheme", 400, "invalid_request", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("target with a fragment", 400, "invalid_request", "GET /x#frag HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("URL with a fragment", 400, "invalid_request", "GET http://a/#frag HTTP/1.1\r\nHost: a\r\n\r\n"),
        Refused("host with a wide dot", 400, "invalid_request", "GET / HTTP/1.1\r\nHost: go\u{FF0E}a.example\r\n\r\n"),
        Refused("tunnel", 400, "invalid_request", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
        Refused("HTTP/0.9", 400, "invalid_request", "GET /\r\n\r\n"),
        Refused("HTTP/2 preface", 400, "invalid_request", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Refused(
            "encoding of HTTP/1.0",
            400,
            "invalid_request",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        Refused("no HTTP", 400, "invalid_request", "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n"),
        Refused("chunk of a negative size", 400, "invalid_request", head("Transfer-Encoding: chunked") + "-1\r\n\r\n"),
        Refused("chunk size with 0x", 400, "invalid_request", head("Transfer-Encoding: chunked") + "0x4\r\nabcd\r\n"),
        Refused("chunk size with _", 400, "invalid_request", head("Transfer-Encoding: chunked") + "1_0\r\nabcd\r\n"),
        Refused(
            "chunk size beyond 64 bits",
            400,
            "invalid_request",
            head("Transfer-Encoding: chunked") + "ffffffffffffffffff\r\n"
        ),
        Refused(
            "chunk extension that ends in a line feed",
            400,
            "invalid_request",
            head("Transfer-Encoding: chunked") + "1;a\nb\r\nx\r\n0\r\n\r\n"
        ),
        Refused(
            "chunk longer than its size",
            400,
            "invalid_request",
            head("Transfer-Encoding: chunked") + "1\r\nab\r\n"
        ),
        Refused(
            "packed body",
            415,
            "unsupported_encoding",
            head("Content-Encoding: gzip", "Content-Length: 99") + "{}"
        ),
        Refused("tunnel", 405, "method_not_allowed", "CONNECT / HTTP/1.1\r\nHost: yourappdomain.com\r\n\r\n"),
        // The decoder reports this version twice.
        Refused(
            "body of HTTP/2.0 without HTTP/2",
            400,
            "invalid_request",
            "GET / HTTP/2.0\r\nHost: yourappdomain.com\r\nContent-Length: 100000\r\n\r\n" + text(100_000)
        ),
        Refused("body of a gigabyte", 413, "body_too_large", head("Content-Length: 1073741824")),
        Refused(
            "chunk of a gigabyte",
            413,
            "body_too_large",
            head("Transfer-Encoding: chunked") + "40000000\r\n" + text(300_000)
        ),
    ]

    @Test(arguments: refused)
    func refusalHasItsStatusAndEndsTheConnection(_ refused: Refused) async throws {
        try await withService { service in
            try await service.listening({
                $0.headSeconds = 600; $0.bodySeconds = 600
            }) { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(refused.request)
                    connection.send(Self.smuggled)
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 \(refused.status) "), "\(answer.prefix(300))")
                #expect(answer.contains(#""code":"\#(refused.code)""#))
                #expect(answer.lowercased().contains("connection: close"))
                #expect(answer.contains("application/problem+json"))
                #expect(answer.components(of: "\r\nDate: ") == 2)
                // Its own answer, and none to what followed.
                #expect(answer.components(of: "HTTP/1.1 ") == 1)
            }
        }
    }

    @Test(arguments: [
        "GET /livez HTTP/1.1\r\nHost", "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n{",
    ])
    func halfARequestIsGivenUp(_ half: String) async throws {
        try await withService { service in
            let limits: (inout ServerLimits) -> Void = {
                $0.headSeconds = 1; $0.bodySeconds = 1
            }
            try await service.listening(limits) { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(half)
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 408 "))
                #expect(answer.contains(#""code":"request_timeout""#))
                // Ten bytes a second do not extend the time, which is that of the whole head or body. If they did, the client
                // would send until it gives up. On a busy machine the answer takes long.
                let patience = HangLimit.seconds * 10
                let trickled = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(half)
                    var sent = 0
                    while sent < patience, !connection.hasAnswer(), connection.send("a") { sent += 1 }
                    return (sent, try connection.readToEnd())
                }
                #expect(trickled.0 < patience)
                #expect(trickled.1.hasPrefix("HTTP/1.1 408 "))
            }
        }
    }

    /// Blanks around the value of a field are not part of it.
    @Test func hostWithBlanksIsAnswered() async throws {
        try await withService { service in
            try await service.listening({ _ in }) { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(
                        "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: \tyourappdomain.com \r\nConnection: close \r\n\r\n"
                    )
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer.prefix(300))")
            }
        }
    }

    @Test func bodyWithoutEndIsReadUpToABound() async throws {
        try await withService { service in
            try await service.listening({ $0.bodySeconds = 600 }) { port in
                let (sent, answer) = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(Self.head("Transfer-Encoding: chunked"))
                    let chunk = "10000\r\n" + text(65_536) + "\r\n"
                    var chunks = 0
                    while chunks < 4_096, connection.send(chunk) { chunks += 1 }
                    return (chunks, (try? connection.readToEnd()) ?? "")
                }
                // 256 KiB are allowed, a megabyte is thrown away, and the system's buffers hold some.
                #expect(sent < 512, "\(sent) chunks of 64 KiB")
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func refusalWaitsForEarlierAnswers() async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    let body = #"{"url":"yourapp://product/1"}"#
                    let request = Self.head("Content-Length: \(body.utf8.count)") + body
                    connection.send(request + request + "BAD\r\n\r\n" + request)
                    return try connection.readToEnd()
                }
                let statuses = answer.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
                #expect(statuses == ["200", "200", "400"])
            }
        }
    }

    @Test(
        arguments: [
            "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\nConnection: Close\r\n\r\n",
            "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\nConnection: x, close\r\n\r\n",
            "GET /.well-known/assetlinks.json HTTP/1.0\r\nHost: yourappdomain.com\r\n\r\n",
            "GET http://yourappdomain.com/.well-known/assetlinks.json HTTP/1.1\r\nHost: YOURAPPDOMAIN.COM\r\nConnection: close\r\n\r\n",
        ]
    )
    func lastRequestEndsTheConnection(_ request: String) async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(request + Self.smuggled)
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
                #expect(answer.components(of: "HTTP/1.1 ") == 1)
            }
        }
    }

    @Test func clientThatEndedItsInputIsStillAnswered() async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send("GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\n\r\n")
                    connection.finish()
                    return try connection.read { $0.contains("]") }
                }
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func expectContinueIsAnswered() async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    let body = #"{"url":"yourapp://product/1"}"#
                    connection.send(
                        Self.head("Content-Length: \(body.utf8.count)", "Expect: 100-continue", "Connection: close")
                    )
                    let first = try connection.read { $0.hasSuffix("\r\n\r\n") }
                    connection.send(body)
                    return (first, try connection.readToEnd())
                }
                #expect(answer.0 == "HTTP/1.1 100 Continue\r\n\r\n")
                #expect(answer.1.hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        try await withService { service in
            try await service.listening({ $0.idleSeconds = 1 }) { port in
                let answer = try await onThread { try RawConnection(port: port).readToEnd() }
                #expect(answer == "")
            }
        }
    }

    /// Ten connections may be open; who asks takes the place of who does not.
    @Test func idleConnectionsAreEvicted() async throws {
        try await withService { service in
            try await service.listening({ $0.connections = 10 }) { port in
                let ended = try await onThread {
                    let idle = try (0..<9).map { _ in Unique(try RawConnection(port: port)) }
                    for _ in 0..<30 {
                        let connection = try RawConnection(port: port)
                        connection.send(Self.smuggled)
                        guard try connection.read(until: { $0.contains("\r\n\r\n") }).hasPrefix("HTTP/1.1 404 ") else {
                            return -1
                        }
                    }
                    return idle.count { $0.connection.hasAnswer() }
                }
                #expect(ended > 0, "idle connections that were closed")
            }
        }
    }

    private final class Unique: Sendable {
        let connection: RawConnection
        init(_ connection: consuming RawConnection) { self.connection = connection }
    }
}

private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: true).count
    }
}
