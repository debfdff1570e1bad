import GRDB
import GRDBSQLite
import LinkRouting

/// Texts that no row names any more leave the day's file with the rows that named them.
extension EventLog {
    /// Empties those texts, then brings the WAL into the file, which it then no longer holds either. A text keeps its number:
    /// readers count on there being no gaps. Reads the whole day.
    func removeUnusedTexts(of day: CivilDay) throws {
        let file = try file(of: day)
        var use = TextUse()
        while try file.database.read({ try use.readSpan($0) }) {}
        // The writer of the newest day knows texts by heart: it must not go on with one that is emptied here.
        try forgettingTexts(of: day) {
            try file.database.storing { db in
                while try use.readSpan(db) {}
                let ids = try Int64.fetchAll(db, sql: "SELECT id FROM text WHERE value <> ''")
                let empty = try db.cachedStatement(sql: "UPDATE text SET value = '' WHERE id = ?")
                for id in ids where !use.contains(id) { try empty.execute(arguments: [id]) }
            }
        }
        // Deleted rows are overwritten in the file (secure_delete), and leave the WAL with this.
        try file.database.checkpoint()
    }
}

/// Which texts of a day's file its rows name, by number.
private struct TextUse {
    private var isUsed: [Bool] = []
    /// Of the last row that was read.
    private var sequence: Int64 = 0

    /// Rows that are read in one transaction: a reader that goes on for long would keep the WAL from being checkpointed.
    private static let span = 50_000
    /// A file that says more is damaged.
    private static let mostTexts: Int64 = 1 << 24

    func contains(_ number: Int64) -> Bool { number < isUsed.count && isUsed[Int(number)] }

    /// Whether there may be more. Through SQLite's C interface: a day has millions of rows with thirty of these columns.
    mutating func readSpan(_ db: Database) throws -> Bool {
        let select = try db.cachedStatement(
            sql:
                "SELECT seq, \(EventRow.textColumns.joined(separator: ", ")) FROM event WHERE seq > ? ORDER BY seq LIMIT ?"
        )
        let statement = select.sqliteStatement
        sqlite3_bind_int64(statement, 1, sequence)
        sqlite3_bind_int64(statement, 2, Int64(Self.span))
        defer { sqlite3_reset(statement) }
        var count = 0
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
                return count == Self.span
            }
            count += 1
            sequence = sqlite3_column_int64(statement, 0)
            for column in 1...CInt(EventRow.textColumns.count)
            where sqlite3_column_type(statement, column) == SQLITE_INTEGER {
                mark(sqlite3_column_int64(statement, column))
            }
        }
    }

    private mutating func mark(_ number: Int64) {
        guard (1..<Self.mostTexts).contains(number) else { return }
        let place = Int(number)
        if place >= isUsed.count { isUsed += Array(repeating: false, count: place + 1 - isUsed.count) }
        isUsed[place] = true
    }
}
