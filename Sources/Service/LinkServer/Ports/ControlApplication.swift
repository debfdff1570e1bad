import HTTPTransport
package import Hummingbird
import HummingbirdCore
package import LinkRouting
package import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Builds the control socket, which takes messages from other processes of the same user and of root.
///
/// - Parameter path: In a folder that only this user can enter, so nobody else can connect from the first moment on. The
///   umask, which all threads share, need not be changed for the bind.
package func buildControlApplication(
    at path: String,
    logger: Logger,
    answer: @escaping @Sendable (JSONNode) async throws -> JSONNode
) -> some ApplicationProtocol {
    unlink(path)
    var own = logger
    own.logLevel = logger.levelOfHummingbird
    let router = Router(context: ServerRequestContext.self)
    router.add(middleware: ErrorMiddleware(errors: ErrorMapper(logger: logger)))
    router.post("/control") { request, _ in
        var request = request
        let body = try await request.readBody(upTo: 65_536)
        let message = try JSONReader.parse(Array(buffer: body), limits: JSONReader.Limits(maximumBytes: 65_536))
        return Response(json: Array(try await answer(message).json().utf8))
    }
    return Application(
        router: router,
        server: HTTPServerBuilder { OwnersConnection(base: HTTP1Channel(responder: $0)) },
        configuration: ApplicationConfiguration(
            address: .unixDomainSocket(path: path),
            serverName: nil,
            availableConnectionsDelegate: .maximum(DescriptorShares.control, logger: logger)
        ),
        onServerRunning: { channel in await channel.addAcceptFailureHandler(registry: nil) },
        logger: own
    )
}
