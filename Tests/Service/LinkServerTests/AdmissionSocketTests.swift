import HTTPTransport
import LinkEvents
import LinkServer
import Networking
import TestSupport
import Testing

/// Client identification and rate limits, over sockets from several addresses of this machine.
@Suite(.timeLimit(.minutes(15)))
struct AdmissionSocketTests {
    private static let proxy = "127.0.0.9"

    /// No address is exempt, and one proxy is trusted.
    private static func policy(burst: Int? = nil) -> AdmissionPolicy {
        var policy = AdmissionPolicy.unlimited
        policy.exempt = []
        policy.proxies.ranges = [proxy].compactMap { AddressRange($0) }
        policy.address = burst.flatMap { RateLimit(perSecond: 1, burst: $0) }
        return policy
    }

    private static func resolve(_ fields: String..., close: Bool = true) -> String {
        let body = #"{"url": "yourapp://product/1"}"#
        let fields =
            fields + ["Host: a.example", "Content-Length: \(body.utf8.count)"] + (close ? ["Connection: close"] : [])
        return "POST /resolve HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    /// Sends the parts and returns the status of the first answer; 0 if the server closes the connection without one.
    private func ask(_ port: Int, _ parts: [[UInt8]], from source: String) async throws -> Int {
        let answer = try await onThread {
            let connection = try RawConnection(port: port, source: source)
            for part in parts { connection.send(part) }
            return try connection.readToEnd()
        }
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private func ask(_ port: Int, _ request: String, from source: String) async throws -> Int {
        try await ask(port, [Array(request.utf8)], from: source)
    }

    @Test func headersOfUntrustedPeersDoNotChangeTheirLimit() async throws {
        try await withService(admitting: Self.policy(burst: 2)) { service in
            try await service.listening { port async throws in
                var statuses: [Int] = []
                for count in 0..<4 {
                    let request = Self.resolve(
                        "X-Forwarded-For: 198.51.100.\(count)",
                        "Forwarded: for=198.51.100.\(count)",
                        "X-Real-IP: 198.51.100.\(count)"
                    )
                    statuses.append(try await ask(port, request, from: "127.0.0.2"))
                }
                #expect(statuses == [200, 200, 429, 429])
                #expect(try await ask(port, Self.resolve(), from: "127.0.0.3") == 200)
            }
        }
    }

    @Test func clientsOfAProxyAreReadFromRightToLeft() async throws {
        try await withService(admitting: Self.policy(burst: 2)) { service in
            try await service.listening { port async throws in
                var statuses: [Int] = []
                for count in 0..<4 {
                    let request = Self.resolve(
                        "X-Forwarded-For: 127.0.0.9, 198.51.100.\(count)",
                        "x-forwarded-for: 203.0.113.1, \(Self.proxy)"
                    )
                    statuses.append(try await ask(port, request, from: Self.proxy))
                }
                #expect(statuses == [200, 200, 429, 429])
                let other = Self.resolve("X-Forwarded-For: 203.0.113.1, 203.0.113.2")
                #expect(try await ask(port, other, from: Self.proxy) == 200)
                // If the proxy does not reveal its client, the request counts for the proxy's address.
                for status in [200, 200, 429] {
                    let hidden = Self.resolve("X-Forwarded-For: 203.0.113.9, unknown")
                    #expect(try await ask(port, hidden, from: Self.proxy) == status)
                }
            }
        }
    }

    /// A refusal keeps the connection open, and the next request on it is answered.
    @Test func refusalKeepsTheConnection() async throws {
        try await withService(admitting: Self.policy(burst: 1)) { service in
            try await service.listening { port async throws in
                let answers = try await onThread {
                    let connection = try RawConnection(port: port, source: "127.0.0.4")
                    connection.send(Self.resolve(close: false) + Self.resolve(close: false) + Self.resolve())
                    return try connection.readToEnd()
                }
                #expect(answers.ranges(of: "HTTP/1.1 200 ").count == 1)
                #expect(answers.ranges(of: "HTTP/1.1 429 ").count == 2)
                #expect(answers.ranges(of: "Retry-After: 1\r\n").count == 2)
            }
        }
    }

    // MARK: PROXY protocol

    private static let header = ProxyHeaderBytes.four

    @Test func proxyHeaderNamesTheClientHoweverItComes() async throws {
        try await withService(admitting: Self.policy()) { service in
            try await service.listening(proxyProtocol: .v2) { port async throws in
                let request = Array(Self.resolve().utf8)
                #expect(try await ask(port, [Self.header + request], from: Self.proxy) == 200)
                #expect(try await ask(port, [Self.header, request], from: Self.proxy) == 200)
                #expect(try await ask(port, (Self.header + request).map { [$0] }, from: Self.proxy) == 200)
                let addresses = try await service.events(of: "shop").compactMap(\.address)
                #expect(addresses == Array(repeating: "203.0.113.0/24", count: 3))
            }
        }
    }

    /// The header applies to every request of its connection and to no other connection.
    @Test func clientOfTheProxyHeaderIsLimited() async throws {
        try await withService(admitting: Self.policy(burst: 2)) { service in
            try await service.listening(proxyProtocol: .v2) { port async throws in
                let many = [Self.header, Array((Self.resolve(close: false) + Self.resolve(close: false)).utf8)]
                #expect(try await ask(port, many + [Array(Self.resolve().utf8)], from: Self.proxy) == 200)
                #expect(try await ask(port, [Self.header, Array(Self.resolve().utf8)], from: Self.proxy) == 429)
                let own = ProxyHeaderBytes.signature + [0x20, 0, 0, 0]
                #expect(try await ask(port, [own, Array(Self.resolve().utf8)], from: Self.proxy) == 200)
                // A client's own forwarding header has no effect, because the client is not a trusted proxy.
                let spoofed = Array(Self.resolve("X-Forwarded-For: 198.51.100.1").utf8)
                #expect(try await ask(port, [Self.header, spoofed], from: Self.proxy) == 429)
            }
        }
    }

    @Test func trustedProxyWithoutAProperHeaderIsCutOff() async throws {
        try await withService(admitting: Self.policy()) { service in
            try await service.listening(proxyProtocol: .v2) { port async throws in
                #expect(try await ask(port, Self.resolve(), from: Self.proxy) == 0)
                #expect(
                    try await ask(port, "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n" + Self.resolve(), from: Self.proxy) == 0
                )
                let endless =
                    ProxyHeaderBytes.signature + [0x21, 0x11, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 70_000)
                #expect(try await ask(port, [endless], from: Self.proxy) == 0)
                #expect(try await service.events(of: "shop").isEmpty)
            }
        }
    }

    @Test func untrustedPeersCannotUseAProxyHeader() async throws {
        try await withService(admitting: Self.policy()) { service in
            try await service.listening(proxyProtocol: .v2) { port async throws in
                #expect(try await ask(port, Self.resolve(), from: "127.0.0.2") == 200)
                #expect(try await ask(port, [Self.header + Array(Self.resolve().utf8)], from: "127.0.0.2") == 400)
                #expect(try await service.events(of: "shop").map(\.address) == ["127.0.0.0/24"])
            }
        }
    }
}
