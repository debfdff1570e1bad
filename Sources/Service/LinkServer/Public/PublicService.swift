import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore
import Networking

/// The state that all requests of the public port share.
final class PublicService: Sendable {
    let router: PublicRouter
    let catalog: LiveCatalog
    let instrumentation: RequestInstrumentation
    let admission: Admission
    let keys: APIKeyAuthenticator
    let buffers: RequestBufferBudget
    let date: ResponseDate

    init(
        router: PublicRouter,
        catalog: LiveCatalog,
        instrumentation: RequestInstrumentation,
        admission: Admission,
        keys: APIKeyAuthenticator,
        buffers: RequestBufferBudget,
        date: ResponseDate
    ) {
        self.router = router
        self.catalog = catalog
        self.instrumentation = instrumentation
        self.admission = admission
        self.keys = keys
        self.buffers = buffers
        self.date = date
    }

    /// The properties of a response that are known once the head of its request is read.
    enum Dispatch {
        /// - Parameter bodyLimit: Nil if the endpoint ignores bodies.
        case endpoint(PublicEndpoint, bodyLimit: Int?)
        case failure(any Error)
    }

    /// Begins a request: applies the rate limit, finds the endpoint and checks the key. ``end(_:_:)`` must follow.
    func begin(_ head: HTTPRequest, from client: ClientAddress) -> (PublicRequest, Dispatch) {
        var scope = RequestScope(client: client)
        instrumentation.begin(head, &scope)
        var (grant, route): (KeyGrant?, String?)
        let dispatch: Dispatch
        do {
            try admission.enter(head, &scope, keys)
            switch router.match(head.method, head.path ?? "") {
            case .refused(let problem, let path):
                route = path
                dispatch =
                    if let endpoint = preflight(head, at: path) {
                        .endpoint(endpoint, bodyLimit: nil)
                    } else {
                        .failure(isClick(head) ? Problem.methodNotAllowed(besides: "GET, HEAD") : problem)
                    }
            case .endpoint(let endpoint):
                route = endpoint.path
                if endpoint.acceptsKey { grant = try keys.optionalGrant(head.headerFields.value(of: .authorization)) }
                let bodyLimit = endpoint.bodyLimit?()
                if let bodyLimit { try head.headerFields.checkBody(upTo: bodyLimit) }
                dispatch = .endpoint(endpoint, bodyLimit: bodyLimit)
            }
        } catch {
            dispatch = .failure(error)
        }
        return (PublicRequest(head: head, scope: scope, grant: grant, route: route), dispatch)
    }

    /// Whether the request would be a click with the method `GET`. A path of another port is a request to the wrong port.
    private func isClick(_ head: HTTPRequest) -> Bool {
        let (path, catalog) = (head.path ?? "", catalog.current)
        guard case .endpoint(let endpoint) = router.match(.get, path), endpoint.path == PublicEndpoint.anyPath,
            !path.isReservedPath, Problem.wrongPort(path, at: .public) == nil, let host = head.host(in: catalog)
        else { return false }
        return catalog.table(forHost: host.name, port: host.port)?.serves == .links
    }

    /// Ends a request: completes its response, and notes it in the log and the metrics.
    func end(_ request: PublicRequest, _ response: inout BufferedResponse) {
        instrumentation.end(request.head, request.scope, route: request.route, response.status)
        share(&response, with: request)
        response.common = request.scope.headers(date: date.now)
        if request.head.method == .head { response = response.withoutBody }
    }

    /// Answers a request whose body is complete.
    func answer(_ head: HTTPRequest, _ body: ByteBuffer, from client: ClientAddress) async -> BufferedResponse {
        let (request, dispatch) = begin(head, from: client)
        var answer: BufferedResponse
        do {
            switch dispatch {
            case .endpoint(let endpoint, let limit):
                if let limit, body.readableBytes > limit { throw Problem(bodyOver: limit) }
                answer = try await TraceContext.$current.withValue(request.scope.trace) {
                    try await endpoint.handle(request, body).response
                }
            case .failure(let error): throw error
            }
        } catch {
            answer = response(to: error, request)
        }
        end(request, &answer)
        return answer
    }

    /// Returns the problem as JSON, or as a page for people if a browser asks. What it logs has the request's trace.
    func response(to error: any Error, _ request: PublicRequest) -> BufferedResponse {
        let response = TraceContext.$current.withValue(request.scope.trace) {
            instrumentation.errors.answer(to: admission.reportedError(error, request.scope), request.scope)
        }
        guard request.head.isOfBrowser else { return response }
        let catalog = catalog.current
        let host = request.head.host(in: catalog)
        let table = host.flatMap { catalog.table(forHost: $0.name, port: $0.port)?.table }
        let page = TenantPage(
            table?.settings,
            host: table == nil ? nil : host?.name,
            languages: [LanguageTag](acceptLanguage: request.head.headerFields.value(of: .acceptLanguage))
        )
        return ProblemPage(of: response.status).response(
            response.status,
            in: page,
            requestID: request.scope.requestID.description,
            headers: response.headers
        )
    }
}
