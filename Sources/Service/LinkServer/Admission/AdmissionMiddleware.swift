import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog

/// Determines the caller and applies its rate limit before the body is read, and again after a wrong key.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let admission: Admission
    let keys: APIKeyAuthenticator

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        try admission.enter(request.head, &context.scope, keys)
        do {
            return try await next(request, context)
        } catch {
            throw admission.reportedError(error, context.scope)
        }
    }
}

extension Admission {
    /// Determines the caller and takes the request from its bucket: the key's if keys have a limit of their own,
    /// because a whole company may share an address.
    func enter(_ head: HTTPRequest, _ scope: inout RequestScope, _ keys: APIKeyAuthenticator) throws(Problem) {
        let policy = policy
        let client = policy.proxies.client(of: scope.client.address, headers: head.headerFields)
        scope.client = client
        let key = policy.key == nil ? nil : keys.validGrant(head.headerFields[.authorization])?.id
        scope.countsForAddress = key == nil
        try check(key.map(Caller.key) ?? .address(client))
    }

    /// Takes the rest of a message from the limit of its address, before anything is resolved: its head was taken as
    /// one request.
    ///
    /// - Parameters:
    ///   - links: The links or reports of the message.
    ///   - bytes: The size of the message; for a click, of its path and query.
    func enter(_ links: Int, bytes: Int, _ scope: RequestScope) throws(Problem) {
        guard scope.countsForAddress else { return }
        try check(.address(scope.client), amount: Self.cost(ofLinks: links, bytes: bytes), after: 1)
    }

    /// Returns the error to answer with. A caller that has sent too many wrong keys no longer learns that a key is
    /// wrong.
    func reportedError(_ error: any Error, _ scope: RequestScope) -> any Error {
        guard let problem = error as? Problem, problem.code == .invalidKey,
            let refusal = admit(.wrongKey(scope.client))
        else { return error }
        return Problem(refusal)
    }
}
