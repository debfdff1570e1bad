import HTTPTypes
import Hummingbird
import LinkCatalog

/// Finds out who asks, and lets nobody ask too often: before a body is read, and once more when a key was wrong.
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
            throw admission.judged(error, context.scope)
        }
    }
}

extension Admission {
    /// Finds out who asks, and counts the request on them: on their key where keys have a limit of their own, as behind an
    /// address there may be a whole company.
    func enter(_ head: HTTPRequest, _ scope: inout RequestScope, _ keys: APIKeyAuthenticator) throws(Problem) {
        let policy = policy
        let client = policy.proxies.client(of: scope.client.address, headers: head.headerFields)
        scope.client = client
        let key = policy.key == nil ? nil : keys.validGrant(in: head.headerFields)?.id
        try check(key.map(Caller.key) ?? .address(client))
    }

    /// What is told of an error: who has shown wrong keys too often learns no longer that they are wrong.
    func judged(_ error: any Error, _ scope: RequestScope) -> any Error {
        guard let problem = error as? Problem, problem.code == .invalidKey,
            let refusal = admit(.wrongKey(scope.client))
        else { return error }
        return Problem(refusal)
    }
}
