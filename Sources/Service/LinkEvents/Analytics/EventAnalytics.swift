package import LinkRouting

/// Queries on the rollups of the log. Every result includes all events committed before the query, including events
/// that were erased or dropped by retention.
package protocol EventAnalytics: Sendable {
    /// Returns event counts grouped by the requested columns, in no particular order. Groups without events are left
    /// out.
    func totals(_ query: TotalsQuery) async throws -> [TotalsCount]

    /// Returns the values of a dimension with the most events.
    func values(_ query: ValuesQuery) async throws -> ValueCounts

    /// Returns the number of events with one value of a dimension, for each bucket of the scope.
    func counts(of value: String, in dimension: Dimension, _ scope: AnalyticsScope) async throws -> [Int64]

    /// Returns the short links with the most events in some days, those with most first: at most `limit`, and fewer of
    /// many days.
    func shortLinkTotals(_ query: ShortLinkTotalsQuery) async throws -> ShortLinkTotals

    /// Returns the events of one short link.
    func shortLinkClicks(of code: String, _ query: ShortLinkTotalsQuery) async throws -> ShortLinkClicks

    /// The nodes whose events are counted, and up to which time; empty for the log of this process.
    func nodes() async throws -> [ShippedNode]
}

/// The events that a query covers, and its buckets.
package struct AnalyticsScope: Sendable, Hashable {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var purposes: Set<Event.Purpose>
    /// The edges of the buckets in ascending order, at least two. The first edge is inclusive, the last exclusive. For
    /// totals each edge is a multiple of a quarter-hour, for values of an hour.
    package var edges: [Timestamp]

    package init(tenant: TenantID, environment: EnvironmentID, purposes: Set<Event.Purpose>, edges: [Timestamp]) {
        self.tenant = tenant
        self.environment = environment
        self.purposes = purposes
        self.edges = edges
    }
}

package struct TotalsQuery: Sendable, Hashable {
    package var scope: AnalyticsScope
    package var columns: Set<Column>
    /// Restricts each column to a value; an empty value selects events without one.
    package var filter: [Column: String]

    package enum Column: String, Sendable, CaseIterable {
        case route, revision, outcome, action
    }

    package init(scope: AnalyticsScope, columns: Set<Column> = [], filter: [Column: String] = [:]) {
        self.scope = scope
        self.columns = columns
        self.filter = filter
    }
}

package struct TotalsCount: Sendable, Hashable {
    /// The index of the bucket; 0 for the one between the first two edges.
    package var bucket: Int
    package var columns: TotalsColumns
    package var count: Int64

    package init(bucket: Int, columns: TotalsColumns, count: Int64) {
        self.bucket = bucket
        self.columns = columns
        self.count = count
    }
}

/// The columns shared by counted events; nil for a column that was not requested, or that the events do not have.
package struct TotalsColumns: Sendable, Hashable {
    package var route: String?
    package var revision: Int64?
    package var outcome: String?
    package var action: String?

    package init(route: String? = nil, revision: Int64? = nil, outcome: String? = nil, action: String? = nil) {
        self.route = route
        self.revision = revision
        self.outcome = outcome
        self.action = action
    }
}

package struct ValuesQuery: Sendable, Hashable {
    /// Only its first and last edge are used.
    package var scope: AnalyticsScope
    package var dimension: Dimension
    package var limit: Int

    package init(scope: AnalyticsScope, dimension: Dimension, limit: Int = 100) {
        self.scope = scope
        self.dimension = dimension
        self.limit = limit
    }
}

package struct ValueCounts: Sendable, Hashable {
    /// Sorted by descending count, then by value. If several values tie for the last place within `limit`, it is
    /// unspecified which of them is included.
    package var values: [ValueCount]
    /// The total of all values without a counter of their own, see ``Dimension/mostValues``.
    package var other: Int64
    /// The total of all events that have a value, whether or not it is in `values`.
    package var sum: Int64

    package init(values: [ValueCount] = [], other: Int64 = 0, sum: Int64 = 0) {
        self.values = values
        self.other = other
        self.sum = sum
    }
}

package struct ValueCount: Sendable, Hashable {
    package var value: String
    package var count: Int64

    package init(value: String, count: Int64) {
        self.value = value
        self.count = count
    }
}

/// The events with a short link of a tenant, in whole UTC days.
package struct ShortLinkTotalsQuery: Sendable, Hashable {
    package var tenant: TenantID
    package var purposes: Set<Event.Purpose>
    package var days: ClosedRange<CivilDay>
    package var limit: Int

    package init(tenant: TenantID, purposes: Set<Event.Purpose>, days: ClosedRange<CivilDay>, limit: Int = 100) {
        self.tenant = tenant
        self.purposes = purposes
        self.days = days
        self.limit = limit
    }
}

package struct ShortLinkTotals: Sendable, Hashable {
    package var links: [ShortLinkTotal]
    /// Whether further links may have events in these days.
    package var hasMore: Bool

    package init(links: [ShortLinkTotal], hasMore: Bool) {
        self.links = links
        self.hasMore = hasMore
    }
}

package struct ShortLinkClicks: Sendable, Hashable {
    /// The number of events by day; days without events are left out.
    package var days: [CivilDay: Int64] = [:]
    /// The time of the last event; nil without any.
    package var last: Timestamp?

    package init() {}

    package var total: Int64 { days.values.reduce(0, +) }
}

package struct ShortLinkTotal: Sendable, Hashable {
    package var code: String
    package var count: Int64
    package var last: Timestamp

    package init(code: String, count: Int64, last: Timestamp) {
        self.code = code
        self.count = count
        self.last = last
    }
}
