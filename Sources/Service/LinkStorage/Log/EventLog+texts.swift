import GRDB
import GRDBSQLite
import LinkRouting

/// Removes texts from a day file once no row refers to them.
extension EventLog {
    /// Blanks texts that no row refers to, then checkpoints the WAL, so that neither the file nor the WAL contains
    /// them. A blanked text keeps its number, because readers rely on numbers without gaps. Reads the whole day.
    func removeUnusedTexts(of day: CivilDay) throws {
        let file = try file(of: day)
        var use = TextUse()
        while try file.database.read({ try use.readSpan($0) }) {}
        // The newest day's writer caches texts and must not use the number of a text that is blanked here.
        try forgettingTexts(of: day) {
            try file.database.storing { db in
                while try use.readSpan(db) {}
                let ids = try Int64.fetchAll(db, sql: "SELECT id FROM text WHERE value <> ''")
                let empty = try db.cachedStatement(sql: "UPDATE text SET value = '' WHERE id = ?")
                for id in ids where !use.contains(id) { try empty.execute(arguments: [id]) }
            }
        }
        // secure_delete overwrites deleted rows in the file; the checkpoint removes them from the WAL.
        try file.database.checkpoint()
    }
}

/// The numbers of the texts that the rows of a day file refer to.
private struct TextUse {
    private var isUsed: [Bool] = []
    /// The sequence of the last row read.
    private var sequence: Int64 = 0

    /// The number of rows read in one transaction: a long reader would keep the WAL from being checkpointed.
    private static let span = 50_000
    /// A higher number means that the file is damaged.
    private static let mostTexts: Int64 = 1 << 24

    func contains(_ number: Int64) -> Bool { number < isUsed.count && isUsed[Int(number)] }

    /// Marks the texts of the next rows. Returns whether there may be more rows. Uses SQLite's C interface, because a
    /// day has millions of rows with thirty of these columns.
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
        let index = Int(number)
        if index >= isUsed.count { isUsed += Array(repeating: false, count: index + 1 - isUsed.count) }
        isUsed[index] = true
    }
}
