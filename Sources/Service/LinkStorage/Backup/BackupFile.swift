import Crypto
import Foundation
import LinkEvents

/// Hashes files, and writes files that are synced when the call returns.
enum BackupFile {
    static func describe(_ path: String, as name: String) throws -> Backup.File {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure("open", path) }
        defer { close(file) }
        var hash = SHA256()
        var total = Int64(0)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count >= 0 else { throw FileFailure("read", path) }
            guard count > 0 else { break }
            hash.update(data: buffer[..<count])
            total += Int64(count)
        }
        return Backup.File(path: name, bytes: total, sha256: Data(hash.finalize()).hexadecimal)
    }

    static func sync(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw FileFailure("fsync", path) }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileFailure("create", path) }
        defer { close(file) }
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count else { throw FileFailure("write", path) }
        guard fsync(file) == 0 else { throw FileFailure("fsync", path) }
    }
}
