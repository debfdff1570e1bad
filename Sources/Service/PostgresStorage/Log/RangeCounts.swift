import LinkEvents
import LinkRouting
import LinkStorage

/// The values of a dimension that have a counter of their own in a day of a log.
struct ValuePlaces {
    struct Key: Hashable {
        let stream: RollupAccumulator.Stream
        let dimension: Dimension
        let day: Int64
    }

    private var values: [Key: Set<ExactText>] = [:]
    private var count = 0

    /// Bounds the memory; all are read again after it.
    private static let most = 200_000

    /// Whether a value has a place, which it takes if there is one. Call ``read(_:log:_:)`` before.
    mutating func hasPlace(_ value: ExactText, _ key: Key) -> Bool {
        let known = values[key] ?? []
        guard !known.contains(value) else { return true }
        guard known.count < key.stream.mostValues else { return false }
        values[key, default: []].insert(value)
        count += 1
        return true
    }

    /// Reads what is not known yet, in one statement.
    mutating func read(_ keys: Set<Key>, log: Int64, _ db: any SQLDatabase) throws {
        if count > Self.most { self = ValuePlaces() }
        let new = Array(keys.subtracting(values.keys))
        guard !new.isEmpty else { return }
        var list = JSONWriter()
        list.beginArray()
        for (index, key) in new.enumerated() {
            list.beginObject()
            list.member("key", index)
            list.stream(key.stream)
            list.member("dimension", key.dimension.rawValue)
            list.member("day", key.day)
            list.endObject()
            values[key] = []
        }
        list.endArray()
        let sql = """
            SELECT key, value FROM json_to_recordset(?::json)
                AS k (key int, tenant text, environment text, purpose text, dimension text, day int)
            JOIN value_day v USING (tenant, environment, purpose, dimension, day) WHERE v.log = ? AND v.other = 0
            """
        try db.forEachRow(sql, [list.text, log]) { row in
            let index: Int = try row["key"]
            guard new.indices.contains(index) else { return }
            values[new[index], default: []].insert(ExactText(try row["value"] as String))
            count += 1
        }
    }
}

/// A table with counts of events by the quarter-hour, the hour or the day.
private struct CountTable: Sendable {
    private let name: String
    private let unit: String
    private let unitsPerDay: Int64
    /// The columns of its primary key without the log.
    private let key: String
    /// Adds up JSON objects, given as an argument.
    private let sums: String
    private let hasTimes: Bool

    /// - Parameters:
    ///   - value: The unit, from the columns of the JSON objects.
    ///   - key: Further columns of the primary key.
    init(
        _ name: String,
        _ unit: String,
        perDay unitsPerDay: Int64,
        from value: String,
        _ key: String,
        columns: String,
        hasTimes: Bool = false
    ) {
        self.name = name
        self.unit = unit
        self.unitsPerDay = unitsPerDay
        self.key = "tenant, environment, purpose, \(unit), \(key)"
        self.hasTimes = hasTimes
        sums = """
            SELECT tenant, environment, purpose, \(value) AS \(unit), \(key), sum(count) AS count\(hasTimes ? ", max(last_at) AS last_at" : "")
            FROM json_to_recordset(?::json)
                AS t (tenant text, environment text, purpose text, \(columns), count bigint\(hasTimes ? ", last_at bigint" : ""))
            GROUP BY tenant, environment, purpose, \(value), \(key)
            """
    }

    static func results(_ name: String, _ unit: String, perDay: Int64, from value: String) -> CountTable {
        CountTable(
            name,
            unit,
            perDay: perDay,
            from: value,
            "route, revision, outcome, action",
            columns: "quarter int, route text, revision bigint, outcome text, action text"
        )
    }

    static func values(_ name: String, _ unit: String, perDay: Int64, from value: String) -> CountTable {
        CountTable(
            name,
            unit,
            perDay: perDay,
            from: value,
            "dimension, other, value",
            columns: "dimension text, hour int, other smallint, value text"
        )
    }

    func add(_ rows: String, of log: Int64, to db: any SQLDatabase) throws {
        let times = hasTimes ? ", last_at = greatest(\(name).last_at, excluded.last_at)" : ""
        try db.execute(
            sql: """
                INSERT INTO \(name) (log, \(key), count\(hasTimes ? ", last_at" : "")) SELECT ?::int, sums.* FROM (\(sums)) AS sums
                ON CONFLICT (log, \(key)) DO UPDATE SET count = \(name).count + excluded.count\(times)
                """,
            arguments: [log, rows]
        )
    }

    /// Describes the counts of a day that are not those of rows, at most ten.
    ///
    /// - Parameter isWhole: Whether all rows are there that were counted.
    func faults(_ rows: String, of log: Int64, on day: Int64, isWhole: Bool, in db: any SQLDatabase) throws -> [String]
    {
        try String.fetchAll(
            db,
            sql: """
                SELECT ?::text || ' of ' || concat_ws(' ', \(key)) || ' is ' || coalesce(stored.count, 0) || ', but there are '
                    || coalesce(sums.count, 0) || ' rows'
                FROM (\(sums)) AS sums FULL JOIN (
                    SELECT * FROM \(name) WHERE log = ? AND \(unit) BETWEEN ?::bigint AND ?::bigint
                ) AS stored USING (\(key))
                WHERE coalesce(stored.count, 0) < coalesce(sums.count, 0)
                    OR (? = 1 AND coalesce(stored.count, 0) > coalesce(sums.count, 0))
                ORDER BY 1 LIMIT 10
                """,
            arguments: [name, rows, log, day * unitsPerDay, (day + 1) * unitsPerDay - 1, isWhole ? 1 : 0]
        )
    }
}

