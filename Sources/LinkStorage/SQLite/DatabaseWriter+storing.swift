import Foundation
import GRDB
import GRDBSQLite

/// The one way to write to an open database: like GRDB's `write`, but a disk without room throws `StorageError.full`.
extension DatabaseWriter {
    func storing<Result>(_ updates: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { try $0.storing(updates) }
    }

    func storing<Result: Sendable>(_ updates: @Sendable (Database) throws -> Result) async throws -> Result {
        try await writeWithoutTransaction { try $0.storing(updates) }
    }

    /// As ``storing(_:)`` without a transaction of its own.
    func working<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { db in try db.tellingFullDisk { try work(db) } }
    }
}

extension Database {
    fileprivate func storing<Result>(_ updates: (Database) throws -> Result) throws -> Result {
        try tellingFullDisk {
            var result: Result?
            try inTransaction {
                result = try updates(self)
                return .commit
            }
            guard let result else { preconditionFailure("a transaction that was committed has a result") }
            return result
        }
    }

    /// Right behind the failure: the system's error is that of the connection's last one.
    /// - Parameter file: That is written to, if it is another than the connection's.
    func tellingFullDisk<Result>(of file: String? = nil, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError where isFull(error) {
            throw StorageError.full(file: file ?? self.file)
        }
    }

    private func isFull(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_FULL: return true
        // SQLite tells only ENOSPC of the files by a code of its own: not a quota, and not the room for a `-shm`.
        case .SQLITE_IOERR_WRITE:
            let codes = lastSystemErrors
            return !codes.isEmpty && codes.allSatisfy(StorageError.meansFull)
        case .SQLITE_IOERR_SHMSIZE: return StorageError.meansFull(sqlite3_system_errno(sqliteConnection))
        default:
            return error.resultCode == .SQLITE_CANTOPEN
                && StorageError.meansFull(sqlite3_system_errno(sqliteConnection))
        }
    }

    /// Why the file and its WAL last failed, as far as they did. The connection's own `sqlite3_system_errno` is read too late,
    /// when a rollback has set another.
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
