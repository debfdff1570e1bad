import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Tenants and their settings.
struct TenantController {
    let gate: AdminGate
    let editor: CatalogEditor
    let store: any CatalogStore
    let limits: ServerLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants", use: list)
        router.get("/admin/v1/tenants/:tenant/settings", use: show)
        router.put("/admin/v1/tenants/:tenant/settings", use: write)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try gate.keys.grant(of: request, scope: .tablesRead, tenant: nil)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("tenants")
        writer.beginArray()
        for (settings, live) in try await store.snapshot().tenants where grant.allows(.tablesRead, for: settings.tenant)
        {
            writer.beginObject()
            writer.member("id", settings.tenant.rawValue)
            writer.member("settingsRevision", settings.revision)
            writer.key("live")
            writer.beginObject()
            for table in live { writer.member(table.environment.rawValue, table.revision.rawValue) }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Response(json: writer.bytes)
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        guard let row = try await store.settings(of: entry.tenant) else {
            throw CatalogEditor.Failure.unknownTenant(entry.tenant)
        }
        return answer(row)
    }

    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .admin)
        var request = request
        let content = try await request.document(upTo: limits.tableBytes)
        let row: SettingsRow
        do {
            row = try await editor.saveSettings(
                content,
                of: entry.tenant,
                expected: try request.expectedVersion(),
                change: entry.change
            )
        } catch let error as DocumentError {
            throw Problem(.invalidSettings, error.description, findings: [Finding(error)])
        }
        return answer(row, status: row.revision == 1 ? .created : .ok)
    }

    private func answer(_ row: SettingsRow, status: HTTPResponse.Status = .ok) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("tenant", row.tenant.rawValue)
        writer.member("settingsRevision", row.revision)
        writer.member("settings", row.content)
        writer.endObject()
        return Response(status: status, json: writer.bytes, headers: [.eTag: "\"\(row.revision)\""])
    }
}
