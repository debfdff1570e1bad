import HTTPTypes
import LinkEvents
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import TestSupport
import Testing

@testable import LinkServer

/// A request that passes the decoder by is read as the decoder reads it, and begins where the decoder would have one begin.
struct HTTP1RequestScannerTests {
    private static let limits: ConnectionLimits = {
        var limits = ServerLimits()
        limits.uriBytes = 200
        limits.headerBytes = 600
        limits.headerFields = 8
        return ConnectionLimits(limits, bodySeconds: 10)
    }()

    private static func scan(_ text: String) -> HTTP1RequestScanner.Found? {
        HTTP1RequestScanner.scan(ByteBuffer(string: text), limits, bodyBytes: 100)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /p/1?q=%20&r#f HTTP/1.1\r\nhost:a.example:8080\r\nUser-Agent: curl/8 (x; y)\r\naccept:\r\nX-Y:   a \tb\r\n\r\n",
        "GET /~!$&'()*+,;=:@[]{}|\"<>^`\\ HTTP/1.1\r\nHost: [::1]\r\nConnection: Keep-Alive\r\n\r\n",
        "POST /resolve HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 12\r\nHost: a\r\n\r\n{\"url\":\"x\"}\nGET",
        "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 000\r\nCookie: a=b; c=d\r\ncookie: e\r\n\r\n",
    ])
    func usualRequestIsReadAsByTheDecoder(text: String) throws {
        let found = Self.scan(text)
        // A tab is left to the decoder.
        try #require((found == nil) == text.contains("\t"))
        guard let found else { return }
        let whole = String(decoding: Array(text.utf8).prefix(found.headBytes + found.bodyBytes), as: UTF8.self)
        #expect(Conversation(whole, passing: false).seen == Conversation(whole, passing: true).seen)
    }

    @Test(arguments: [
        "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b \r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{E9}\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: \r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: keep-alive\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1,1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n" + String(repeating: "a", count: 101),
        "GET /" + String(repeating: "a", count: 200) + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 600) + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 8) + "\r\n",
    ])
    func restIsLeftToTheDecoder(text: String) { #expect(Self.scan(text) == nil) }

    private static let conversations = 400

    private static let messages = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /p?q HTTP/1.1\r\nHost: b\r\nAccept: */*\r\n\r\n",
        "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde",
        "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 24\r\n\r\nGET /x HTTP/1.1\r\nHost:\r\n",
        "POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n\r\n\r\n", "POST /r HTTP/1.1\r\nHost: a\r\n\r\n",
        "PUT /r HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "HEAD / HTTP/1.1\r\nHost: a\r\nX:  y \r\n\r\n",
        "POST /r HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "POST /r HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
    ]

    private static let strange = [
        "\r\n", "\r\n\r\n", "\n", "GET /n HTTP/1.1\nHost: a\n\n", "GET /x HTTP/1.1\r\nX: ", "POST", "HTTP/1.1", " ",
        "\u{E9}", "\0",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "Content-Length: 5\r\n", "Host: a\r\n",
        "POST /r HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", " folded\r\n",
        "POST /r HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]

    /// What a connection hands on and answers does not depend on whether requests may pass the decoder by, however the bytes of
    /// good and bad ones are cut.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func everyConversationIsTheSameAsTheDecoders(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var passed = 0
        for _ in 0..<Self.conversations {
            let pieces = Self.pieces(&numbers)
            let mixed = Conversation(pieces, passing: true)
            let sent = "\(pieces.map { String(decoding: $0, as: UTF8.self) })"
            // The decoder alone, once with what came cut behind heads and once without. What it finds wrong behind the last request
            // depends on that, but not what it hands on, nor what is answered.
            #expect(Conversation(pieces, passing: false).seen == mixed.seen, "\(sent)")
            #expect(
                Conversation(pieces, passing: nil).seen.filter(Self.isNoError) == mixed.seen.filter(Self.isNoError),
                "\(sent)"
            )
            passed += mixed.passed
        }
        #expect(passed > 200)
    }

    private static func isNoError(_ seen: String) -> Bool { !seen.hasPrefix("error ") }

    /// Each pair of requests, cut once anywhere: the one after a cut passes by again.
    @Test func decoderGivesAConnectionBack() {
        let usual = Self.messages[0]
        for (index, message) in Self.messages.enumerated() {
            let bytes = Array(message.utf8)
            for cut in 1..<bytes.count {
                let conversation = Conversation(
                    [Array(bytes[..<cut]), Array(bytes[cut...]), Array(usual.utf8)],
                    passing: true
                )
                // Chunks cost more bytes than come out of them.
                #expect(conversation.passed == (index == 8 ? 0 : 1), "\(message) cut at \(cut)")
                #expect(conversation.seen.filter { $0.hasPrefix("head ") }.count == 2)
            }
        }
    }

    /// What a client sends, as it is read: most messages alone, some with others, cut anywhere, or broken.
    private static func pieces(_ numbers: inout SeededGenerator) -> [[UInt8]] {
        func oneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }
        let isStrange = oneOf(2)
        var pieces: [[UInt8]] = []
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
            let choice = isStrange && oneOf(4) ? strange : messages
            let bytes = Array((choice.randomElement(using: &numbers) ?? "").utf8)
            if oneOf(3), let last = pieces.popLast() { pieces.append(last + bytes) } else { pieces.append(bytes) }
        }
        return pieces.flatMap { bytes in
            var bytes = bytes
            if isStrange, oneOf(4) {
                let index = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[index] = [13, 10, 32, 58, 44, 0, 65, 200].randomElement(using: &numbers) ?? 0
            }
            let cut = oneOf(4) ? Int.random(in: 0..<bytes.count, using: &numbers) : 0
            return [Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty }
        }
    }

    /// A connection of which each request is answered at its end.
    private struct Conversation {
        private(set) var seen: [String] = []
        private(set) var passed = 0

        /// - Parameter passing: Whether requests may pass the decoder by; nil where it is given what comes as it comes.
        init(_ text: String, passing: Bool?) { self.init([Array(text.utf8)], passing: passing) }

        init(_ pieces: [[UInt8]], passing: Bool?) {
            let channel = EmbeddedChannel()
            let (limits, metrics) = (HTTP1RequestScannerTests.limits, MetricRegistry())
            let crowd = ConnectionRegistry(limit: 10, port: .public, metrics: metrics)
            let refusals = TransportErrorResponses(port: .public, metrics: metrics) { "id" }
            let outflow = Outflow(UnsentAnswers(limit: 1 << 20), port: .public, stalledAfter: .seconds(30))
            let gate = HTTP1ConnectionHandler(limits: limits, refusals: refusals, crowd: crowd, outflow: outflow)
            let listener = Listener()
            var passed = 0
            let take: HTTP1InputLimiter.WholeRequests = { request, body in
                guard passing == true else { return false }
                passed += 1
                gate.tookWhole()
                listener.hear(.head(request))
                if body.readableBytes > 0 { listener.hear(.body(body)) }
                listener.hear(.end(nil))
                gate.send(LinkServer.BufferedResponse(.ok))
                return true
            }
            let pipeline = channel.pipeline.syncOperations
            #expect(throws: Never.self) {
                try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
                try pipeline.addHandler(outflow)
                let (turns, buffers) = (LoopTurns(channel.eventLoop), RequestBufferBudget())
                try pipeline.addHandler(
                    HTTP1InputLimiter(gate, limits, turns, buffers, longestBody: 100, take: passing == nil ? nil : take)
                )
                try pipeline.addHandler(
                    ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.decoderLimits))
                )
                try pipeline.addHandler(gate)
                try pipeline.addHandler(listener)
            }
            for piece in pieces {
                do { try channel.writeInbound(ByteBuffer(bytes: piece)) } catch { listener.seen.append("\(error)") }
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            }
            var answers = ""
            while let bytes = try? channel.readOutbound(as: ByteBuffer.self) { answers += String(buffer: bytes) }
            self.passed = passed
            // The decoder does not say of a head that it cannot read whether it is a HEAD, whose refusal has no body.
            let end = answers.ranges(of: "\r\n\r\n").last?.upperBound ?? answers.endIndex
            seen = listener.seen + [String(answers[..<end])]
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        /// What was heard, a body in one piece.
        var seen: [String] = []

        func hear(_ part: HTTPRequestPart) {
            switch part {
            case .head(let request):
                let fields = request.headerFields.map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: "|")
                seen.append("head \(request.method) \(request.authority ?? "-") \(request.path ?? "-") \(fields)")
                seen.append("body ")
            case .body(let bytes): seen[seen.count - 1] += String(buffer: bytes)
            case .end: seen.append("end")
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            hear(part)
            guard case .end = part else { return }
            context.write(
                wrapOutboundOut(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"]))),
                promise: nil
            )
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { seen.append("error \(error)") }
    }
}
