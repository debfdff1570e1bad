import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore

/// Authorizes requests of the admin port: checks the key, tenant, environment and draft, and names the actor for the
/// audit.
struct AdminAuthorizer {
    let keys: APIKeyAuthenticator
    let admission: Admission
    let catalog: LiveCatalog
    let now: @Sendable () -> Timestamp

    /// An authorized request about one tenant.
    struct Entry {
        let grant: KeyGrant
        let location: PublishingService.DraftLocation
        let change: AuditContext

        var tenant: TenantID { location.tenant }
        var environment: EnvironmentID { location.environment }
    }

    /// The rate limit of a tenant that a request counts against.
    enum Count {
        /// The limit of its links and of all other requests.
        case request
        /// The limit of opened tails, so that repeated reconnects do not use up the limit of links.
        case tail
    }

    /// Authorizes a request for the tenant in its path, if the key has the scope there and in `?environment=`.
    ///
    /// - Parameter mayDeclareEnvironment: Whether the request may be about settings that declare a new environment.
    /// - Throws: A ``Problem`` if the key is missing, is invalid, lacks the scope, or exceeds the tenant's rate limit, and
    ///   for an environment that the tenant does not have.
    func tenant(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        count: Count = .request,
        mayDeclareEnvironment: Bool = false
    ) throws -> Entry {
        let entry = try entry(of: try tenant(context), request, context, scope, count)
        if !mayDeclareEnvironment { try requireEnvironment(entry.environment, of: entry) }
        return entry
    }

    private func tenant(_ context: ServerRequestContext) throws -> TenantID {
        guard let text = context.parameters.get("tenant"), let tenant = TenantID(text) else {
            throw Problem.invalidTenantID
        }
        return tenant
    }

    /// Throws for an environment that the tenant does not have, and names those that the key may use.
    func requireEnvironment(_ environment: EnvironmentID, of entry: Entry) throws {
        guard environment != .unpublished,
            let known = catalog.current.environments(of: entry.tenant, without: environment)
        else { return }
        throw PublishingService.Failure.unknownEnvironment(environment, named: known.filter(entry.grant.allows))
    }

    private func entry(
        of tenant: TenantID,
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        _ count: Count,
        isTenantWide: Bool = false
    ) throws -> Entry {
        let grant = try grant(request, context, scope, of: tenant)
        context.logFields.note(tenant)
        // Checked after the key, so that no other caller can use up the tenant's limit.
        if !grant.isOfOperator { try admission.check(count == .tail ? .tails(tenant) : .tenant(tenant)) }
        guard !isTenantWide || grant.isForWholeTenants else {
            throw Problem(
                .forbidden,
                "This operation affects the whole tenant. It needs a key without limits on environments or routes."
            )
        }
        let environment = try environment(request)
        guard grant.allows(environment) else {
            throw Problem(.forbidden, "This key is not valid for the environment '\(environment)'.")
        }
        guard let draft = DraftName(request.parameter("draft") ?? DraftName.main.rawValue) else {
            throw Problem(
                .invalidRequest,
                "A draft name must have 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a letter or digit."
            )
        }
        return Entry(
            grant: grant,
            location: PublishingService.DraftLocation(tenant, environment, draft: draft),
            change: change(grant, context)
        )
    }

    /// Authorizes like ``tenant(_:_:_:count:mayDeclareEnvironment:)``, for data that all environments and owners of a tenant
    /// share.
    func tenantWide(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        mayDeclareEnvironment: Bool = false
    ) throws -> Entry {
        let entry = try entry(of: try tenant(context), request, context, scope, .request, isTenantWide: true)
        if !mayDeclareEnvironment { try requireEnvironment(entry.environment, of: entry) }
        return entry
    }

    /// Authorizes like ``tenant(_:_:_:count:mayDeclareEnvironment:)``, for recorded events of all routes of a tenant.
    func allRoutes(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        count: Count = .request
    ) throws -> Entry {
        try Self.withAllRoutes(tenant(request, context, scope, count: count))
    }

    /// Authorizes like ``allRoutes(_:_:_:count:)``, also for the links that belong to no tenant: they have `-` in the
    /// place of the tenant, and need a key for all tenants.
    func allLinks(_ request: Request, _ context: ServerRequestContext, _ scope: KeyGrant.Scope) throws -> Entry {
        guard context.parameters.get("tenant") == TenantID.none.rawValue else {
            return try allRoutes(request, context, scope)
        }
        return try Self.withAllRoutes(entry(of: .none, request, context, scope, .request))
    }

    private static func withAllRoutes(_ entry: Entry) throws -> Entry {
        guard entry.grant.routeLimits.isEmpty else {
            throw Problem(
                .forbidden,
                "Recorded data covers all routes. Reading it needs a key that is not limited to routes."
            )
        }
        return entry
    }

    /// Whether the key of an authorized request is still valid. It does not count as a request.
    func stillHolds(_ entry: Entry, _ request: Request) -> Bool {
        keys.validGrant(request.headers[.authorization])?.id == entry.grant.id
    }

    /// Returns the grant of the request's key, which must have the scope for the tenant, or for the key's own tenants
    /// if `tenant` is nil. Also rejects unknown query parameters.
    func grant(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        of tenant: TenantID? = nil
    ) throws -> KeyGrant {
        let grant = try keys.grant(request.headers[.authorization], scope: scope, tenant: tenant)
        try QueryNames.adminPort.check(request, context)
        return grant
    }

    func change(_ grant: KeyGrant, _ context: ServerRequestContext) -> AuditContext {
        AuditContext(
            actor: grant.actor,
            at: now(),
            requestID: context.requestID,
            share: Self.share(of: grant)
        )
    }

    private static func share(of grant: KeyGrant) -> QuotaShare {
        guard let tenant = grant.tenant else { return .unlimited }
        return grant.mayChangeSettings(of: tenant) ? .all(tenant) : .half(tenant)
    }

    private func environment(_ request: Request) throws -> EnvironmentID {
        guard let text = request.parameter("environment") else { return .production }
        // Requests outside of the tenant's environments are counted under a name that no environment has.
        guard text != EnvironmentID.unpublished.rawValue else { return .unpublished }
        guard let environment = EnvironmentID(text) else {
            throw Problem(
                .invalidRequest,
                "An environment name must have 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a letter or digit."
            )
        }
        return environment
    }
}

extension Problem {
    static let invalidTenantID = Problem(
        .unknownTenant,
        "A tenant id must have 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a letter or digit."
    )
}
