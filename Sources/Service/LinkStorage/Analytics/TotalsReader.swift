import GRDB
import LinkEvents
import LinkRouting

/// Sums the totals of one query over several files.
struct TotalsReader: Sendable {
    private let query: TotalsQuery
    private var counts: [Key: Int64] = [:]

    private struct Key: Hashable {
        let bucket: Int
        let columns: TotalsColumns
    }

    static let quartersPerDay: Int64 = 96

    init(_ query: TotalsQuery) { self.query = query }

    var answer: [TotalsCount] {
        counts.compactMap { key, count in
            count > 0 ? TotalsCount(bucket: key.bucket, columns: key.columns, count: count) : nil
        }
    }

    mutating func add(_ other: TotalsReader) { counts.merge(other.counts, uniquingKeysWith: +) }

    private var edges: CountEdges {
        CountEdges(query.scope.edges.map { $0.milliseconds.flooredQuotient(by: 900_000) })
    }

    private var columns: [TotalsQuery.Column] { TotalsQuery.Column.allCases.filter(query.columns.contains) }

    // MARK: Reading

    /// Reads the file of an open day.
    ///
    /// - Parameter uncounted: The tenant's events that the file's rollups do not include.
    mutating func readDay(_ db: Database, _ uncounted: [Event]) throws {
        add(uncounted)
        let streams = try StreamSelection(query.scope, db)
        guard !streams.ids.isEmpty else { return }
        try addQuarters(ofStreams: streams, db)
    }

    private mutating func add(_ events: [Event]) {
        let edges = edges
        for event in events where query.scope.includes(event) && meetsConditions(event) {
            guard let bucket = edges.bucket(of: event.recordedAt, unit: 900_000) else { continue }
            add(1, TotalsColumns(event, only: query.columns), to: bucket)
        }
    }

    /// Applies the same filter as ``conditions(_:)``.
    private func meetsConditions(_ event: Event) -> Bool {
        query.filter.allSatisfy { column, value in
            switch column {
            case .route: event.route?.rawValue ?? "" == value
            case .revision: event.revision?.rawValue ?? 0 == Self.revision(value)
            case .outcome: event.outcome.rawValue == value
            case .action: event.action?.rawValue ?? "" == value
            }
        }
    }

    /// Reads the ledger, from the smallest table with the required columns.
    mutating func readLedger(_ db: Database) throws {
        let streams = try StreamSelection(query.scope, db)
        guard !streams.ids.isEmpty else { return }
        let edges = edges
        if query.columns.union(query.filter.keys).isDisjoint(with: [.route, .revision]) {
            return try addStreamQuarters(streams, db)
        }
        if query.filter[.route] != nil { return try addQuarters(ofStreams: streams, db) }
        let days = CountDays(edges, perDay: Self.quartersPerDay)
        if days.pieces.isEmpty || edges.end - edges.first >= Self.quartersPerDay * Int64(edges.bucketCount) {
            try addDays(days.days, streams, db)
            for piece in days.pieces { try addPiece(piece, streams, db) }
        } else {
            try addDailyQuarters(edges, streams, db)
        }
    }

    /// Reads quarter-hours, summed over all routes and revisions.
    private mutating func addStreamQuarters(_ streams: StreamSelection, _ db: Database) throws {
        let edges = edges
        try add(
            edges,
            """
            SELECT (quarter - ?) / ?, SUM(count)\(names("stream_quarter")) FROM stream_quarter
            WHERE stream IN (\(streams.marks)) AND quarter >= ? AND quarter < ?\(conditions("stream_quarter"))
            """,
            [edges.first, edges.step] + streams.arguments + [edges.first, edges.end],
            db
        )
    }

    /// Reads the quarter-hours of all results of the streams. Used for day files and for filters by route.
    private mutating func addQuarters(ofStreams streams: StreamSelection, _ db: Database) throws {
        let edges = edges
        try add(
            edges,
            """
            SELECT (quarter - ?) / ?, SUM(count)\(names("result"))
            FROM result CROSS JOIN result_quarter ON result_quarter.result = result.id
            WHERE result.stream IN (\(streams.marks)) AND quarter >= ? AND quarter < ?\(conditions("result"))
            """,
            [edges.first, edges.step] + streams.arguments + [edges.first, edges.end],
            db
        )
    }

    private mutating func addDays(_ days: CountEdges, _ streams: StreamSelection, _ db: Database) throws {
        try add(
            days,
            """
            SELECT (day - ?) / ?, SUM(count)\(names("result"))
            FROM result_day CROSS JOIN result ON result.id = result_day.result
            WHERE result_day.stream IN (\(streams.marks)) AND day >= ? AND day < ?\(conditions("result"))
            """,
            [days.first, days.step] + streams.arguments + [days.first, days.end],
            db
        )
    }

    /// Selects the quarter-hours of results that occurred on a day.
    private static let quartersOfDays = """
        FROM result_day
        CROSS JOIN result ON result.id = result_day.result
        CROSS JOIN result_quarter ON result_quarter.result = result_day.result
        """

