import GRDB
import LinkEvents
import LinkRouting

/// Sums the counts of one dimension's values over several files.
struct ValuesReader: Sendable {
    private let query: ValuesQuery
    /// The counts from open days.
    private var named: [ExactText: Int64] = [:]
    private var other: Int64 = 0

    static let hoursPerDay: Int64 = 24
    /// Milliseconds in an hour.
    fileprivate static let hour: Int64 = 3_600_000

    init(_ query: ValuesQuery) { self.query = query }

    private var edges: CountEdges {
        let edges = query.scope.edges.map { $0.milliseconds.flooredQuotient(by: Self.hour) }
        return CountEdges([edges.first ?? 0, edges.last ?? 0])
    }

    mutating func add(_ other: ValuesReader) {
        named.merge(other.named, uniquingKeysWith: +)
        self.other += other.other
    }

    /// Reads the file of an open day.
    ///
    /// - Parameter uncounted: The tenant's events that the file's rollups do not include.
    mutating func readDay(_ db: Database, _ uncounted: [Event]) throws {
        let streams = try StreamSelection(query.scope, db)
        try add(uncounted, streams, db)
        guard !streams.ids.isEmpty else { return }
        let edges = edges
        let select = try db.cachedStatement(
            sql: """
                SELECT value.other, value.value, SUM(value_hour.count)
                FROM value CROSS JOIN value_hour
                ON value_hour.stream IN (\(streams.marks)) AND value_hour.value = value.id
                WHERE value.tenant = ? AND value.dimension = ? AND hour >= ? AND hour < ?
                GROUP BY value.id
                """
        )
        let rows = try Row.fetchCursor(
            select,
            arguments: streams.arguments + [
                query.scope.tenant.rawValue, query.dimension.rawValue, edges.first, edges.end,
            ]
        )
        while let row = try rows.next() {
            let count: Int64 = row[2]
            if row[0] as Bool { other += count } else { named[ExactText(try row.text(1)), default: 0] += count }
        }
    }

    private struct Uncounted: Hashable {
        let purpose: Event.Purpose
        let value: ExactText
    }

    private mutating func add(_ events: [Event], _ streams: StreamSelection, _ db: Database) throws {
        let edges = edges
        var counts: [Uncounted: Int64] = [:]
        for event in events where query.scope.includes(event) {
            guard edges.bucket(of: event.recordedAt, unit: Self.hour) != nil,
                let value = query.dimension.countedValue(of: event.content.fields)
            else { continue }
            counts[Uncounted(purpose: event.purpose, value: ExactText(value)), default: 0] += 1
        }
        for (key, count) in counts {
            let isNamed = try streams.counts(key.value, in: query.dimension, of: key.purpose, db)
            if isNamed { named[key.value, default: 0] += count } else { other += count }
        }
    }

    /// Combines the counts of open days with those of the ledger.
    func answer(withLedger db: Database) throws -> ValueCounts {
        var other = other
        var counts = try ledgerCounts(db)
        for id in try ids("other = 1", [], db) { other += counts.removeValue(forKey: id) ?? 0 }
        var candidates: [Candidate] = []
        for (value, count) in named {
            let id = try ids("other = 0 AND value = CAST(? AS TEXT)", [StoredValue.text(value.description)], db).first
            let closed = id.flatMap { counts.removeValue(forKey: $0) } ?? 0
            candidates.append(Candidate(id: id, value: value.description, count: count + closed))
        }
        candidates += counts.compactMap { $1 > 0 ? Candidate(id: $0, value: nil, count: $1) : nil }
        let sum = candidates.reduce(other) { $0 + $1.count }
        let shown = try candidates.first(query.limit, by: Candidate.precedes).map { candidate in
            ValueCount(value: try candidate.value ?? name(of: candidate.id ?? 0, db), count: candidate.count)
        }
        return ValueCounts(
            values: shown.sorted { ($1.count, $0.value) < ($0.count, $1.value) },
            other: other,
            sum: sum
        )
    }

