import Foundation
import LinkEvents
import LinkStorage

/// The path of the socket through which other commands reach the process that holds the data directory.
enum ControlSocket {
    /// Throws if a directory occupies the socket's path, because a new socket cannot replace it. Call it before opening
    /// anything in the data directory.
    static func requireRoom(in directory: DataDirectory) throws {
        let path = directory.controlSocketPath
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else { return }
        try directory.leaveAsFound()
        errno = EISDIR
        throw FileFailure("create the control socket", path)
    }

    /// Whether the path fits into the address of a Unix socket: 108 bytes on Linux, 104 elsewhere.
    static func fits(_ path: String) -> Bool { path.utf8.count < 104 }
}
