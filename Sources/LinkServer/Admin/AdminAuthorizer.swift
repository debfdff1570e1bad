import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore

/// Lets a request in on the admin port: its key, its tenant, environment and draft, and who to name in the audit.
struct AdminAuthorizer {
    let keys: APIKeyAuthenticator
    let admission: Admission
    let now: @Sendable () -> Timestamp

    /// A request about one tenant that its key may make.
    struct Entry {
        let grant: KeyGrant
        let place: PublishingService.DraftLocation
        let change: AuditContext

        var tenant: TenantID { place.tenant }
        var environment: EnvironmentID { place.environment }
    }

    /// Which of a tenant's limits a request uses up.
    enum Count {
        /// That of its links and of all other requests.
        case request
        /// That of opened tails: who comes back again and again costs no link.
        case tail
    }

    /// The tenant of the path, for a key that has the scope there and in `?environment=`.
    func tenant(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        count: Count = .request
    ) throws -> Entry {
        guard let text = context.parameters.get("tenant"), let tenant = TenantID(text) else {
            throw Problem(.unknownTenant, "A tenant's id has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        let grant = try grant(request, context, scope, of: tenant)
        context.facts.note(tenant)
        // Only for keys that may: with others anybody could use up what is the tenant's.
        try admission.check(count == .tail ? .tails(tenant) : .tenant(tenant))
        let environment = try environment(request)
        guard grant.allows(environment) else {
            throw Problem(.forbidden, "This key is not for the environment '\(environment)'.")
        }
        let draft = request.uri.queryParameters.get("draft") ?? PublishingService.mainDraft
        guard RouteID(draft) != nil else {
            throw Problem(.invalidRequest, "A draft's name has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        return Entry(
            grant: grant,
            place: PublishingService.DraftLocation(tenant, environment, draft: draft),
            change: change(grant, context)
        )
    }

    /// The same, for what all environments and owners of a tenant share.
    func tenantWide(_ request: Request, _ context: ServerRequestContext, _ scope: KeyGrant.Scope) throws -> Entry {
        let entry = try tenant(request, context, scope)
        guard entry.grant.isForWholeTenants else {
            throw Problem(.forbidden, "A key of some environments or routes may not touch what all of them share.")
        }
        return entry
    }

    /// The same, for what is recorded of all routes of a tenant.
    func allRoutes(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        count: Count = .request
    ) throws -> Entry {
        let entry = try tenant(request, context, scope, count: count)
        guard entry.grant.routes == nil else {
            throw Problem(.forbidden, "A key that is limited to routes may not read what is recorded of all of them.")
        }
        return entry
    }

    /// Whether the key that let a request in is still one. It counts as no request.
    func stillHolds(_ entry: Entry, _ request: Request) -> Bool {
        keys.validGrant(in: request.headers)?.id == entry.grant.id
    }

    /// The request's key, which must have the scope for the tenant; without one, for whatever tenants are its own.
    func grant(
        _ request: Request,
        _ context: ServerRequestContext,
        _ scope: KeyGrant.Scope,
        of tenant: TenantID? = nil
    ) throws -> KeyGrant {
        let grant = try keys.grant(of: request, scope: scope, tenant: tenant)
        try QueryNames.adminPort.check(request, context)
        return grant
    }

    func change(_ grant: KeyGrant, _ context: ServerRequestContext) -> AuditContext {
        AuditContext(
            actor: Actor(kind: .key, id: grant.id, name: grant.name),
            at: now(),
            requestID: context.requestID
        )
    }

    private func environment(_ request: Request) throws -> EnvironmentID {
        guard let text = request.uri.queryParameters.get("environment") else { return .production }
        // What was asked for outside of the tenant's environments is counted under a name that none has.
        guard text != EnvironmentID.unpublished.rawValue else { return .unpublished }
        guard let environment = EnvironmentID(text) else {
            throw Problem(.invalidRequest, "An environment's name has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        return environment
    }
}

extension ByteBuffer {
    /// What is smaller is read at once.
    private static let threshold = 64 << 10

    /// Reads a document; a large one on a thread that answers nobody.
    func read<Result: Sendable>(_ read: @escaping @Sendable (ByteBuffer) throws -> Result) async throws -> Result {
        guard readableBytes > Self.threshold, let turn = LargeDocuments.turn else { return try read(self) }
        return try await turn.read { try read(self) }
    }

    func validText() throws -> String {
        guard let text = String(validating: readableBytesView, as: UTF8.self) else {
            throw Problem(.malformedJSON, "The body is not UTF-8.")
        }
        return text
    }
}

extension Request {
    /// The body as a JSON or YAML document.
    mutating func document(upTo limit: Int) async throws -> JSONNode {
        let isYAML = headers[.contentType]?.contains("yaml") == true
        let limit = isYAML ? min(limit, Document.maximumYAMLBytes) : limit
        let body = try await readBody(upTo: limit)
        return try await body.read { body in
            guard !isYAML else {
                return try Document.readYAML(body.validText())
            }
            let limits = JSONReader.Limits(
                maximumBytes: limit,
                maximumDepth: Document.maximumDepth,
                maximumValues: Document.maximumValues
            )
            return try JSONReader.parse(body.readableBytesView, limits: limits)
        }
    }

    mutating func text(upTo limit: Int) async throws -> String {
        try await readBody(upTo: limit).validText()
    }

    /// Whether the client sends a body, as far as the headers tell.
    var hasBody: Bool { headers[.contentLength].map { $0 != "0" } ?? (headers[.transferEncoding] != nil) }

    /// The JSON object of an optional body with these members; an empty one without a body.
    mutating func object(_ keys: String..., upTo limit: Int) async throws -> ObjectField {
        let body = try await readBody(upTo: limit)
        let node =
            body.readableBytes == 0
            ? JSONNode.object([:])
            : try JSONReader.parse(Array(buffer: body), limits: JSONReader.Limits(maximumBytes: limit))
        let object = try Field(node, path: "").anyObject()
        try object.refuseKeys(besides: keys)
        return object
    }

    /// What `If-Match` names, without its quotes; nil without the header.
    func ifMatch<Version>(_ read: (Substring) -> Version?) throws -> Version? {
        guard let header = headers[.ifMatch], header != "*" else { return nil }
        let text =
            header.hasPrefix("\"") && header.hasSuffix("\"") && header.utf8.count > 1
            ? header.dropFirst().dropLast() : header[...]
        guard let version = read(text) else {
            throw Problem(.invalidRequest, "If-Match is the ETag of what was read, such as \"7\".")
        }
        return version
    }

    func expectedDraft() throws -> DraftVersion? { try ifMatch { DraftVersion($0) } }
    func expectedNumber() throws -> Int64? { try ifMatch { Int64($0) } }
    func expectedRevision() throws -> Revision? { try expectedNumber().map(Revision.init(rawValue:)) }
}
