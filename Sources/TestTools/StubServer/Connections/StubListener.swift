import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StubMatching
import Synchronization

/// The socket of a stub server, and its open connections.
final class StubListener: Sendable {
    private let channel: any Channel
    private let connections: ConnectionCount

    /// Listens on the address.
    ///
    /// - Parameter tls: Nil for HTTP without TLS.
    init(
        host: String,
        port: Int,
        tls: NIOSSLContext?,
        limits: StubLimits,
        memory: MessageMemory,
        group: any EventLoopGroup,
        handle: @escaping @Sendable (ReceivedRequest) -> Handling
    ) async throws {
        let connections = ConnectionCount(limit: limits.connections)
        self.connections = connections
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                guard connections.add(channel) else { return channel.close() }
                channel.closeFuture.whenComplete { _ in connections.remove(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandlers(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        StubConnection(limits, memory, scheme: tls == nil ? "http" : "https", handle: handle)
                    )
                }
            }
        channel = try await bootstrap.bind(host: host, port: port).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    /// Stops listening and closes all connections.
    func stop() async {
        try? await channel.close()
        connections.closeAll()
    }
}

/// The open connections.
private final class ConnectionCount: Sendable {
    private let limit: Int
    private let open: Mutex<[ObjectIdentifier: any Channel]> = Mutex([:])

    init(limit: Int) { self.limit = limit }

    /// Returns false when there are too many.
    func add(_ channel: any Channel) -> Bool {
        open.withLock { open in
            guard open.count < limit else { return false }
            open[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func remove(_ channel: any Channel) { open.withLock { $0[ObjectIdentifier(channel)] = nil } }

    func closeAll() {
        for channel in open.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
