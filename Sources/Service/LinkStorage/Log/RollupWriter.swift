import GRDB
import LinkEvents
import LinkRouting

/// Writes ``RollupAccumulator`` sums to the rollup tables of a day file.
///
/// It caches the row numbers of results and values. After a failed transaction it must be created again from the file.
///
/// Each dimension of a stream has a limited number of places: values with a place have a counter of their own. All
/// other values share one "other" counter.
struct RollupWriter {
    private var results: [ResultKey: Int64] = [:]
    private var values: [ValueKey: Int64] = [:]
    /// The number of values that have a place.
    private var valueCounts: [Places: Int] = [:]
    /// Dimensions in which a value found no place, and the rarest values may be evicted.
    private var crowded: [Places] = []
    /// The quarter-hour of the last eviction.
    private var cleared: [Places: Int64] = [:]
    /// The values without a place that came often since then, in live streams.
    private var candidates: [Places: FrequentValues] = [:]
    /// The numbers of the "other" counters.
    private var others: Set<Int64> = []
    /// The quarter-hour of the latest events, counted since 1970.
    private var quarter: Int64 = 0

    private struct ResultKey: Hashable {
        let stream: Int64
        let route: RouteID?
        let revision: Revision?
        let outcome: Outcome
        let action: Action?
    }

    private struct ValueKey: Hashable {
        let places: Places
        let value: ExactText
    }

    /// Identifies one dimension of one stream, which has a limit of places.
    private struct Places: Hashable {
        let stream: Int64
        let dimension: Dimension
    }

    /// The limit of each cache. A cache above it is emptied and filled again by lookups, so that many tenants with many
    /// values do not exhaust memory.
    private static let mostRemembered = 100_000
    /// The most dimensions evicted in one transaction, which bounds the duration of a commit.
    private static let mostCleared = 2
    /// The limit of ``candidates``; each takes at most 160 KiB.
    private static let mostCandidates = 128

