import HTTPTransport
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import NIOSSL
import Networking

/// Sets up the channel pipelines of the public port: an optional PROXY header, optional TLS, then HTTP/1, or HTTP/2 as
/// negotiated by ALPN. All of them end in a ``RequestHandler``.
struct PublicConnection: Sendable {
    let service: PublicService
    let http1: HTTP1Pipeline
    let turns = LoopTurns.OfPort()
    /// Nil if the port does not speak TLS.
    var secure: Secure?
    /// Whether a peer sends a PROXY header; nil if none does.
    var isTrustedProxy: (@Sendable (NetworkAddress) -> Bool)?

    struct Secure: Sendable {
        let certificates: ServerCertificates
        let limits: HTTP2Limits
        /// Registry of all streams of the port. Streams are what takes memory, so they are what is evicted.
        let streams: ConnectionRegistry
    }

    func setUp(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let isTrustedProxy else { return setUp(channel, client: NetworkAddress(channel.remoteAddress)) }
        return channel.setUpAfterProxyHeader(from: isTrustedProxy, within: http1.limits.proxyHeaderSeconds) {
            setUp($0, client: $1)
        }
    }

    private func setUp(_ channel: any Channel, client: NetworkAddress?) -> EventLoopFuture<Void> {
        guard let secure else {
            return channel.eventLoop.makeCompletedFuture { try setUpHTTP1(channel, client: client) }
        }
        return channel.eventLoop.makeCompletedFuture {
            let tls = NIOSSLServerHandler(context: secure.certificates.context)
            let handshake = HandshakeHandler(limits: http1.limits, registry: http1.registry)
            try channel.pipeline.syncOperations.addHandlers([tls, handshake])
        }.flatMap {
            channel.configureHTTP2SecureUpgrade { channel in
                channel.eventLoop.makeCompletedFuture { try setUpHTTP2(channel, secure, client: client) }
            } http1ChannelConfigurator: { channel in
                channel.eventLoop.makeCompletedFuture { try setUpHTTP1(channel, client: client) }
            }
        }
    }

    func setUpHTTP1(_ channel: any Channel, client: NetworkAddress?) throws {
        // The requests of one read are answered before the event loop reads the next connection.
        try channel.syncOptions?.setOption(
            .recvAllocator,
            value: FixedSizeRecvByteBufferAllocator(capacity: ConnectionLimits.readBytes)
        )
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        let turns = turns.on(channel.eventLoop)
        let connection = try http1.addHandlers(to: channel, turns: turns, buffers: service.buffers)
        let handler = RequestHandler(service, connection, client: ClientAddress(client))
        connection.receiver = handler
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private func setUpHTTP2(_ channel: any Channel, _ secure: Secure, client: NetworkAddress?) throws {
        let (loop, pipeline) = (channel.eventLoop, channel.pipeline.syncOperations)
        let slowReaderHandler = SlowReaderHandler(http1.unsent, port: http1.port, stalledAfter: secure.limits.stalled)
        // Directly at the socket, because the handlers after it transform the bytes of a response.
        try pipeline.addHandler(slowReaderHandler, position: .first)
        let connection = HTTP2ConnectionHandler(
            secure.limits,
            registry: http1.registry,
            slowReaderHandler: slowReaderHandler,
            turns: turns.on(loop),
            on: loop
        )
        let bound = NIOLoopBound(connection, eventLoop: loop)
        let configuration = secure.limits.configuration
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: configuration.connection,
            streamConfiguration: configuration.stream,
            streamDelegate: connection.streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let limits = HTTP2StreamHandler(
                    limits: http1.limits,
                    refusals: http1.refusals,
                    registry: secure.streams,
                    connection: bound.value,
                    buffers: service.buffers
                )
                try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTPServerCodec())
                try stream.pipeline.syncOperations.addHandler(limits)
                try stream.pipeline.syncOperations.addHandler(
                    RequestHandler(service, limits, client: ClientAddress(client))
                )
            }
        }
        try pipeline.addHandler(connection)
    }
}
