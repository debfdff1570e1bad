package import NIOCore
package import Networking

/// Reads the PROXY header at the beginning of a connection, and closes a connection that does not begin with one.
///
/// The handlers for what follows are added only after the header; until they are there, the bytes are held.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Why there is no header.
    enum Failure: Error {
        case malformed, tooSlow, closed
    }

    private let header: EventLoopPromise<NetworkAddress?>
    private let isSetUp: EventLoopFuture<Void>
    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?
    private var isWaiting = true
    private var bytes = ByteBuffer()

    /// - Parameters:
    ///   - header: Receives the client that the proxy names.
    ///   - isSetUp: Completes when the handlers for what follows are there.
    ///   - limit: Maximum time until the header is complete.
    init(_ header: EventLoopPromise<NetworkAddress?>, then isSetUp: EventLoopFuture<Void>, within limit: TimeAmount) {
        self.header = header
        self.isSetUp = isSetUp
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, header) = (context.channel, header)
        deadline = context.eventLoop.scheduleTask(in: limit) {
            header.fail(Failure.tooSlow)
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        header.fail(Failure.closed)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var more = unwrapInboundIn(data)
        bytes.writeBuffer(&more)
        guard isWaiting else { return }
        switch ProxyHeader(bytes.readableBytesView) {
        case .unfinished: return
        case .malformed: end(context, .malformed)
        case .whole(let count, let source):
            isWaiting = false
            deadline?.cancel()
            bytes.moveReaderIndex(forwardBy: count)
            isSetUp.assumeIsolated().whenComplete { [self] result in handOver(result, context) }
            header.succeed(source)
        }
    }

    private func handOver(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        guard case .success = result else { return context.close(promise: nil) }
        if bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {}

    func channelInactive(context: ChannelHandlerContext) {
        header.fail(Failure.closed)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Before its header is complete, a connection has no request that a shutdown could interrupt, and a half-close
        // ends it.
        let isOver = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if isWaiting, isOver { end(context, .closed) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isWaiting { end(context, .closed) } else { context.fireErrorCaught(error) }
    }

    private func end(_ context: ChannelHandlerContext, _ failure: Failure) {
        header.fail(failure)
        context.close(promise: nil)
    }
}

extension Channel {
    /// Sets up a connection that begins with a PROXY header if its peer is a trusted proxy.
    ///
    /// - Parameters:
    ///   - seconds: Maximum time until the header is complete.
    ///   - handlers: Adds the handlers for what follows the header; called with the address of the client.
    package func setUpAfterProxyHeader(
        from isTrusted: @Sendable (NetworkAddress) -> Bool,
        within seconds: Int,
        handlers: @escaping @Sendable (any Channel, NetworkAddress?) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<Void> {
        let peer = NetworkAddress(remoteAddress)
        guard let peer, isTrusted(peer) else { return handlers(self, peer) }
        let header = eventLoop.makePromise(of: NetworkAddress?.self)
        let isSetUp = header.futureResult.flatMap { handlers(self, $0 ?? peer) }
        return eventLoop.makeCompletedFuture {
            let handler = ProxyHeaderHandler(header, then: isSetUp, within: .seconds(Int64(seconds)))
            try pipeline.syncOperations.addHandler(handler)
        }
    }
}
