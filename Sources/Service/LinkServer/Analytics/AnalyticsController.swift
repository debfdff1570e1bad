import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting

/// Serves the counts of a tenant's links: totals, series, rankings, and the links that no route matched.
struct AnalyticsController {
    let authorizer: AdminAuthorizer
    let store: any SettingsStore & RevisionStore
    let catalog: LiveCatalog
    let analytics: any EventAnalytics
    let queue: WorkQueue

    /// Up to this number, counts are grouped on the current thread.
    private static let threshold = 10_000

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/stats/totals", use: totals)
        router.get("/admin/v1/tenants/:tenant/stats/series", use: series)
        router.get("/admin/v1/tenants/:tenant/stats/top/:dimension", use: top)
        router.get("/admin/v1/tenants/:tenant/stats/unmatched", use: unmatched)
        router.get("/admin/v1/tenants/:tenant/stats/rejected", use: rejected)
        router.get("/admin/v1/tenants/:tenant/stats/revisions", use: revisions)
    }

    /// Authorizes a request for an existing tenant, or for the links that belong to none.
    private func entry(_ request: Request, _ context: ServerRequestContext) async throws -> AdminAuthorizer.Entry {
        let entry = try authorizer.allLinks(request, context, .analyticsRead)
        if entry.tenant != .none { try await store.require(entry.tenant) }
        return entry
    }

    /// Throws for a revision that the tenant has never had. A key that is limited to environments learns nothing about the
    /// revisions of others.
    private func require(_ revision: Revision?, of entry: AdminAuthorizer.Entry) async throws {
        guard let revision, entry.tenant != .none, entry.grant.environments == nil else { return }
        let newest = try await store.revisions(of: entry.tenant, in: nil, before: nil, limit: 1).first?.revision
        guard let newest, revision <= newest else { throw PublishingService.Failure.unknownRevision(revision) }
    }

    private func groups(
        _ counts: [TotalsCount],
        of tenant: TenantID,
        buckets: Int = 1,
        limit: Int = .max
    ) async throws -> TotalsGroups {
        try await summary(of: counts, of: tenant) { $0.groups(buckets: buckets, limit: limit) }
    }

    /// Summarizes counts; many of them on a thread that answers no requests.
    private func summary<Summary: Sendable>(
        of counts: [TotalsCount],
        of tenant: TenantID,
        _ summarize: @escaping @Sendable ([TotalsCount]) -> Summary
    ) async throws -> Summary {
        guard counts.count > Self.threshold else { return summarize(counts) }
        return try await queue.run(for: .tenant(tenant)) { _ in summarize(counts) }
    }

    // MARK: Totals and series

    /// Returns the counts by `?by=`, largest first.
    @Sendable private func totals(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await entry(request, context)
        let now = authorizer.now()
        var parameters = try AnalyticsParameters(request, at: now)
        parameters.nodes = try await analytics.nodes()
        let requested = try TotalsParameters(request)
        let limit = try request.limit(1...1_000, default: 100)
        try await require(requested.revision, of: entry)
        let counts = try await analytics.totals(requested.query(parameters.scope(entry)))
        let groups = try await groups(counts, of: entry.tenant, limit: limit)
        var writer = JSONWriter()
        writer.beginObject()
        parameters.write(entry, to: &writer)
        writer.member("count", groups.count)
        writer.key("totals")
        writer.beginArray()
        for group in groups.largest {
            writer.beginObject()
            writer.columns(requested.columns, group.columns)
            writer.member("count", group.count)
            writer.endObject()
        }
        writer.endArray()
        writer.rest(of: groups)
        writer.endObject()
        return AnalyticsResponse(writer, until: parameters.until, now: parameters.end(at: now)).response(to: request)
    }

    /// Returns the counts of each hour or day, by `?by=` or of one `?dimension=…&value=…`. Buckets without events are
    /// included.
    @Sendable private func series(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await entry(request, context)
        let now = authorizer.now()
        var series = try SeriesParameters(request, at: now)
        series.parameters.nodes = try await analytics.nodes()
        var writer = JSONWriter()
        writer.beginObject()
        series.write(entry, to: &writer)
        switch series.subject {
        case .totals(let requested):
            try await require(requested.revision, of: entry)
            let buckets = series.edges.count - 1
            let counts = try await analytics.totals(
                requested.query(series.parameters.scope(entry, edges: series.edges))
            )
            let groups = try await groups(counts, of: entry.tenant, buckets: buckets, limit: series.limit)
            writer.key("series")
            writer.beginArray()
            for group in groups.largest {
                writer.beginObject()
                writer.columns(requested.columns, group.columns)
                writer.counts(group.buckets)
                writer.endObject()
            }
            writer.endArray()
            writer.rest(of: groups, inBuckets: true)
        case .value(let value, let dimension):
            let scope = series.parameters.scope(entry, edges: series.edges)
            writer.key("series")
            writer.beginArray()
            writer.beginObject()
            writer.key(escaping: dimension.rawValue)
            writer.string(value)
            writer.counts(try await analytics.counts(of: value, in: dimension, scope))
            writer.endObject()
            writer.endArray()
            writer.member("rest", JSONNode.null)
        }
        writer.endObject()
        let counted = series.parameters
        return AnalyticsResponse(writer, until: counted.until, now: counted.end(at: now)).response(to: request)
    }

    // MARK: Rankings

    /// Returns the values of a dimension with the most events.
    @Sendable private func top(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let name = context.parameters.get("dimension") ?? ""
        let entry = try await entry(request, context)
        let ranking: Ranking
        if let column = TotalsQuery.Column(rawValue: name) {
            ranking = try await Ranking(of: column, request, entry, analytics, at: authorizer.now()) { counts in
                try await groups(counts, of: entry.tenant)
            }
        } else if let dimension = Dimension(rawValue: name) {
            ranking = try await Ranking(of: dimension, request, entry, analytics, at: authorizer.now())
        } else {
            let known = TotalsQuery.Column.allCases.map(\.rawValue) + Dimension.allCases.map(\.rawValue)
            throw Problem(unknownDimension: name, among: known)
        }
        return ranking.answer(naming: "top", "value") { $0.member("dimension", name) }.response(to: request)
    }

    /// Returns the paths that no route matched, which the table lacks, most frequent first.
    @Sendable private func unmatched(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await entry(request, context)
        let outcomes: [Outcome] = [.unmatched, .fallback]
        let ranking = try await Ranking(
            of: .unmatchedPath,
            request,
            entry,
            analytics,
            at: authorizer.now(),
            outcomes: outcomes
        )
        let privacy = catalog.current.table(of: entry.tenant)?.settings.privacy
        return ranking.answer(naming: "links", "path") { writer in
            writer.member("unmatchedPath", (privacy?.unmatchedPath ?? .shape).rawValue)
            for outcome in outcomes {
                writer.key(escaping: outcome.rawValue)
                writer.int(ranking.outcomes[outcome] ?? 0)
            }
        }.response(to: request)
    }

    /// Returns the reasons for which links were rejected.
    @Sendable private func rejected(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await entry(request, context)
        let ranking = try await Ranking(
            of: .rejectedReason,
            request,
            entry,
            analytics,
            at: authorizer.now(),
            outcomes: [.rejected]
        )
        return ranking.answer(naming: "reasons", "reason").response(to: request)
    }

    // MARK: Revisions

    /// Compares the outcomes of links under the revisions of `?compare=7,9`, or under the newest that answered any.
    @Sendable private func revisions(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await entry(request, context)
        let now = authorizer.now()
        var parameters = try AnalyticsParameters(request, at: now)
        parameters.nodes = try await analytics.nodes()
        let requested = try RevisionComparison.requested(request)
        let limit = try request.limit(1...1_000, default: 100)
        let query = TotalsQuery(scope: parameters.scope(entry), columns: Set(TotalsQuery.Column.allCases))
        let comparison = try await summary(of: try await analytics.totals(query), of: entry.tenant) { counts in
            RevisionComparison(of: requested, counts)
        }
        var writer = JSONWriter()
        writer.beginObject()
        parameters.write(entry, to: &writer)
        comparison.write(to: &writer, routes: limit)
        writer.endObject()
        return AnalyticsResponse(writer, until: parameters.until, now: parameters.end(at: now)).response(to: request)
    }
}

