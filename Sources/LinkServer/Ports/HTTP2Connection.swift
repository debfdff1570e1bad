import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// The channel pipeline of an HTTP/2 connection: each stream carries one request.
struct HTTP2Connection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP2Stream.Value>
    }

    let stream: HTTP2Stream
    let limits: HTTP2Limits
    let crowd: ConnectionRegistry
    let unsent: UnsentAnswers
    let port: PortRole

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let outflow = Outflow(unsent, port: port, stalledAfter: limits.stalled)
            // Directly at the socket, because the handlers after it transform the bytes of a response.
            try pipeline.addHandler(outflow, position: .first)
            let keeper = HTTP2ConnectionHandler(limits, crowd: crowd, outflow: outflow, on: channel.eventLoop)
            let connection = NIOLoopBound(keeper, eventLoop: channel.eventLoop)
            let streams = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .server,
                streamDelegate: keeper.streams,
                configuration: limits.configuration
            ) { channel in
                stream.of(connection).setup(channel: channel, logger: logger)
            }
            try pipeline.addHandler(keeper)
            return Value(channel: channel, streams: streams)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for try await one in value.streams.inbound {
                    group.addTask { await stream.handle(value: one, logger: logger) }
                }
            }
        } catch {
            logger.trace("connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// One request of an HTTP/2 connection, and its response.
struct HTTP2Stream: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let refusals: TransportErrorResponses
    /// Registry of all streams of the port. Streams are what takes memory, so they are what is evicted.
    let crowd: ConnectionRegistry

    private var connection: NIOLoopBound<HTTP2ConnectionHandler>?

    init(
        responder: @escaping HTTPChannelHandler.Responder,
        limits: ConnectionLimits,
        refusals: TransportErrorResponses,
        crowd: ConnectionRegistry
    ) {
        self.responder = responder
        self.limits = limits
        self.refusals = refusals
        self.crowd = crowd
    }

    fileprivate func of(_ connection: NIOLoopBound<HTTP2ConnectionHandler>) -> Self {
        var stream = self
        stream.connection = connection
        return stream
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard let connection else { throw ChannelError.inappropriateOperationForState }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
            try pipeline.addHandler(
                HTTP2StreamHandler(limits: limits, refusals: refusals, crowd: crowd, connection: connection.value)
            )
            return try Value(wrappingChannelSynchronously: channel)
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
