import HTTPTransport
import LinkServer
import NIOCore
import NIOSSL
import TLSTestSupport
import TestSupport
import Testing

/// What a connection of HTTP/2 takes, and how it ends; Tests/Attacks/http2_floods.py does the same to a running service.
@Suite(.timeLimit(.minutes(15)))
struct HTTP2ConnectionTests {
    private func connected(
        _ change: (inout ServerLimits) -> Void = { _ in },
        _ body: (inout SecureClient.Exchange) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority()
            let certificates = try ServerCertificates.forTest(try authority.identity().write(to: directory))
            try await withService { service in
                try await service.listening(change, certificates: certificates) { port in
                    try await SecureClient.connect(port, try authority.client()).exchange { exchange in
                        try await exchange.begin()
                        try await body(&exchange)
                    }
                }
            }
        }
    }

    static let hosts: [(fields: [(String, String)], status: String)] = [
        ([(":authority", "go.yourappdomain.com"), ("host", "go.yourappdomain.com")], "302"),
        ([(":authority", "go.yourappdomain.com"), ("host", "GO.yourappdomain.com")], "302"),
        ([("host", "go.yourappdomain.com")], "302"),
        ([(":authority", "go.yourappdomain.com"), ("host", "yourappdomain.com")], "400"),
        ([(":authority", "go.yourappdomain.com"), ("host", "go.yourappdomain.com"), ("host", "a")], "400"),
        ([(":authority", "go.yourappdomain.com"), ("host", "go.yourappdomain.com:443")], "400"),
        ([], "400"),
        ([(":authority", "")], "400"),
        ([(":authority", "go\u{FF0E}yourappdomain.com")], "400"),
    ]

    @Test func hostHeaderMustAgreeWithTheAuthority() async throws {
        try await connected { exchange in
            for (number, (fields, status)) in Self.hosts.enumerated() {
                try await exchange.send(.request(stream: UInt32(2 * number + 1), path: "/x", fields: fields))
                let frame = try #require(try await exchange.first(.headers))
                #expect(try exchange.status(of: frame) == status, "\(fields)")
            }
        }
    }

    @Test func noAnswerNamesTheServer() async throws {
        let requests = [("go.yourappdomain.com", "/x"), ("localhost", "/openapi.json"), ("", "/"), ("localhost", "/#")]
        try await connected { exchange in
            for (number, (host, path)) in requests.enumerated() {
                let fields = [(":authority", host)]
                try await exchange.send(.request(stream: UInt32(2 * number + 1), path: path, fields: fields))
                let names = try exchange.fields(of: try #require(try await exchange.first(.headers))).map(\.name)
                #expect(names.contains(":status") && names.contains("date"), "\(path)")
                #expect(names.allSatisfy { !["server", "via", "x-powered-by"].contains($0) }, "\(path): \(names)")
            }
        }
    }

    @Test(
        arguments: [
            ("/" + String(repeating: "a", count: 8_192), 0, "414"), ("/", 65, "431"), ("x", 0, "400"), ("*", 0, "400"),
            ("/x#frag", 0, "400"),
            ("https://localhost/", 0, "400"),
        ]
    )
    func limitsAreThoseOfHTTP1(_ path: String, _ fields: Int, _ status: String) async throws {
        try await connected { exchange in
            let fields = [(":authority", "localhost")] + (0..<fields).map { ("x-\($0)", "1") }
            try await exchange.send(.request(stream: 1, path: path, fields: fields))
            let frame = try #require(try await exchange.first(.headers))
            #expect(try exchange.status(of: frame) == status)
        }
    }

    @Test(arguments: [("connection", "close"), ("transfer-encoding", "chunked"), ("x", "a\r\nb"), ("X", "1")])
    func wrongRequestIsNotAnswered(_ name: String, _ value: String) async throws {
        try await connected { exchange in
            try await exchange.send(.request(stream: 1, fields: [(":authority", "localhost"), (name, value)]))
            while let frame = try await exchange.frame(), frame.kind != .reset { #expect(frame.kind != .headers) }
        }
    }

    /// Each of ten connections has a request that never ends, and a newcomer is answered.
    @Test func connectionsWithOpenStreamsAreEvicted() async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority()
            let certificates = try ServerCertificates.forTest(try authority.identity().write(to: directory))
            try await withService { service in
                try await service.listening({ $0.connections = 10 }, certificates: certificates) { port in
                    try await hold(10, port, try authority.client()) {
                        try await SecureClient.connect(port, try authority.client()).exchange { exchange in
                            try await exchange.begin()
                            try await exchange.send(.request(stream: 1))
                            let frame = try #require(try await exchange.first(.headers))
                            #expect(try exchange.status(of: frame) == "404")
                        }
                    }
                }
            }
        }
    }

    /// Opens so many connections, each with a stream whose request is not whole, until `body` returns.
    private func hold(_ count: Int, _ port: Int, _ client: TLSConfiguration, _ body: () async throws -> Void)
        async throws
    {
        guard count > 0 else { return try await body() }
        try await SecureClient.connect(port, client).exchange { exchange in
            try await exchange.begin()
            try await exchange.send(.request(stream: 1, flags: 0x4))
            // Once the settings are acknowledged, the request has been read, or the connection gave way.
            _ = try await exchange.first(.settings)
            try await hold(count - 1, port, client, body)
        }
    }

    @Test(arguments: ["/openapi.json", "/"])
    func answerToHeadHasNoBody(_ path: String) async throws {
        try await connected { exchange in
            try await exchange.send(.request(stream: 1, method: "HEAD", path: path))
            let head = try #require(try await exchange.first(.headers))
            #expect(head.stream == 1)
            var bytes = 0
            if head.flags & 1 == 0 {
                while let frame = try await exchange.frame() {
                    #expect(frame.kind != .reset)
                    if frame.kind == .data { bytes += frame.payload.readableBytes }
                    if frame.stream == 1, frame.flags & 1 == 1 { break }
                }
            }
            #expect(bytes == 0)
        }
    }

    /// The client sends complete and unfinished requests, and closes its sending side immediately.
    @Test func completeRequestsAreAnsweredAfterTheEndOfInput() async throws {
        try await connected({
            $0.bodySeconds = 600; $0.stalledSeconds = 600
        }) { exchange in
            let complete = Set((0..<UInt32(45)).map { 4 * $0 + 1 })
            let unfinished = Set((0..<UInt32(45)).map { 4 * $0 + 3 })
            var bytes = ByteBuffer()
            for stream in complete.union(unfinished).sorted() {
                let body = ByteBuffer(string: #"{"url":"yourapp://product/123"}"#)
                bytes.writeImmutableBuffer(try .request(stream: stream, method: "POST", path: "/resolve", flags: 0x4))
                let end: UInt8 = complete.contains(stream) ? 0x1 : 0
                bytes.writeImmutableBuffer(.frame(.data, flags: end, stream: stream, body))
            }
            try await exchange.finish(sending: bytes)
            var answered: Set<UInt32> = []
            var reset: Set<UInt32> = []
            while let frame = try await exchange.frame() {
                if [.headers, .data].contains(frame.kind), frame.flags & 1 == 1 { answered.insert(frame.stream) }
                if frame.kind == .reset { reset.insert(frame.stream) }
            }
            #expect(answered.isSuperset(of: complete))
            #expect(reset == unfinished)
        }
    }

    // MARK: Floods

    enum Flood: String, CaseIterable {
        case resets, pings, settings, emptyData, continuations

        func frames(_ number: UInt32) throws -> ByteBuffer {
            switch self {
            case .resets:
                let stream = 2 * number + 1
                var bytes = try ByteBuffer.request(stream: stream)
                bytes.writeImmutableBuffer(.frame(.reset, stream: stream, ByteBuffer(integer: UInt32(8))))
                return bytes
            case .pings: return .frame(.ping, ByteBuffer(integer: UInt64(number)))
            case .settings: return .frame(.settings)
            case .emptyData:
                return number == 0 ? try .request(stream: 1, flags: 0x4) : .frame(.data, stream: 1)
            case .continuations:
                return number == 0 ? try .request(stream: 1, flags: 0x1) : .frame(.continuation, stream: 1)
            }
        }
    }

    @Test(arguments: Flood.allCases)
    func floodEndsTheConnection(_ flood: Flood) async throws {
        try await connected { exchange in
            var bytes = ByteBuffer()
            for number in 0..<UInt32(400) { bytes.writeImmutableBuffer(try flood.frames(number)) }
            try await exchange.send(bytes)
            let end = try #require(try await exchange.first(.goAway))
            #expect(end.code == SecureClient.Frame.enhanceYourCalm)
            #expect(try await exchange.first(.goAway) == nil)
        }
    }

    @Test func idleConnectionIsClosedWithoutAPingReply() async throws {
        try await connected({
            $0.idleSeconds = 1; $0.stalledSeconds = 1
        }) { exchange in
            let end = try #require(try await exchange.first(.goAway))
            #expect(end.code == 0)
            // The PING that asks whether it was read is never answered.
            #expect(try await exchange.first(.goAway) == nil)
        }
    }

    @Test func bodyThatDoesNotComeIsGivenUp() async throws {
        try await connected({ $0.bodySeconds = 1 }) { exchange in
            var encoded = try ByteBuffer.request(stream: 1, path: "/resolve", flags: 0x4)
            // `GET` of the static table becomes `POST`.
            encoded.setInteger(UInt8(0x83), at: 9)
            try await exchange.send(encoded)
            let frame = try #require(try await exchange.first(.headers))
            #expect(try exchange.status(of: frame) == "408")
        }
    }

    /// A window of zero: the answer's head can be sent, its body never.
    @Test func answerThatIsNotTakenIsGivenUp() async throws {
        try await connected({
            $0.bodySeconds = 1; $0.stalledSeconds = 1
        }) { exchange in
            var closed = ByteBuffer()
            closed.writeInteger(UInt16(4))
            closed.writeInteger(UInt32(0))
            try await exchange.send(.frame(.settings, closed))
            try await exchange.send(.request(stream: 1, path: "/openapi.json"))
            let reset = try #require(try await exchange.first(.reset))
            #expect(reset.stream == 1)
        }
    }
}
