import HTTPTypes
import LinkCatalog
import NIOCore

/// An endpoint of the public port. Its requests are handled on the event loop of their connection.
struct PublicEndpoint: Sendable {
    let methods: [HTTPRequest.Method]
    /// An exact path, such as `/resolve`, or ``anyPath``. It is also the value of the `route` label in metrics.
    let path: String
    /// Maximum size of a body in bytes. Nil if the endpoint ignores bodies; it is then called without waiting for one.
    var bodyLimit: (@Sendable () -> Int)?
    /// Whether a request may carry a key, which is checked before the body is read.
    var acceptsKey = false
    let handle: @Sendable (PublicRequest) throws -> HandlerResult

    /// Every path whose first segment belongs to no other endpoint.
    static let anyPath = "/**"
}

/// A request of the public port, complete and admitted.
struct PublicRequest: Sendable {
    let head: HTTPRequest
    /// Empty if the endpoint ignores bodies.
    let body: ByteBuffer
    /// The grant of the request's key; nil without a key, and for endpoints that accept none.
    let grant: KeyGrant?
    let scope: RequestScope
}

/// What an endpoint of the public port returns.
enum HandlerResult {
    case response(BufferedResponse)
    /// The response follows an event, such as a commit of the log. The closure starts the work and returns at once; it
    /// calls `respond` once, on any thread. The response is then built on the event loop of the connection.
    case later(@Sendable (_ respond: @escaping Respond) -> Void)
    /// The response is built by a task, off the event loops.
    case async(@Sendable () async throws -> BufferedResponse)

    typealias Respond = @Sendable (_ response: @escaping @Sendable () throws -> BufferedResponse) -> Void
}

extension HandlerResult {
    /// The response, for a caller that waits in a task.
    var response: BufferedResponse {
        get async throws {
            switch self {
            case .response(let response): response
            case .later(let start):
                try await withCheckedContinuation { continuation in
                    start { continuation.resume(returning: $0) }
                }()
            case .async(let response): try await response()
            }
        }
    }
}
