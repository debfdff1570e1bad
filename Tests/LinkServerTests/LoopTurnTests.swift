import HTTPTypes
import LinkEvents
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import LinkServer

/// A connection that asks much at once does not keep the others of its event loop waiting.
struct LoopTurnTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Of requests that pass the decoder by, and of others.
    @Test(arguments: [0, 18])
    func connectionsGoOnOneAfterTheOther(cut: Int) throws {
        let loop = EmbeddedEventLoop()
        let turns = LoopTurns(loop)
        let connections = try (0..<2).map { _ in try Connection(loop, turns) }
        let bytes = Array(String(repeating: Self.request, count: 100).utf8)
        for connection in connections {
            if cut > 0 { try connection.receive(bytes[..<cut]) }
            try connection.receive(bytes[cut...])
            // A part that begins within a request may hold the end of two.
            #expect((16...17).contains(connection.answers))
        }
        let before = connections.map(\.answers)
        loop.advanceTime(by: LoopTurns.pause)
        #expect(connections[0].answers == before[0] + 16)
        #expect(connections[1].answers == before[1])
        loop.advanceTime(by: LoopTurns.pause)
        #expect(connections[1].answers == before[1] + 16)
        loop.advanceTime(by: .milliseconds(10))
        #expect(connections.map(\.answers) == [100, 100])
        for connection in connections { _ = try? connection.channel.finish() }
    }

    @Test func whatWaitsIsAnsweredThoughItsClientSendsNoMore() throws {
        let loop = EmbeddedEventLoop()
        let connection = try Connection(loop, LoopTurns(loop))
        try connection.receive(Array(String(repeating: Self.request, count: 100).utf8)[...])
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.answers == 16)
        loop.advanceTime(by: .milliseconds(10))
        #expect(connection.answers == 100)
        _ = try? connection.channel.finish(acceptAlreadyClosed: true)
    }

    /// It answers each request with its end.
    private final class Connection {
        let channel: EmbeddedChannel
        private var text = ""

        init(_ loop: EmbeddedEventLoop, _ turns: LoopTurns) throws {
            channel = EmbeddedChannel(loop: loop)
            let (limits, metrics) = (ConnectionLimits(ServerLimits(), bodySeconds: 10), MetricRegistry())
            let crowd = ConnectionRegistry(limit: 10, port: .public, metrics: metrics)
            let refusals = TransportErrorResponses(port: .public, metrics: metrics) { "id" }
            let outflow = Outflow(UnsentAnswers(limit: 1 << 20), port: .public, stalledAfter: .seconds(30))
            let gate = HTTP1ConnectionHandler(limits: limits, refusals: refusals, crowd: crowd, outflow: outflow)
            let take: HTTP1InputLimiter.WholeRequests = { _, _ in
                gate.tookWhole()
                gate.send(LinkServer.BufferedResponse(.ok))
                return true
            }
            let pipeline = channel.pipeline.syncOperations
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try pipeline.addHandler(outflow)
            try pipeline.addHandler(
                HTTP1InputLimiter(gate, limits, turns, RequestBufferBudget(), longestBody: 100, take: take)
            )
            try pipeline.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.decoderLimits))
            )
            try pipeline.addHandler(gate)
            try pipeline.addHandler(Answering(gate))
        }

        func receive(_ bytes: ArraySlice<UInt8>) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

        /// How many have left.
        var answers: Int {
            while let bytes = try? channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text.split(separator: "HTTP/1.1 200 OK").count
        }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart

        private let gate: HTTP1ConnectionHandler

        init(_ gate: HTTP1ConnectionHandler) { self.gate = gate }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .end = unwrapInboundIn(data) { gate.send(LinkServer.BufferedResponse(.ok)) }
        }
    }
}
