import Foundation
import LinkEvents
import LinkRouting

/// The data directory. Only one process uses it at a time. All files are in one folder that only its owner can access,
/// whoever may write to the data directory itself.
///
/// ```
/// service/            mode 0700
///     catalog.db      tenants, settings, tables, keys
///     links.db        short links
///     events/         one SQLite file per UTC day, and ledger.db
///     exports/        finished exports, unless another place is configured
///     last-backup     when the last backup was begun
///     control.sock    how other commands communicate with the running server
///     lock            held while a process uses the directory; contains its process ID
///     running         exists while a process runs; left behind by an unclean stop
///     restoring/      exists while a backup is copied; left behind by an interrupted or failed restore
/// ```
package final class DataDirectory: Sendable {
    /// The path without symbolic links. Everything below it is opened by this path, so a link that is replaced later
    /// leads nobody elsewhere.
    package let path: String
    /// Whether the last process that used the directory did not stop cleanly.
    package let wasUnclean: Bool
    private let lock: Int32
    /// The folder is locked too, because the lock file may be removed.
    private let folder: Int32

    private static let serviceName = "service"

    package enum Purpose: Sendable {
        /// Uses a directory, and creates it if there is none.
        case create
        /// The same for a node whose `catalog.db` is a copy, which is made again if it is missing.
        case createNode
        /// Uses a directory that exists already.
        case use
        /// Fills an empty directory.
        case restore
    }

    /// Locks the directory. Creates it first if the purpose allows that, with mode 0700.
    ///
    /// Throws `StorageError`: `.notReadable` if it belongs to another user, `.noDirectory` if there is none and `purpose` is `.use`, `.backup` if it is a backup,
    /// `.serviceFolder` if it is the folder of the files in a data directory,
    /// `.otherBuild` if its files have the schema of another build, `.unsafe` if other users could replace them,
    /// `.locked` if another process holds the lock, `.unfinishedRestore` after an interrupted restore, and `.missing` if
    /// there are day files or short links but no catalog.
    package init(_ path: String, for purpose: Purpose) throws {
        try Self.requireReadable(path)
        // Opening changes the files, so that they would no longer match the list of the backup.
        guard access("\(path)/\(Backup.listName)", F_OK) != 0 else { throw StorageError.backup(directory: path) }
        try Self.refuseServiceFolder(path)
        try Self.refuseOtherPrograms(path)
        guard purpose != .use || Self.exists(at: path) else { throw StorageError.noDirectory(path: path) }
        do {
            try Folder.make(path, mode: 0o700)
        } catch let failure as FileFailure {
            throw StorageError.unusable(path, failure)
        }
        let real = try Self.resolve(path)
        let owner = try Self.ownerUnlessOpen(real, named: path)
        let service = Self.serviceFolder(in: real)
        let folder = try OwnersFile.openFolder(service, orOf: owner)
        let lock: Int32
        do {
            try Self.lockFolder(folder, service, of: path)
            close(try OwnersFile.openFolder(service + "/events", orOf: owner))
            lock = try Self.takeLock(service, of: path)
        } catch {
            close(folder)
            throw error
        }
        do {
            try Self.shutFiles(in: service)
            if purpose != .restore { try Self.requireWhole(service, of: path, isNode: purpose == .createNode) }
            wasUnclean = try Self.mark(service)
        } catch {
            close(lock)
            close(folder)
            throw error
        }
        self.path = real
        self.lock = lock
        self.folder = folder
    }

    // Closing releases the locks.
    deinit {
        close(lock)
        close(folder)
    }

    /// The folder of all files.
    package var servicePath: String { Self.serviceFolder(in: path) }
    package var catalogPath: String { servicePath + "/catalog.db" }
    package var linksPath: String { servicePath + "/links.db" }
    package var eventsPath: String { servicePath + "/events" }
    package var exportsPath: String { Self.exports(in: path) }
    package var controlSocketPath: String { servicePath + "/control.sock" }

    /// The folder of all files in the data directory at the path.
    static func serviceFolder(in path: String) -> String { "\(path)/\(serviceName)" }

    /// The folder of exports in the data directory at the path, unless another place is configured.
    package static func exports(in path: String) -> String { serviceFolder(in: path) + "/exports" }

    /// The ledger of the log in the data directory at the path.
    package static func ledger(in path: String) -> String { serviceFolder(in: path) + "/events/ledger.db" }

    /// The control socket of a process that holds the data directory at the path.
    package static func controlSocket(in path: String) -> String {
        serviceFolder(in: (try? resolve(path)) ?? path) + "/control.sock"
    }

    private static func requireReadable(_ path: String) throws {
        guard access(path, R_OK | X_OK) != 0, errno == EACCES else { return }
        var status = stat()
        guard stat(path, &status) == 0 else { throw StorageError.notReadable(path: path, owner: nil) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
        throw StorageError.notReadable(path: path, owner: name ?? "user \(status.st_uid)")
    }

    private static func resolve(_ path: String) throws -> String {
        guard let real = realpath(path, nil) else { throw StorageError.unusable(path, errno) }
        defer { free(real) }
        return String(cString: real)
    }

    /// The owner of the data directory. Throws if every user may write there: they could replace the folder of the files.
    /// A group may write there, because Kubernetes' `fsGroup` needs that.
    private static func ownerUnlessOpen(_ real: String, named path: String) throws -> uid_t {
        var status = stat()
        guard lstat(real, &status) == 0 else { throw StorageError.unusable(path, errno) }
        guard status.st_mode & 0o002 == 0 else { throw StorageError.writableByAll(directory: path) }
        return status.st_uid
    }

    /// Throws if the path leads to the folder of the files, and not to the data directory that contains it.
    private static func refuseServiceFolder(_ path: String) throws {
        guard let real = try? resolve(path), real.hasSuffix("/\(serviceName)"),
            access(serviceFolder(in: real), F_OK) != 0
        else { return }
        let catalog = real + "/catalog.db"
        let isOfThisBuild =
            access(catalog, F_OK) == 0
            ? (try? SQLiteHeader.inspect(catalog, CatalogDatabase.schema)) != nil
            : ["lock", "running", "control.sock"].contains { access("\(real)/\($0)", F_OK) == 0 }
        guard isOfThisBuild else { return }
        throw StorageError.serviceFolder(path: path, directory: Folder.parent(of: real))
    }

    /// Throws before anything is changed. Reports nothing else: whatever is wrong with a file, opening it says.
    private static func refuseOtherPrograms(_ path: String) throws {
        let service = serviceFolder(in: path)
        // Before there was the folder, the files were in the data directory itself.
        let formerCatalog = "\(path)/catalog.db"
        var status = stat()
        guard lstat(service, &status) == 0 || lstat(formerCatalog, &status) != 0 else {
            throw StorageError.otherBuild(file: formerCatalog)
        }
        var files = [
            ("catalog.db", CatalogDatabase.schema), ("links.db", ShortLinkDatabase.schema),
            ("events/ledger.db", EventLog.ledgerSchema),
        ]
        if let day = dayFiles(in: service).max() { files.append(("events/\(day)", EventLog.daySchema)) }
        for (name, schema) in files {
            do {
                try SQLiteHeader.inspect("\(service)/\(name)", schema)
            } catch let error as StorageError {
                switch error {
                case .otherBuild, .newerSchema, .foreignFile: throw error
                // Reported, or repaired, when the file is opened.
                default: continue
                }
            }
        }
    }

    private static func dayFiles(in service: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: service + "/events")) ?? [])
            .filter { $0.hasSuffix(".db") && CivilDay($0.dropLast(3)) != nil }
    }

    /// Whether the path holds data, or what an interrupted start or restore left of it. Anything but a directory,
    /// and what this user may not read, is reported when it is opened.
    private static func exists(at path: String) -> Bool {
        let service = serviceFolder(in: path)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return true }
        if lstat(service, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return true }
        let names = ["lock", "catalog.db", "catalog.db-wal", "links.db", "events", "restoring", "restored"]
        return names.contains { access("\(service)/\($0)", F_OK) == 0 || errno == EACCES }
    }

    /// Completes a restore whose copy is complete. Throws if starting would silently leave out data that existed
    /// before.
    private static func requireWhole(_ service: String, of path: String, isNode: Bool) throws {
        let restore = RestoreState(service)
        guard !restore.isUnfinished else { throw StorageError.unfinishedRestore(directory: path) }
        do {
            _ = try restore.finish()
        } catch let failure as FileFailure {
            throw StorageError.unusable(path, failure)
        }
        let catalog = service + "/catalog.db"
        guard !isNode, access(catalog, F_OK) != 0, access(catalog + "-wal", F_OK) != 0 else { return }
        let links = access(service + "/links.db", F_OK) == 0 ? "links.db" : nil
        guard let witness = dayFiles(in: service).max().map({ "events/\($0)" }) ?? links else { return }
        throw StorageError.missing(file: catalog, detail: "\(witness) exists")
    }

    /// Removes other users' access to files that a copy left open. Throws if one of the files is a symbolic link,
    /// which somebody made while others could write to the folder.
    private static func shutFiles(in service: String) throws {
        let days = (try? FileManager.default.contentsOfDirectory(atPath: service + "/events")) ?? []
        let names = [
            "lock", "running", "last-backup", "restoring", "restored", "catalog.db", "catalog.db-wal", "catalog.db-shm",
            "links.db", "links.db-wal", "links.db-shm",
        ]
        for name in names + days.map({ "events/" + $0 }) { try OwnersFile.shut("\(service)/\(name)") }
    }

    /// Marks that everything was checked and closed; the next start need not check the files.
    package func markClean() throws {
        let marker = servicePath + "/running"
        guard unlink(marker) == 0 || errno == ENOENT else { throw FileFailure("remove", marker) }
        try Folder.sync(servicePath)
    }

    /// For short commands, which check nothing: keeps the mark of an earlier unclean stop.
    package func leaveAsFound() throws {
        if !wasUnclean { try markClean() }
    }

    private static func lockFolder(_ folder: Int32, _ service: String, of path: String) throws {
        // Some network file systems lock files only.
        guard flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        let lock = open(service + "/lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        throw StorageError.locked(directory: path, holder: lock >= 0 ? holder(lock) : "unknown")
    }

    private static func takeLock(_ service: String, of path: String) throws -> Int32 {
        let lockPath = service + "/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw errno == ELOOP ? StorageError.link(lockPath) : .unusable(lockPath, errno) }
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
    private static func mark(_ service: String) throws -> Bool {
        let marker = service + "/running"
        let file = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return true }
        guard file >= 0 else { throw StorageError.unusable(marker, errno) }
        close(file)
        try Folder.sync(service)
        return false
    }
}
