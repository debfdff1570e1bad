import NIOCore
import NIOTLS

/// Closes a connection whose TLS handshake takes too long or is unfinished when the server stops; comes after the TLS
/// handler.
package final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    private let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    private var registration: ConnectionRegistry.Registration?
    private var deadline: Scheduled<Void>?

    package init(limits: ConnectionLimits, registry: ConnectionRegistry) {
        self.limits = limits
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        registration = registry.enter(context.channel)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(limits.headSeconds))) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        if let registration { registry.leave(registration) }
        registration = nil
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
