import Hummingbird
import LinkCatalog
import LinkRouting

/// Lets a request in on the admin port: its key, its tenant and environment, and who to name in the audit.
struct AdminGate {
    let keys: KeyRing
    let now: @Sendable () -> Timestamp

    /// The tenant of the path, for a key that has the scope there.
    func tenant(_ request: Request, _ context: ServerRequestContext, _ scope: KeyGrant.Scope) throws -> Entry {
        guard let text = context.parameters.get("tenant"), let tenant = TenantID(text) else {
            throw Problem(.unknownTenant, "A tenant's id has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        let grant = try keys.grant(of: request, scope: scope, tenant: tenant)
        return Entry(tenant: tenant, environment: try environment(request), change: change(grant, context))
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
        guard text == EnvironmentID.production.rawValue else {
            throw Problem(.invalidRequest, "The only environment is 'production' for now; leave 'environment' out.")
        }
        return .production
    }

    struct Entry {
        let tenant: TenantID
        let environment: EnvironmentID
        let change: Change
    }
}

extension Request {
    /// The body as a JSON or YAML document.
    mutating func document(upTo limit: Int) async throws -> JSONNode {
        let body = try await collectBody(upTo: limit)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw Problem(.malformedJSON, "The body is not UTF-8.")
        }
        let isYAML = headers[.contentType]?.contains("yaml") == true
        guard !isYAML else { return try Document.readYAML(text) }
        return try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: limit, maximumDepth: 64))
    }

    /// The version that `If-Match: "7"` names; nil without the header.
    func expectedVersion() throws -> Int64? {
        guard let header = headers[.ifMatch] else { return nil }
        let text =
            header.hasPrefix("\"") && header.hasSuffix("\"") && header.utf8.count > 1
            ? header.dropFirst().dropLast() : header[...]
        guard let version = Int64(text) else {
            throw Problem(.invalidRequest, "If-Match is the ETag of what was read, such as \"7\".")
        }
        return version
    }
}
