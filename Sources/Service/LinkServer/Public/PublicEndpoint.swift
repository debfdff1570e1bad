import HTTPTransport
import HTTPTypes
import LinkCatalog
import NIOCore

/// An endpoint of the public port. Its requests are handled on the event loop of their connection.
///
/// A class, like ``PublicRequest``, because a copied struct of references would touch reference counts that all event
/// loops share.
final class PublicEndpoint: Sendable {
    let methods: [HTTPRequest.Method]
    /// An exact path, such as `/resolve`, or ``anyPath``. It is also the value of the `route` label in metrics.
    let path: String
    /// Maximum size of a body in bytes. Nil if the endpoint ignores bodies; it is then called without waiting for one.
    let bodyLimit: (@Sendable () -> Int)?
    /// Whether a request may carry a key, which is checked before the body is read.
    let acceptsKey: Bool
    /// Whether a path with additional empty segments, such as `//robots.txt`, is another path.
    let isExact: Bool
    let handle: @Sendable (_ request: PublicRequest, _ body: ByteBuffer) throws -> HandlerResult

    /// Every path whose first segment belongs to no other endpoint.
    static let anyPath = "/**"

    init(
        methods: [HTTPRequest.Method],
        path: String,
        bodyLimit: (@Sendable () -> Int)? = nil,
        acceptsKey: Bool = false,
        isExact: Bool = false,
        handle: @escaping @Sendable (_ request: PublicRequest, _ body: ByteBuffer) throws -> HandlerResult
    ) {
        self.methods = methods
        self.path = path
        self.bodyLimit = bodyLimit
        self.acceptsKey = acceptsKey
        self.isExact = isExact
        self.handle = handle
    }
}

/// A request of the public port besides its body.
final class PublicRequest: Sendable {
    let head: HTTPRequest
    let scope: RequestScope
    /// The grant of the request's key; nil without a key, and for endpoints that accept none.
    let grant: KeyGrant?
    /// The endpoint's path; nil if there is none.
    let route: String?

    init(head: HTTPRequest, scope: RequestScope, grant: KeyGrant?, route: String?) {
        self.head = head
        self.scope = scope
        self.grant = grant
        self.route = route
    }
}

/// The result of an endpoint of the public port.
enum HandlerResult {
    case response(BufferedResponse)
    /// The response follows an event, such as a commit of the log. The closure starts the work and returns at once; the
    /// work calls the responder once, on any thread.
    case later(@Sendable (Responder) -> Void)
    /// The response is built by a task, off the event loops.
    case async(@Sendable () async throws -> BufferedResponse)
}

extension HandlerResult {
    /// The response, for a caller that waits in a task.
    var response: BufferedResponse {
        get async throws {
            switch self {
            case .response(let response): response
            case .later(let start): try await withCheckedContinuation { start(.task($0)) }()
            case .async(let response): try await response()
            }
        }
    }
}

/// The receiver of the response of ``HandlerResult/later(_:)``: a connection or a task.
enum Responder: Sendable {
    case connection(NIOLoopBound<RequestHandler>, PublicRequest)
    case task(CheckedContinuation<@Sendable () throws -> BufferedResponse, Never>)

    /// Sends the response that `build` returns, or the one to its error. `build` runs on the connection's event loop or in the
    /// task.
    func send(_ build: @escaping @Sendable () throws -> BufferedResponse) {
        switch self {
        case .connection(let handler, let request):
            handler.eventLoop.execute { handler.value.finish(request, build) }
        case .task(let continuation): continuation.resume(returning: build)
        }
    }
}
