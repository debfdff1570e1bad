import HTTPTransport
package import Hummingbird
import HummingbirdCore
import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Builds the control socket: the admin API for other processes of the same user and of root, and what only the operator
/// of the machine may do.
///
/// - Parameter path: In a folder that only this user can enter, so nobody else can connect from the first moment on. The
///   umask, which all threads share, need not be changed for the bind.
package func buildControlApplication(
    _ dependencies: ServerDependencies,
    _ tasks: OperatorTasks,
    at path: String
) -> some ApplicationProtocol {
    unlink(path)
    var logger = dependencies.logger
    logger.logLevel = logger.levelOfHummingbird
    return Application(
        router: controlRouter(dependencies, tasks),
        server: HTTPServerBuilder { OwnersConnection(base: HTTP1Channel(responder: $0)) },
        configuration: ApplicationConfiguration(
            address: .unixDomainSocket(path: path),
            serverName: nil,
            availableConnectionsDelegate: .maximum(DescriptorShares.control, logger: dependencies.logger)
        ),
        onServerRunning: { channel in await channel.addAcceptFailureHandler(registry: nil) },
        logger: logger
    )
}
