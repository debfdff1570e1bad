import NIOCore

/// Handles accept failures of a listening socket. When the process has no free descriptor, it evicts a connection that
/// waits for its client, and accepts again after a pause. NIO alone would retry at once and forever, because the
/// pending connection stays in the queue.
final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let pause = TimeAmount.milliseconds(100)

    private let crowd: ConnectionRegistry?
    private var isPausing = false

    init(_ crowd: ConnectionRegistry?) { self.crowd = crowd }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        guard error is IOError, !isPausing else { return }
        isPausing = true
        crowd?.makeRoom()
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

extension Channel {
    /// Adds an ``AcceptFailureHandler`` to a listening socket.
    func survivesLackOfDescriptors(_ crowd: ConnectionRegistry?) async {
        // At most this many connections are accepted beyond the limit.
        try? await setOption(.maxMessagesPerRead, value: 4).get()
        let added = eventLoop.submit {
            try self.pipeline.syncOperations.addHandler(AcceptFailureHandler(crowd), position: .first)
        }
        // Fails if the socket is closed already.
        try? await added.get()
    }
}
