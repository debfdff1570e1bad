import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Lists and ends the sessions of people who have signed in to the console with a key.
struct SessionController {
    let authorizer: AdminAuthorizer
    let store: any SessionStore & KeyStore & AuditStore

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/sessions", use: list)
        router.delete("/admin/v1/sessions/:id", use: end)
    }

    /// A session of a valid key.
    fileprivate struct Entry {
        let session: Session
        let key: KeyGrant
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .keys)
        return Response(
            try PageRequest(request).answer(of: await entries(visibleTo: grant), "sessions", \.json) { $0.session.id }
        )
    }

    @Sendable private func end(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .keys)
        let id = context.parameters.get("id") ?? ""
        guard let entry = try await entries(visibleTo: grant).first(where: { $0.session.id == id }) else {
            throw Problem(.notFound, "There is no such session; list them at /admin/v1/sessions.")
        }
        guard entry.key.permitsNoMore(than: grant) || entry.key.id == grant.id else {
            throw Problem(
                .forbidden,
                "The key of the session has more permissions than this key. End it with a key that has at least the same."
            )
        }
        try await context.once(grant, of: entry.key.tenant)
        guard try await store.removeSession(entry.session.hash) else { return Response(status: .noContent) }
        let facts: JSONNode = .object(["key": .string(entry.key.id.rawValue), "keyName": .string(entry.key.name)])
        try await store.note(
            AuditAction(.endSession, of: entry.key.tenant, facts),
            change: authorizer.change(grant, context)
        )
        return Response(status: .noContent)
    }

    /// Returns the sessions of the tenant of the key, or all sessions; newest first.
    private func entries(visibleTo grant: KeyGrant) async throws -> [Entry] {
        let now = authorizer.now()
        let sessions = try await store.sessions(of: nil, at: now)
        let keys = Dictionary(
            try await store.keyGrants(Array(Set(sessions.map(\.key)))).map { ($0.id, $0) }
        ) { first, _ in first }
        return sessions.compactMap { session in
            // A session ends with its key.
            guard let key = keys[session.key], key.isValid(at: now), grant.tenant == nil || key.tenant == grant.tenant
            else { return nil }
            return Entry(session: session, key: key)
        }
    }
}

extension SessionController.Entry {
    fileprivate var json: JSONNode {
        .object([
            "id": .string(session.id), "key": .string(key.id.rawValue), "keyName": .string(key.name),
            "createdAt": .string(session.createdAt.description), "usedAt": .string(session.usedAt.description),
            "endsAt": .string(session.endsAt.description),
        ])
    }
}
