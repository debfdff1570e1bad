import HummingbirdCore
import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection to the control socket. One that is not of a process of this user or of root is closed before anything is
/// read: who may write to the data directory could have replaced the socket's folder since it was checked.
struct OwnersConnection: ServerChildChannel {
    let base: HTTP1Channel

    private struct ForeignUser: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        peerUser(of: channel)
            .flatMap { user in
                guard user == 0 || user == geteuid() else { return channel.eventLoop.makeFailedFuture(ForeignUser()) }
                return base.setup(channel: channel, logger: logger)
            }
            .flatMapError { error in
                // NIO leaves a connection open whose setup has failed.
                channel.close().flatMapThrowing { throw error }
            }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }

    /// The effective user of the process that called `connect`, as the system recorded it then.
    private func peerUser(of channel: any Channel) -> EventLoopFuture<uid_t> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        #if canImport(Glibc)
            let credentials: EventLoopFuture<PeerCredentials> = socket.unsafeGetSocketOption(
                level: .socket,
                name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            )
            return credentials.map(\.user)
        #else
            let credentials: EventLoopFuture<xucred> = socket.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: SOL_LOCAL),
                name: NIOBSDSocket.Option(rawValue: LOCAL_PEERCRED)
            )
            return credentials.map(\.cr_uid)
        #endif
    }
}

/// `struct ucred` of Linux, which Glibc does not declare for Swift.
private struct PeerCredentials: Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t
}
