import Foundation
import GRDB
import LinkEvents
import LinkRouting

/// Closes finished days: adds a day's rollups to those in `ledger.db`, in the same transaction that marks the day as
/// closed. Each day is therefore added exactly once.
extension EventLog: EventDays {
    package func closeFinishedDays() async throws {
        try await rotate()
        try await onCheckpointQueue { log in
            let closed = try log.ledger.read { Set(try Int64.fetchAll($0, sql: "SELECT day FROM day")) }
            try log.forEachSound(log.finishedDays().filter { !closed.contains($0.daysSince1970) }) { try log.close($0) }
            try log.removeDroppedRows(at: log.now())
        }
    }

    private func close(_ day: CivilDay) throws {
        let file = try file(of: day)
        try file.database.read { source in
            try ledger.storing { ledger in
                let source = DaySource(file: file.database, db: source)
                let last = try source.file.naming {
                    try Int64.fetchOne(source.db, sql: "SELECT max(last_seq) FROM tenant_rows")
                }
                try ledger.execute(
                    sql:
                        "INSERT INTO day (day, last_seq) VALUES (?, ifnull(?, (SELECT ifnull(max(last_seq), 0) FROM day)))",
                    arguments: [day.daysSince1970, last]
                )
                try source.forEachRow("SELECT tenant, rows, first_seq, last_seq FROM tenant_rows") { row in
                    try ledger.execute(
                        sql: "INSERT INTO day_tenant (day, tenant, rows, first_seq, last_seq) VALUES (?, ?, ?, ?, ?)",
                        arguments: [
                            day.daysSince1970, row[0] as String, row[1] as Int64, row[2] as Int64, row[3] as Int64,
                        ]
                    )
                }
                var counts = CountCopy(from: source, to: ledger)
                try counts.run()
                try Self.copyReports(of: day, from: source, to: ledger)
            }
        }
    }
}

extension EventLog {
    /// Copies the hashes of reported events, which are needed for longer than the file. In their order, so that the
    /// pages of the ledger's tree are written one after the other.
    fileprivate static func copyReports(of day: CivilDay, from source: DaySource, to ledger: Database) throws {
        let insert = try ledger.cachedStatement(
            sql: "INSERT INTO client_event (hash, day) VALUES (?, ?) ON CONFLICT DO UPDATE SET day = excluded.day"
        )
        var isEmpty = true
        try source.forEachRow("SELECT hash FROM client_event ORDER BY hash") { row in
            isEmpty = false
            try insert.execute(arguments: [row[0] as Data, day.daysSince1970])
        }
        guard !isEmpty else { return }
        try ledger.execute(
            sql: "INSERT INTO client_event_day (day) VALUES (?) ON CONFLICT DO NOTHING",
            arguments: [day.daysSince1970]
        )
    }
}

/// A day file that is read while the ledger is written. Its errors name the day file, not the ledger.
private struct DaySource {
    let file: StorageFile
    let db: Database

    func forEachRow(_ sql: String, _ arguments: StatementArguments = [], _ body: (Row) throws -> Void) throws {
        let rows = try file.naming { try Row.fetchCursor(db, sql: sql, arguments: arguments) }
        while let row = try file.naming({ try rows.next() }) { try body(row) }
    }
}

/// Adds the rollups of a day file to the ledger.
private struct CountCopy {
    private let source: DaySource
    private let ledger: Database
    /// Maps the source's numbers to the ledger's numbers.
    private var streams: [Int64: Int64] = [:]
    private var results: [Int64: (stream: Int64, result: Int64, outcome: String, action: String)] = [:]
    private var values: [Int64: (dimension: String, value: Int64)] = [:]

    init(from source: DaySource, to ledger: Database) {
        self.source = source
        self.ledger = ledger
    }

    mutating func run() throws {
        try numberStreams()
        try numberResults()
        try numberValues()
        try copyResults()
        try copyValues()
        try copyShortLinks()
    }

    private mutating func numberStreams() throws {
        try source.forEachRow("SELECT id, tenant, environment, purpose FROM stream") { row in
            streams[row[0]] = try RollupWriter.number(
                ledger,
                "stream",
                ["tenant", "environment", "purpose"],
                [row[1] as String, row[2] as String, row[3] as String]
            )
        }
    }