    /// Returns counts by the ledger's value numbers.
    private func ledgerCounts(_ db: Database) throws -> [Int64: Int64] {
        let streams = try StreamSelection(query.scope, db)
        guard !streams.ids.isEmpty else { return [:] }
        let days = CountDays(edges, perDay: Self.hoursPerDay)
        let select = try db.cachedStatement(
            sql: """
                SELECT value, SUM(count) FROM value_day
                WHERE stream IN (\(streams.marks)) AND dimension = ? AND day >= ? AND day < ? GROUP BY value
                """
        )
        var counts: [Int64: Int64] = [:]
        let dimension = query.dimension.rawValue
        var rows = try Row.fetchCursor(
            select,
            arguments: streams.arguments + [dimension, days.days.first, days.days.end]
        )
        while let row = try rows.next() { counts[row[0]] = row[1] }
        let selectPiece = try db.cachedStatement(
            sql: """
                SELECT value_day.value, SUM(value_hour.count)
                FROM value_day CROSS JOIN value_hour
                ON value_hour.stream = value_day.stream AND value_hour.value = value_day.value
                WHERE value_day.stream IN (\(streams.marks)) AND dimension = ? AND day = ? AND hour >= ? AND hour < ?
                GROUP BY value_day.value
                """
        )
        for piece in days.pieces {
            rows = try Row.fetchCursor(
                selectPiece,
                arguments: streams.arguments + [dimension, piece.day, piece.range.lowerBound, piece.range.upperBound]
            )
            while let row = try rows.next() {
                let count: Int64 = row[1]
                counts[row[0], default: 0] += piece.gains == 0 ? count : -count
            }
        }
        return counts
    }

    private func ids(_ condition: String, _ arguments: StatementArguments, _ db: Database) throws -> [Int64] {
        let find = try db.cachedStatement(
            sql: "SELECT id FROM value WHERE tenant = ? AND dimension = ? AND \(condition)"
        )
        return try Int64.fetchAll(
            find,
            arguments: [query.scope.tenant.rawValue, query.dimension.rawValue] + arguments
        )
    }

    private func name(of id: Int64, _ db: Database) throws -> String {
        let find = try db.cachedStatement(sql: "SELECT value FROM value WHERE id = ?")
        guard case .text(let name) = try StoredValue.fetchOne(find, arguments: [id]) else {
            throw StorageError.corrupt(file: "events/ledger.db", detail: "the value \(id) has a count but no name")
        }
        return name
    }
}

/// A value that may be among the most frequent ones.
private struct Candidate {
    /// The value's number in the ledger; nil if the ledger does not have it.
    let id: Int64?
    /// Nil until the ledger has been queried for it.
    let value: String?
    let count: Int64

    /// Orders by descending count. Ties go to the value that the ledger has known longest.
    static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
        guard left.count == right.count else { return left.count > right.count }
        switch (left.id, right.id) {
        case (let left?, let right?): return left < right
        case (nil, nil): return (left.value ?? "") < (right.value ?? "")
        case (let id, _): return id != nil
        }
    }
}

/// Counts one value of a dimension per bucket.
struct ValueSeries: Sendable {
    let value: String
    let dimension: Dimension
    let scope: AnalyticsScope

    /// Reads a day file or the ledger, which have the same tables.
    ///
    /// - Parameter uncounted: The tenant's events that the rollups do not include.
    func counts(_ db: Database, _ uncounted: [Event]) throws -> [Int64] {
        let edges = CountEdges(scope.edges.map { $0.milliseconds.flooredQuotient(by: ValuesReader.hour) })
        var counts = [Int64](repeating: 0, count: edges.bucketCount)
        let streams = try StreamSelection(scope, db)
        guard !streams.ids.isEmpty else { return counts }
        let select = try db.cachedStatement(
            sql: """
                SELECT (hour - ?) / ?, SUM(value_hour.count)
                FROM value CROSS JOIN value_hour
                ON value_hour.stream IN (\(streams.marks)) AND value_hour.value = value.id
                WHERE value.tenant = ? AND value.dimension = ? AND value.other = 0 AND value.value = CAST(? AS TEXT)
                AND hour >= ? AND hour < ?
                GROUP BY 1
                """
        )
        let rows = try Row.fetchCursor(
            select,
            arguments: [edges.first, edges.step] + streams.arguments + [
                scope.tenant.rawValue, dimension.rawValue, StoredValue.text(value), edges.first, edges.end,
            ]
        )
        while let row = try rows.next() { counts[edges.bucket(ofSlot: row[0])] += row[1] }
        let value = ExactText(value)
        for event in uncounted
        where scope.includes(event) && dimension.countedValue(of: event.content.fields).map({ ExactText($0) }) == value
        {
            guard try streams.counts(value, in: dimension, of: event.purpose, db) else { continue }
            if let bucket = edges.bucket(of: event.recordedAt, unit: ValuesReader.hour) { counts[bucket] += 1 }
        }
        return counts
    }
}
