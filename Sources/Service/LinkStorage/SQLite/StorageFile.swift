import GRDB

/// An open database of the data directory. Failures of the file (damage, a full disk, a failed read or write) are
/// thrown as ``StorageError``, which names the file. Errors of a statement remain `DatabaseError`.
struct StorageFile: Sendable {
    let path: String
    let writer: any DatabaseWriter
    /// Called for each failure of the file.
    private let note: @Sendable (StorageError) -> Void

    init(_ path: String, _ writer: any DatabaseWriter, note: @escaping @Sendable (StorageError) -> Void = { _ in }) {
        self.path = path
        self.writer = writer
        self.note = note
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try naming { try writer.read(body) }
    }

    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await writer.read(body)
        } catch {
            throw named(error)
        }
    }

    func storing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try naming { try writer.storing(body) }
    }

    func storing<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await writer.storing(body)
        } catch {
            throw named(error)
        }
    }

    func working<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try naming { try writer.working(body) }
    }

    /// Checkpoints the WAL.
    func checkpoint() throws { try naming { try SQLiteFile.checkpoint(writer) } }

    /// Runs SQLite's `integrity_check`; throws unless every page, index and row is valid. Uses one bit of memory per
    /// page.
    static func checkPages(_ db: Database) throws {
        let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
        guard verdict != "ok" else { return }
        let detail = verdict?.split(whereSeparator: \.isNewline).joined(separator: " ")
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: detail ?? "no result")
    }

    /// Maps failures of statements on this file that run within a transaction of another file.
    func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw named(error)
        }
    }

    private func named(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError, let failure = StorageError(ofFile: error, path) else { return error }
        note(failure)
        return failure
    }
}
