import Foundation

/// Files that only their owner may read, regardless of the umask, because they hold personal data and secrets.
enum OwnersFile {
    /// Creates an empty file with mode 0600; fails if it exists. SQLite treats it as a new database, and gives `-wal`
    /// and `-shm` its mode.
    static func make(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError.unusable(path, errno) }
        close(file)
    }

    /// Removes access that an older version, a copy or a umask gave to others. Leaves a file of another owner
    /// unchanged.
    static func shut(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        chmod(path, status.st_mode & 0o700)
    }
}
