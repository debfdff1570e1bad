import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// A tenant's draft table, and publishing it.
struct TableController {
    let gate: AdminGate
    let editor: CatalogEditor
    let store: any CatalogStore
    let limits: ServerLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/table", use: show)
        router.put("/admin/v1/tenants/:tenant/table", use: write)
        router.post("/admin/v1/tenants/:tenant/check", use: check)
        router.post("/admin/v1/tenants/:tenant/publish", use: publish)
        router.get("/admin/v1/tenants/:tenant/revisions", use: revisions)
    }

    /// The draft, or `?revision=7`.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        guard let text = request.uri.queryParameters.get("revision") else {
            let draft = try await editor.draft(of: entry.tenant, in: entry.environment)
            return Response(json: Array(draft.content.json().utf8), headers: [.eTag: "\"\(draft.version)\""])
        }
        guard let number = Int64(text),
            let content = try await store.content(of: Revision(rawValue: number), tenant: entry.tenant)
        else { throw Problem(.unknownRevision, "'\(entry.tenant)' has no revision '\(text)'.") }
        return Response(json: Array(content.json().utf8))
    }

    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesWrite)
        var request = request
        let content = try await request.document(upTo: limits.tableBytes)
        let (draft, findings) = try await editor.saveTable(
            content,
            of: entry.tenant,
            in: entry.environment,
            expected: try request.expectedVersion(),
            change: entry.change
        )
        return Response(draft: draft, findings: findings)
    }

    /// What publishing would say: of the body, or of the draft when there is none.
    @Sendable private func check(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        var request = request
        let hasBody = request.headers[.contentLength].map { $0 != "0" } ?? (request.headers[.transferEncoding] != nil)
        let content =
            hasBody
            ? try await request.document(upTo: limits.tableBytes)
            : try await editor.draft(of: entry.tenant, in: entry.environment).content
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("findings")
        do {
            writer.findings(try await editor.findings(in: content, of: entry.tenant))
        } catch CatalogEditor.Failure.findings(let findings) {
            writer.findings(findings)
        }
        writer.endObject()
        return Response(json: writer.bytes)
    }

    @Sendable private func publish(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .publish)
        var request = request
        let body = try await request.collectBody(upTo: limits.bodyBytes)
        var message = ""
        if body.readableBytes > 0 {
            let node = try JSONReader.parse(
                Array(buffer: body),
                limits: JSONReader.Limits(maximumBytes: limits.bodyBytes)
            )
            message = try Field(node, path: "").object("message")["message"]?.text() ?? ""
        }
        let row = try await editor.publish(entry.tenant, in: entry.environment, message: message, change: entry.change)
        var writer = JSONWriter()
        row.write(to: &writer)
        return Response(status: .created, json: writer.bytes)
    }

    /// Newest first, at most 100; `?before=7` goes on.
    @Sendable private func revisions(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenant(request, context, .tablesRead)
        guard try await store.settings(of: entry.tenant) != nil else {
            throw CatalogEditor.Failure.unknownTenant(entry.tenant)
        }
        let before = request.uri.queryParameters.get("before").flatMap { Int64($0) }.map(Revision.init(rawValue:))
        let rows = try await store.revisions(of: entry.tenant, in: entry.environment, before: before, limit: 100)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("revisions")
        writer.beginArray()
        for row in rows { row.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return Response(json: writer.bytes)
    }
}

extension RevisionRow {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("revision", revision.rawValue)
        writer.member("environment", environment.rawValue)
        writer.member("parent", parent?.rawValue)
        writer.member("contentHash", contentHash)
        writer.member("routes", routeCount)
        writer.member("message", message)
        writer.key("actor")
        writer.beginObject()
        writer.member("kind", actor.kind.rawValue)
        writer.member("id", actor.id)
        writer.member("name", actor.name)
        writer.endObject()
        writer.member("publishedAt", publishedAt.description)
        writer.endObject()
    }
}

extension Response {
    /// A draft as it is now, and what publishing it would say.
    init(draft: DraftRow, findings: [Finding], status: HTTPResponse.Status = .ok) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("draft", draft.name)
        writer.member("version", draft.version)
        writer.member("base", draft.base?.rawValue)
        writer.member("routes", draft.content["routes"]?.elements?.count ?? 0)
        writer.key("findings")
        writer.findings(findings)
        writer.endObject()
        self.init(status: status, json: writer.bytes, headers: [.eTag: "\"\(draft.version)\""])
    }
}
