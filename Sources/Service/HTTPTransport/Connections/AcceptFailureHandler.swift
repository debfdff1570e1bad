import NIOCore

/// Handles accept failures of a listening socket. When the process has no free descriptor, it evicts a connection that
/// waits for its client, and accepts again after a pause. NIO alone would retry at once and forever, because the
/// pending connection stays in the queue.
package final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let pause = TimeAmount.milliseconds(100)
    /// Maximum number of connections that are accepted beyond the port's limit.
    package static let connectionsPerRead: UInt = 4

    private let registry: ConnectionRegistry?
    private var isPausing = false

    package init(_ registry: ConnectionRegistry?) { self.registry = registry }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        guard error is IOError, !isPausing else { return }
        isPausing = true
        registry?.makeRoom()
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

extension Channel {
    /// Adds an ``AcceptFailureHandler`` to a listening socket, so that the socket survives a lack of descriptors.
    ///
    /// - Parameter registry: The connections that may be evicted; nil if none may.
    package func addAcceptFailureHandler(registry: ConnectionRegistry?) async {
        try? await setOption(.maxMessagesPerRead, value: AcceptFailureHandler.connectionsPerRead).get()
        let added = eventLoop.submit {
            try self.pipeline.syncOperations.addHandler(AcceptFailureHandler(registry), position: .first)
        }
        // Fails if the socket is closed already.
        try? await added.get()
    }
}
