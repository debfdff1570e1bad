import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Single routes of a tenant's draft.
struct RouteController {
    let gate: AdminGate
    let editor: CatalogEditor
    let limits: ServerLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/routes", use: list)
        router.get("/admin/v1/tenants/:tenant/routes/:id", use: show)
        router.put("/admin/v1/tenants/:tenant/routes/:id", use: write)
        router.delete("/admin/v1/tenants/:tenant/routes/:id", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        let draft = try await editor.draft(of: entry.tenant, in: entry.environment)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("routes", draft.content["routes"] ?? .array([]))
        writer.endObject()
        return Response(json: writer.bytes, headers: [.eTag: "\"\(draft.version)\""])
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        let route = try await editor.route(try id(context), of: entry.tenant, in: entry.environment)
        return Response(json: Array(route.json().utf8))
    }

    /// A route keeps its place; a new one goes last, or before another with `?before=ID`.
    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesWrite)
        let id = try id(context)
        var placement = CatalogEditor.Placement.keep
        if let text = request.uri.queryParameters.get("before") {
            guard let before = RouteID(text), before != id else {
                throw Problem(.invalidRequest, "'before' names another route of the draft.")
            }
            placement = .before(before)
        }
        var request = request
        let route = try await request.document(upTo: limits.tableBytes)
        let (draft, findings, isNew) = try await editor.saveRoute(
            route,
            id: id,
            placement: placement,
            of: entry.tenant,
            in: entry.environment,
            change: entry.change
        )
        return Response(draft: draft, findings: findings, status: isNew ? .created : .ok)
    }

    @Sendable private func remove(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesWrite)
        _ = try await editor.removeRoute(
            try id(context),
            of: entry.tenant,
            in: entry.environment,
            change: entry.change
        )
        return Response(status: .noContent)
    }

    private func id(_ context: ServerRequestContext) throws -> RouteID {
        guard let text = context.parameters.get("id"), let id = RouteID(text) else {
            throw Problem(.invalidRequest, "A route's id has 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
        return id
    }
}
