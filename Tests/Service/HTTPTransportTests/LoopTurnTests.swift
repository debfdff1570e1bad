import CoreMetrics
import HTTPTypes
import LinkRouting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPTransport

/// A connection that asks much at once does not keep the others of its event loop waiting.
struct LoopTurnTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A part of the input for the decoder may hold more requests than a turn.
    private static let inOneTurn = 16...35

    @Test(arguments: [0, 18])
    func connectionsContinueOneAfterTheOther(cut: Int) throws {
        let loop = EmbeddedEventLoop()
        let turns = LoopTurns(loop)
        let connections = try (0..<2).map { _ in try Connection(loop, turns) }
        let bytes = Array(String(repeating: Self.request, count: 100).utf8)
        for connection in connections {
            if cut > 0 { try connection.receive(bytes[..<cut]) }
            try connection.receive(bytes[cut...])
            #expect(Self.inOneTurn.contains(connection.answers))
        }
        let before = connections.map(\.answers)
        loop.advanceTime(by: LoopTurns.pause)
        #expect(Self.inOneTurn.contains(connections[0].answers - before[0]))
        #expect(connections[1].answers == before[1])
        loop.advanceTime(by: LoopTurns.pause)
        #expect(Self.inOneTurn.contains(connections[1].answers - before[1]))
        loop.advanceTime(by: .milliseconds(10))
        #expect(connections.map(\.answers) == [100, 100])
        for connection in connections { _ = try? connection.channel.finish() }
    }

    @Test func waitingRequestsAreAnsweredAfterTheClientStopsSending() throws {
        let loop = EmbeddedEventLoop()
        let connection = try Connection(loop, LoopTurns(loop))
        try connection.receive(Array(String(repeating: Self.request, count: 100).utf8)[...])
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(Self.inOneTurn.contains(connection.answers))
        loop.advanceTime(by: .milliseconds(10))
        #expect(connection.answers == 100)
        _ = try? connection.channel.finish(acceptAlreadyClosed: true)
    }

    /// The client reads its responses slowly, so that the rest of its requests is held when the shutdown begins.
    @Test func requestsFromBeforeAShutdownAreAnsweredToASlowClient() throws {
        let loop = EmbeddedEventLoop()
        let connection = try Connection(loop, LoopTurns(loop))
        try connection.receive(Array(String(repeating: Self.request, count: 60).utf8)[...])
        #expect(Self.inOneTurn.contains(connection.answers))
        let before = connection.answers
        connection.isWritable = false
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        loop.advanceTime(by: .milliseconds(10))
        #expect(connection.answers == before)
        #expect(connection.channel.isActive)
        connection.isWritable = true
        loop.advanceTime(by: .milliseconds(10))
        #expect(connection.answers == 60)
        // The shutdown follows after the last response: a further request is not answered.
        try connection.receive(Array(Self.request.utf8)[...])
        loop.advanceTime(by: .milliseconds(10))
        #expect(connection.answers == 60)
        loop.advanceTime(by: .seconds(ConnectionLimits.lingerSeconds))
        #expect(!connection.channel.isActive)
    }

    /// Hummingbird's channel passes requests on at the end of a read, although more input is held.
    @Test func requestsAreAnsweredByAHandlerThatWaitsForTheEndOfARead() throws {
        let connection = try Connection(EmbeddedEventLoop(), nil)
        let bytes = Array(String(repeating: Self.request, count: 60).utf8)
        for start in stride(from: 0, to: bytes.count, by: 500) {
            connection.channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes[start..<min(start + 500, bytes.count)]))
        }
        #expect(connection.answers == 0)
        connection.channel.pipeline.fireChannelReadComplete()
        #expect(connection.answers == 60)
        _ = try? connection.channel.finish(acceptAlreadyClosed: true)
    }

    /// It answers each request with its end.
    private final class Connection {
        let channel: EmbeddedChannel
        private var text = ""

        init(_ loop: EmbeddedEventLoop, _ turns: LoopTurns?) throws {
            channel = EmbeddedChannel(loop: loop)
            let (limits, metrics) = (ConnectionLimits.sample, NOOPMetricsHandler.instance as any MetricsFactory)
            let pipeline = HTTP1Pipeline(
                port: .public,
                limits: limits,
                refusals: TransportErrorResponses(
                    port: .public,
                    metrics: metrics,
                    date: ResponseDate({ Timestamp(milliseconds: 0) })
                ) { "id" },
                registry: ConnectionRegistry(limit: 10, port: .public, metrics: metrics),
                unsent: UnsentResponses(limit: 1 << 20)
            )
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let connection = try pipeline.addHandlers(to: channel, turns: turns, buffers: RequestBufferBudget())
            try channel.pipeline.syncOperations.addHandler(Answering(connection, waitsForEndOfRead: turns == nil))
        }

        func receive(_ bytes: ArraySlice<UInt8>) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

        /// Whether the client reads its responses.
        var isWritable: Bool {
            get { channel.isWritable }
            set {
                channel.isWritable = newValue
                channel.pipeline.fireChannelWritabilityChanged()
            }
        }

        /// How many have left.
        var answers: Int {
            while let bytes = try? channel.readOutbound(as: IOData.self), case .byteBuffer(let buffer) = bytes {
                text += String(buffer: buffer)
            }
            return text.split(separator: "HTTP/1.1 200 OK").count
        }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart

        private let connection: HTTP1ConnectionHandler
        private let waitsForEndOfRead: Bool
        private var requests = 0

        init(_ connection: HTTP1ConnectionHandler, waitsForEndOfRead: Bool) {
            self.connection = connection
            self.waitsForEndOfRead = waitsForEndOfRead
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            requests += 1
            if !waitsForEndOfRead { answer() }
        }

        func channelReadComplete(context: ChannelHandlerContext) { answer() }

        private func answer() {
            while requests > 0 {
                requests -= 1
                connection.send(HTTPTransport.BufferedResponse(.ok))
            }
        }
    }
}
