import Hummingbird
import LinkEvents

/// By what totals are told apart and which are left out: `?by=route,outcome&action=open_app`.
struct TotalsWish {
    /// In the order that they were named in.
    let columns: [TotalsQuestion.Column]
    let filter: [TotalsQuestion.Column: String]

    init(_ request: Request) throws {
        let names = request.parameter("by")?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        columns = try names.map { name in
            guard let column = TotalsQuestion.Column(rawValue: String(name)) else {
                let known = TotalsQuestion.Column.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.invalidRequest, "'by' is some of \(known) with commas between.")
            }
            return column
        }
        guard Set(columns).count == columns.count else {
            throw Problem(.invalidRequest, "'by' names something twice.")
        }
        var filter: [TotalsQuestion.Column: String] = [:]
        for column in TotalsQuestion.Column.allCases {
            guard let value = request.parameter(column.rawValue) else { continue }
            if column == .revision, !value.isEmpty {
                guard let number = Int64(value), number > 0 else {
                    throw Problem(.invalidRequest, "'revision' is a number, such as 7.")
                }
            }
            filter[column] = value
        }
        self.filter = filter
    }

    func question(_ scope: StatisticsScope) -> TotalsQuestion {
        TotalsQuestion(scope: scope, columns: Set(columns), filter: filter)
    }
}

/// What has the same columns, bucket by bucket.
struct TotalsGroup {
    let columns: TotalsColumns
    var counts: [Int64]

    var count: Int64 { counts.reduce(0, +) }
}

extension [TotalsCount] {
    /// Most first; equal ones in the order of their columns.
    func groups(buckets: Int = 1) -> [TotalsGroup] {
        var groups: [TotalsColumns: [Int64]] = [:]
        for item in self {
            groups[item.columns, default: [Int64](repeating: 0, count: buckets)][item.bucket] += item.count
        }
        let sized = groups.map { (group: TotalsGroup(columns: $0, counts: $1), size: $1.reduce(0, +)) }
        return sized.sorted { left, right in
            guard left.size == right.size else { return left.size > right.size }
            return left.group.columns < right.group.columns
        }.map(\.group)
    }
}

extension TotalsColumns {
    /// As JSON has it; nil where the events have none.
    func text(_ column: TotalsQuestion.Column) -> String? {
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
