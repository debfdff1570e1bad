import Foundation
import GRDB
import LinkEvents

/// A reason why a file of the data directory cannot be used. Its description says what to do.
package enum StorageError: DiskError, Hashable {
    case locked(directory: String, holder: String)
    case newerSchema(file: String, found: Int, known: Int)
    /// The file has had migrations that no release has: those of a build between two releases, or before the first.
    case otherBuild(file: String)
    case foreignFile(file: String)
    case corrupt(file: String, detail: String)
    /// The file does not exist, although other files prove that it once did.
    case missing(file: String, detail: String)
    /// A command that works on existing data found none.
    case noDirectory(path: String)
    /// The path leads to the folder of the files in a data directory.
    case serviceFolder(path: String, directory: String)
    /// This user may not read the data directory, or a directory above it. The owner is nil if it is unknown.
    case notReadable(path: String, owner: String?)
    /// A restore was interrupted, or failed, before everything was copied.
    case unfinishedRestore(directory: String)
    /// The target of a restore already holds databases, or remainders of them.
    case occupied(directory: String, by: String)
    case unusable(file: String, detail: String)
    /// The disk is mounted read-only.
    case readOnlyDisk(file: String)
    /// Other users could read or replace what the service stores there, or already have.
    case unsafe(path: String, detail: String)
    /// The directory is a backup, which only a restore may read.
    case backup(directory: String)
    /// The file is this node's copy of a catalog in another store.
    case copiedCatalog(file: String, source: String)
    /// The directory has a catalog or short links of its own, and is to become a node's.
    case ownCatalog(directory: String)
    /// The directory has no list of a backup's files.
    case notABackup(directory: String)
    /// The files of a backup are not those of its list.
    case damagedBackup(directory: String, detail: String)
    /// The path cannot become a backup; nothing in the data directory failed.
    case refusedTarget(path: String, detail: String)
    case full(file: String)
    /// A read, write or fsync failed: this process no longer knows what the file holds.
    case io(file: String, detail: String)
    case wrongSetting(file: String, setting: String, found: String)

    package var description: String {
        switch self {
        case .locked(let directory, let holder):
            "\(directory) is in use by process \(holder); stop it first, or choose another directory with --data."
        case .newerSchema(let file, let found, let known):
            "\(file) has schema \(found), but this version supports schemas up to \(known): start a newer version, or restore "
                + "a backup made by this one."
        case .otherBuild(let file):
            "\(file) belongs to another build: its schema is that of no release. Nothing was changed: start that build, or save "
                + "the tenants with its 'fingerpost pull', the short links with 'fingerpost links export' and the events with "
                + "'fingerpost export', and use this version in a new directory."
        case .foreignFile(let file):
            "\(file) is a SQLite file that Fingerpost did not create. Nothing was changed: move it away, or choose another "
                + "directory with --data."
        case .corrupt(let file, let detail):
            "\(file) is damaged (\(detail)). Nothing was changed: follow deploy/runbooks/corrupt-file.md."
        case .missing(let file, let detail):
            "\(file) is missing (\(detail)). Nothing was changed: restore a backup (deploy/runbooks/restore.md), or choose "
                + "another directory with --data."
        case .noDirectory(let path):
            "There is no data directory at \(path). Nothing was created: name the server's directory with --data. "
                + "'fingerpost serve', 'migrate', 'restore' and 'keys create --init' create one."
        case .serviceFolder(let path, let directory):
            "\(path) is the folder inside a data directory; use --data \(directory). Nothing was changed."
        case .notReadable(let path, let owner):
            "You may not read \(path)\(owner.map { ", which belongs to \($0)" } ?? ""): run the command as its owner or as "
                + "root, such as with sudo."
        case .unfinishedRestore(let directory):
            "\(directory) contains an unfinished restore, so most data is missing: repeat 'fingerpost restore BACKUP "
                + "--data \(directory)'."
        case .occupied(let directory, let file):
            "\(directory) already contains databases or their remains (\(file)). Nothing was changed: choose an empty "
                + "directory with --data, or move everything out of this one, including -wal and -shm files."
        case .unusable(let file, let detail):
            "\(file) cannot be opened (\(detail)): check the path, and that this user may read and write there."
        case .readOnlyDisk(let file):
            "\(file) cannot be written because its disk is read-only. Mount the disk for writing, or choose a directory on "
                + "another disk with --data. The system also remounts a disk read-only after an error: see 'dmesg'."
        case .unsafe(let path, let detail): "\(path) \(detail)."
        case .backup(let directory):
            "\(directory) is a backup, because it contains backup.json. Nothing was changed: restore it with 'fingerpost "
                + "restore \(directory) --data DIR', and use DIR."
        case .copiedCatalog(let file, let source):
            "\(file) is a copy of the catalog in \(source). Nothing was changed: start the server with store.kind: postgresql, and "
                + "run this command while it runs."
        case .ownCatalog(let directory):
            "\(directory) has a catalog of its own, which the one in PostgreSQL would replace. Nothing was changed: use a new data "
                + "directory, or copy it with 'fingerpost store copy' and move catalog.db* and links.db* out of \(directory)/service."
        case .notABackup(let directory):
            "\(directory) is not a backup, because it contains no backup.json. Nothing was changed: name a directory that "
                + "'fingerpost backup' created."
        case .damagedBackup(let directory, let detail):
            "\(directory) is a damaged backup: \(detail). Nothing was restored: copy the backup again, or restore another one."
        case .refusedTarget(let path, let detail): "\(path) cannot be used for a backup: \(detail)."
        case .full(let file):
            "\(file) cannot grow because the disk is full: free some space (deploy/runbooks/disk-full.md)."
        case .io(let file, let detail):
            "\(file): a read, write or fsync failed (\(detail)). Check the disk, then restart: all acknowledged data is on "
                + "disk. If it fails again, follow deploy/runbooks/corrupt-file.md."
        case .wrongSetting(let file, let setting, let found):
            "\(file): \(setting) is \(found), so acknowledged events could be lost. This is a bug: please report it."
        }
    }

    /// The exit code of a process that cannot continue, as defined by sysexits.h.
    package var exitCode: Int32 {
        switch self {
        case .locked: 75  // EX_TEMPFAIL: try again when the other process has ended
        case .corrupt, .foreignFile, .otherBuild, .newerSchema, .missing, .unfinishedRestore, .serviceFolder,
            .notABackup, .damagedBackup:
            65  // EX_DATAERR
        case .noDirectory, .notReadable, .unusable, .readOnlyDisk, .backup, .refusedTarget, .full, .io, .occupied:
            74  // EX_IOERR
        case .wrongSetting: 70  // EX_SOFTWARE
        case .unsafe, .copiedCatalog, .ownCatalog: 78  // EX_CONFIG
        }
    }

    static func writableByAll(directory: String) -> StorageError {
        .unsafe(
            path: directory,
            detail: "may be written by every user, who could replace the service's files: run "
                + "'chmod o-w \(directory)', or choose another directory with --data"
        )
    }

    static func link(_ path: String) -> StorageError {
        .unsafe(
            path: path,
            detail: "is a symbolic link, which the service never makes. Nothing was changed: find out who made it, and "
                + "remove it"
        )
    }

    static func foreignFolder(_ path: String, of owner: uid_t, user: uid_t) -> StorageError {
        .unsafe(
            path: path,
            detail:
                "belongs to user \(owner), but this process runs as user \(user): run it as user \(owner), or, if no "
                + "process uses the folder, run 'chown -R \(user) \(path)'"
        )
    }

    package var isDiskFull: Bool {
        if case .full = self { true } else { false }
    }

    /// Whether a request was refused as impossible, and nothing failed.
    package var isRefusal: Bool {
        if case .refusedTarget = self { true } else { false }
    }

    /// Whether the error code of a system call means that the disk or the quota is full.
    static func meansFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    /// Maps the `errno` of a failed system call.
    static func unusable(_ file: String, _ code: Int32) -> StorageError {
        unusable(file, code, detail: String(cString: strerror(code)))
    }

    /// Maps a failed system call below the path.
    static func unusable(_ path: String, _ failure: FileFailure) -> StorageError {
        failure.isDiskFull ? .full(file: path) : unusable(path, failure.code, detail: failure.description)
    }

    private static func unusable(_ file: String, _ code: Int32, detail: String) -> StorageError {
        if meansFull(code) { return .full(file: file) }
        return code == EROFS ? .readOnlyDisk(file: file) : .unusable(file: file, detail: detail)
    }

    /// Maps a database error that does not name its file; nil for any other error.
    package init?(_ error: any Error) {
        guard let error = error as? DatabaseError else { return nil }
        self.init(error, file: "a file of the data directory")
    }

    /// Maps the error of a failed statement or open.
    init(_ error: DatabaseError, file: String) {
        let detail = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(file: file, detail: detail)
        case .SQLITE_FULL: self = .full(file: file)
        case .SQLITE_IOERR: self = .io(file: file, detail: "\(error.extendedResultCode.rawValue), \(detail)")
        default: self = .unusable(file: file, detail: detail)
        }
    }

    /// Maps an error that concerns the file itself; nil for a mistake in a statement, a conflict or an interruption.
    init?(ofFile error: DatabaseError, _ file: String) {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY:
            self.init(error, file: file)
        default: return nil
        }
    }

    /// Whether a later attempt would fail too, because the file itself is damaged or unsuitable.
    var isDamage: Bool {
        switch self {
        case .corrupt, .foreignFile, .otherBuild, .newerSchema: true
        default: false
        }
    }
}
