import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import Logging
import NIOCore

/// Adds the endpoints of the control socket to a router: those of the admin port, for callers who need no key, and those
/// of the operator alone.
func addControlEndpoints(
    _ dependencies: ServerDependencies,
    _ tasks: OperatorTasks,
    to router: Hummingbird.Router<ServerRequestContext>
) {
    var dependencies = dependencies
    dependencies.keys = APIKeyAuthenticator([], everyone: .ofOperator, now: dependencies.linkResolver.now)
    addAdminEndpoints(dependencies, to: router)
    OperatorController(exporter: dependencies.exporter, catalog: dependencies.linkResolver.catalog, tasks: tasks)
        .addRoutes(to: router)
}

/// The endpoints of the control socket without a socket, for a process that holds a data directory and serves no port.
package struct ControlEndpoints: Sendable {
    private let dependencies: ServerDependencies
    private let respond: @Sendable (Request, ServerRequestContext) async throws -> Response

    package init(_ dependencies: ServerDependencies, _ tasks: OperatorTasks) {
        self.dependencies = dependencies
        let router = Router(context: ServerRequestContext.self)
        addControlEndpoints(dependencies, tasks, to: router)
        let responder = router.buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    /// Answers a request. Throws errors of the disk, which say more than the problem that a server makes of them.
    package func answer(
        _ method: String,
        _ target: String,
        _ headers: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> (status: Int, body: [UInt8]) {
        var fields = HTTPFields()
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        let request = Request(
            head: HTTPRequest(
                method: HTTPRequest.Method(rawValue: method) ?? .get,
                scheme: "http",
                authority: nil,
                path: target,
                headerFields: fields
            ),
            body: RequestBody(buffer: ByteBuffer(bytes: body))
        )
        let resolver = dependencies.linkResolver
        let context = ServerRequestContext(
            requestID: resolver.eventIDs.next(at: resolver.now()),
            logger: dependencies.logger
        )
        let response: Response
        do {
            response = try await respond(request, context)
        } catch let error as any DiskError {
            throw error
        } catch {
            response = Response(ErrorMapper(logger: dependencies.logger).answer(to: error, context.scope))
        }
        let collector = BodyCollector()
        try await response.body.write(collector)
        return (response.status.code, collector.bytes.withLock(\.self))
    }
}
