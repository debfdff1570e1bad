import Foundation
import GRDB

/// A SQLite file of the data directory as a store.
struct SQLiteStore: SQLStore {
    let file: StorageFile
    private let connections: DatabasePool

    /// Opens or creates the file and migrates it. Throws `StorageError`.
    init(_ path: String, _ schema: SQLiteSchema, readers: Int = SQLiteFile.readers) throws {
        connections = try SQLiteFile.open(path, schema, readers: readers)
        file = StorageFile(path, connections)
    }

    var name: String { file.path }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value {
        try await file.read { try body(SQLiteDatabase($0, file.path)) }
    }

    func longRead<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value
    {
        try await read(body)
    }

    func storing<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value {
        try await file.storing { try body(SQLiteDatabase($0, file.path)) }
    }

    /// Reads on the thread of the caller.
    func reading<Value>(_ body: (any SQLDatabase) throws -> Value) throws -> Value {
        try file.read { try body(SQLiteDatabase($0, file.path)) }
    }

    /// Runs one transaction while the caller waits.
    func changing<Value>(_ body: (any SQLDatabase) throws -> Value) throws -> Value {
        try file.storing { try body(SQLiteDatabase($0, file.path)) }
    }

    func close() throws { try SQLiteFile.close(connections) }
}

/// A type of its own, so that nothing reads a column by GRDB's conversions where the catalog's are meant.
struct SQLiteDatabase: SQLDatabase {
    private let db: Database
    private let path: String

    init(_ db: Database, _ path: String) {
        self.db = db
        self.path = path
    }

    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws {
        do {
            try db.reportingFullDisk {
                let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments.ofSQLite)
                var columns: [String: Int]?
                while let row = try rows.next() {
                    let known = columns ?? SQLRow.columns(of: row)
                    columns = known
                    try body(SQLRow(row, columns: known))
                }
            }
        } catch let error as DatabaseError where error.isUniqueViolation {
            throw SQLUniqueViolation(error.message ?? "\(error.extendedResultCode)")
        } catch let error as DatabaseError {
            throw StorageError(ofFile: error, path) ?? error
        }
    }
}

extension SQLRow {
    init(_ row: Row) { self.init(row, columns: Self.columns(of: row)) }

    fileprivate init(_ row: Row, columns: [String: Int]) {
        self.init(columns: columns, values: (0..<row.count).map { SQLValue(row[$0] as StoredValue?) })
    }

    fileprivate static func columns(of row: Row) -> [String: Int] {
        Dictionary(row.columnNames.enumerated().map { ($1, $0) }) { first, _ in first }
    }
}

extension DatabaseError {
    fileprivate var isUniqueViolation: Bool {
        [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY].contains(extendedResultCode)
    }
}

extension SQLValue {
    fileprivate init(_ stored: StoredValue?) {
        self =
            switch stored {
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(Data(bytes))
            // No column is a real number.
            case .real, nil: .null
            }
    }

    fileprivate var ofSQLite: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        }
    }
}

extension SQLArguments {
    var ofSQLite: StatementArguments {
        switch self {
        case .list(let values): StatementArguments(values.map(\.ofSQLite))
        case .named(let values): StatementArguments(values.mapValues(\.ofSQLite))
        }
    }
}