    init(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT stream, dimension, count(*) FROM stream_value JOIN value ON value.id = stream_value.value
                GROUP BY stream, dimension
                """
        )
        while let row = try rows.next() {
            guard let dimension = Dimension(rawValue: row[1]) else { continue }
            valueCounts[Places(stream: row[0], dimension: dimension)] = row[2]
        }
    }

    /// Assigns a number to each new stream, result and value. Runs in the transaction that inserts the rows, so that
    /// readers find in the file which values have a place.
    mutating func number(_ accumulator: inout RollupAccumulator, _ db: Database) throws {
        quarter = accumulator.quarter
        try accumulator.streams.giveNumbers { try Self.number(of: $0, db) }
        let streams = accumulator.streams.entries
        try accumulator.results.giveNumbers { try number(of: $0, in: streams[$0.stream].number, db) }
        try accumulator.values.giveNumbers { try number(of: $0, in: streams[$0.stream], db) }
        if results.count > Self.mostRemembered { results = [:] }
        if values.count > Self.mostRemembered { values = [:] }
    }

    /// Whether an eviction could make room for values that found no place.
    var isCrowded: Bool { !crowded.isEmpty }

    /// Evicts the rarer half of the values. Their counts move to the "other" counter.
    ///
    /// Free places go first to the most frequent values without a place, then to new values as they arrive. Otherwise a
    /// client that invents values could hide the real ones. Runs at most once per quarter-hour for each dimension of a
    /// stream, because it costs much more than counting. No counts may be pending.
    mutating func makeRoom(_ db: Database) throws {
        for places in crowded.prefix(Self.mostCleared) {
            let tenant = try clear(places, db)
            cleared[places] = quarter
            guard let tenant, let frequent = candidates.removeValue(forKey: places)?.repeated else { continue }
            for value in frequent where try !hasPlace(value, in: places, tenant, db) {
                try givePlace(to: value, in: places, tenant, db)
            }
        }
        crowded = []
        values = [:]
    }

    /// Evicts the rarer half of the values. Returns the tenant; nil if no value has a place.
    private mutating func clear(_ places: Places, _ db: Database) throws -> String? {
        let rarest = try Int64.fetchAll(
            db,
            sql: """
                SELECT value.id FROM stream_value JOIN value ON value.id = stream_value.value
                WHERE stream = :stream AND dimension = :dimension
                ORDER BY (SELECT sum(count) FROM value_hour WHERE stream = :stream AND value = value.id), value.id
                LIMIT :count
                """,
            arguments: [
                "stream": places.stream, "dimension": places.dimension.rawValue,
                "count": valueCounts[places, default: 0] / 2,
            ]
        )
        guard let first = rarest.first else { return nil }
        let tenant = try Self.tenant(ofValue: first, db)
        let other = try Self.otherNumber(of: tenant, places.dimension, db)
        let move = try db.cachedStatement(
            sql: """
                INSERT INTO value_hour (stream, value, hour, count)
                SELECT stream, ?, hour, count FROM value_hour WHERE stream = ? AND value = ?
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        )
        for value in rarest {
            try move.execute(arguments: [other, places.stream, value])
            for table in ["value_hour", "stream_value"] {
                try db.cachedStatement(sql: "DELETE FROM \(table) WHERE stream = ? AND value = ?")
                    .execute(arguments: [places.stream, value])
            }
        }
        valueCounts[places, default: 0] -= rarest.count
        return tenant
    }

    /// Adds the accumulated counts. All keys must have numbers.
    mutating func write(_ accumulator: RollupAccumulator, _ db: Database) throws {
        let rows = try db.cachedStatement(
            sql: """
                INSERT INTO tenant_rows (tenant, rows, first_seq, last_seq) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET rows = rows + excluded.rows, last_seq = excluded.last_seq
                """
        )
        for (tenant, added) in accumulator.rows {
            try rows.execute(arguments: [tenant.rawValue, added.count, added.first, added.last])
        }
        let quarter = try db.cachedStatement(
            sql: """
                INSERT INTO result_quarter (result, quarter, count) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        )
        var row = RowBinder(quarter)
        for index in accumulator.results.counted {
            let entry = accumulator.results.entries[index]
            row.int(entry.number)
            row.int(entry.key.quarter)
            row.int(entry.count)
            try row.run()
        }
        let hour = try db.cachedStatement(
            sql: """
                INSERT INTO value_hour (stream, value, hour, count) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        )
        row = RowBinder(hour)
        for index in accumulator.values.counted {
            let entry = accumulator.values.entries[index]
            row.int(accumulator.streams.entries[entry.key.stream].number)
            row.int(entry.number)
            row.int(entry.key.hour)
            row.int(entry.count)
            try row.run()
            if others.contains(entry.number) { addCandidate(entry, in: accumulator.streams.entries[entry.key.stream]) }
        }
        try writeShortLinks(accumulator, db)
    }

    private func writeShortLinks(_ accumulator: RollupAccumulator, _ db: Database) throws {
        guard !accumulator.shortLinks.isEmpty else { return }
        let insert = try db.cachedStatement(
            sql: "INSERT INTO short_link_count (stream, day, code, count, last_at) VALUES (?, ?, ?, ?, ?)"
        )
        var row = RowBinder(insert)
        for (link, counted) in accumulator.shortLinks {
            row.int(accumulator.streams.entries[link.stream].number)
            row.int(link.day.daysSince1970)
            row.text(link.code)
            row.int(counted.count)
            row.int(counted.last.milliseconds)
            try row.run()
        }
    }

    private mutating func addCandidate(
        _ entry: RunCounts<RollupAccumulator.Value>.Entry,
        in stream: RunCounts<RollupAccumulator.Stream>.Entry
    ) {
        let places = Places(stream: stream.number, dimension: entry.key.dimension)
        guard stream.key.isLive, candidates[places] != nil || candidates.count < Self.mostCandidates else { return }
        // The number of places that an eviction frees.
        let capacity = stream.key.mostValues / 2
        candidates[places, default: FrequentValues(capacity: capacity)].add(entry.key.value, count: entry.count)
    }

    private static func number(of stream: RollupAccumulator.Stream, _ db: Database) throws -> Int64 {
        try number(
            db,
            "stream",
            ["tenant", "environment", "purpose"],
            [stream.tenant.rawValue, stream.environment.rawValue, stream.purpose.rawValue]
        )
    }

    private mutating func number(of result: RollupAccumulator.Result, in stream: Int64, _ db: Database) throws -> Int64
    {
        let key = ResultKey(
            stream: stream,
            route: result.route,
            revision: result.revision,
            outcome: result.outcome,
            action: result.action
        )
        if let number = results[key] { return number }
        let number = try Self.number(
            db,
            "result",
            ["stream", "route", "revision", "outcome", "action"],
            [
                key.stream, key.route?.rawValue ?? "", key.revision?.rawValue ?? 0, key.outcome.rawValue,
                key.action?.rawValue ?? "",
            ]
        )
        results[key] = number
        return number
    }

    private mutating func number(
        of value: RollupAccumulator.Value,
        in stream: RunCounts<RollupAccumulator.Stream>.Entry,
        _ db: Database
    ) throws -> Int64 {
        let places = Places(stream: stream.number, dimension: value.dimension)
        let key = ValueKey(places: places, value: value.value)
        if let number = values[key] { return number }
        let tenant = stream.key.tenant.rawValue
        let known = try Self.known(value.value, of: tenant, value.dimension, db)
        if let known, try Self.hasPlace(known, in: stream.number, db) {
            values[key] = known
            return known
        }
        guard valueCounts[places, default: 0] < stream.key.mostValues else {
            if cleared[places] != quarter, !crowded.contains(places) { crowded.append(places) }
            let other = try Self.otherNumber(of: tenant, value.dimension, db)
            others.insert(other)
            return other
        }
        let number = try givePlace(to: value.value, in: places, tenant, db)
        values[key] = number
        return number
    }

    /// Gives a place to a value that has none yet. Returns the value's number.
    @discardableResult
    private mutating func givePlace(
        to value: ExactText,
        in places: Places,
        _ tenant: String,
        _ db: Database
    ) throws -> Int64 {
        let number: Int64
        if let known = try Self.known(value, of: tenant, places.dimension, db) {
            number = known
        } else {
            try db.cachedStatement(
                sql: "INSERT INTO value (tenant, dimension, other, value) VALUES (?, ?, 0, CAST(? AS TEXT))"
            ).execute(arguments: [tenant, places.dimension.rawValue, StoredValue.text(value.description)])
            number = db.lastInsertedRowID
        }
        try db.cachedStatement(sql: "INSERT INTO stream_value (stream, value) VALUES (?, ?)")
            .execute(arguments: [places.stream, number])
        valueCounts[places, default: 0] += 1
        return number
    }

    private static func known(
        _ value: ExactText,
        of tenant: String,
        _ dimension: Dimension,
        _ db: Database
    ) throws -> Int64? {
        let find = try db.cachedStatement(
            sql: "SELECT id FROM value WHERE tenant = ? AND dimension = ? AND other = 0 AND value = CAST(? AS TEXT)"
        )
        let text = StoredValue.text(value.description)
        return try Int64.fetchOne(find, arguments: [tenant, dimension.rawValue, text])
    }

    private func hasPlace(
        _ value: ExactText,
        in places: Places,
        _ tenant: String,
        _ db: Database
    ) throws -> Bool {
        guard let known = try Self.known(value, of: tenant, places.dimension, db) else { return false }
        return try Self.hasPlace(known, in: places.stream, db)
    }

    private static func hasPlace(_ value: Int64, in stream: Int64, _ db: Database) throws -> Bool {
        let find = try db.cachedStatement(sql: "SELECT 1 FROM stream_value WHERE stream = ? AND value = ?")
        return try Row.fetchOne(find, arguments: [stream, value]) != nil
    }

    private static func tenant(ofValue value: Int64, _ db: Database) throws -> String {
        guard let tenant = try String.fetchOne(db, sql: "SELECT tenant FROM value WHERE id = ?", arguments: [value])
        else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the value \(value) has a count but no name")
        }
        return tenant
    }

    /// Returns the number of the "other" counter, which all values without a place share.
    private static func otherNumber(of tenant: String, _ dimension: Dimension, _ db: Database) throws -> Int64 {
        try number(db, "value", ["tenant", "dimension", "other", "value"], [tenant, dimension.rawValue, 1, ""])
    }

    /// Returns the number of the row with these values in its unique columns. Inserts the row if there is none.
    static func number(
        _ db: Database,
        _ table: String,
        _ columns: [String],
        _ values: StatementArguments
    ) throws -> Int64 {
        let find = try db.cachedStatement(
            sql: "SELECT id FROM \(table) WHERE \(columns.map { "\($0) = ?" }.joined(separator: " AND "))"
        )
        if let number = try Int64.fetchOne(find, arguments: values) { return number }
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(columns.joined(separator: ", ")))
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
                """
        )
        try insert.execute(arguments: values)
        return db.lastInsertedRowID
    }
}

extension TenantID {
    /// Parses a tenant as the log stores it, including ``TenantID/none``.
    init?(logged text: String) {
        if text == TenantID.none.rawValue { self = .none } else { self.init(text) }
    }
}
