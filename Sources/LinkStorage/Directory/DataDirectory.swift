import Foundation
import LinkEvents
import LinkRouting

/// The data directory. Only one process uses it at a time.
///
/// ```
/// catalog.db      tenants, settings, tables, keys
/// events/         one SQLite file per UTC day, and ledger.db
/// exports/        finished exports, unless another place is configured
/// last-backup     when the last backup was begun
/// control.sock    how other commands communicate with the running server
/// lock            held while a process uses the directory; contains its process ID
/// running         exists while a process runs; left behind by an unclean stop
/// restoring/      exists while a backup is copied; left behind by an interrupted restore
/// ```
package final class DataDirectory: Sendable {
    package let path: String
    /// Whether the last process that used the directory did not stop cleanly.
    package let wasUnclean: Bool
    private let lock: Int32
    /// The directory is locked too, because the lock file may be removed.
    private let folder: Int32

    package enum Purpose: Sendable {
        /// Uses a directory, and creates it if there is none.
        case create
        /// Uses a directory that exists already.
        case use
        /// Fills an empty directory.
        case restore
    }

    /// Locks the directory. Creates it first if the purpose allows that, with mode 0700.
    ///
    /// Throws `StorageError`: `.noDirectory` if there is none and `purpose` is `.use`, `.backup` if it is a backup,
    /// `.locked` if another process holds the lock, `.unfinishedRestore` after an interrupted restore, and `.missing` if
    /// there are day files but no catalog.
    package init(_ path: String, for purpose: Purpose) throws {
        // Opening changes the files, so that they would no longer match the list of the backup.
        guard access("\(path)/\(Backup.listName)", F_OK) != 0 else { throw StorageError.backup(directory: path) }
        guard purpose != .use || Self.exists(at: path) else { throw StorageError.noDirectory(path: path) }
        do {
            try Folder.make(path, mode: 0o700)
            try Folder.make(path + "/events", mode: 0o700)
        } catch let failure as FileFailure {
            throw StorageError.unusable(path, failure)
        }
        let folder = try Self.lockFolder(path)
        let lock: Int32
        do {
            lock = try Self.takeLock(path)
        } catch {
            close(folder)
            throw error
        }
        do {
            if purpose != .restore { try Self.requireWhole(path) }
            Self.shutFiles(in: path)
            wasUnclean = try Self.mark(path)
        } catch {
            close(lock)
            close(folder)
            throw error
        }
        self.path = path
        self.lock = lock
        self.folder = folder
    }

    // Closing releases the locks.
    deinit {
        close(lock)
        close(folder)
    }

    package var catalogPath: String { path + "/catalog.db" }
    package var eventsPath: String { path + "/events" }
    package var exportsPath: String { path + "/exports" }
    package var controlSocketPath: String { path + "/control.sock" }

    /// Whether every user of the machine may access the directory. Its files still exclude other users.
    package var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// Whether the path holds data, or what an interrupted start or restore left of it. Anything but a directory is
    /// reported when it is opened.
    private static func exists(at path: String) -> Bool {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return true }
        let names = ["lock", "catalog.db", "catalog.db-wal", "events", "restoring", "restored"]
        return names.contains { access("\(path)/\($0)", F_OK) == 0 }
    }

    /// Completes a restore whose copy is complete. Throws if starting would silently leave out data that existed
    /// before.
    private static func requireWhole(_ path: String) throws {
        let restore = RestoreState(path)
        guard !restore.isUnfinished else { throw StorageError.unfinishedRestore(directory: path) }
        do {
            _ = try restore.finish()
        } catch let failure as FileFailure {
            throw StorageError.unusable(path, failure)
        }
        let catalog = path + "/catalog.db"
        guard access(catalog, F_OK) != 0, access(catalog + "-wal", F_OK) != 0 else { return }
        let days = ((try? FileManager.default.contentsOfDirectory(atPath: path + "/events")) ?? [])
            .filter { $0.hasSuffix(".db") && CivilDay($0.dropLast(3)) != nil }
        guard let day = days.max() else { return }
        throw StorageError.missing(file: catalog, detail: "events/\(day) exists")
    }

    /// Removes other users' access to databases that an older version or a copy left open.
    private static func shutFiles(in path: String) {
        for ending in ["", "-wal", "-shm"] { OwnersFile.shut(path + "/catalog.db" + ending) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path + "/events")) ?? [] {
            OwnersFile.shut("\(path)/events/\(name)")
        }
    }

    /// Marks that everything was checked and closed; the next start need not check the files.
    package func markClean() throws {
        let marker = path + "/running"
        guard unlink(marker) == 0 || errno == ENOENT else { throw FileFailure("remove", marker) }
        try Folder.sync(path)
    }

    /// For short commands, which check nothing: keeps the mark of an earlier unclean stop.
    package func leaveAsFound() throws {
        if !wasUnclean { try markClean() }
    }

    private static func lockFolder(_ path: String) throws -> Int32 {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw StorageError.unusable(path, errno) }
        // Some network file systems lock files only.
        guard flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return folder }
        close(folder)
        let lock = open(path + "/lock", O_RDONLY | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        throw StorageError.locked(directory: path, holder: lock >= 0 ? holder(lock) : "unknown")
    }

    private static func takeLock(_ path: String) throws -> Int32 {
        let lockPath = path + "/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StorageError.unusable(lockPath, errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = holder(lock)
            close(lock)
            guard code == EWOULDBLOCK else { throw StorageError.unusable(lockPath, code) }
            throw StorageError.locked(directory: path, holder: holder)
        }
        let holder = "\(getpid())"
        guard ftruncate(lock, 0) == 0, pwrite(lock, holder, holder.utf8.count, 0) == holder.utf8.count else {
            let code = errno
            close(lock)
            throw StorageError.unusable(lockPath, code)
        }
        return lock
    }

    /// Returns the process ID in the lock file; "unknown" if the process has not written it yet.
    private static func holder(_ lock: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0, bytes[..<count].allSatisfy({ (0x30...0x39).contains($0) }) else { return "unknown" }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Creates the marker of a running process and fsyncs the directory, so that the marker survives a power cut.
    /// Returns whether the marker already existed.
    private static func mark(_ path: String) throws -> Bool {
        let marker = path + "/running"
        let file = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return true }
        guard file >= 0 else { throw StorageError.unusable(marker, errno) }
        close(file)
        try Folder.sync(path)
        return false
    }
}