/// The counts of events of a log, which are added to those in PostgreSQL, or compared with them.
struct RangeCounts {
    private var counts = RollupAccumulator()

    private static let results = [
        CountTable.results("count_quarter", "quarter", perDay: 96, from: "quarter"),
        .results("count_day", "day", perDay: 1, from: "quarter / 96"),
    ]
    private static let values = [
        CountTable.values("value_hour", "hour", perDay: 24, from: "hour"),
        .values("value_day", "day", perDay: 1, from: "hour / 24"),
    ]
    private static let links = [
        CountTable("link_day", "day", perDay: 1, from: "day", "code", columns: "code text, day int", hasTimes: true)
    ]

    mutating func add(_ events: [Event]) { counts.add(events, from: 1) }

    func add(to db: any SQLDatabase, log: Int64, places: inout ValuePlaces) throws {
        guard counts.eventCount > 0 else { return }
        try forEachTable(log, &places, db) { try $0.add($1, of: log, to: db) }
    }

    /// Describes the counts of a day that are not those of the events, which are all of that day.
    ///
    /// - Parameter isWhole: Whether these are all events that were counted. Counts stay when events go.
    func faults(in db: any SQLDatabase, log: Int64, on day: Int64, isWhole: Bool) throws -> [String] {
        var places = ValuePlaces()
        var faults: [String] = []
        try forEachTable(log, &places, db) { faults += try $0.faults($1, of: log, on: day, isWhole: isWhole, in: db) }
        return faults
    }

    /// Calls `body` with each table and its JSON objects.
    private func forEachTable(
        _ log: Int64,
        _ places: inout ValuePlaces,
        _ db: any SQLDatabase,
        _ body: (CountTable, String) throws -> Void
    ) throws {
        let rows = [
            (Self.results, countedResults()), (Self.values, try countedValues(log, &places, db)),
            (Self.links, countedLinks()),
        ]
        for (tables, rows) in rows { for table in tables { try body(table, rows) } }
    }

    private func countedResults() -> String {
        var rows = JSONWriter()
        rows.beginArray()
        for entry in counts.results.counted.map({ counts.results.entries[$0] }) {
            rows.beginObject()
            rows.stream(counts.streams.entries[entry.key.stream].key)
            rows.member("quarter", entry.key.quarter)
            rows.member("route", entry.key.route?.rawValue ?? "")
            rows.member("revision", entry.key.revision?.rawValue ?? 0)
            rows.member("outcome", entry.key.outcome.rawValue)
            rows.member("action", entry.key.action?.rawValue ?? "")
            rows.member("count", entry.count)
            rows.endObject()
        }
        rows.endArray()
        return rows.text
    }

    private func countedValues(_ log: Int64, _ places: inout ValuePlaces, _ db: any SQLDatabase) throws -> String {
        var rows = JSONWriter()
        rows.beginArray()
        let entries = counts.values.counted.map { counts.values.entries[$0] }
        try places.read(Set(entries.map { place(of: $0.key) }), log: log, db)
        for entry in entries {
            let value = ExactText(entry.key.value.description.withoutNUL)
            let isNamed = places.hasPlace(value, place(of: entry.key))
            rows.beginObject()
            rows.stream(counts.streams.entries[entry.key.stream].key)
            rows.member("dimension", entry.key.dimension.rawValue)
            rows.member("hour", entry.key.hour)
            rows.member("other", isNamed ? 0 : 1)
            rows.member("value", isNamed ? value.description : "")
            rows.member("count", entry.count)
            rows.endObject()
        }
        rows.endArray()
        return rows.text
    }

    private func place(of value: RollupAccumulator.Value) -> ValuePlaces.Key {
        ValuePlaces.Key(
            stream: counts.streams.entries[value.stream].key,
            dimension: value.dimension,
            day: value.hour.flooredQuotient(by: 24)
        )
    }

    private func countedLinks() -> String {
        var rows = JSONWriter()
        rows.beginArray()
        for (link, counted) in counts.shortLinks {
            rows.beginObject()
            rows.stream(counts.streams.entries[link.stream].key)
            rows.member("code", link.code.withoutNUL)
            rows.member("day", link.day.daysSince1970)
            rows.member("count", counted.count)
            rows.member("last_at", counted.last.milliseconds)
            rows.endObject()
        }
        rows.endArray()
        return rows.text
    }
}

extension JSONWriter {
    fileprivate mutating func stream(_ stream: RollupAccumulator.Stream) {
        member("tenant", stream.tenant.rawValue)
        member("environment", stream.environment.rawValue)
        member("purpose", stream.purpose.rawValue)
    }
}

extension String {
    /// As PostgreSQL stores it, whose texts have no NUL.
    var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
