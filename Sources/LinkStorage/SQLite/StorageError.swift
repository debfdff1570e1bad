import Foundation
import GRDB
import LinkEvents

/// Why a file of the data directory cannot be used, and what to do.
package enum StorageError: DiskError, Hashable {
    case locked(directory: String, holder: String)
    case newerSchema(file: String, found: Int, known: Int)
    case foreignFile(file: String)
    case corrupt(file: String, detail: String)
    /// The file is not there, though others say that it was.
    case missing(file: String, detail: String)
    /// A restore was stopped before everything was copied.
    case unfinishedRestore(directory: String)
    /// Nothing is restored beside databases, or what is left of them.
    case occupied(directory: String, by: String)
    case unusable(file: String, detail: String)
    /// No backup can be made there; nothing of the data directory failed.
    case refusedTarget(path: String, detail: String)
    case full(file: String)
    /// A read, write or fsync failed: what the file holds is no longer known to this process.
    case io(file: String, detail: String)
    case wrongSetting(file: String, setting: String, found: String)

    package var description: String {
        switch self {
        case .locked(let directory, let holder):
            "\(directory) is in use by process \(holder); stop it first, or name another directory with --data."
        case .newerSchema(let file, let found, let known):
            "\(file) has schema \(found), this fingerpost knows up to \(known): start a newer fingerpost, or restore a backup "
                + "made by this one."
        case .foreignFile(let file):
            "\(file) is a SQLite file, but not the one Fingerpost keeps there. Nothing was changed: move it away, or name "
                + "another directory with --data."
        case .corrupt(let file, let detail):
            "\(file) is damaged (\(detail)). Nothing was changed: follow deploy/runbooks/corrupt-file.md."
        case .missing(let file, let detail):
            "\(file) is gone (\(detail)). Nothing was changed: restore a backup as deploy/runbooks/restore.md says, or name "
                + "another directory with --data."
        case .unfinishedRestore(let directory):
            "\(directory) holds a restore that did not end, so most of its data is missing: repeat 'fingerpost restore BACKUP "
                + "--data \(directory)'."
        case .occupied(let directory, let file):
            "\(directory) holds databases already, or what is left of some (\(file)). Nothing was changed: name an empty "
                + "directory with --data, or move everything in this one away, -wal and -shm files too."
        case .unusable(let file, let detail):
            "\(file) cannot be opened (\(detail)): check that it is a file the service may read and write."
        case .refusedTarget(let path, let detail): "\(path) cannot become a backup: \(detail)."
        case .full(let file):
            "\(file) cannot grow, the disk is full: make room as deploy/runbooks/disk-full.md says."
        case .io(let file, let detail):
            "\(file): a read, write or fsync failed (\(detail)). Check the disk, then start again: what was acknowledged is on "
                + "disk. If it fails again, follow deploy/runbooks/corrupt-file.md."
        case .wrongSetting(let file, let setting, let found):
            "\(file): \(setting) is \(found), so acknowledged events could be lost. This is a bug: please report it."
        }
    }

    /// How a process that cannot go on ends, in the terms of sysexits.h.
    package var exitCode: Int32 {
        switch self {
        case .locked: 75  // EX_TEMPFAIL: try again when the other process has ended
        case .corrupt, .foreignFile, .newerSchema, .missing, .unfinishedRestore: 65  // EX_DATAERR
        case .unusable, .refusedTarget, .full, .io, .occupied: 74  // EX_IOERR
        case .wrongSetting: 70  // EX_SOFTWARE
        }
    }

    package var isDiskFull: Bool {
        if case .full = self { true } else { false }
    }

    /// Whether nothing failed, and somebody asked for what cannot be.
    package var isRefusal: Bool {
        if case .refusedTarget = self { true } else { false }
    }

    /// Whether a system call that failed so found no room: the disk's, or what a quota leaves of it.
    static func meansFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    /// What a failed system call means; `errno` at the time.
    static func unusable(_ file: String, _ code: Int32) -> StorageError {
        meansFull(code) ? .full(file: file) : .unusable(file: file, detail: String(cString: strerror(code)))
    }

    /// What an error of the database means that nobody has given the name of its file; nil for any other error.
    package init?(_ error: any Error) {
        guard let error = error as? DatabaseError else { return nil }
        self.init(error, file: "a file of the data directory")
    }

    /// What a failed statement or opening means.
    init(_ error: DatabaseError, file: String) {
        let detail = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(file: file, detail: detail)
        case .SQLITE_FULL: self = .full(file: file)
        case .SQLITE_IOERR: self = .io(file: file, detail: "\(error.extendedResultCode.rawValue), \(detail)")
        default: self = .unusable(file: file, detail: detail)
        }
    }

    /// What a failure says of the file that it happened on; nil for a mistake in a statement, a conflict, an interruption.
    init?(ofFile error: DatabaseError, _ file: String) {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY:
            self.init(error, file: file)
        default: return nil
        }
    }

    /// Whether the file will be no better the next time that it is looked at.
    var isDamage: Bool {
        switch self {
        case .corrupt, .foreignFile, .newerSchema: true
        default: false
        }
    }
}
