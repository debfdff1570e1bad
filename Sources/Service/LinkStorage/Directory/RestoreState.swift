import Foundation
import LinkEvents

/// The state of a restore in the folder of a data directory's files.
///
/// ```
/// restoring/      the copy is incomplete, or failed; the directory is unusable until a restore ends
/// restored/       the copy is complete; its files are moved into place, by the next opener if need be
/// ```
struct RestoreState {
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    var restoring: String { directory + "/restoring" }
    private var restored: String { directory + "/restored" }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a restore was interrupted, or failed.
    var isUnfinished: Bool { Self.isThere(restoring) }

    private func entries(of folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []).sorted()
    }

    /// Removes what an interrupted restore left. Throws `StorageError.occupied` if there is a database or a remainder
    /// of one: SQLite would replay a leftover `-wal` into the restored file.
    func clear() throws {
        try? FileManager.default.removeItem(atPath: restoring)
        let left =
            entries(of: ".").filter { $0.hasPrefix("catalog.db") || $0.hasPrefix("links.db") }
            + entries(of: "events").map { "events/" + $0 }
        if let file = left.first { throw StorageError.occupied(directory: directory, by: file) }
    }

    /// Removes an incomplete copy, but not its folder: a process that started would find no data, and record anew.
    func abandon() {
        for name in entries(of: "restoring") { try? FileManager.default.removeItem(atPath: "\(restoring)/\(name)") }
    }

    /// Marks the copy as complete, durably.
    func commit() throws {
        try Folder.sync(restoring + "/events")
        try Folder.sync(restoring)
        guard rename(restoring, restored) == 0 else { throw FileFailure("rename", restoring) }
        try Folder.sync(directory)
    }

    /// Moves the committed copy into place, the catalog last. Returns the file list of the backup it came from; nil if
    /// nothing was committed.
    func finish() throws -> [UInt8]? {
        guard Self.isThere(restored) else { return nil }
        let list = FileManager.default.contents(atPath: "\(restored)/\(Backup.listName)")
        for name in ["events", "links.db", "catalog.db"] where Self.isThere("\(restored)/\(name)") {
            let target = "\(directory)/\(name)"
            // Renaming a directory replaces only an empty one; renaming a file replaces any file.
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
