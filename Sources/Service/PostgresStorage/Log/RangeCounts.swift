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
    mutating func read(_ keys: Set<Key>, log: Int64, _ db: PostgresConnection) throws {
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

/// The counts of a range, which are added to those of its log.
struct RangeCounts {
    private var counts = RollupAccumulator()

    init(_ events: [Event]) { counts.add(events, from: 1) }

    func add(to db: PostgresConnection, log: Int64, places: inout ValuePlaces) throws {
        guard counts.eventCount > 0 else { return }
        try addTotals(to: db, log)
        try addValues(to: db, log, &places)
        try addLinks(to: db, log)
    }

    private func addTotals(to db: PostgresConnection, _ log: Int64) throws {
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
        let columns = "tenant text, environment text, purpose text, quarter int, route text, revision bigint, "
        let key = "route, revision, outcome, action"
        for (table, unit, value) in [("count_quarter", "quarter", "quarter"), ("count_day", "day", "quarter / 96")] {
            try db.execute(
                sql: """
                    INSERT INTO \(table) (tenant, environment, purpose, \(unit), log, \(key), count)
                    SELECT tenant, environment, purpose, \(value), ?, \(key), sum(count)
                    FROM json_to_recordset(?::json) AS t (\(columns) outcome text, action text, count bigint)
                    GROUP BY tenant, environment, purpose, \(value), \(key)
                    ON CONFLICT (tenant, environment, purpose, \(unit), log, \(key))
                    DO UPDATE SET count = \(table).count + excluded.count
                    """,
                arguments: [log, rows.text]
            )
        }
    }

    private func addValues(to db: PostgresConnection, _ log: Int64, _ places: inout ValuePlaces) throws {
        var rows = JSONWriter()
        rows.beginArray()
        let entries = counts.values.counted.map { counts.values.entries[$0] }
        try places.read(Set(entries.map { place(of: $0.key) }), log: log, db)
        for entry in entries {
            let stream = counts.streams.entries[entry.key.stream].key
            let value = ExactText(entry.key.value.description.withoutNUL)
            let isNamed = places.hasPlace(value, place(of: entry.key))
            rows.beginObject()
            rows.stream(stream)
            rows.member("dimension", entry.key.dimension.rawValue)
            rows.member("hour", entry.key.hour)
            rows.member("other", isNamed ? 0 : 1)
            rows.member("value", isNamed ? value.description : "")
            rows.member("count", entry.count)
            rows.endObject()
        }
        rows.endArray()
        let columns = "tenant text, environment text, purpose text, dimension text, hour int, other smallint"
        for (table, unit, value) in [("value_hour", "hour", "hour"), ("value_day", "day", "hour / 24")] {
            try db.execute(
                sql: """
                    INSERT INTO \(table) (tenant, environment, purpose, dimension, \(unit), log, other, value, count)
                    SELECT tenant, environment, purpose, dimension, \(value), ?, other, value, sum(count)
                    FROM json_to_recordset(?::json) AS t (\(columns), value text, count bigint)
                    GROUP BY tenant, environment, purpose, dimension, \(value), other, value
                    ON CONFLICT (tenant, environment, purpose, dimension, \(unit), log, other, value)
                    DO UPDATE SET count = \(table).count + excluded.count
                    """,
                arguments: [log, rows.text]
            )
        }
    }

    private func place(of value: RollupAccumulator.Value) -> ValuePlaces.Key {
        ValuePlaces.Key(
            stream: counts.streams.entries[value.stream].key,
            dimension: value.dimension,
            day: value.hour.flooredQuotient(by: 24)
        )
    }

    private func addLinks(to db: PostgresConnection, _ log: Int64) throws {
        guard !counts.shortLinks.isEmpty else { return }
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
        let columns = "tenant text, environment text, purpose text, code text, day int, count bigint, last_at bigint"
        try db.execute(
            sql: """
                INSERT INTO link_day (tenant, code, day, environment, purpose, log, count, last_at)
                SELECT tenant, code, day, environment, purpose, ?, sum(count), max(last_at)
                FROM json_to_recordset(?::json) AS t (\(columns)) GROUP BY tenant, code, day, environment, purpose
                ON CONFLICT (tenant, code, day, environment, purpose, log) DO UPDATE
                    SET count = link_day.count + excluded.count, last_at = greatest(link_day.last_at, excluded.last_at)
                """,
            arguments: [log, rows.text]
        )
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
