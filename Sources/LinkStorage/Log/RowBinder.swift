import GRDB
import GRDBSQLite

/// Binds the values of a statement one after the other through SQLite's C interface, and runs it.
///
/// GRDB's `StatementArguments` boxes each value; for the forty columns of an event that is most of the cost of a row.
struct RowBinder {
    private let db: Database
    private let statement: OpaquePointer
    private var index: Int32 = 0

    init(_ statement: Statement, _ db: Database) {
        self.db = db
        self.statement = statement.sqliteStatement
    }

    mutating func int(_ value: Int64?) throws {
        index += 1
        let code = value.map { sqlite3_bind_int64(statement, index, $0) } ?? sqlite3_bind_null(statement, index)
        try check(code)
    }

    mutating func text(_ value: String?) throws {
        guard let value else { return try int(nil) }
        index += 1
        try check(sqlite3_bind_text(statement, index, value, Int32(value.utf8.count), Self.copied))
    }

    mutating func blob(_ bytes: [UInt8]) throws {
        index += 1
        try check(sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), Self.copied))
    }

    /// Runs the statement, which returns no rows, and makes it ready for the next row.
    mutating func run() throws {
        let code = sqlite3_step(statement)
        let error = code == SQLITE_DONE ? nil : error(code)
        sqlite3_reset(statement)
        index = 0
        if let error { throw error }
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
            message: sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) } ?? "code \(code)"
        )
    }

    /// SQLite takes a copy of what is bound.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
