import Foundation
import LinkEvents
import LinkRouting

extension Backup {
    /// Reads the file list of a backup, and compares the files with it, but not their contents. Throws `StorageError`:
    /// `.unusable` if there is no such directory, `.notABackup` if there is no list, `.corrupt` if it is invalid,
    /// `.damagedBackup` if a file is missing or has another size, `.otherBuild` if it has the schema of another build.
    package init(at folder: String) throws {
        let path = "\(folder)/\(Self.listName)"
        guard access(folder, F_OK) == 0 else {
            throw StorageError.unusable(file: folder, detail: "there is no such directory")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StorageError.notABackup(directory: folder)
        }
        do {
            let node = try JSONReader.parse(Array(data), limits: JSONReader.Limits(maximumBytes: 16 << 20))
            let object = try DocumentField(node, path: Self.listName).object(
                "formatVersion",
                "createdAt",
                "version",
                "files"
            )
            let format = try object.required("formatVersion")
            guard try format.int(in: 1...Int64.max) == Self.formatVersion else {
                throw format.error("a newer version of Fingerpost wrote this backup; restore it with that version.")
            }
            let created = try object.required("createdAt")
            guard let createdAt = Timestamp(try created.text()) else { throw created.error("this is not a time.") }
            self.createdAt = createdAt
            version = try object.required("version").text()
            files = try object.required("files").list().map { field in
                let file = try field.object("path", "bytes", "sha256")
                let name = try file.required("path")
                guard Self.schema(of: try name.text()) != nil else {
                    throw name.error("a backup contains no such file.")
                }
                return File(
                    path: try name.text(),
                    bytes: try file.required("bytes").int(in: 0...Int64.max),
                    sha256: try file.required("sha256").text()
                )
            }
        } catch let error as JSONSyntaxError {
            throw StorageError.corrupt(file: path, detail: error.description)
        } catch let error as DocumentError {
            throw StorageError.corrupt(file: path, detail: error.description)
        }
        for file in files { try Self.requirePresent(file, in: folder) }
    }

    private static func requirePresent(_ file: File, in folder: String) throws {
        let path = "\(folder)/\(file.path)"
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw StorageError.unusable(path, errno) }
            throw StorageError.damagedBackup(
                directory: folder,
                detail: "it lacks \(file.path), which \(listName) lists"
            )
        }
        guard Int64(status.st_size) == file.bytes else {
            throw StorageError.damagedBackup(
                directory: folder,
                detail: "\(file.path) has \(status.st_size) bytes instead of the \(file.bytes) that \(listName) lists"
            )
        }
        do {
            try SQLiteHeader.inspect(path, try requireSchema(of: file))
        } catch let error as StorageError where error.isDamage {
            // A damaged header may look like that of another program or build.
            try requireContent(of: file, at: path, from: folder)
            throw error
        }
    }

    /// Throws unless the file at the path has the content that the list of the backup in the folder demands.
    private static func requireContent(of file: File, at path: String, from folder: String) throws {
        guard try BackupFile.describe(path, as: file.path) == file else {
            throw StorageError.damagedBackup(
                directory: folder,
                detail: "the SHA-256 of \(file.path) differs from that in \(listName)"
            )
        }
    }

    private static func requireSchema(of file: File) throws -> SQLiteSchema {
        guard let schema = schema(of: file.path) else {
            throw StorageError.corrupt(file: listName, detail: "a backup contains no file '\(file.path)'")
        }
        return schema
    }

    /// Allows only `catalog.db`, `links.db`, `events/ledger.db` and `events/YYYY-MM-DD.db`, so that no path leads
    /// elsewhere.
    private static func schema(of path: String) -> SQLiteSchema? {
        if path == "catalog.db" { return CatalogDatabase.schema }
        if path == "links.db" { return ShortLinkDatabase.schema }
        if path == "events/ledger.db" { return EventLog.ledgerSchema }
        guard path.hasPrefix("events/"), path.hasSuffix(".db"), CivilDay(path.dropFirst(7).dropLast(3)) != nil else {
            return nil
        }
        return EventLog.daySchema
    }

    /// Copies every file into a directory that was opened for a restore and holds no databases. The files are moved
    /// into place only after all of them match the SHA-256 in the list, open as files of this version, and are synced.
    ///
    /// A restore that fails or is interrupted before that leaves a directory that no process starts on, and the next
    /// restore begins again. A restore that is interrupted later is complete, and the next process that opens the
    /// directory finishes it.
    package func restore(from folder: String, to directory: DataDirectory) throws {
        let state = RestoreState(directory.servicePath)
        if let ended = try state.finish() {
            guard ended == text else {
                throw StorageError.occupied(directory: directory.path, by: "catalog.db, of another backup")
            }
            return
        }
        try state.clear()
        do {
            try Folder.make(state.restoring + "/events", mode: 0o700)
            for file in files { try copy(file, from: folder, to: state.restoring) }
            try BackupFile.write(text, to: "\(state.restoring)/\(Self.listName)")
            try state.commit()
        } catch {
            state.abandon()
            throw error
        }
        _ = try state.finish()
    }

    /// The part that another node can start with: its copy of the catalog and of the short links.
    package var ofCatalog: Backup {
        Backup(createdAt: createdAt, version: version, files: files.filter { !$0.path.hasPrefix("events/") })
    }

    private func copy(_ file: File, from folder: String, to target: String) throws {
        let (source, path) = ("\(folder)/\(file.path)", "\(target)/\(file.path)")
        do {
            try FileManager.default.copyItem(atPath: source, toPath: path)
        } catch {
            throw StorageError.unusable(file: source, detail: error.localizedDescription)
        }
        try Self.requireContent(of: file, at: path, from: folder)
        guard chmod(path, 0o600) == 0 else { throw FileFailure("chmod", path) }
        let schema = try Self.requireSchema(of: file)
        try SQLiteHeader.inspect(source, schema)
        try SQLiteFile.migrateAndCheckpoint(path, schema)
        try BackupFile.sync(path)
    }
}
