import Foundation

/// A system call on a file that failed.
package struct FileFailure: Error, CustomStringConvertible {
    package let description: String

    /// Reads `errno`, so nothing may run between the call and this.
    package init(_ action: String, _ path: String) {
        description = "\(action) \(path): \(String(cString: strerror(errno)))"
    }
}

/// Folders whose entries survive a power cut: making or renaming something is only durable once its folder is synced.
package enum Folder {
    /// Makes the folder, and those above it that are missing, and syncs the folder that holds each. One that is there keeps
    /// its mode.
    package static func make(_ path: String, mode: UInt16) throws {
        if mkdir(path, mode_t(mode)) != 0 {
            switch errno {
            case EEXIST:
                var status = stat()
                guard stat(path, &status) == 0 else { throw FileFailure("stat", path) }
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    errno = ENOTDIR
                    throw FileFailure("make folder", path)
                }
            case ENOENT where parent(of: path) != path:
                try make(parent(of: path), mode: mode)
                return try make(path, mode: mode)
            default: throw FileFailure("make folder", path)
            }
        }
        try sync(parent(of: path))
    }

    package static func sync(_ path: String) throws {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileFailure("open folder", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw FileFailure("fsync folder", path) }
    }

    package static func parent(of path: String) -> String {
        var rest = Substring(path)
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }
}
