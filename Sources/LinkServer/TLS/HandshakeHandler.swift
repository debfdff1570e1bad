import NIOCore
import NIOTLS

/// Ends a connection whose handshake takes too long, or is not done when the server stops; stands after the TLS handler.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    /// As long as a head may take.
    static let limit = TimeAmount.seconds(5)

    private let crowd: ConnectionRegistry
    private var seat: ConnectionRegistry.Registration?
    private var deadline: Scheduled<Void>?

    init(crowd: ConnectionRegistry) { self.crowd = crowd }

    func handlerAdded(context: ChannelHandlerContext) {
        seat = crowd.enter(context.channel)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.limit) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        if let seat { crowd.leave(seat) }
        seat = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        switch event {
        case TLSUserEvent.handshakeCompleted: context.pipeline.syncOperations.removeHandler(self, promise: nil)
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        default: break
        }
    }
}
