import GRDB
import LinkEvents
import LinkRouting

/// Adds tallies to the counts of the day file.
///
/// Keeps in memory which numbers the file has given to results and values. After a transaction that failed it is
/// made anew from the file.
struct CountWriter {
    private var results: [ResultKey: Int64] = [:]
    private var values: [ValueKey: Int64] = [:]
    /// How many values of a tenant's dimension have a number.
    private var valueCounts: [DimensionKey: Int] = [:]

    private struct ResultKey: Hashable {
        let stream: Int64
        let route: RouteID?
        let revision: Revision?
        let outcome: Outcome
        let action: Action?
    }

    private struct ValueKey: Hashable {
        let dimension: DimensionKey
        let value: String
    }

    private struct DimensionKey: Hashable {
        let tenant: TenantID
        let dimension: Dimension
    }

    /// More than these are forgotten and looked up again, so that many tenants with many values do not fill the memory.
    private static let mostRemembered = 100_000

    init(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT tenant, dimension, count(*) FROM value WHERE other = 0 GROUP BY tenant, dimension"
        )
        while let row = try rows.next() {
            guard let tenant = TenantID(logged: row[0]), let dimension = Dimension(rawValue: row[1]) else { continue }
            valueCounts[DimensionKey(tenant: tenant, dimension: dimension)] = row[2]
        }
    }

    /// Gives what was counted for the first time its number in the file: in the transaction that adds the rows, so that readers
    /// find there which values are counted by themselves.
    mutating func number(_ tally: inout EventTally, _ db: Database) throws {
        try tally.streams.giveNumbers { try Self.number(of: $0, db) }
        let streams = tally.streams.entries
        try tally.results.giveNumbers { try number(of: $0, in: streams[$0.stream].number, db) }
        try tally.values.giveNumbers { try number(of: $0, of: streams[$0.stream].key.tenant, db) }
        if results.count > Self.mostRemembered { results = [:] }
        if values.count > Self.mostRemembered { values = [:] }
    }

    /// Adds the tally, which has all its numbers.
    func write(_ tally: EventTally, _ db: Database) throws {
        let rows = try db.cachedStatement(
            sql: """
                INSERT INTO tenant_rows (tenant, rows, first_seq, last_seq) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET rows = rows + excluded.rows, last_seq = excluded.last_seq
                """
        )
        for (tenant, added) in tally.rows {
            try rows.execute(arguments: [tenant.rawValue, added.count, added.first, added.last])
        }
        let quarter = try db.cachedStatement(
            sql: """
                INSERT INTO result_quarter (result, quarter, count) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        )
        var row = RowBinder(quarter, db)
        for place in tally.results.counted {
            let entry = tally.results.entries[place]
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
        row = RowBinder(hour, db)
        for place in tally.values.counted {
            let entry = tally.values.entries[place]
            row.int(tally.streams.entries[entry.key.stream].number)
            row.int(entry.number)
            row.int(entry.key.hour)
            row.int(entry.count)
            try row.run()
        }
    }

    private static func number(of stream: EventTally.Stream, _ db: Database) throws -> Int64 {
        try number(
            db,
            "stream",
            ["tenant", "environment", "purpose"],
            [stream.tenant.rawValue, stream.environment.rawValue, stream.purpose.rawValue]
        )
    }

    private mutating func number(of result: EventTally.Result, in stream: Int64, _ db: Database) throws -> Int64 {
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
        of value: EventTally.Value,
        of tenant: TenantID,
        _ db: Database
    ) throws -> Int64 {
        let dimension = DimensionKey(tenant: tenant, dimension: value.dimension)
        let key = ValueKey(dimension: dimension, value: value.value)
        if let number = values[key] { return number }
        let number = try number(of: key, db)
        values[key] = number
        return number
    }

    /// A new one for a new value, while there are fewer than may be; then that of all further values.
    private mutating func number(of key: ValueKey, _ db: Database) throws -> Int64 {
        let (tenant, name) = (key.dimension.tenant.rawValue, key.dimension.dimension.rawValue)
        let columns = ["tenant", "dimension", "other", "value"]
        guard valueCounts[key.dimension, default: 0] >= Dimension.mostValues else {
            let before = db.totalChangesCount
            let number = try Self.number(db, "value", columns, [tenant, name, 0, key.value])
            if db.totalChangesCount > before { valueCounts[key.dimension, default: 0] += 1 }
            return number
        }
        let find = try db.cachedStatement(
            sql: "SELECT id FROM value WHERE tenant = ? AND dimension = ? AND other = 0 AND value = ?"
        )
        if let number = try Int64.fetchOne(find, arguments: [tenant, name, key.value]) { return number }
        return try Self.number(db, "value", columns, [tenant, name, 1, ""])
    }

    /// The number of the row that has these values in its unique columns; a new one where there is none.
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
    /// A tenant's name as the log holds it, where there is also none.
    init?(logged text: String) {
        if text == TenantID.none.rawValue { self = .none } else { self.init(text) }
    }
}
