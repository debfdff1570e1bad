import Foundation
import LinkEvents

/// Where a restore stands in a data directory.
///
/// ```
/// restoring/      is being copied; a directory with it is refused until a restore ends
/// restored/       whole: what is in it is moved to its place, by whoever opens the directory next if need be
/// ```
struct RestorePlace {
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    var restoring: String { directory + "/restoring" }
    private var restored: String { directory + "/restored" }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a restore was stopped halfway, also one of a version that named its copies `.partial`.
    var isUnfinished: Bool { Self.isThere(restoring) || !partialFiles.isEmpty }

    private var partialFiles: [String] {
        (entries(of: "events").map { "events/" + $0 } + ["catalog.db.partial"])
            .filter { $0.hasSuffix(".db.partial") && Self.isThere("\(directory)/\($0)") }
    }

    private func entries(of folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []).sorted()
    }

    /// Takes away what a stopped restore left. Throws where a database is, or what is left of one: SQLite would replay a `-wal`
    /// that stays behind into the file that is restored.
    func clear() throws {
        try? FileManager.default.removeItem(atPath: restoring)
        for file in partialFiles { unlink("\(directory)/\(file)") }
        let left = entries(of: ".").filter { $0.hasPrefix("catalog.db") } + entries(of: "events").map { "events/" + $0 }
        if let file = left.first { throw StorageError.occupied(directory: directory, by: file) }
    }

    /// Says that everything is copied.
    func commit() throws {
        try Folder.sync(restoring + "/events")
        try Folder.sync(restoring)
        guard rename(restoring, restored) == 0 else { throw FileFailure("rename", restoring) }
        try Folder.sync(directory)
    }

    /// Moves what was committed to its place, the catalog last. The list of the backup that it came from; nil where nothing
    /// was committed.
    func finish() throws -> [UInt8]? {
        guard Self.isThere(restored) else { return nil }
        let list = FileManager.default.contents(atPath: "\(restored)/\(Backup.listName)")
        for name in ["events", "catalog.db"] where Self.isThere("\(restored)/\(name)") {
            let target = "\(directory)/\(name)"
            // A folder takes the place of an empty one only, a file would take that of any.
            guard name == "events" || !Self.isThere(target) else {
                throw StorageError.occupied(directory: directory, by: name)
            }
            guard rename("\(restored)/\(name)", target) == 0 else {
                guard errno == ENOTEMPTY || errno == EEXIST else { throw FileFailure("rename", "\(restored)/\(name)") }
                throw StorageError.occupied(directory: directory, by: entries(of: name).first ?? name)
            }
        }
        try Folder.sync(restored)
        try Folder.sync(directory)
        unlink("\(restored)/\(Backup.listName)")
        guard rmdir(restored) == 0 else { throw FileFailure("remove", restored) }
        try Folder.sync(directory)
        return list.map { Array($0) } ?? []
    }
}