extension JSONWriter {
    fileprivate mutating func columns(_ columns: [TotalsQuery.Column], _ values: TotalsColumns) {
        for column in columns {
            if column == .revision {
                nullable(column.rawValue, values.revision)
            } else {
                nullable(column.rawValue, values.text(column))
            }
        }
    }

    private mutating func nullable(_ name: String, _ text: String?) {
        key(escaping: name)
        if let text { string(text) } else { null() }
    }

    private mutating func nullable(_ name: String, _ number: Int64?) {
        key(escaping: name)
        if let number { int(number) } else { null() }
    }

    /// Writes `"count": …, "counts": […]`.
    mutating func counts(_ counts: [Int64]) {
        member("count", counts.reduce(0, +))
        key("counts")
        beginArray()
        for count in counts { int(count) }
        endArray()
    }

    /// Writes the groups that the limit excluded: `"rest": {"groups", "count", "counts"}`, or null if there are none.
    fileprivate mutating func rest(of groups: TotalsGroups, inBuckets: Bool = false) {
        key("rest")
        guard groups.others > 0 else { return null() }
        beginObject()
        member("groups", groups.others)
        if inBuckets {
            counts(groups.rest)
        } else {
            member("count", groups.rest.reduce(0, +))
        }
        endObject()
    }
}
