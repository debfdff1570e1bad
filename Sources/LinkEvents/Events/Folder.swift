import Foundation

/// A system call on a file that failed.
package struct FileFailure: DiskError {
    package let description: String
    package let isDiskFull: Bool

    /// Reads `errno`, so nothing may run between the call and this.
    package init(_ action: String, _ path: String) {
        let code = errno
        description = "\(action) \(path): \(String(cString: strerror(code)))"
        isDiskFull = (code == ENOSPC || code == EDQUOT) && !action.hasPrefix("fsync")
    }
}

/// Folders whose entries survive a power cut: making or renaming something is only durable once its folder is synced.
package enum Folder {
    /// Makes the folder, and those above it that are missing, and syncs the folder that holds each. One that is there keeps
    /// its mode.
    package static func make(_ path: String, mode: UInt16) throws {
        var missing: [String] = []
        var folder = path
        // Upwards to one that is there or can be made. A path has an end, so this has one, too.
        while try makeOne(folder, mode: mode) == .withoutParent, parent(of: folder) != folder {
            missing.append(folder)
            folder = parent(of: folder)
        }
        // What has a parent and still cannot be made never can be: /proc, or a working directory that was removed.
        for folder in missing.reversed() where try makeOne(folder, mode: mode) == .withoutParent {
            errno = ENOENT
            throw FileFailure("make folder", folder)
        }
        try sync(parent(of: path))
    }

    private enum Made { case isThere, withoutParent }

    private static func makeOne(_ path: String, mode: UInt16) throws -> Made {
        guard mkdir(path, mode_t(mode)) != 0 else {
            try sync(parent(of: path))
            return .isThere
        }
        switch errno {
        case ENOENT: return .withoutParent
        case EEXIST:
            var status = stat()
            guard stat(path, &status) == 0 else { throw FileFailure("stat", path) }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                errno = ENOTDIR
                throw FileFailure("make folder", path)
            }
            return .isThere
        default: throw FileFailure("make folder", path)
        }
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
