/// A store of the catalog that speaks SQL: a SQLite file, or a PostgreSQL database. The catalog's statements are written
/// once, in the SQL that both understand; see docs/decisions/047-one-sql-for-both-stores.md.
package protocol SQLStore: Sendable {
    /// The path or address, for messages.
    var name: String { get }

    /// Reads in one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value

    /// The same, however long it takes, as long as the store answers.
    func longRead<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value

    /// Runs one transaction, after all others that write. It is durable on return, and undone if the body throws.
    func storing<Value: Sendable>(_ body: @escaping @Sendable (any SQLDatabase) throws -> Value) async throws -> Value

    func close() throws
}

/// The statements of one transaction.
package protocol SQLDatabase {
    /// Runs a statement, and passes on its rows as they arrive.
    ///
    /// - Throws: ``SQLUniqueViolation``, `StorageError`, or the body's errors.
    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws
}

extension SQLDatabase {
    package func execute(sql: String, arguments: SQLArguments = []) throws {
        try forEachRow(sql, arguments) { _ in }
    }
}

/// Another row has the same key.
package struct SQLUniqueViolation: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
