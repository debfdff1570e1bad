import Foundation
import LinkEvents

/// Files and folders that only their owner may access, regardless of the umask, because they hold personal data and
/// secrets.
enum OwnersFile {
    /// Creates an empty file with mode 0600; fails if it exists. SQLite treats it as a new database, and gives `-wal`
    /// and `-shm` its mode.
    static func make(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError.unusable(path, errno) }
        close(file)
    }

    /// Removes access that a copy or a umask gave to others. Throws if the file is a symbolic link.
    static func shut(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw StorageError.link(path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        // What was checked may have been replaced since, so the descriptor decides.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw errno == ELOOP ? StorageError.link(path) : .unusable(path, errno) }
        defer { close(file) }
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        fchmod(file, status.st_mode & 0o700)
    }

    /// Opens a folder of this user, with mode 0700. Creates it if there is none, and removes others' access to it: with
    /// `fsGroup`, Kubernetes gives a group access to it at each start.
    ///
    /// - Parameter owner: Root may also open a folder of this user, who owns the data directory.
    static func openFolder(_ path: String, orOf owner: uid_t) throws -> Int32 {
        var status = stat()
        if lstat(path, &status) != 0 {
            do {
                try Folder.make(path, mode: 0o700)
            } catch let failure as FileFailure {
                throw StorageError.unusable(path, failure)
            }
        } else if status.st_mode & S_IFMT == S_IFLNK {
            throw StorageError.link(path)
        }
        // What was checked may have been replaced since, so the descriptor decides.
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            let code = errno
            guard code == EACCES, lstat(path, &status) == 0, status.st_uid != geteuid() else {
                throw StorageError.unusable(path, code)
            }
            throw StorageError.foreignFolder(path, of: status.st_uid, user: geteuid())
        }
        do {
            guard fstat(folder, &status) == 0 else { throw StorageError.unusable(path, errno) }
            let user = geteuid()
            guard status.st_uid == user || (user == 0 && status.st_uid == owner) else {
                throw StorageError.foreignFolder(path, of: status.st_uid, user: user)
            }
            guard status.st_mode & 0o077 == 0 || fchmod(folder, 0o700) == 0 else {
                throw StorageError.unusable(path, errno)
            }
        } catch {
            close(folder)
            throw error
        }
        return folder
    }
}
