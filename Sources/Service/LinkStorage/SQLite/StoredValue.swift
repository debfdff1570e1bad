import Foundation
import GRDB
import GRDBSQLite

/// A column of any type, exactly as stored. GRDB reads and binds texts as C strings, which end at a NUL.
enum StoredValue: DatabaseValueConvertible, StatementColumnConvertible {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    /// Unused by our columns.
    case real(Double)

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        switch sqlite3_column_type(sqliteStatement, index) {
        case SQLITE_INTEGER:
            self = .integer(sqlite3_column_int64(sqliteStatement, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(sqliteStatement, index)
            let count = Int(sqlite3_column_bytes(sqliteStatement, index))
            self = .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(sqliteStatement, index)
            let count = Int(sqlite3_column_bytes(sqliteStatement, index))
            self = .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
        case SQLITE_FLOAT:
            self = .real(sqlite3_column_double(sqliteStatement, index))
        default:
            return nil
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        switch value.storage {
        case .int64(let number): .integer(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        case .double(let number): .real(number)
        case .null: nil
        }
    }

    /// Binds a text as a blob, which has a length; `CAST(? AS TEXT)` converts it back to a text.
    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): Data(text.utf8).databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .real(let number): number.databaseValue
        }
    }
}

extension Row {
    /// Returns the complete text of a column. Works only for rows of a cursor, which read from their statement.
    func text(_ index: Int) throws -> String {
        guard case .text(let text) = self[index] as StoredValue? else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "column \(index) is not text")
        }
        return text
    }
}
