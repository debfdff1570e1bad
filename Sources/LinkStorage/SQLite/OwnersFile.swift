import Foundation

/// Files that their owner alone may read, whatever the umask is: they hold personal data and secrets.
enum OwnersFile {
    /// Makes an empty file that is not there yet. SQLite takes one for a new database, and gives `-wal` and `-shm` its mode.
    static func make(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError.unusable(path, errno) }
        close(file)
    }

    /// Takes from others what an older version, a copy or a umask gave them. A file of another owner stays as it is.
    static func shut(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        chmod(path, status.st_mode & 0o700)
    }
}
