import Foundation
import LinkEvents

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
/// ```
package final class DataDirectory: Sendable {
    package let path: String
    /// Whether the last process that worked here did not end cleanly.
    package let wasUnclean: Bool
    private let lock: Int32

    /// Makes the folder if it is new, for its owner alone, and takes its lock. Throws `StorageError.locked` when another
    /// process has it.
    package init(_ path: String) throws {
        do {
            try Folder.make(path, mode: 0o700)
            try Folder.make(path + "/events", mode: 0o700)
        } catch let failure as FileFailure {
            throw StorageError.unusable(file: path, detail: failure.description)
        }
        let lock = try Self.takeLock(path)
        do {
            wasUnclean = try Self.mark(path)
        } catch {
            close(lock)
            throw error
        }
        self.path = path
        self.lock = lock
    }

    // Closing the file gives up its lock.
    deinit { close(lock) }

    package var catalogPath: String { path + "/catalog.db" }
    package var eventsPath: String { path + "/events" }
    package var exportsPath: String { path + "/exports" }
    package var controlSocketPath: String { path + "/control.sock" }

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

    private static func takeLock(_ path: String) throws -> Int32 {
        let lockPath = path + "/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StorageError.unusable(file: lockPath, detail: String(cString: strerror(errno))) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let detail = String(cString: strerror(errno))
            let holder = holder(lock)
            close(lock)
            guard isHeld else { throw StorageError.unusable(file: lockPath, detail: detail) }
            throw StorageError.locked(directory: path, holder: holder)
        }
        let holder = "\(getpid())"
        guard ftruncate(lock, 0) == 0, pwrite(lock, holder, holder.utf8.count, 0) == holder.utf8.count else {
            let detail = String(cString: strerror(errno))
            close(lock)
            throw StorageError.unusable(file: lockPath, detail: detail)
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
        guard file >= 0 else { throw StorageError.unusable(file: marker, detail: String(cString: strerror(errno))) }
        close(file)
        try Folder.sync(path)
        return false
    }
}
