import HTTPTransport
import HummingbirdCore
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Listens on the public port, and ends when its last connection has ended.
package struct PublicServer: Service {
    let address: ListenAddress
    let connection: PublicConnection
    let onListening: @Sendable (Int) async -> Void

    private var registry: ConnectionRegistry { connection.http1.registry }

    /// Returns after a graceful shutdown, or when the task is cancelled; then all connections end at once.
    package func run() async throws {
        let loops = MultiThreadedEventLoopGroup.singleton
        let connections = ServerQuiescingHelper(group: loops)
        let listener = try await listen(on: loops, connections)
        await onListening(listener.localAddress?.port ?? address.port)
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                try? await listener.closeFuture.get()
                await registry.untilEmpty()
            } onGracefulShutdown: {
                connections.initiateShutdown(promise: nil)
            }
        } onCancel: {
            listener.close(promise: nil)
            registry.endInputs()
        }
    }

    private func listen(
        on loops: any EventLoopGroup,
        _ connections: ServerQuiescingHelper
    ) async throws -> any Channel {
        try await ServerBootstrap(group: loops)
            .serverChannelOption(.backlog, value: Int32(ListenAddress.backlog))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: AcceptFailureHandler.connectionsPerRead)
            .serverChannelInitializer { [registry] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AcceptFailureHandler(registry))
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: registry.room))
                    try pipeline.addHandler(connections.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [connection] channel in connection.setUp(channel) }
            .bind(host: address.host, port: address.port)
            .get()
    }
}
