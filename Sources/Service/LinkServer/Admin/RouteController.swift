import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// Serves the single routes of a tenant's draft, and all of them as NDJSON.
struct RouteController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let analytics: any EventAnalytics
    let limits: LiveLimits

    private static let lines = "application/x-ndjson"

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/draft/routes", use: list)
        router.post("/admin/v1/tenants/:tenant/draft/routes", use: importRoutes)
        router.get("/admin/v1/tenants/:tenant/draft/routes/:id", use: show)
        router.put("/admin/v1/tenants/:tenant/draft/routes/:id", use: write)
        router.delete("/admin/v1/tenants/:tenant/draft/routes/:id", use: remove)
    }

    /// Returns a page of the routes; for clients that accept NDJSON all of them, one a line. `?q=` and `?matches=` select some,
    /// and `?sort=hits` orders them by the links of the last 30 days.
    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let link: DeepLink?
        do {
            link = try request.parameter("matches").map(DeepLink.parse)
        } catch {
            throw Problem(.invalidRequest, "'matches' is no link: \(error.message)")
        }
        var (routes, version) = try await publishing.routes(
            containing: request.parameter("q"),
            matching: link,
            at: entry.location
        )
        if let order = request.parameter("sort") {
            guard order == "hits" else { throw Problem(.invalidRequest, "'sort' must be 'hits'.") }
            _ = try authorizer.grant(request, context, .analyticsRead, of: entry.tenant)
            routes = try await byHits(routes, entry)
        }
        guard request.headers[.accept]?.contains(Self.lines) == true else {
            let page = try PageRequest(request).answer(of: routes, "routes", \.self) { $0["id"]?.text ?? "" }
            return Response(page, eTag: version)
        }
        let body = ResponseBody { [routes] writer in
            for start in stride(from: 0, to: routes.count, by: 256) {
                let chunk = routes[start..<min(start + 256, routes.count)].map { $0.json() + "\n" }.joined()
                try await writer.write(ByteBuffer(string: chunk))
            }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [.contentType: Self.lines, .cacheControl: "no-store", .eTag: "\"\(version)\""]
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Returns the routes with the most live links of the last 30 days first.
    private func byHits(_ routes: [JSONNode], _ entry: AdminAuthorizer.Entry) async throws -> [JSONNode] {
        let end = entry.change.at.day.next.start
        let scope = AnalyticsScope(
            tenant: entry.tenant,
            environment: entry.environment,
            purposes: [.live],
            edges: [Timestamp(milliseconds: end.milliseconds - 30 * Timestamp.millisecondsPerDay), end]
        )
        let totals = try await analytics.totals(TotalsQuery(scope: scope, columns: [.route]))
        let pairs = totals.compactMap { total in total.columns.text(.route).map { ($0, total.count) } }
        let hits = Dictionary(pairs, uniquingKeysWith: +)
        let counted = routes.map { hits[$0["id"]?.text ?? ""] ?? 0 }
        return routes.indices.sorted { (counted[$1], $0) < (counted[$0], $1) }.map { routes[$0] }
    }

    /// Imports routes, one a line. They replace those with the same ids, and new ones are appended; `?mode=replace`
    /// removes all others.
    @Sendable private func importRoutes(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite)
        let mode = request.parameter("mode") ?? "merge"
        guard ["merge", "replace"].contains(mode) else {
            throw Problem(.invalidRequest, "'mode' must be 'merge' or 'replace'.")
        }
        var request = request
        let body = try await request.readBody(upTo: limits.tableBytes)
        let routes = try await body.read { try RouteLines.read($0.readableBytesView) }
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

/// Reads NDJSON: one route a line.
private enum RouteLines {
    private static let maximumLine = 1 << 20

    static func read(_ text: ByteBufferView) throws -> [JSONNode] {
        var routes: [JSONNode] = []
        // Of all lines together.
        var values = Document.maximumValues
        var (start, number) = (text.startIndex, 1)
        while true {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            if let route = try route(text[start..<end], number, values) {
                values -= DocumentSize(of: route).values
                routes.append(route)
            }
            guard end < text.endIndex else { return routes }
            start = text.index(after: end)
            number += 1
        }
    }

    /// Returns nil for a blank line.
    private static func route(_ line: ByteBufferView, _ number: Int, _ values: Int) throws -> JSONNode? {
        guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return nil }
        guard line.count <= maximumLine else {
            throw Problem(.malformedJSON, "Line \(number) of the body has more than \(maximumLine) bytes.")
        }
        do {
            return try JSONReader.parse(
                line,
                limits: JSONReader.Limits(maximumBytes: maximumLine, maximumValues: values)
            )
        } catch {
            throw Problem(.malformedJSON, "Line \(number) of the body is not JSON: \(error.description)")
        }
    }
}
