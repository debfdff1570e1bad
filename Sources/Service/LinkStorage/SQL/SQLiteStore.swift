import Foundation
import GRDB

/// A SQLite file of the data directory as a store.
struct SQLiteStore: SQLStore {
    let file: StorageFile
    private let connections: DatabasePool

    /// Opens or creates the file and migrates it. Throws `StorageError`.
    init(_ path: String, _ schema: SQLiteSchema) throws {
        connections = try SQLiteFile.open(path, schema)
        file = StorageFile(path, connections)
    }

    var name: String { file.path }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value {
        try await file.read { try body(SQLiteDatabase($0)) }
    }

    func longRead<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value
    {
        try await read(body)
    }

    func storing<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value {
        try await file.storing { try body(SQLiteDatabase($0)) }
    }

    /// Reads on the thread of the caller.
    func reading<Value>(_ body: (any SQLDatabase) throws -> Value) throws -> Value {
        try file.read { try body(SQLiteDatabase($0)) }
    }

    /// Runs one transaction while the caller waits.
    func changing<Value>(_ body: (any SQLDatabase) throws -> Value) throws -> Value {
        try file.storing { try body(SQLiteDatabase($0)) }
    }

    func close() throws { try SQLiteFile.close(connections) }
}

/// A type of its own, so that nothing reads a column by GRDB's conversions where the catalog's are meant.
private struct SQLiteDatabase: SQLDatabase {
    private let db: Database

    init(_ db: Database) { self.db = db }

    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws {
        do {
            let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments.ofSQLite)
            var columns: [String: Int]?
            while let row = try rows.next() {
                let known = columns ?? Dictionary(row.columnNames.enumerated().map { ($1, $0) }) { first, _ in first }
                columns = known
                try body(SQLRow(columns: known, values: (0..<row.count).map { SQLValue(row[$0] as StoredValue?) }))
            }
        } catch let error as DatabaseError where error.isUniqueViolation {
            throw SQLUniqueViolation(error.message ?? "\(error.extendedResultCode)")
        }
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
    fileprivate var ofSQLite: StatementArguments {
        switch self {
        case .list(let values): StatementArguments(values.map(\.ofSQLite))
        case .named(let values): StatementArguments(values.mapValues(\.ofSQLite))
        }
    }
}
