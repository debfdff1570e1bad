import Foundation
import GRDB
import LinkEvents
package import LinkRouting

/// A folder with a whole copy of the databases, made while they are written to, and a list of what is in it.
///
/// ```
/// backup.json     when, by which version, each file with its size and SHA-256
/// catalog.db
/// events/         ledger.db and the days
/// ```
///
/// Files are copied one after the other: first the ledger, then the days from the oldest, last the catalog. So no edge of the
/// ledger lies above what the days hold, and no event names a revision that the catalog lacks. What is committed meanwhile may
/// be in the copy or not. Exports are files already and are not copied.
package struct Backup: Sendable {
    package struct File: Sendable, Hashable {
        /// Relative to the backup.
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

    /// Writes a backup to a folder that is not there yet. Until it is complete and synced it has another name.
    ///
    /// Blocks for as long as reading and writing everything takes.
    package static func make(
        catalog: CatalogDatabase,
        log: EventLog,
        to target: String,
        at now: Timestamp,
        version: String
    ) throws -> Backup {
        guard access(target, F_OK) != 0 else {
            throw StorageError.unusable(file: target, detail: "it is there already; name a folder that is not")
        }
        let partial = "\(target).partial-\(now.milliseconds)"
        do {
            try Folder.make(partial + "/events", mode: 0o700)
            var files: [File] = []
            for (name, reader) in log.backupFiles() {
                guard let reader = try reader() else { continue }
                files.append(try copy(reader, to: partial, "events/\(name)"))
            }
            files.append(try copy(catalog.pool, to: partial, "catalog.db"))
            let backup = Backup(createdAt: now, version: version, files: files)
            try BackupFile.write(Array((backup.json.json(.pretty) + "\n").utf8), to: "\(partial)/\(listName)")
            try Folder.sync(partial + "/events")
            try Folder.sync(partial)
            guard rename(partial, target) == 0 else { throw FileFailure("rename", partial) }
            try Folder.sync(Folder.parent(of: target))
            return backup
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    /// One database as it is at one moment, checked and synced.
    private static func copy(_ reader: any DatabaseReader, to folder: String, _ name: String) throws -> File {
        let path = "\(folder)/\(name)"
        do {
            // A reader sees one state of the file, and makes no writer wait.
            try reader.unsafeRead { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            var configuration = Configuration()
            configuration.readonly = true
            let copy = try DatabaseQueue(path: path, configuration: configuration)
            let verdict = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
            try copy.close()
            guard verdict == "ok" else { throw StorageError.corrupt(file: name, detail: verdict ?? "no answer") }
        } catch let error as DatabaseError {
            throw StorageError(error, file: path)
        }
        try BackupFile.sync(path)
        return try BackupFile.describe(path, as: name)
    }
}
