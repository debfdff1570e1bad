import NIOCore

/// Stands at a listening socket. Where the system has no descriptor for another connection, the oldest idle one gives its own, and the
/// next is taken a moment later. NIO would ask the system again at once, for ever: the connection that waits is still there.
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
    /// Adds it to a listening socket.
    func survivesLackOfDescriptors(_ crowd: ConnectionRegistry?) async {
        // So many more than may be are taken at most.
        try? await setOption(.maxMessagesPerRead, value: 4).get()
        let added = eventLoop.submit {
            try self.pipeline.syncOperations.addHandler(AcceptFailureHandler(crowd), position: .first)
        }
        // It fails where the socket is closed already.
        try? await added.get()
    }
}
