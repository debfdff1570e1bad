import Foundation
import GRDB
import GRDBSQLite

/// The only way to write to an open database. Works like GRDB's `write`, but throws `StorageError.full` when the disk
/// is full.
extension DatabaseWriter {
    func storing<Result>(_ updates: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { try $0.storing(updates) }
    }

    func storing<Result: Sendable>(_ updates: @Sendable (Database) throws -> Result) async throws -> Result {
        try await writeWithoutTransaction { try $0.storing(updates) }
    }

    /// Like ``storing(_:)``, but without a transaction.
    func working<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { db in try db.reportingFullDisk { try work(db) } }
    }
}

extension Database {
    fileprivate func storing<Result>(_ updates: (Database) throws -> Result) throws -> Result {
        try reportingFullDisk {
            // GRDB's `inTransaction` compiles these two statements for each transaction.
            try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            do {
                let result = try updates(self)
                try cachedStatement(sql: "COMMIT TRANSACTION").execute()
                return result
            } catch {
                // The error below says what failed. A failure of the rollback, which SQLite has often done before,
                // would say less.
                try? rollback()
                throw error
            }
        }
    }

    /// Maps a full disk to `StorageError.full`. Must wrap the failing statement directly, because the connection keeps
    /// only the system error of its last failure.
    ///
    /// - Parameter file: The file that is written to, if it is not the connection's.
    func reportingFullDisk<Result>(of file: String? = nil, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError where isFull(error) {
            throw StorageError.full(file: file ?? self.file)
        }
    }

    private func isFull(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_FULL: return true
        // SQLite has a result code for ENOSPC on its files only: not for a quota, and not for the space of a `-shm`.
        case .SQLITE_IOERR_WRITE:
            let codes = lastSystemErrors
            return !codes.isEmpty && codes.allSatisfy(StorageError.meansFull)
        case .SQLITE_IOERR_SHMSIZE: return StorageError.meansFull(sqlite3_system_errno(sqliteConnection))
        default:
            return error.resultCode == .SQLITE_CANTOPEN
                && StorageError.meansFull(sqlite3_system_errno(sqliteConnection))
        }
    }

    /// The system errors of the last failures of the file and its WAL. The connection's own `sqlite3_system_errno` is
    /// unusable here: a rollback has already overwritten it.
    private var lastSystemErrors: [Int32] {
        var (main, wal) = (Int32(0), Int32(0))
        var journal: UnsafeMutablePointer<sqlite3_file>?
        _ = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_LAST_ERRNO, &main)
        if sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK,
            let journal, let methods = journal.pointee.pMethods
        {
            _ = methods.pointee.xFileControl?(journal, SQLITE_FCNTL_LAST_ERRNO, &wal)
        }
        return [main, wal].filter { $0 != 0 }
    }

    private var file: String { sqlite3_db_filename(sqliteConnection, "main").map { String(cString: $0) } ?? "" }
}
