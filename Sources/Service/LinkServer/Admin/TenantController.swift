import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Serves tenants and their settings.
struct TenantController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let store: any SettingsStore
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants", use: list)
        router.delete("/admin/v1/tenants/:tenant", use: remove)
        router.post("/admin/v1/tenants/:tenant/archive", use: archive)
        router.post("/admin/v1/tenants/:tenant/unarchive", use: unarchive)
        router.get("/admin/v1/tenants/:tenant/settings", use: show)
        router.put("/admin/v1/tenants/:tenant/settings", use: write)
        router.get("/admin/v1/tenants/:tenant/settings/history", use: history)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .tablesRead)
        let visible = try await store.tenants().filter { grant.allows(.tablesRead, for: $0.id) }
        return Response(
            try PageRequest(request).answer(of: visible, "tenants") { tenant in
                .object([
                    "id": .string(tenant.id.rawValue),
                    "settingsRevision": .int(tenant.settingsRevision),
                    "live": JSONNode(
                        .object(
                            tenant.live.filter { grant.allows($0.key) }.sorted { $0.key.rawValue < $1.key.rawValue }.map
                            {
                                JSONNode.Member($0.key.rawValue, .int($0.value.rawValue))
                            }
                        )
                    ),
                    "archivedAt": tenant.archivedAt.map { .string($0.description) },
                ])
            } key: {
                $0.id.rawValue
            }
        )
    }

    @Sendable private func archive(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await requireTenant(request, context)
        try await publishing.archive(entry.tenant, change: entry.change)
        return Response(.object(["tenant": .string(entry.tenant.rawValue), "archived": .bool(true)]))
    }

    @Sendable private func unarchive(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await requireTenant(request, context)
        try await publishing.unarchive(entry.tenant, change: entry.change)
        return Response(.object(["tenant": .string(entry.tenant.rawValue), "archived": .bool(false)]))
    }

    @Sendable private func remove(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await requireTenant(request, context)
        try await publishing.remove(entry.tenant, change: entry.change)
        return Response(status: .noContent)
    }

    /// Authorizes an operator's decision about a tenant that exists.
    private func requireTenant(
        _ request: Request,
        _ context: ServerRequestContext
    ) async throws -> AdminAuthorizer.Entry {
        let entry = try authorizer.tenantWide(request, context, .admin)
        guard entry.grant.tenant == nil else {
            throw Problem(.forbidden, "Only a key for all tenants can archive and remove tenants.")
        }
        try await store.require(entry.tenant)
        try await context.once(entry.grant, of: entry.tenant)
        return entry
    }

    /// Returns the live settings, or those of `?revision=`.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead, mayDeclareEnvironment: true)
        try await store.require(entry.tenant)
        var number: Int64?
        if let text = request.parameter("revision") {
            guard let revision = Int64(text) else {
                throw Problem(.invalidRequest, "'revision' must be a number, such as 3.")
            }
            number = revision
        }
        guard let row = try await store.settings(of: entry.tenant, revision: number) else {
            throw Problem(
                .unknownRevision,
                "There is no such revision of the settings; list the revisions at …/settings/history."
            )
        }
        return answer(row)
    }

    /// Lists the revisions of the settings, newest first, without their contents.
    @Sendable private func history(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        try await store.require(entry.tenant)
        let page = try PageRequest(request)
        let rows = try await store.settingsHistory(
            of: entry.tenant,
            before: try page.number(),
            limit: page.limit + 1
        )
        return Response(
            page.answer("settings", rows) { row in
                .object([
                    "settingsRevision": .int(row.revision), "actor": row.actor.json,
                    "writtenAt": .string(row.writtenAt.description),
                ])
            } cursor: {
                "\($0.revision)"
            }
        )
    }

    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .admin, mayDeclareEnvironment: true)
        var request = request
        let content = try await request.document(
            upTo: Document.maximumSettingsBytes,
            not: "settings",
            .invalidSettings
        )
        try await context.once(entry.grant, of: entry.tenant)
        let row = try await publishing.saveSettings(
            content,
            of: entry.tenant,
            expected: try request.expectedNumber(),
            // A key of one tenant must not claim a part of another tenant's hosts.
            claims: entry.grant.tenant == nil ? .overlapping : .exclusive,
            change: entry.change
        )
        return answer(row, status: row.revision == 1 ? .created : .ok)
    }

    private func answer(_ row: StoredSettings, status: HTTPResponse.Status = .ok) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("tenant", row.tenant.rawValue)
        writer.member("settingsRevision", row.revision)
        writer.member("settings", row.content)
        writer.endObject()
        return Response(status: status, json: writer.finish(), headers: [.eTag: "\"\(row.revision)\""])
    }
}
