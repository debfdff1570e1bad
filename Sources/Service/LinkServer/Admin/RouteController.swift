import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore

/// Serves the single routes of a tenant's draft, and all of them as NDJSON.
struct RouteController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let limits: LiveLimits

    private static let lines = "application/x-ndjson"

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/draft/routes", use: list)
        router.post("/admin/v1/tenants/:tenant/draft/routes", use: importRoutes)
        router.get("/admin/v1/tenants/:tenant/draft/routes/:id", use: show)
        router.put("/admin/v1/tenants/:tenant/draft/routes/:id", use: write)
        router.delete("/admin/v1/tenants/:tenant/draft/routes/:id", use: remove)
    }

    /// Returns a page of the routes; for clients that accept NDJSON all of them, one a line.
    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let draft = try await publishing.draft(at: entry.location)
        let routes = draft.content["routes"]?.elements ?? []
        guard request.headers[.accept]?.contains(Self.lines) == true else {
            let page = try PageRequest(request).answer(of: routes, "routes", \.self) { $0["id"]?.text ?? "" }
            return Response(page, eTag: draft.version)
        }
        let body = ResponseBody { writer in
            for start in stride(from: 0, to: routes.count, by: 256) {
                let chunk = routes[start..<min(start + 256, routes.count)].map { $0.json() + "\n" }.joined()
                try await writer.write(ByteBuffer(string: chunk))
            }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [.contentType: Self.lines, .cacheControl: "no-store", .eTag: "\"\(draft.version)\""]
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Imports routes, one a line. They replace those with the same ids, and new ones are appended; `?mode=replace`
    /// removes all others.
    @Sendable private func importRoutes(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite)
        let mode = request.parameter("mode") ?? "merge"
        guard ["merge", "replace"].contains(mode) else {
            throw Problem(.invalidRequest, "'mode' must be 'merge' or 'replace'.")
        }
        try request.headers.checkBody(upTo: limits.tableBytes)
        var lines = RouteLines(limit: limits.tableBytes)
        for try await buffer in request.body { try lines.add(buffer.readableBytesView) }
        let routes = try lines.finish()
        try await context.once(entry.grant, of: entry.tenant)
        let (draft, findings) = try await publishing.importRoutes(
            routes,
            replacing: mode == "replace",
            at: entry.location,
            expected: try request.expectedDraft(),
            limit: entry.grant,
            change: entry.change
        )
        return Response(draft: draft, findings: findings)
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let (route, version) = try await publishing.route(try id(context), at: entry.location)
        return Response(route, eTag: version)
    }

    /// Writes a route. An existing one keeps its position; a new one is appended, or inserted before another with
    /// `?before=ID`.
    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite)
        let id = try id(context)
        var placement = PublishingService.Placement.keep
        if let text = request.parameter("before") {
            guard let before = RouteID(text), before != id else {
                throw Problem(.invalidRequest, "'before' must name another route of the draft.")
            }
            placement = .before(before)
        }
        var request = request
        let route = try await request.document(upTo: limits.tableBytes)
        try await context.once(entry.grant, of: entry.tenant)
        let (draft, findings, isNew) = try await publishing.saveRoute(
            route,
            id: id,
            placement: placement,
            at: entry.location,
            expected: try request.expectedDraft(),
            limit: entry.grant,
            change: entry.change
        )
        return Response(draft: draft, findings: findings, status: isNew ? .created : .ok)
    }

    @Sendable private func remove(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite)
        let id = try id(context)
        try await context.once(entry.grant, of: entry.tenant)
        let draft = try await publishing.removeRoute(
            id,
            at: entry.location,
            expected: try request.expectedDraft(),
            limit: entry.grant,
            change: entry.change
        )
        return Response(status: .noContent, headers: [.eTag: "\"\(draft.version)\""])
    }

    private func id(_ context: ServerRequestContext) throws -> RouteID {
        guard let text = context.parameters.get("id"), let id = RouteID(text) else {
            throw Problem(
                .invalidRequest,
                "A route id must have 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a letter or digit."
            )
        }
        return id
    }
}

/// Splits NDJSON into lines as it arrives, and parses each at once.
private struct RouteLines {
    private var routes: [JSONNode] = []
    private var rest: [UInt8] = []
    private var line = 1
    private var bytes = 0
    /// Number of JSON values that all remaining lines may have together.
    private var values = Document.maximumValues
    private let limit: Int

    private static let maximumLine = 1 << 20

    init(limit: Int) { self.limit = limit }

    mutating func add(_ chunk: some Collection<UInt8>) throws {
        bytes += chunk.count
        guard bytes <= limit else { throw Problem(bodyOver: limit) }
        var start = chunk.startIndex
        while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
            rest += chunk[start..<end]
            try read(rest[...])
            rest.removeAll(keepingCapacity: true)
            start = chunk.index(after: end)
            line += 1
        }
        rest += chunk[start...]
        guard rest.count <= Self.maximumLine else {
            throw Problem(.malformedJSON, "Line \(line) of the body has more than \(Self.maximumLine) bytes.")
        }
    }

    mutating func finish() throws -> [JSONNode] {
        try read(rest[...])
        return routes
    }

    private mutating func read(_ text: ArraySlice<UInt8>) throws {
        guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
        do {
            let limits = JSONReader.Limits(maximumBytes: Self.maximumLine, maximumValues: values)
            let route = try JSONReader.parse(text, limits: limits)
            values -= DocumentSize(of: route).values
            routes.append(route)
        } catch {
            throw Problem(.malformedJSON, "Line \(line) of the body is not JSON: \(error.description)")
        }
    }
}