    private mutating func addPiece(_ piece: CountDays.Piece, _ streams: StreamSelection, _ db: Database) throws {
        let sql = """
            SELECT 0, SUM(result_quarter.count)\(names("result")) \(Self.quartersOfDays)
            WHERE result_day.stream IN (\(streams.marks)) AND result_day.day = ?
            AND quarter >= ? AND quarter < ?\(conditions("result"))
            """
        let arguments = streams.arguments + [piece.day, piece.range.lowerBound, piece.range.upperBound]
        let buckets = 0..<(query.scope.edges.count - 1)
        for row in try rows(sql, arguments, db) {
            if buckets.contains(piece.gains) { add(row.count, row.columns, to: piece.gains) }
            if buckets.contains(piece.loses) { add(-row.count, row.columns, to: piece.loses) }
        }
    }

    private mutating func addDailyQuarters(
        _ edges: CountEdges,
        _ streams: StreamSelection,
        _ db: Database
    ) throws {
        let perDay = Self.quartersPerDay
        try add(
            edges,
            """
            SELECT (quarter - ?) / ?, SUM(result_quarter.count)\(names("result")) \(Self.quartersOfDays)
            WHERE result_day.stream IN (\(streams.marks)) AND result_day.day >= ? AND result_day.day <= ?
            AND quarter >= max(?, result_day.day * \(perDay)) AND quarter < min(?, (result_day.day + 1) * \(perDay))
            \(conditions("result"))
            """,
            [edges.first, edges.step] + streams.arguments
                + [
                    edges.first.flooredQuotient(by: perDay), (edges.end - 1).flooredQuotient(by: perDay),
                    edges.first, edges.end,
                ],
            db
        )
    }

    // MARK: SQL

    /// Column names: `, result.route, …`.
    private func names(_ table: String) -> String { columns.map { ", \(table).\($0.rawValue)" }.joined() }

    /// Filter conditions: ` AND result.route = ? …`.
    private func conditions(_ table: String) -> String {
        query.filter.keys.map(\.rawValue).sorted().map { " AND \(table).\($0) = ?" }.joined()
    }

    private var conditionArguments: StatementArguments {
        StatementArguments(
            query.filter.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                column,
                value -> any DatabaseValueConvertible in
                column == .revision ? Self.revision(value) : value
            }
        )
    }

    /// Text that is not a number becomes -1, a revision that never exists.
    private static func revision(_ value: String) -> Int64 { value.isEmpty ? 0 : Int64(value) ?? -1 }

    private struct Counted {
        let slot: Int64
        let columns: TotalsColumns
        let count: Int64
    }

    private mutating func add(
        _ edges: CountEdges,
        _ sql: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws {
        for row in try rows(sql, arguments, db) { add(row.count, row.columns, to: edges.bucket(ofSlot: row.slot)) }
    }

    private mutating func add(_ count: Int64, _ columns: TotalsColumns, to bucket: Int) {
        counts[Key(bucket: bucket, columns: columns), default: 0] += count
    }

    /// - Parameter sql: Selects a slot, a sum and the requested columns. Ends with its conditions.
    private func rows(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws -> [Counted] {
        // All columns together identify a result, and grouping by its number is faster.
        let isWhole = columns.count == TotalsQuery.Column.allCases.count
        let names = isWhole ? ["result.id"] : columns.indices.map { "\($0 + 3)" }
        let grouping = (["1"] + names).joined(separator: ", ")
        let statement = try db.cachedStatement(sql: "\(sql) GROUP BY \(grouping)")
        let rows = try Row.fetchCursor(statement, arguments: arguments + conditionArguments)
        var counted: [Counted] = []
        while let row = try rows.next() {
            var values = TotalsColumns()
            for (index, column) in columns.enumerated() { values.set(column, row, index + 2) }
            counted.append(Counted(slot: row[0], columns: values, count: row[1]))
        }
        return counted
    }
}

extension TotalsColumns {
    fileprivate init(_ event: Event, only columns: Set<TotalsQuery.Column>) {
        self.init(
            route: columns.contains(.route) ? event.route?.rawValue : nil,
            revision: columns.contains(.revision) ? event.revision?.rawValue : nil,
            outcome: columns.contains(.outcome) ? event.outcome.rawValue : nil,
            action: columns.contains(.action) ? event.action?.rawValue : nil
        )
    }

    fileprivate mutating func set(_ column: TotalsQuery.Column, _ row: Row, _ index: Int) {
        switch column {
        case .route: route = Self.text(row, index)
        case .revision:
            let number: Int64 = row[index]
            revision = number == 0 ? nil : number
        case .outcome: outcome = Self.text(row, index)
        case .action: action = Self.text(row, index)
        }
    }

    private static func text(_ row: Row, _ index: Int) -> String? {
        let text: String = row[index]
        return text.isEmpty ? nil : text
    }
}
