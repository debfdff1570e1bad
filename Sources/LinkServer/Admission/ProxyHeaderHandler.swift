import NIOCore
import OutboundHTTP

/// Reads the header of the PROXY protocol before anything else of a connection, and closes what does not begin with one.
///
/// Whoever reads what follows is added behind it only then; until he is there, nothing goes on.
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
    private var isOver = false
    private var bytes = ByteBuffer()

    /// - Parameters:
    ///   - header: Gets whom the proxy speaks for.
    ///   - isSetUp: When those are there who read what follows.
    ///   - limit: How long the header may take.
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
            isSetUp.assumeIsolated().whenComplete { [self] result in handOver(result, source, context) }
            header.succeed(source)
        }
    }

    private func handOver(
        _ result: Result<Void, any Error>,
        _ source: NetworkAddress?,
        _ context: ChannelHandlerContext
    ) {
        guard case .success = result else { return context.close(promise: nil) }
        if let source { context.fireUserInboundEventTriggered(ProxiedClient(address: source)) }
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
        // Whoever has said nothing until here has nothing to lose by a shutdown, and no right to half a connection.
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
