import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkRouting

/// Replays recorded links against a draft to show what it would change.
struct ReplayController {
    let authorizer: AdminAuthorizer
    let replayer: Replayer
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.post("/admin/v1/tenants/:tenant/draft/replay", use: replay)
    }

    /// The response shows recorded links, so the key must also be allowed to export them.
    @Sendable private func replay(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.allRoutes(request, context, .tablesRead)
        guard entry.grant.allows(.exportsRead, for: entry.tenant) else {
            throw Problem(.forbidden, "A replay shows recorded links, so this key needs the scope 'exports:read'.")
        }
        var request = request
        let replayRequest = try ReplayRequest(
            try await request.object("sinceSeconds", "limit", "purposes", upTo: limits.bodyBytes)
        )
        return Response(try await replayer.replay(replayRequest, at: entry.location, limit: entry.grant).json)
    }
}
