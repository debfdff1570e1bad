import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting

/// Ranks the short links of a tenant by their clicks.
struct ShortLinkStats {
    let authorizer: AdminAuthorizer
    let links: any ShortLinkStore
    let store: any SettingsStore
    let analytics: any EventAnalytics

    fileprivate static let defaultDays: Int64 = 30
    private static let mostDays: Int64 = 800
    /// The number of links that are looked up to find those of a tag, those with most clicks first.
    private static let mostCandidates = 2_000

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/stats/short-links", use: ranking)
    }

    /// Returns the links with the most clicks in the last `?days=`, with `?tag=` those of the tag.
    @Sendable private func ranking(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.allRoutes(request, context, .analyticsRead)
        try await store.require(entry.tenant)
        let now = entry.change.at
        let limit = try request.limit(1...1_000, default: 100)
        let days = now.lastDays(try days(request))
        let purposes = try request.purposes() ?? [.live]
        let tag = request.parameter("tag")
        let totals = try await analytics.shortLinkTotals(
            ShortLinkTotalsQuery(
                tenant: entry.tenant,
                purposes: purposes,
                days: days,
                limit: tag == nil ? limit : Self.mostCandidates
            )
        )
        var shown: [JSONNode] = []
        for total in totals.links where shown.count < limit {
            var link: ShortLink?
            if let code = ShortCode(total.code) {
                link = try await links.link(code, of: entry.tenant, ignoringCase: false)
            }
            if let tag {
                guard let link, link.content.tags.contains(where: { $0.isExactly(tag) }) else { continue }
            }
            shown.append(total.json(link, at: now))
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("from", days.lowerBound.description)
        writer.member("until", days.upperBound.description)
        writer.key("purposes")
        writer.beginArray()
        for purpose in Event.Purpose.allCases where purposes.contains(purpose) { writer.string(purpose.rawValue) }
        writer.endArray()
        writer.member("links", JSONNode.array(shown))
        // Links with fewer clicks were not looked up.
        writer.member("limited", shown.count < limit && totals.hasMore)
        writer.nodes(try await analytics.nodes())
        writer.endObject()
        return AnalyticsResponse(writer, until: now.day.next.start, now: now).response(to: request)
    }

    private func days(_ request: Request) throws -> Int64 {
        guard let text = request.parameter("days") else { return Self.defaultDays }
        guard let days = Int64(text), (1...Self.mostDays).contains(days) else {
            throw Problem(.invalidRequest, "'days' must be a number from 1 to \(Self.mostDays).")
        }
        return days
    }
}

extension EventAnalytics {
    /// Returns the clicks of a link: `{total, last, days: [{day, count}]}` with the last 30 days.
    func clicks(of code: ShortCode, _ tenant: TenantID, at now: Timestamp) async throws -> JSONNode {
        let days = now.lastDays(ShortLinkStats.defaultDays)
        let always = ShortLinkTotalsQuery(tenant: tenant, purposes: [.live], days: CivilDay.first...CivilDay.last)
        let clicks = try await shortLinkClicks(of: code.rawValue, always)
        let shown = (days.lowerBound.daysSince1970...days.upperBound.daysSince1970).map { number in
            let day = CivilDay(daysSince1970: number)
            return JSONNode.object(["day": .string("\(day)"), "count": .int(clicks.days[day] ?? 0)])
        }
        return .object([
            "total": .int(clicks.total), "last": clicks.last.map { .string($0.description) },
            "days": .array(shown),
        ])
    }
}

extension Timestamp {
    /// The last days in UTC, with the current one.
    fileprivate func lastDays(_ count: Int64) -> ClosedRange<CivilDay> {
        CivilDay(daysSince1970: day.daysSince1970 - count + 1)...day
    }
}

extension ShortLinkTotal {
    /// - Parameter link: Nil if the link was deleted.
    fileprivate func json(_ link: ShortLink?, at now: Timestamp) -> JSONNode {
        .object([
            "code": .string(code), "clicks": .int(count), "last": .string(last.description),
            "target": link.map { .string($0.content.target) }, "title": link?.content.title.map(JSONNode.string),
            "tags": link.map { .array($0.content.tags.map(JSONNode.string)) },
            "status": link.map { .string($0.statusName(at: now)) },
        ])
    }
}
