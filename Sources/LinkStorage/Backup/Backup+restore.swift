import Foundation
import LinkEvents
import LinkRouting

extension Backup {
    /// Reads the list of a backup.
    package init(at folder: String) throws {
        let path = "\(folder)/\(Self.listName)"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StorageError.unusable(file: path, detail: "a backup is a folder with this file in it")
        }
        do {
            let node = try JSONReader.parse(Array(data), limits: JSONReader.Limits(maximumBytes: 16 << 20))
            let object = try Field(node, path: Self.listName).object("formatVersion", "createdAt", "version", "files")
            let format = try object.required("formatVersion")
            guard try format.int(in: 1...Int64.max) == Self.formatVersion else {
                throw format.error("a newer fingerpost wrote this backup; restore it with that one.")
            }
            let created = try object.required("createdAt")
            guard let createdAt = Timestamp(try created.text()) else { throw created.error("this is no instant.") }
            self.createdAt = createdAt
            version = try object.required("version").text()
            files = try object.required("files").list().map { field in
                let file = try field.object("path", "bytes", "sha256")
                let name = try file.required("path")
                guard try Self.isOurs(name.text()) else { throw name.error("a backup holds no such file.") }
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
    }

    /// `catalog.db`, `events/ledger.db` and `events/YYYY-MM-DD.db`: nothing that leads elsewhere.
    private static func isOurs(_ path: String) -> Bool {
        guard path != "catalog.db", path != "events/ledger.db" else { return true }
        guard path.hasPrefix("events/"), path.hasSuffix(".db") else { return false }
        return CivilDay(path.dropFirst(7).dropLast(3)) != nil
    }

    /// Copies every file into a data directory that holds no databases, each under another name until it is whole, synced and
    /// has the SHA-256 of the list. The directory's lock is the caller's.
    package func restore(from folder: String, to directory: DataDirectory) throws {
        let present = try FileManager.default.contentsOfDirectory(atPath: directory.eventsPath)
            .contains { $0.hasSuffix(".db") }
        guard !present, access(directory.catalogPath, F_OK) != 0 else {
            throw StorageError.unusable(
                file: directory.path,
                detail: "it holds databases already; name an empty directory with --data, or move them away"
            )
        }
        for file in files {
            let (source, target) = ("\(folder)/\(file.path)", "\(directory.path)/\(file.path)")
            let partial = target + ".partial"
            try? FileManager.default.removeItem(atPath: partial)
            do {
                try FileManager.default.copyItem(atPath: source, toPath: partial)
            } catch {
                throw StorageError.unusable(file: source, detail: error.localizedDescription)
            }
            let found = try BackupFile.describe(partial, as: file.path)
            guard found == file else {
                try? FileManager.default.removeItem(atPath: partial)
                throw StorageError.corrupt(file: source, detail: "its SHA-256 is not that of \(Self.listName)")
            }
            guard chmod(partial, 0o600) == 0 else { throw FileFailure("chmod", partial) }
            try BackupFile.sync(partial)
        }
        // Only now that all are whole do they get their names; the catalog last, without which nothing starts.
        for file in files {
            let target = "\(directory.path)/\(file.path)"
            guard rename(target + ".partial", target) == 0 else { throw FileFailure("rename", target) }
        }
        try Folder.sync(directory.eventsPath)
        try Folder.sync(directory.path)
    }
}
