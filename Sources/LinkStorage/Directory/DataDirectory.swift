import Foundation
import LinkEvents
import LinkRouting

/// The folder that one process at a time works in.
///
/// ```
/// catalog.db      tenants, settings, tables, keys
/// events/         one SQLite file per UTC day, and ledger.db
/// exports/        finished exports, unless another place is configured
/// last-backup     when the last backup was begun
/// control.sock    how other commands speak to the running server
/// lock            held while a process uses the directory; names it
/// running         there while a process runs; left behind by one that did not end cleanly
/// restoring/      there while a backup is copied; left behind by a restore that did not end
/// ```
package final class DataDirectory: Sendable {
    package let path: String
    /// Whether the last process that worked here did not end cleanly.
    package let wasUnclean: Bool
    private let lock: Int32
    /// Locked as well: the lock file may be removed.
    private let folder: Int32

    package enum Purpose: Sendable { case use, restore }

    /// Makes the folder if it is new, for its owner alone, and takes its lock. Throws `StorageError.locked` when another
    /// process has it, and where a restore did not end or the catalog of a log is gone.
    package init(_ path: String, for purpose: Purpose = .use) throws {
        do {
            try Folder.make(path, mode: 0o700)
            try Folder.make(path + "/events", mode: 0o700)
        } catch let failure as FileFailure {
            guard !failure.isDiskFull else { throw StorageError.full(file: path) }
            throw StorageError.unusable(file: path, detail: failure.description)
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
            if purpose == .use { try Self.requireWhole(path) }
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

    // Closing gives up the locks.
    deinit {
        close(lock)
        close(folder)
    }

    package var catalogPath: String { path + "/catalog.db" }
    package var eventsPath: String { path + "/events" }
    package var exportsPath: String { path + "/exports" }
    package var controlSocketPath: String { path + "/control.sock" }

    /// Whether every user of the machine may look into the folder. Its files are closed to them all the same.
    package var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// Ends a restore that was whole, and throws where starting would leave data behind that was there once.
    private static func requireWhole(_ path: String) throws {
        let place = RestorePlace(path)
        guard !place.isUnfinished else { throw StorageError.unfinishedRestore(directory: path) }
        do {
            _ = try place.finish()
        } catch let failure as FileFailure {
            throw StorageError.unusable(file: path, detail: failure.description)
        }
        let catalog = path + "/catalog.db"
        guard access(catalog, F_OK) != 0, access(catalog + "-wal", F_OK) != 0 else { return }
        let days = ((try? FileManager.default.contentsOfDirectory(atPath: path + "/events")) ?? [])
            .filter { $0.hasSuffix(".db") && CivilDay($0.dropLast(3)) != nil }
        guard let day = days.max() else { return }
        throw StorageError.missing(file: catalog, detail: "events/\(day) is there")
    }

    /// Closes databases to other users that an older version or a copy left open.
    private static func shutFiles(in path: String) {
        for ending in ["", "-wal", "-shm"] { OwnersFile.shut(path + "/catalog.db" + ending) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path + "/events")) ?? [] {
            OwnersFile.shut("\(path)/events/\(name)")
        }
    }

    /// Says that everything was checked and closed; the next start need not check the files.
    package func markClean() throws {
        let marker = path + "/running"
        guard unlink(marker) == 0 || errno == ENOENT else { throw FileFailure("remove", marker) }
        try Folder.sync(path)
    }

    /// For a short command, which checks nothing: whether the last stop was clean stays as it was found.
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

    /// The process that wrote itself into the lock file; it may just be about to.
    private static func holder(_ lock: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0, bytes[..<count].allSatisfy({ (0x30...0x39).contains($0) }) else { return "unknown" }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Leaves the marker of a running process, durably: after a power cut it must be there. Whether it already was.
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
