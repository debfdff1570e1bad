package import LinkRouting

/// The counts that are kept beside the log. Each holds every event that was committed before it was asked for, also erased
/// ones and those that retention has dropped.
package protocol EventStatistics: Sendable {
    /// How many links ended how, by the columns that are asked for; what has no events is left out. In no order.
    func totals(_ question: TotalsQuestion) async throws -> [TotalsCount]

    /// The values of a dimension with the most events.
    func values(_ question: ValuesQuestion) async throws -> ValueCounts

    /// How many events have one value of a dimension, in each bucket of the scope.
    func counts(of value: String, in dimension: Dimension, _ scope: StatisticsScope) async throws -> [Int64]

    /// A sequence that no event in the files of a day and those before lies above; nil where none is known yet, because
    /// neither the day nor one after it is closed.
    func lastSequence(through day: CivilDay) async throws -> Int64?
}

/// Whose events a question is about, and of when.
package struct StatisticsScope: Sendable, Hashable {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var purposes: Set<Event.Purpose>
    /// The edges of the buckets, rising, at least two: the first is included in the answer, the last is not. For totals each
    /// is a multiple of a quarter-hour, for values of an hour.
    package var edges: [Timestamp]

    package init(tenant: TenantID, environment: EnvironmentID, purposes: Set<Event.Purpose>, edges: [Timestamp]) {
        self.tenant = tenant
        self.environment = environment
        self.purposes = purposes
        self.edges = edges
    }
}

package struct TotalsQuestion: Sendable, Hashable {
    package var scope: StatisticsScope
    package var columns: Set<Column>
    /// Only events whose column has the value; an empty one means events that have none.
    package var filter: [Column: String]

    package enum Column: String, Sendable, CaseIterable {
        case route, revision, outcome, action
    }

    package init(scope: StatisticsScope, columns: Set<Column> = [], filter: [Column: String] = [:]) {
        self.scope = scope
        self.columns = columns
        self.filter = filter
    }
}

package struct TotalsCount: Sendable, Hashable {
    /// 0 for what lies between the first two edges.
    package var bucket: Int
    package var columns: TotalsColumns
    package var count: Int64

    package init(bucket: Int, columns: TotalsColumns, count: Int64) {
        self.bucket = bucket
        self.columns = columns
        self.count = count
    }
}

/// What counted events have in common: nil where that was not asked for, and where they have none.
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

package struct ValuesQuestion: Sendable, Hashable {
    /// Only its first and last edge count.
    package var scope: StatisticsScope
    package var dimension: Dimension
    package var limit: Int

    package init(scope: StatisticsScope, dimension: Dimension, limit: Int = 100) {
        self.scope = scope
        self.dimension = dimension
        self.limit = limit
    }
}

package struct ValueCounts: Sendable, Hashable {
    /// Most first; equal counts in the order of the values. Which of equal ones are the last that `limit` lets in is not
    /// said.
    package var values: [ValueCount]
    /// What all values that found no place, see ``Dimension/mostValues``, have together.
    package var other: Int64
    /// Of all events that have a value, shown or not.
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
