import LinkCatalog
import NIOCore

/// Tells when the client of a connection is gone, for work that is done for it.
///
/// A client that will send nothing more has most often gone altogether; TCP shows no difference. What takes longer than a moment
/// is then cancelled, and a client that only closed its half is told so.
final class PresenceHandler: ChannelInboundHandler {
    typealias InboundIn = Any

    private let presence: ClientPresence

    /// For who asks, closes its half and waits for the answer.
    private static let patience = TimeAmount.seconds(2)

    init(_ presence: ClientPresence) { self.presence = presence }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            context.eventLoop.scheduleTask(in: Self.patience) { [presence] in presence.end() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) { presence.end() }
}
