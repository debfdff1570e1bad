import Foundation
import LinkEvents

/// The directory of a backup that is being written. A file in it names its owner and stays locked while the writer
/// lives. The next backup can therefore identify and remove what a killed backup left, and leaves all others alone.
final class PartialBackup {
    let path: String
    private let lock: Int32

    private static let lockName = "lock"

    init(_ path: String, of directory: String) throws {
        try Folder.make(path, mode: 0o700)
        let file = "\(path)/\(Self.lockName)"
        let lock = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            let failure = FileFailure("create", file)
            rmdir(path)
            throw failure
        }
        self.path = path
        self.lock = lock
        // Locked before the owner is written. A file without an owner is never taken for an abandoned one.
        let owner = Self.owner(of: directory)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, pwrite(lock, owner, owner.count, 0) == owner.count else {
            let failure = FileFailure("write", file)
            remove()
            throw failure
        }
    }

    deinit { close(lock) }

    /// Renames the directory to its final name, after everything in it is on disk.
    func finish(as target: String) throws {
        try Folder.sync(path)
        guard rename(path, target) == 0 else { throw FileFailure("rename", path) }
        unlink("\(target)/\(Self.lockName)")
        try Folder.sync(target)
        try Folder.sync(Folder.parent(of: target))
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Removes directories beside `target` that interrupted backups of the data directory left.
    static func removeAbandoned(beside target: String, of directory: String) {
        let folder = Folder.parent(of: target)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let ending = name.firstRange(of: ".partial-"), !name[ending.upperBound...].isEmpty,
                name[ending.upperBound...].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                isAbandoned("\(folder)/\(name)", of: directory)
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    private static func isAbandoned(_ path: String, of directory: String) -> Bool {
        let lock = open("\(path)/\(lockName)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard lock >= 0 else { return false }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return false }
        let owner = owner(of: directory)
        var found = [UInt8](repeating: 0, count: owner.count + 1)
        return pread(lock, &found, found.count, 0) == owner.count && found.starts(with: owner)
    }

    private static func owner(of directory: String) -> [UInt8] {
        let path = URL(filePath: directory).resolvingSymlinksInPath().path
        return Array("A fingerpost backup of \(path), not whole yet.\n".utf8)
    }
}