    private mutating func numberResults() throws {
        try source.forEachRow("SELECT id, stream, route, revision, outcome, action FROM result") { row in
            let stream = try known(streams[row[1]])
            let (outcome, action) = (row[4] as String, row[5] as String)
            let number = try RollupWriter.number(
                ledger,
                "result",
                ["stream", "route", "revision", "outcome", "action"],
                [stream, row[2] as String, row[3] as Int64, outcome, action]
            )
            results[row[0]] = (stream, number, outcome, action)
        }
    }

    private mutating func numberValues() throws {
        // Skips evicted values.
        let sql = "SELECT id, tenant, dimension, other, value FROM value WHERE id IN (SELECT value FROM value_hour)"
        let find = try ledger.cachedStatement(
            sql: "SELECT id FROM value WHERE tenant = ? AND dimension = ? AND other = ? AND value = CAST(? AS TEXT)"
        )
        let insert = try ledger.cachedStatement(
            sql: "INSERT INTO value (tenant, dimension, other, value) VALUES (?, ?, ?, CAST(? AS TEXT))"
        )
        try source.forEachRow(sql) { row in
            let dimension = row[2] as String
            let key: StatementArguments = [
                row[1] as String, dimension, row[3] as Int64, StoredValue.text(try row.text(4)),
            ]
            var number = try Int64.fetchOne(find, arguments: key)
            if number == nil {
                try insert.execute(arguments: key)
                number = ledger.lastInsertedRowID
            }
            values[row[0]] = number.map { (dimension, $0) }
        }
    }

    private func copyResults() throws {
        let quarters = try adder("result_quarter", ["result", "quarter"])
        let days = try adder("result_day", ["stream", "day", "result"])
        let streamQuarters = try adder("stream_quarter", ["stream", "quarter", "outcome", "action"])
        try source.forEachRow("SELECT result, quarter, count FROM result_quarter") { row in
            let result = try known(results[row[0]])
            let (quarter, count) = (row[1] as Int64, row[2] as Int64)
            try quarters.execute(arguments: [result.result, quarter, count])
            try days.execute(arguments: [result.stream, quarter.flooredQuotient(by: 96), result.result, count])
            try streamQuarters.execute(arguments: [result.stream, quarter, result.outcome, result.action, count])
        }
    }

    private func copyValues() throws {
        let hours = try adder("value_hour", ["stream", "value", "hour"])
        let days = try adder("value_day", ["stream", "dimension", "day", "value"])
        try source.forEachRow("SELECT stream, value, hour, count FROM value_hour") { row in
            let (stream, value) = (try known(streams[row[0]]), try known(values[row[1]]))
            let (hour, count) = (row[2] as Int64, row[3] as Int64)
            try hours.execute(arguments: [stream, value.value, hour, count])
            try days.execute(
                arguments: [stream, value.dimension, hour.flooredQuotient(by: 24), value.value, count]
            )
        }
    }

    /// The rows that are sorted together, in memory.
    private static let linksAtOnce: Int64 = 250_000

    /// Adds the rows by link, so that the pages of the ledger's tree are written one after the other.
    private func copyShortLinks() throws {
        let add = try ledger.cachedStatement(
            sql: """
                INSERT INTO short_link_day (stream, day, code, count, last_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)
                """
        )
        let last = try source.file.naming {
            try Int64.fetchOne(source.db, sql: "SELECT max(id) FROM short_link_count")
        }
        let sums = """
            SELECT stream, day, code, sum(count), max(last_at) FROM short_link_count WHERE id >= ? AND id < ?
            GROUP BY stream, day, code
            """
        for first in stride(from: 1, through: last ?? 0, by: Int(Self.linksAtOnce)) {
            try source.forEachRow(sums, [first, first + Self.linksAtOnce]) { row in
                let stream = try known(streams[row[0]])
                try add.execute(
                    arguments: [stream, row[1] as Int64, row[2] as String, row[3] as Int64, row[4] as Int64]
                )
            }
        }
    }

    private func adder(_ table: String, _ key: [String]) throws -> Statement {
        try ledger.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(key.joined(separator: ", ")), count)
                VALUES (\(key.map { _ in "?" }.joined(separator: ", ")), ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        )
    }

    /// Foreign keys hold in both files, so only damage leaves a number unknown.
    private func known<Value>(_ value: Value?) throws -> Value {
        guard let value else {
            return try source.file.naming { () throws -> Value in
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a count refers to a missing row")
            }
        }
        return value
    }
}
