import CoreMetrics
import HTTPTypes
import LinkRouting
import NIOCore
import NIOEmbedded
import NIOHTTP2
import NIOHTTPTypes
import Testing

@testable import HTTPTransport

/// The handlers of an HTTP/2 connection and its streams, without HTTP/2 frames.
struct HTTP2ConnectionHandlerTests {
    private let loop = EmbeddedEventLoop()
    private let metrics: any MetricsFactory = NOOPMetricsHandler.instance
    private var limits: ConnectionLimits { ConnectionLimits.sample }

    /// A connection, and the registries of connections and streams, which have room for ten.
    private func withConnection(
        _ body: (EmbeddedChannel, HTTP2ConnectionHandler, ConnectionRegistry) throws -> Void
    ) throws {
        let registry = ConnectionRegistry(limit: 10, port: .public, metrics: metrics)
        let channel = EmbeddedChannel(loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let slowReaderHandler = SlowReaderHandler(
            UnsentResponses(limit: 1 << 20),
            port: .public,
            stalledAfter: .seconds(30)
        )
        let connection = HTTP2ConnectionHandler(
            HTTP2Limits(limits),
            registry: registry,
            slowReaderHandler: slowReaderHandler,
            turns: LoopTurns.OfPort().on(loop),
            on: loop
        )
        try channel.pipeline.syncOperations.addHandlers([slowReaderHandler, connection])
        try body(channel, connection, registry)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private func stream(
        of connection: HTTP2ConnectionHandler,
        _ registry: ConnectionRegistry,
        _ buffers: RequestBufferBudget = RequestBufferBudget()
    ) throws -> (channel: EmbeddedChannel, handler: HTTP2StreamHandler) {
        let handler = HTTP2StreamHandler(
            limits: limits,
            refusals: TransportErrorResponses(
                port: .public,
                metrics: metrics,
                date: ResponseDate({ Timestamp(milliseconds: 0) })
            ) { "id" },
            registry: registry,
            connection: connection,
            buffers: buffers
        )
        let channel = EmbeddedChannel(handler: handler, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, handler)
    }

    private func head(_ method: HTTPRequest.Method = .get) -> HTTPRequestPart {
        .head(HTTPRequest(method: method, scheme: "https", authority: "a.example", path: "/"))
    }

    /// The library does not report the streams of a connection that breaks.
    @Test func openStreamsOfAClosedConnectionAreReleased() throws {
        weak var released: EmbeddedChannel?
        var handler: HTTP2ConnectionHandler?
        try withConnection { _, connection, _ in
            handler = connection
            let stream = EmbeddedChannel(loop: loop)
            released = stream
            connection.streams.streamCreated(1, channel: stream)
            _ = try? stream.finish(acceptAlreadyClosed: true)
        }
        // In production, the stream refers to the handler.
        withExtendedLifetime(handler) { #expect(released == nil) }
    }

    @Test func endOfAnAnsweredRequestDoesNotProtectItsStream() throws {
        try withConnection { _, connection, _ in
            let streams = ConnectionRegistry(limit: 1, port: .public, metrics: metrics)
            let (channel, handler) = try stream(of: connection, streams)
            try channel.writeInbound(head())
            handler.send(BufferedResponse(.notFound))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            streams.makeRoom()
            let (other, _) = try stream(of: connection, streams)
            // The newcomer evicts the answered stream.
            loop.run()
            #expect(!channel.isActive)
            _ = try? channel.finish(acceptAlreadyClosed: true)
            _ = try? other.finish(acceptAlreadyClosed: true)
        }
    }

    /// A client that closes its sending side waits for the answers of complete requests only. An answer that was sent
    /// before the end of its request is not cut off.
    @Test(arguments: [false, true]) func unfinishedRequestEndsWithTheInput(_ isAnswered: Bool) throws {
        try withConnection { connected, connection, registry in
            try connected.pipeline.syncOperations.addHandler(FrameSink(), position: .before(connection))
            let (unfinished, early) = try stream(of: connection, registry)
            let (whole, handler) = try stream(of: connection, registry)
            for (id, channel) in [(HTTP2StreamID(1), unfinished), (3, whole)] {
                connection.streams.streamCreated(id, channel: channel)
                try channel.writeInbound(head())
            }
            try whole.writeInbound(HTTPRequestPart.end(nil))
            if isAnswered { early.send(BufferedResponse(.notFound)) }
            connected.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            loop.run()
            #expect(!unfinished.isActive && whole.isActive && connected.isActive)

            connection.streams.streamClosed(1, channel: unfinished)
            handler.send(BufferedResponse(.notFound))
            connection.streams.streamClosed(3, channel: whole)
            loop.run()
            #expect(!connected.isActive)
            _ = try? unfinished.finish(acceptAlreadyClosed: true)
            _ = try? whole.finish(acceptAlreadyClosed: true)
        }
    }

    /// The body of a request that waits for its client counts in the budget, in one buffer.
    @Test func bodyThatIsHeldBackIsReserved() throws {
        try withConnection { connected, connection, registry in
            let buffers = RequestBufferBudget()
            connected.isWritable = false
            connected.pipeline.fireChannelWritabilityChanged()
            let (channel, _) = try stream(of: connection, registry, buffers)
            try channel.writeInbound(head(.post))
            for _ in 0..<1_000 { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x"))) }
            #expect(buffers.bytesReserved == 1_000)
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
            try channel.writeInbound(HTTPRequestPart.end(nil))

            connected.isWritable = true
            connected.pipeline.fireChannelWritabilityChanged()
            #expect(buffers.bytesReserved == 0)
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == head(.post))
            #expect(
                try channel.readInbound(as: HTTPRequestPart.self)
                    == .body(ByteBuffer(string: String(repeating: "x", count: 1_000)))
            )
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == .end(nil))
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func longBodyThatIsHeldBackEndsItsStream() throws {
        try withConnection { connected, connection, registry in
            let buffers = RequestBufferBudget()
            connected.isWritable = false
            connected.pipeline.fireChannelWritabilityChanged()
            let (channel, _) = try stream(of: connection, registry, buffers)
            try channel.writeInbound(head(.post))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0x78, count: 65_537)))
            loop.run()
            #expect(!channel.isActive)
            #expect(buffers.bytesReserved == 0)
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }
    }
}

/// In place of the library's handler, which writes frames as bytes.
private final class FrameSink: ChannelOutboundHandler {
    typealias OutboundIn = HTTP2Frame

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { promise?.succeed() }
}
