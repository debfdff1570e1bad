import GRDB
import LinkEvents
import LinkRouting

/// A day that is over is closed: its counts are added to those of all days in `ledger.db`, in the transaction that notes it
/// as closed, so each is added exactly once.
extension EventLog: EventDays {
    package func closeFinishedDays() async throws {
        try await leaveYesterday()
        try await onSettlingThread { log in
            let closed = try log.ledger.read { Set(try Int64.fetchAll($0, sql: "SELECT day FROM day")) }
            for day in log.finishedDays() where !closed.contains(day.daysSince1970) { try log.close(day) }
            try log.removeDroppedRows(at: log.now())
        }
    }

    private func close(_ day: CivilDay) throws {
        let file = try file(of: day)
        try file.database.read { source in
            try ledger.write { ledger in
                let last = try Int64.fetchOne(source, sql: "SELECT max(last_seq) FROM tenant_rows")
                try ledger.execute(
                    sql:
                        "INSERT INTO day (day, last_seq) VALUES (?, ifnull(?, (SELECT ifnull(max(last_seq), 0) FROM day)))",
                    arguments: [day.daysSince1970, last]
                )
                let rows = try Row.fetchCursor(source, sql: "SELECT tenant, rows, first_seq, last_seq FROM tenant_rows")
                while let row = try rows.next() {
                    try ledger.execute(
                        sql: "INSERT INTO day_tenant (day, tenant, rows, first_seq, last_seq) VALUES (?, ?, ?, ?, ?)",
                        arguments: [
                            day.daysSince1970, row[0] as String, row[1] as Int64, row[2] as Int64, row[3] as Int64,
                        ]
                    )
                }
                var counts = CountCopy(from: source, to: ledger)
                try counts.run()
            }
        }
    }
}

/// Adds the counts of one file to those of the ledger.
private struct CountCopy {
    private let source: Database
    private let ledger: Database
    /// The ledger's numbers for those of the source.
    private var streams: [Int64: Int64] = [:]
    private var results: [Int64: (stream: Int64, result: Int64, outcome: String, action: String)] = [:]
    private var values: [Int64: (dimension: String, value: Int64)] = [:]

    init(from source: Database, to ledger: Database) {
        self.source = source
        self.ledger = ledger
    }

    mutating func run() throws {
        try numberStreams()
        try numberResults()
        try numberValues()
        try copyResults()
        try copyValues()
    }

    private mutating func numberStreams() throws {
        let rows = try Row.fetchCursor(source, sql: "SELECT id, tenant, environment, purpose FROM stream")
        while let row = try rows.next() {
            streams[row[0]] = try CountWriter.number(
                ledger,
                "stream",
                ["tenant", "environment", "purpose"],
                [row[1] as String, row[2] as String, row[3] as String]
            )
        }
    }

    private mutating func numberResults() throws {
        let rows = try Row.fetchCursor(source, sql: "SELECT id, stream, route, revision, outcome, action FROM result")
        while let row = try rows.next() {
            let stream = try known(streams[row[1]])
            let (outcome, action) = (row[4] as String, row[5] as String)
            let number = try CountWriter.number(
                ledger,
                "result",
                ["stream", "route", "revision", "outcome", "action"],
                [stream, row[2] as String, row[3] as Int64, outcome, action]
            )
            results[row[0]] = (stream, number, outcome, action)
        }
    }

    private mutating func numberValues() throws {
        let rows = try Row.fetchCursor(source, sql: "SELECT id, tenant, dimension, other, value FROM value")
        while let row = try rows.next() {
            let dimension = row[2] as String
            let number = try CountWriter.number(
                ledger,
                "value",
                ["tenant", "dimension", "other", "value"],
                [row[1] as String, dimension, row[3] as Int64, row[4] as String]
            )
            values[row[0]] = (dimension, number)
        }
    }

    private func copyResults() throws {
        let quarters = try adder("result_quarter", ["result", "quarter"])
        let days = try adder("result_day", ["stream", "day", "result"])
        let streamQuarters = try adder("stream_quarter", ["stream", "quarter", "outcome", "action"])
        let rows = try Row.fetchCursor(source, sql: "SELECT result, quarter, count FROM result_quarter")
        while let row = try rows.next() {
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
        let rows = try Row.fetchCursor(source, sql: "SELECT stream, value, hour, count FROM value_hour")
        while let row = try rows.next() {
            let (stream, value) = (try known(streams[row[0]]), try known(values[row[1]]))
            let (hour, count) = (row[2] as Int64, row[3] as Int64)
            try hours.execute(arguments: [stream, value.value, hour, count])
            try days.execute(
                arguments: [stream, value.dimension, hour.flooredQuotient(by: 24), value.value, count]
            )
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
        guard let value else { throw StorageError.corrupt(file: "events", detail: "a count belongs to nothing") }
        return value
    }
}
