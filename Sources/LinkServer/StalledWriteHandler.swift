import NIOCore

/// Closes a connection whose client has stopped reading: what waits to be written to it would be kept for ever, and a
/// shutdown would wait for it.
final class StalledWriteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?

    /// - Parameter limit: For how long a client may take nothing while more waits for it than the channel buffers.
    init(after limit: TimeAmount) { self.limit = limit }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        if !context.channel.isWritable {
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }
}
