package import LinkRouting

/// The counts that are kept beside the log. Each holds every event that was committed before it was asked for, also erased
/// ones and those that retention has dropped.
package protocol EventStatistics: Sendable {
    /// How many links ended how, by the columns that are asked for; a bucket without events is left out.
    func totals(_ question: TotalsQuestion) async throws -> [TotalsCount]

    /// The values of a dimension with the most events, most first; equal counts in the order of the values. What all values
    /// beyond ``Dimension/mostValues`` have together comes with a nil value, wherever its count puts it.
    func values(_ question: ValuesQuestion) async throws -> [ValueCount]
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
    /// Of the columns that were asked for, those that the events have.
    package var columns: [TotalsQuestion.Column: String]
    package var count: Int64

    package init(bucket: Int, columns: [TotalsQuestion.Column: String], count: Int64) {
        self.bucket = bucket
        self.columns = columns
        self.count = count
    }
}

package struct ValuesQuestion: Sendable, Hashable {
    package var scope: StatisticsScope
    package var dimension: Dimension
    /// Only this one value, bucket by bucket; nil for the values with the most events over all buckets together.
    package var value: String?
    package var limit: Int

    package init(scope: StatisticsScope, dimension: Dimension, value: String? = nil, limit: Int = 100) {
        self.scope = scope
        self.dimension = dimension
        self.value = value
        self.limit = limit
    }
}

package struct ValueCount: Sendable, Hashable {
    /// 0 where no single value was asked for.
    package var bucket: Int
    /// Nil for what is counted together.
    package var value: String?
    package var count: Int64

    package init(bucket: Int, value: String?, count: Int64) {
        self.bucket = bucket
        self.value = value
        self.count = count
    }
}
