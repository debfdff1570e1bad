import Foundation

/// The folder that one process at a time works in.
///
/// ```
/// catalog.db      tenants, settings, tables, keys
/// events/         one SQLite file per UTC day, and ledger.db
/// exports/        finished exports, unless another place is configured
/// lock            held while a process uses the directory; names it
/// running         there while a process runs; left behind by one that did not end cleanly
/// ```
package final class DataDirectory: Sendable {
    package let path: String
    /// Whether the last process that worked here did not end cleanly.
    package let wasUnclean: Bool
    private let lock: Int32

    /// Makes the folder if it is new and takes its lock; throws `StorageError.locked` when another process has it.
    package init(_ path: String) throws {
        self.path = path
        let manager = FileManager.default
        do {
            for folder in [path, path + "/events"] {
                try manager.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
        } catch {
            throw StorageError.unusable(file: path, detail: error.localizedDescription)
        }
        let lockPath = path + "/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StorageError.unusable(file: lockPath, detail: String(cString: strerror(errno))) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            let holder = (try? String(contentsOfFile: lockPath, encoding: .utf8)) ?? ""
            throw StorageError.locked(directory: path, holder: holder.isEmpty ? "unknown" : holder)
        }
        let holder = "\(getpid())"
        guard ftruncate(lock, 0) == 0, pwrite(lock, holder, holder.utf8.count, 0) == holder.utf8.count else {
            close(lock)
            throw StorageError.unusable(file: lockPath, detail: String(cString: strerror(errno)))
        }
        self.lock = lock
        wasUnclean = manager.fileExists(atPath: path + "/running")
        guard manager.createFile(atPath: path + "/running", contents: nil) else {
            close(lock)
            throw StorageError.unusable(file: path + "/running", detail: String(cString: strerror(errno)))
        }
    }

    deinit { close(lock) }

    package var catalogPath: String { path + "/catalog.db" }
    package var eventsPath: String { path + "/events" }
    package var exportsPath: String { path + "/exports" }

    /// Says that everything was closed; the next start need not check the files.
    package func markClean() throws {
        try FileManager.default.removeItem(atPath: path + "/running")
    }
}
