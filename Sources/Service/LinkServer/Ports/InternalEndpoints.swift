package import HTTPTypes
package import Hummingbird
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

/// Endpoints whose requests come from this process.
package struct InternalEndpoints: Sendable {
    private let dependencies: ServerDependencies
    private let respond: @Sendable (Request, ServerRequestContext) async throws -> Response

    private init(_ dependencies: ServerDependencies, _ router: Router<ServerRequestContext>) {
        self.dependencies = dependencies
        let responder = router.buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    /// Those of the control socket, for a process that holds a data directory and serves no port.
    package init(ofControl dependencies: ServerDependencies, _ tasks: OperatorTasks) {
        let router = Router(context: ServerRequestContext.self)
        addControlEndpoints(dependencies, tasks, to: router)
        self.init(dependencies, router)
    }

    /// Those of the admin port, for its pages. The limits of addresses and of keys are those of the page's request.
    package init(ofAdminPort dependencies: ServerDependencies) {
        let router = Router(context: ServerRequestContext.self)
        addAdminEndpoints(dependencies, to: router)
        router.refuseOtherMethods()
        self.init(dependencies, router)
    }

    /// Answers a request. Throws errors of the disk, which say more than the problem that a server makes of them.
    package func answer(
        _ method: String,
        _ target: String,
        _ headers: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> (status: Int, headers: HTTPFields, body: [UInt8]) {
        let response = try await response(to: method, target, headers, body)
        let collector = BodyCollector()
        try await response.body.write(collector)
        return (response.status.code, response.headers, collector.bytes.withLock(\.self))
    }

    /// Answers a request whose answer may be a stream. Throws as ``answer(_:_:_:_:)``.
    package func response(
        to method: String,
        _ target: String,
        _ headers: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> Response {
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
        do {
            return try await respond(request, context)
        } catch let error as any DiskError {
            throw error
        } catch {
            return Response(ErrorMapper(logger: dependencies.logger).answer(to: error, context.scope))
        }
    }
}
