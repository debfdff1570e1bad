import Hummingbird
import LinkCatalog
import OutboundHTTP

/// Finds out who asks, and lets nobody ask too often: before a body is read, and once more when a key was wrong.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let admission: Admission
    let keys: KeyRing

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let policy = admission.policy
        let client = policy.proxies.client(of: context.client.address, headers: request.headers)
        context.client = client
        // A key that has a limit of its own is not counted on the address: behind one there may be a whole company.
        let key = policy.key == nil ? nil : keys.validGrant(in: request.headers)?.id
        try admission.check(key.map(Admission.Caller.key) ?? .address(client))
        do {
            return try await next(request, context)
        } catch let problem as Problem where problem.code == .invalidKey {
            try admission.check(.wrongKey(client))
            throw problem
        }
    }
}
