import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Lets a request in on the admin port: its key, its tenant, environment and draft, and who to name in the audit.
struct AdminGate {
    let keys: KeyRing
    let admission: Admission
    let now: @Sendable () -> Timestamp

    /// A request about one tenant that its key may make.
    struct Entry {
        let grant: KeyGrant
        let place: CatalogEditor.Place
        let change: Change

        var tenant: TenantID { place.tenant }
        var environment: EnvironmentID { place.environment }
    }

    /// The tenant of the path, for a key that has the scope there and in `?environment=`.
    func tenant(_ request: Request, _ context: ServerRequestContext, _ scope: KeyGrant.Scope) throws -> Entry {
        guard let text = context.parameters.get("tenant"), let tenant = TenantID(text) else {
            throw Problem(.unknownTenant, "A tenant's id has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        let grant = try keys.grant(of: request, scope: scope, tenant: tenant)
        context.facts.note(tenant)
        // Only for keys that may: with others anybody could use up what is the tenant's.
        try admission.check(.tenant(tenant))
        let environment = try environment(request)
        guard grant.allows(environment) else {
            throw Problem(.forbidden, "This key is not for the environment '\(environment)'.")
        }
        let draft = request.uri.queryParameters.get("draft") ?? CatalogEditor.mainDraft
        guard RouteID(draft) != nil else {
            throw Problem(.invalidRequest, "A draft's name has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        return Entry(
            grant: grant,
            place: CatalogEditor.Place(tenant, environment, draft: draft),
            change: change(grant, context)
        )
    }

    /// The same, for what all environments and owners of a tenant share.
    func wholeTenant(_ request: Request, _ context: ServerRequestContext, _ scope: KeyGrant.Scope) throws -> Entry {
        let entry = try tenant(request, context, scope)
        guard entry.grant.isForWholeTenants else {
            throw Problem(.forbidden, "A key of some environments or routes may not touch what all of them share.")
        }
        return entry
    }

    /// A key that has the scope for whatever tenants are its own.
    func grant(_ request: Request, _ scope: KeyGrant.Scope) throws -> KeyGrant {
        try keys.grant(of: request, scope: scope, tenant: nil)
    }

    func change(_ grant: KeyGrant, _ context: ServerRequestContext) -> Change {
        Change(
            actor: Actor(kind: .key, id: grant.id, name: grant.name),
            at: now(),
            requestID: context.requestID
        )
    }

    private func environment(_ request: Request) throws -> EnvironmentID {
        guard let text = request.uri.queryParameters.get("environment") else { return .production }
        guard let environment = EnvironmentID(text) else {
            throw Problem(.invalidRequest, "An environment's name has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        return environment
    }
}

extension Request {
    /// The body as a JSON or YAML document.
    mutating func document(upTo limit: Int) async throws -> JSONNode {
        let text = try await text(upTo: limit)
        let isYAML = headers[.contentType]?.contains("yaml") == true
        guard !isYAML else { return try Document.readYAML(text) }
        return try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: limit, maximumDepth: 64))
    }

    mutating func text(upTo limit: Int) async throws -> String {
        let body = try await collectBody(upTo: limit)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw Problem(.malformedJSON, "The body is not UTF-8.")
        }
        return text
    }

    /// Whether the client sends a body, as far as the headers tell.
    var hasBody: Bool { headers[.contentLength].map { $0 != "0" } ?? (headers[.transferEncoding] != nil) }

    /// The JSON object of an optional body with these members; an empty one without a body.
    mutating func object(_ keys: String..., upTo limit: Int) async throws -> ObjectField {
        let body = try await collectBody(upTo: limit)
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
