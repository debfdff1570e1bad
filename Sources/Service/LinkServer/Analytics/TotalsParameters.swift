import HTTPTransport
import Hummingbird
import LinkEvents
import LinkRouting

/// The columns by which totals are grouped, and the filter: `?by=route,outcome&action=open_app`.
struct TotalsParameters {
    /// The columns, in the order in which the request names them.
    let columns: [TotalsQuery.Column]
    let filter: [TotalsQuery.Column: String]

    init(_ request: Request) throws {
        let names = request.parameter("by")?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        columns = try names.map { name in
            guard let column = TotalsQuery.Column(rawValue: String(name)) else {
                let known = TotalsQuery.Column.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.invalidRequest, "'by' must be a comma-separated list of: \(known).")
            }
            return column
        }
        guard Set(columns).count == columns.count else {
            throw Problem(.invalidRequest, "'by' has a duplicate; remove it.")
        }
        var filter: [TotalsQuery.Column: String] = [:]
        for column in TotalsQuery.Column.allCases {
            guard let value = request.parameter(column.rawValue) else { continue }
            switch column {
            case .revision where !value.isEmpty:
                guard let number = Int64(value), number > 0 else {
                    throw Problem(.invalidRequest, "'revision' must be a number, such as 7.")
                }
            case .outcome: _ = try request.outcome()
            case .action where !value.isEmpty:
                guard Action(rawValue: value) != nil else {
                    let known = Action.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(.invalidRequest, "'action' must be empty, or one of: \(known).")
                }
            case .route, .revision, .action: break
            }
            filter[column] = value
        }
        self.filter = filter
    }

    /// The revision that the filter names; nil for none.
    var revision: Revision? { filter[.revision].flatMap { Int64($0) }.map(Revision.init(rawValue:)) }

    func query(_ scope: AnalyticsScope) -> TotalsQuery {
        TotalsQuery(scope: scope, columns: Set(columns), filter: filter)
    }
}

/// The events with the same columns, by bucket.
struct TotalsGroup: Sendable, Hashable {
    let columns: TotalsColumns
    let count: Int64
    /// They add up to `count`.
    var buckets: [Int64]
}

/// The groups with the most events, and the sum of those that the limit excluded.
struct TotalsGroups: Sendable, Hashable {
    /// Number of all events.
    let count: Int64
    /// Largest first; groups of equal size in the order of their columns.
    fileprivate(set) var largest: [TotalsGroup]
    /// Number of groups that were excluded.
    let others: Int
    /// Buckets of the excluded groups together; empty if there are none.
    fileprivate(set) var rest: [Int64]
}

extension [TotalsCount] {
    /// Groups the counts by their columns. Only the largest groups and the rest have buckets: there may be many groups
    /// and many buckets, but not both multiplied.
    func groups(buckets: Int = 1, limit: Int = .max) -> TotalsGroups {
        var sums: [TotalsColumns: Int64] = [:]
        for item in self { sums[item.columns, default: 0] += item.count }
        let sorted = sums.sorted { left, right in
            guard left.value == right.value else { return left.value > right.value }
            return left.key < right.key
        }
        let none = [Int64](repeating: 0, count: buckets)
        let others = sorted.count - Swift.min(limit, sorted.count)
        var groups = TotalsGroups(
            count: sorted.reduce(0) { $0 + $1.value },
            largest: sorted.prefix(limit).map { TotalsGroup(columns: $0.key, count: $0.value, buckets: none) },
            others: others,
            rest: others == 0 ? [] : none
        )
        var indexes: [TotalsColumns: Int] = [:]
        for (index, group) in groups.largest.enumerated() { indexes[group.columns] = index }
        for item in self {
            if let index = indexes[item.columns] {
                groups.largest[index].buckets[item.bucket] += item.count
            } else {
                groups.rest[item.bucket] += item.count
            }
        }
        return groups
    }
}

extension TotalsColumns {
    /// Returns the value of a column as in JSON; nil if the events have none.
    func text(_ column: TotalsQuery.Column) -> String? {
        switch column {
        case .route: route
        case .revision: revision.map(String.init)
        case .outcome: outcome
        case .action: action
        }
    }

    static func < (left: TotalsColumns, right: TotalsColumns) -> Bool {
        (left.route ?? "", left.revision ?? 0, left.outcome ?? "", left.action ?? "")
            < (right.route ?? "", right.revision ?? 0, right.outcome ?? "", right.action ?? "")
    }
}
