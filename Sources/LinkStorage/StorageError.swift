import GRDB

/// Why a file of the data directory cannot be used, and what to do.
package enum StorageError: Error, Sendable, CustomStringConvertible {
    case locked(directory: String, holder: String)
    case newerSchema(file: String, found: Int, known: Int)
    case foreignFile(file: String)
    case corrupt(file: String, detail: String)
    case unusable(file: String, detail: String)
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
        case .unusable(let file, let detail):
            "\(file) cannot be opened (\(detail)): check that it is a file the service may read and write."
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
        case .corrupt, .foreignFile, .newerSchema: 65  // EX_DATAERR
        case .unusable, .full, .io: 74  // EX_IOERR
        case .wrongSetting: 70  // EX_SOFTWARE
        }
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
}
