import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Serves published tables, which are read, compared, rolled back, promoted to another environment and pruned.
struct RevisionController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let store: any SettingsStore & RevisionStore
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        Publications.begin()
        router.get("/admin/v1/tenants/:tenant/table", use: live)
        router.get("/admin/v1/tenants/:tenant/revisions", use: list)
        router.post("/admin/v1/tenants/:tenant/revisions/prune", use: prune)
        router.get("/admin/v1/tenants/:tenant/revisions/:revision", use: show)
        router.get("/admin/v1/tenants/:tenant/revisions/:revision/table", use: table)
        router.get("/admin/v1/tenants/:tenant/revisions/:revision/diff", use: diff)
        router.get("/admin/v1/tenants/:tenant/revisions/:revision/plan", use: plan)
        router.post("/admin/v1/tenants/:tenant/revisions/:revision/rollback", use: rollBack)
        router.post("/admin/v1/tenants/:tenant/revisions/:revision/promote", use: promote)
    }

    /// Returns the live table.
    @Sendable private func live(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        try await store.require(entry.tenant)
        guard let revision = try await store.live(of: entry.tenant, in: entry.environment) else {
            throw Problem(
                .noTable,
                "Nothing is published in '\(entry.environment)' yet. Publish a draft there first, or correct the name: "
                    + "'environments' in the settings lists the tenant's environments."
            )
        }
        return Response(try await content(of: revision, entry), eTag: revision.rawValue)
    }

    /// Lists the revisions of `?environment=`, by default of production, newest first; of the revisions of a page, with
    /// `?route=ID` only those that changed the route.
    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        try await store.require(entry.tenant)
        let page = try PageRequest(request)
        let rows = try await store.revisions(
            of: entry.tenant,
            in: entry.environment,
            before: try page.number().map(Revision.init(rawValue:)),
            limit: page.limit + 1
        )
        let answer = page.answer("revisions", rows, \.json) { "\($0.revision.rawValue)" }
        guard let route = request.parameter("route") else { return Response(answer) }
        let changes = try await changes(of: route, in: rows, page.limit, entry)
        return Response(.object(["revisions": .array(changes), "nextCursor": answer["nextCursor"]]))
    }

    /// - Parameter rows: Of each the next one is what it replaced; only the first `limit` are answered.
    private func changes(of route: String, in rows: [PublishedRevision], _ limit: Int, _ entry: AdminAuthorizer.Entry)
        async throws -> [JSONNode]
    {
        var routes: [JSONNode?] = []
        for row in rows {
            let content = try await content(of: row.revision, entry)
            routes.append(content["routes"]?.elements?.first { $0["id"]?.text == route })
        }
        return rows.indices.prefix(limit).compactMap { index in
            let isFirst = index + 1 == rows.count
            let (before, after) = (isFirst ? nil : routes[index + 1], routes[index])
            // What a deleted revision had is not known.
            guard before != after, !isFirst || rows[index].parent == nil else { return nil }
            let change = before == nil ? "added" : after == nil ? "removed" : "changed"
            return JSONNode(.object((rows[index].json.members ?? []) + [JSONNode.Member("change", .string(change))]))
        }
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        return Response(try await row(try number(context), entry).json)
    }

    @Sendable private func table(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        return Response(try await content(of: try await row(try number(context), entry).revision, entry))
    }

    /// Returns the differences from this revision to `?to=`, by default to the live one.
    @Sendable private func diff(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let from = try await row(try number(context), entry).revision
        var to = try await store.live(of: entry.tenant, in: entry.environment)
        if let text = request.parameter("to") {
            guard let number = Int64(text) else { throw Problem(.invalidRequest, "'to' must be a revision number.") }
            to = try await row(Revision(rawValue: number), entry).revision
        }
        guard let to else {
            throw Problem(.noTable, "Nothing is published in '\(entry.environment)'; name a revision with 'to'.")
        }
        let (before, after) = (try await content(of: from, entry), try await content(of: to, entry))
        let changes = try await publishing.queue.run(for: .tenant(entry.tenant)) { _ in
            TableDiff(from: before, to: after).json
        }
        return Response(.object(["from": .int(from.rawValue), "to": .int(to.rawValue), "changes": changes]))
    }

    /// Returns what a rollback to the revision would change, or its promotion to `?to=`.
    @Sendable private func plan(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let (revision, location) =
            request.parameter("to") == nil
            ? try await rollback(context, entry) : try await promotion(request, context, entry)
        let plan = try await publishing.plan(revision, in: location, limit: entry.grant)
        return Response(plan.json, eTag: plan.checked.live?.rawValue ?? 0)
    }

    /// Publishes the revision's table again, under a new number. Changes nothing if it is live already.
    @Sendable private func rollBack(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .publish)
        let (revision, location) = try await rollback(context, entry)
        return try await publish(revision, location, request, context, entry)
    }

    private func rollback(
        _ context: ServerRequestContext,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> (Revision, PublishingService.DraftLocation) {
        let row = try await row(try number(context), entry)
        guard row.environment == entry.environment else {
            throw Problem(
                .invalidRequest,
                "Revision \(row.revision) belongs to '\(row.environment)'; promote it to '\(entry.environment)' "
                    + "instead of rolling back."
            )
        }
        return (row.revision, entry.location)
    }

    /// Publishes the revision's table in the environment `?to=`.
    @Sendable private func promote(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .publish)
        let (revision, location) = try await promotion(request, context, entry)
        return try await publish(revision, location, request, context, entry)
    }

    private func promotion(
        _ request: Request,
        _ context: ServerRequestContext,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> (Revision, PublishingService.DraftLocation) {
        guard let text = request.parameter("to"), let target = EnvironmentID(text) else {
            throw Problem(.invalidRequest, "Name the environment with '?to=', such as '?to=production'.")
        }
        guard entry.grant.allows(target) else {
            throw Problem(.forbidden, "This key is not valid for the environment '\(target)'.")
        }
        // All environments share the numbers: a mistyped one must not publish an old table of the target environment.
        let row = try await row(try number(context), entry)
        guard row.environment == entry.environment else {
            throw Problem(
                .invalidRequest,
                "Revision \(row.revision) belongs to '\(row.environment)', not to '\(entry.environment)'; "
                    + "name its environment with '?environment=\(row.environment)'."
            )
        }
        guard target != entry.environment else {
            throw Problem(.invalidRequest, "Revision \(row.revision) already belongs to '\(target)'; roll back to it.")
        }
        var location = entry.location
        location.environment = target
        return (row.revision, location)
    }

    private func publish(
        _ revision: Revision,
        _ location: PublishingService.DraftLocation,
        _ request: Request,
        _ context: ServerRequestContext,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> Response {
        let expected = try request.expectedRevision()
        var request = request
        let note =
            location.environment == entry.environment
            ? try await request.note(upTo: limits.bodyBytes) : try await request.noteOfPromotion(upTo: limits.bodyBytes)
        try await context.once(entry.grant, of: entry.tenant)
        let published = try await Publications.counted {
            try await publishing.publishAgain(
                revision,
                in: location,
                expected: expected,
                note: note,
                limit: entry.grant,
                change: entry.change
            )
        }
        return Response(published)
    }

    /// Prunes old revisions; accepts `{"keep": 50, "olderThanDays": 90}`.
    @Sendable private func prune(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .admin)
        try await store.require(entry.tenant)
        var request = request
        let object = try await request.object("keep", "olderThanDays", upTo: limits.bodyBytes)
        let keep = try object["keep"]?.int(in: 1...1_000_000) ?? 50
        let days = try object["olderThanDays"]?.int(in: 0...36_500) ?? 90
        try await context.once(entry.grant, of: entry.tenant)
        let gone = try await store.prune(
            entry.tenant,
            keep: Int(keep),
            before: Timestamp(milliseconds: entry.change.at.milliseconds - days * 86_400_000),
            change: entry.change
        )
        return Response(.object(["pruned": .array(gone.map { .int($0.rawValue) })]))
    }

    private func number(_ context: ServerRequestContext) throws -> Revision {
        guard let number = context.parameters.get("revision").flatMap({ Int64($0) }), number > 0 else {
            throw Problem(.invalidRequest, "A revision must be a number, such as 7.")
        }
        return Revision(rawValue: number)
    }

    /// Returns the revision if the key may see it.
    private func row(_ revision: Revision, _ entry: AdminAuthorizer.Entry) async throws -> PublishedRevision {
        guard let row = try await store.revision(revision, of: entry.tenant), entry.grant.allows(row.environment) else {
            try await store.require(entry.tenant)
            throw PublishingService.Failure.unknownRevision(revision)
        }
        return row
    }

    private func content(of revision: Revision, _ entry: AdminAuthorizer.Entry) async throws -> JSONNode {
        guard let content = try await store.content(of: revision, tenant: entry.tenant) else {
            throw PublishingService.Failure.unknownRevision(revision)
        }
        return content
    }
}

extension PublishedRevision {
    var json: JSONNode {
        .object([
            "revision": .int(revision.rawValue), "environment": .string(environment.rawValue),
            "parent": parent.map { .int($0.rawValue) } ?? .null, "contentHash": .string(contentHash),
            "routes": .int(routeCount), "message": .string(message), "actor": actor.json,
            "publishedAt": .string(publishedAt.description), "origin": .string(origin.name),
            "originRevision": origin.revision.map { .int($0.rawValue) },
            "approvals": .array(approvals.map(JSONNode.string)),
            // The approvals are claims of the actor that published.
            "approvalsClaimedBy": approvals.isEmpty ? nil : actor.json,
            "overrideReason": overrideReason.map(JSONNode.string),
        ])
    }
}
