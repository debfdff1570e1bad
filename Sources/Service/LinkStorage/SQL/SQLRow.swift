/// A row of a query's result.
package struct SQLRow: Sendable {
    /// The positions of the columns by name. All rows of a result share it.
    private let columns: [String: Int]
    private let values: [SQLValue]

    package init(columns: [String: Int], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of a column. Throws ``SQLTypeMismatch`` if it is NULL or of another type.
    package subscript<Value: SQLConvertible>(_ column: String) -> Value {
        get throws {
            guard let value = Value(self[value: column]) else { throw SQLTypeMismatch(column: column) }
            return value
        }
    }

    /// The value of a column that may be NULL. Throws ``SQLTypeMismatch`` if it is of another type.
    package subscript<Value: SQLConvertible>(_ column: String) -> Value? {
        get throws {
            let stored = self[value: column]
            guard stored != .null else { return nil }
            guard let value = Value(stored) else { throw SQLTypeMismatch(column: column) }
            return value
        }
    }

    /// The value of the only column.
    fileprivate func only<Value: SQLConvertible>() throws -> Value? {
        guard let stored = values.first, stored != .null else { return nil }
        guard let value = Value(stored) else { throw SQLTypeMismatch(column: columns.keys.first ?? "") }
        return value
    }

    /// The value of a column as it is stored.
    subscript(value column: String) -> SQLValue { columns[column].map { values[$0] } ?? .null }
}

/// A column has another type than its readers expect: the schema and the source differ, or a foreign program has written.
package struct SQLTypeMismatch: Error, CustomStringConvertible {
    package let column: String

    package var description: String { "the column '\(column)' has an unexpected type" }
}

extension SQLRow {
    package static func fetchAll(_ db: any SQLDatabase, sql: String, arguments: SQLArguments = []) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try db.forEachRow(sql, arguments) { rows.append($0) }
        return rows
    }

    package static func fetchOne(_ db: any SQLDatabase, sql: String, arguments: SQLArguments = []) throws -> SQLRow? {
        try fetchAll(db, sql: sql, arguments: arguments).first
    }
}

extension SQLConvertible {
    /// Returns the only column of all rows, without NULLs.
    package static func fetchAll(_ db: any SQLDatabase, sql: String, arguments: SQLArguments = []) throws -> [Self] {
        try SQLRow.fetchAll(db, sql: sql, arguments: arguments).compactMap { try $0.only() }
    }

    /// Returns the only column of the first row; nil without a row and for NULL.
    package static func fetchOne(_ db: any SQLDatabase, sql: String, arguments: SQLArguments = []) throws -> Self? {
        try SQLRow.fetchOne(db, sql: sql, arguments: arguments)?.only()
    }
}
