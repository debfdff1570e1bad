import Foundation
import GRDB
import LinkEvents
package import LinkRouting

/// A directory with a complete copy of the databases, made while they are in use, and a list of its files.
///
/// ```
/// backup.json     creation time, version, and each file with its size and SHA-256
/// catalog.db
/// links.db
/// events/         ledger.db and the day files
/// ```
///
/// Files are copied in order: first the ledger, then the days from the oldest, then the short links, last the catalog.
/// Thus no edge in the ledger is above the sequences in the day files, and no event refers to a revision that the
/// catalog lacks. The copy may or may not include what is committed meanwhile. Exports already are files and are not copied.
package struct Backup: Sendable {
    package struct File: Sendable, Hashable {
        /// Relative to the backup directory.
        package let path: String
        package let bytes: Int64
        package let sha256: String
    }

    package let createdAt: Timestamp
    package let version: String
    package let files: [File]

    static let formatVersion = Int64(1)
    static let listName = "backup.json"

    package var bytes: Int64 { files.reduce(0) { $0 + $1.bytes } }

    package var json: JSONNode {
        .object([
            "formatVersion": .int(Self.formatVersion), "createdAt": .string(createdAt.description),
            "version": .string(version),
            "files": .array(
                files.map { file in
                    .object([
                        "path": .string(file.path), "bytes": .int(file.bytes), "sha256": .string(file.sha256),
                    ])
                }
            ),
        ])
    }

    /// Writes a backup to a directory that must not exist yet. Until the backup is complete and synced, it has another
    /// name. Also removes partial backups of the same data directory that killed processes left beside the target.
    ///
    /// Blocks while it reads and writes everything. Throws `StorageError`.
    package static func make(
        of directory: DataDirectory,
        catalog: CatalogDatabase,
        links: ShortLinkDatabase,
        log: EventLog,
        to target: String,
        at now: Timestamp,
        version: String
    ) throws -> Backup {
        guard access(target, F_OK) != 0 else {
            throw StorageError.refusedTarget(path: target, detail: "it exists; choose a new directory")
        }
        // A backup inside the data directory would be taken for part of it, and would be lost with it.
        guard !isInside(target, directory.path) else {
            throw StorageError.refusedTarget(
                path: target,
                detail: "it is inside the data directory \(directory.path); choose a directory outside it"
            )
        }
        PartialBackup.removeAbandoned(beside: target, of: directory.path)
        do {
            return try write(
                of: directory,
                catalog: catalog,
                links: links,
                log: log,
                to: target,
                at: now,
                version: version
            )
        } catch let failure as FileFailure where failure.isDiskFull {
            throw StorageError.full(file: target)
        }
    }

    /// Whether a directory that does not exist yet would lie inside another one, after resolving symbolic links.
    private static func isInside(_ target: String, _ directory: String) -> Bool {
        func parts(_ path: String) -> [String]? {
            guard let real = realpath(path, nil) else { return nil }
            defer { free(real) }
            return URL(filePath: String(cString: real)).pathComponents
        }
        guard let home = parts(directory) else { return false }
        // Parent directories may not exist yet either.
        var folder = target
        while true {
            if let parts = parts(folder) { return parts.starts(with: home) }
            let parent = Folder.parent(of: folder)
            guard parent != folder else { return false }
            folder = parent
        }
    }

    private static func write(
        of directory: DataDirectory,
        catalog: CatalogDatabase,
        links: ShortLinkDatabase,
        log: EventLog,
        to target: String,
        at now: Timestamp,
        version: String
    ) throws -> Backup {
        let partial: PartialBackup
        do {
            partial = try PartialBackup("\(target).partial-\(now.milliseconds)", of: directory.path)
        } catch let failure as FileFailure where !failure.isDiskFull {
            throw StorageError.refusedTarget(
                path: target,
                detail: "\(failure.reason); choose a directory that this user may write to"
            )
        }
        do {
            try Folder.make(partial.path + "/events", mode: 0o700)
            var files: [File] = []
            for (name, file) in log.backupFiles() {
                guard let file = try file() else { continue }
                files.append(try copy(file, to: partial.path, "events/\(name)"))
            }
            files.append(try copy(links.file, to: partial.path, "links.db"))
            files.append(try copy(catalog.file, to: partial.path, "catalog.db"))
            let backup = Backup(createdAt: now, version: version, files: files)
            try BackupFile.write(backup.text, to: "\(partial.path)/\(listName)")
            try Folder.sync(partial.path + "/events")
            try partial.finish(as: target)
            return backup
        } catch {
            partial.remove()
            throw error
        }
    }

    /// The contents of the file list.
    var text: [UInt8] { Array((json.json(.pretty) + "\n").utf8) }

    /// Copies one database as of one moment, checks the copy and syncs it.
    private static func copy(_ file: StorageFile, to folder: String, _ name: String) throws -> File {
        let path = "\(folder)/\(name)"
        try OwnersFile.make(path)
        do {
            // A read transaction sees one state of the file and blocks no writer.
            try file.writer.unsafeRead { db in
                try db.reportingFullDisk(of: path) { try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            }
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ:
                try file.naming { throw error }
            default: throw StorageError(error, file: path)
            }
        }
        let verdict = try SQLiteFile.throwingStorageErrors(path) {
            var configuration = Configuration()
            configuration.readonly = true
            let copy = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? copy.close() }
            return try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
        }
        guard verdict == "ok" else {
            throw StorageError.corrupt(file: file.path, detail: "its copy is damaged: \(verdict ?? "no result")")
        }
        try BackupFile.sync(path)
        return try BackupFile.describe(path, as: name)
    }
}
