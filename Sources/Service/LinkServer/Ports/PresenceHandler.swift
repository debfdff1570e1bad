import LinkCatalog
import NIOCore

/// Ends the ``ClientPresence`` of a connection when its client is gone, which cancels work for it.
///
/// A client that half-closes the connection is usually gone altogether; TCP shows no difference. Work that takes longer
/// than ``ClientPresence/patienceSeconds`` is then cancelled, and a client that is still there gets an error response.
final class PresenceHandler: ChannelInboundHandler {
    typealias InboundIn = Any

    private let presence: ClientPresence

    init(_ presence: ClientPresence) { self.presence = presence }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            context.eventLoop.scheduleTask(in: .seconds(ClientPresence.patienceSeconds)) { [presence] in presence.end()
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) { presence.end() }
}
