import Foundation
import LinkEvents
package import LinkRouting

/// The start time of the last backup, stored in the file `last-backup`.
extension DataDirectory {
    private var lastBackupPath: String { servicePath + "/last-backup" }

    /// When the last finished backup was begun; nil if none is known.
    package var lastBackup: Timestamp? {
        FileManager.default.contents(atPath: lastBackupPath)
            .flatMap { Timestamp(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines)) }
    }

    package func noteBackup(begunAt instant: Timestamp) throws {
        let fresh = lastBackupPath + ".new"
        unlink(fresh)
        try BackupFile.write(Array("\(instant)\n".utf8), to: fresh)
        // Root makes backups beside a stopped service, which reads the file later.
        var owner = stat()
        if stat(servicePath, &owner) == 0 { chown(fresh, owner.st_uid, owner.st_gid) }
        guard rename(fresh, lastBackupPath) == 0 else { throw FileFailure("rename", fresh) }
        try Folder.sync(servicePath)
    }
}
