import LinkServer
import Testing

/// What a client may send that is no part of a request, and how it may leave a connection behind.
@Suite(.timeLimit(.minutes(15)))
struct ConnectionAbuseTests {
    private static let head = "POST /resolve HTTP/1.1\r\nHost: a.example\r\n"
    private static let file = "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\n"

    struct Endless: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: String
        let more: String
        let status: Int
    }

    static let endless = [
        Endless(testDescription: "blanks before a value", start: head + "X:", more: text(" "), status: 431),
        Endless(testDescription: "empty lines", start: "", more: text("\r\n"), status: 431),
        Endless(testDescription: "extension of a chunk", start: chunked + "1;a", more: text("a"), status: 413),
        Endless(testDescription: "zeros before a size", start: chunked, more: text("0"), status: 413),
        Endless(
            testDescription: "extensions of small chunks",
            start: chunked,
            more: String(repeating: "1;\(String(repeating: "a", count: 4_000))\r\n \r\n", count: 16),
            status: 413
        ),
    ]

    private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
    private static func text(_ part: String) -> String { String(repeating: part, count: 65_536 / part.utf8.count) }

    /// None of it is a limit of the decoder, which would keep all of it.
    @Test(arguments: endless)
    func endlessInputIsReadUpToABound(_ endless: Endless) async throws {
        try await withService { service in
            try await service.listening({
                $0.headSeconds = 600; $0.bodySeconds = 600; $0.idleSeconds = 600
            }) { port in
                let (sent, answer) = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(endless.start)
                    var parts = 0
                    while parts < 4_096, connection.send(endless.more) { parts += 1 }
                    return (parts, (try? connection.readToEnd()) ?? "")
                }
                // 64 KiB are read, a megabyte is thrown away, and the system's buffers hold some.
                #expect(sent < 512, "\(sent) times 64 KiB")
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 \(endless.status) "), "\(answer.prefix(300))")
            }
        }
    }

    @Test func bodyOfSingleBytesIsRead() async throws {
        try await withService { service in
            try await service.listening({ $0.bodySeconds = 600 }) { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    let body = #"{"url":"yourapp://product/1"}"# + String(repeating: " ", count: 16_000)
                    let chunks = body.map { "1\r\n\($0)\r\n" }.joined()
                    connection.send(
                        "\(Self.head)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
                    )
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer.prefix(300))")
            }
        }
    }

    /// The decoder waits for another protocol from then on; what came next would never be answered.
    @Test(arguments: [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c", "Connection: upgrade\r\nUpgrade: websocket",
    ])
    func protocolUpgradeRequestEndsTheConnection(_ fields: String) async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send("\(Self.file)\(fields)\r\n\r\n")
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
                #expect(answer.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func pipelineEndsAfterSixtyFourRequestsThatWait() async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(String(repeating: "\(Self.file)\r\n", count: 999))
                    connection.send("\(Self.file)Connection: close\r\n\r\n")
                    return try connection.readToEnd()
                }
                let answers = answer.split(separator: "HTTP/1.1 200 OK")
                #expect(answers.count >= 64)
                #expect(answers.last?.lowercased().contains("connection: close") == true)
            }
        }
    }

    @Test func lengthBeyondIntegersIsTooLarge() async throws {
        try await withService { service in
            try await service.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send("\(Self.head)Content-Length: 9223372036854775808\r\n\r\n")
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }
}
