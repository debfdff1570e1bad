import Hummingbird
import LinkEvents
import LinkRouting

/// The values with the most events. Its parts add up: the values shown, `rest`, `other` and `none` make up `count`.
struct Ranking {
    /// Number of events of each requested outcome.
    private(set) var outcomes: [Outcome: Int64] = [:]
    private var parameters: AnalyticsParameters
    private let entry: AdminAuthorizer.Entry
    private let now: Timestamp
    private let shown: [ValueCount]
    /// Events that are counted together because a day had too many values.
    private let other: Int64
    /// Number of events that have a value.
    private let sum: Int64
    /// Number of all events.
    private let count: Int64

    private static let limits = 1...1_000
    private static let defaultLimit = 100

    /// Ranks the values of a dimension.
    ///
    /// - Parameter outcomes: The outcomes whose events may have a value; nil for all.
    init(
        of dimension: Dimension,
        _ request: Request,
        _ entry: AdminAuthorizer.Entry,
        _ analytics: any EventAnalytics,
        at now: Timestamp,
        outcomes: [Outcome]? = nil
    ) async throws {
        parameters = try AnalyticsParameters(request, at: now, precision: .hour)
        parameters.nodes = try await analytics.nodes()
        self.entry = entry
        self.now = now
        let limit = try request.limit(Self.limits, default: Self.defaultLimit)
        let scope = parameters.scope(entry)
        let values = try await analytics.values(ValuesQuery(scope: scope, dimension: dimension, limit: limit))
        // Read after the values: events committed in between only add to the totals, so no value outnumbers the events.
        let totals = try await analytics.totals(TotalsQuery(scope: scope, columns: [.outcome]))
        let selected = outcomes ?? Outcome.allCases
        for outcome in selected {
            self.outcomes[outcome] = totals.reduce(0) { $1.columns.outcome == outcome.rawValue ? $0 + $1.count : $0 }
        }
        count = self.outcomes.values.reduce(0, +)
        shown = values.values
        other = values.other
        sum = values.sum
    }

    /// Ranks the values of a column of the totals.
    ///
    /// - Parameter group: Groups the counts.
    init(
        of column: TotalsQuery.Column,
        _ request: Request,
        _ entry: AdminAuthorizer.Entry,
        _ analytics: any EventAnalytics,
        at now: Timestamp,
        _ group: ([TotalsCount]) async throws -> TotalsGroups
    ) async throws {
        parameters = try AnalyticsParameters(request, at: now)
        parameters.nodes = try await analytics.nodes()
        self.entry = entry
        self.now = now
        let limit = try request.limit(Self.limits, default: Self.defaultLimit)
        let query = TotalsQuery(scope: parameters.scope(entry), columns: [column])
        let groups = try await group(try await analytics.totals(query))
        let named = groups.largest.compactMap { group in
            group.columns.text(column).map { ValueCount(value: $0, count: group.count) }
        }
        shown = Array(named.prefix(limit))
        other = 0
        sum = named.reduce(0) { $0 + $1.count }
        count = groups.count
    }

    /// Returns `{…, "count", LIST: [{VALUE, "count"}], "rest", "other", "none"}`.
    func answer(
        naming list: StaticString,
        _ value: StaticString,
        members: (inout JSONWriter) -> Void = { _ in }
    ) -> AnalyticsResponse {
        var writer = JSONWriter()
        writer.beginObject()
        parameters.write(entry, to: &writer)
        members(&writer)
        writer.member("count", count)
        writer.key(list)
        writer.beginArray()
        for item in shown {
            writer.beginObject()
            writer.member(value, item.value)
            writer.member("count", item.count)
            writer.endObject()
        }
        writer.endArray()
        writer.member("rest", sum - other - shown.reduce(0) { $0 + $1.count })
        writer.member("other", other)
        writer.member("none", max(0, count - sum))
        writer.endObject()
        return AnalyticsResponse(writer, until: parameters.until, now: parameters.end(at: now))
    }
}
