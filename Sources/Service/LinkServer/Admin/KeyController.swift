import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Creates, rotates and revokes the keys of the admin API and of callers. A key cannot grant more than it has itself.
struct KeyController {
    let authorizer: AdminAuthorizer
    let keys: APIKeyIssuer
    let store: any SettingsStore & RevisionStore & KeyStore
    let limits: LiveLimits

    /// Seconds for which a rotated key stays valid, by default and at most.
    private static let grace = Int64(86_400)
    private static let maximumGrace = Int64(90 * 86_400)

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/keys", use: list)
        router.post("/admin/v1/keys", use: create)
        router.get("/admin/v1/keys/:id", use: show)
        router.post("/admin/v1/keys/:id/rotate", use: rotate)
        router.delete("/admin/v1/keys/:id", use: revoke)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .keys)
        let page = try PageRequest(request)
        let ids = try page.part(of: try await store.keyIDs(of: grant.tenant), key: \.rawValue)
        return Response(page.answer("keys", try await store.keyGrants(Array(ids)), \.json, cursor: \.id.rawValue))
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        Response(try await target(request, context).json)
    }

    /// Takes `{"name", "tenant", "scopes", "environments", "owners", "pathPrefixes", "expiresAt"}`; `key` is shown only
    /// in this response.
    @Sendable private func create(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .keys)
        var request = request
        let object = try await request.object(
            "name",
            "tenant",
            "scopes",
            "environments",
            "owners",
            "pathPrefixes",
            "expiresAt",
            upTo: limits.bodyBytes
        )
        let keyRequest = try APIKeyIssuer.KeyRequest(object, at: authorizer.now())
        // Only keys that may be for the tenant learn whether it exists; the others are refused below.
        if let tenant = keyRequest.tenant, grant.allows(.keys, for: tenant) { try await store.require(tenant) }
        if keyRequest.tenant.map({ grant.allows(.keys, for: $0) }) ?? (grant.tenant == nil) {
            try await requireEnvironments(of: keyRequest, within: grant)
        }
        try await context.once(grant, of: keyRequest.tenant, secret: "key")
        let (key, made) = try await keys.create(keyRequest, change: authorizer.change(grant, context), within: grant)
        return Response(made.json(with: key), status: .created)
    }

    /// Creates a key with the same rights. The old one stays valid for `{"graceSeconds": 86400}`.
    @Sendable private func rotate(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let old = try await target(request, context)
        let grant = try authorizer.grant(request, context, .keys)
        guard old.permitsNoMore(than: grant) else {
            throw Problem(
                .forbidden,
                "The key to rotate has more permissions than this key. Rotate it with a key that has at least the same."
            )
        }
        guard old.isValid(at: authorizer.now()) else {
            throw Problem(.invalidRequest, "The key is expired or revoked. Create a new one with POST /admin/v1/keys.")
        }
        var request = request
        let object = try await request.object("graceSeconds", upTo: limits.bodyBytes)
        let grace = try object["graceSeconds"]?.int(in: 0...Self.maximumGrace) ?? Self.grace
        try await context.once(grant, of: old.tenant, secret: "key")
        let change = authorizer.change(grant, context)
        let (key, made) = try await keys.create(APIKeyIssuer.KeyRequest(old), change: change, within: grant)
        let end = Timestamp(milliseconds: change.at.milliseconds + grace * 1_000)
        let ending = try await keys.end(old.id, at: end, as: .rotate, change: change)
        var members = made.json(with: key).members ?? []
        members.append(JSONNode.Member("replaces", ending?.key.json ?? .null))
        return Response(JSONNode(.object(members)), status: .created)
    }

    /// Revokes a key, the keys that it created and those that it replaced; with `?withChildren=false`, only the key itself.
    @Sendable private func revoke(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let old = try await target(request, context)
        let grant = try authorizer.grant(request, context, .keys)
        // Every key can revoke itself.
        guard old.permitsNoMore(than: grant) || old.id == grant.id else {
            throw Problem(
                .forbidden,
                "The key to revoke has more permissions than this key. Revoke it with a key that has at least the same."
            )
        }
        let text = request.parameter("withChildren") ?? "true"
        guard let isWithChildren = Bool(text) else {
            throw Problem(.invalidRequest, "'withChildren' must be true or false.")
        }
        try await context.once(grant, of: old.tenant)
        let change = authorizer.change(grant, context)
        let action = isWithChildren ? KeyEnd.revoke : .revokeAlone
        let ended = try await keys.end(old.id, at: change.at, as: action, change: change)
        return Response(ended?.json ?? .null)
    }

    /// Throws if a key would be for an environment that its tenants do not have. Before the first tenant, a key for all
    /// tenants may name any. An environment that the caller may not use is refused later.
    private func requireEnvironments(of request: APIKeyIssuer.KeyRequest, within grant: KeyGrant) async throws {
        guard let environments = request.environments, environments.allSatisfy(grant.allows) else { return }
        var tenants = request.tenant.map { [$0] } ?? []
        if request.tenant == nil { tenants = try await store.tenants().map(\.id) }
        var known: Set<EnvironmentID> = []
        for tenant in tenants where !environments.isSubset(of: known) {
            known.formUnion(try await store.live(of: tenant).keys)
            // Settings that cannot be read must not prevent a key that repairs them.
            guard let settings = try? await store.settings(of: tenant)?.read() else { return }
            known.formUnion(settings.namedEnvironments)
        }
        guard !tenants.isEmpty, let unknown = environments.subtracting(known).min() else { return }
        throw PublishingService.Failure.unknownEnvironment(unknown, named: known.filter(grant.allows))
    }

    /// Returns the key in the path, if the caller may see it.
    private func target(_ request: Request, _ context: ServerRequestContext) async throws -> KeyGrant {
        let grant = try authorizer.grant(request, context, .keys)
        let text = context.parameters.get("id") ?? ""
        guard !text.hasPrefix(APIKey.prefix) else {
            throw Problem(
                .keyInPath,
                "The path has a whole key, which proxies may have logged. Name the key by its id, the twelve characters "
                    + "before its secret, and revoke it if others can read those logs."
            )
        }
        let id = KeyID(rawValue: text)
        let known = try await store.keyGrants([id]).first
        guard let known, grant.tenant == nil || known.tenant == grant.tenant else {
            throw Problem(.unknownKey, "There is no such key; list them at /admin/v1/keys.")
        }
        return known
    }
}
