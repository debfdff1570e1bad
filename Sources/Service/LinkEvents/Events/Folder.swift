import Foundation

/// A failed system call on a file.
package struct FileFailure: DiskError {
    package let description: String
    package let isDiskFull: Bool
    package let code: Int32

    /// The error of the system call, without the path.
    package var reason: String { String(cString: strerror(code)) }

    /// Reads `errno`, so it must be called directly after the failed system call.
    package init(_ action: String, _ path: String) {
        code = errno
        description = "\(action) \(path): \(String(cString: strerror(code)))"
        isDiskFull = (code == ENOSPC || code == EDQUOT) && !action.hasPrefix("fsync")
    }

    /// The same failure with another description.
    init(_ description: String, of failure: FileFailure) {
        self.description = description
        isDiskFull = failure.isDiskFull
        code = failure.code
    }
}

/// Directory operations that survive a power cut. Creating or renaming an entry is durable only after its directory is
/// synced.
package enum Folder {
    /// Creates the directory and its missing parents, and syncs the parent of each. An existing directory keeps its
    /// mode.
    package static func make(_ path: String, mode: UInt16) throws {
        var missing: [String] = []
        var folder = path
        // Walks up to the first directory that exists or can be created. A path is finite, so the loop ends.
        while try makeOne(folder, mode: mode) == .withoutParent, parent(of: folder) != folder {
            missing.append(folder)
            folder = parent(of: folder)
        }
        // A directory that cannot be created although its parent exists never can be: /proc, or a removed working
        // directory.
        for folder in missing.reversed() where try makeOne(folder, mode: mode) == .withoutParent {
            errno = ENOENT
            throw FileFailure("create directory", folder)
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
                throw FileFailure("create directory", path)
            }
            return .isThere
        default: throw FileFailure("create directory", path)
        }
    }

    package static func sync(_ path: String) throws {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileFailure("open directory", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw FileFailure("fsync directory", path) }
    }

    package static func parent(of path: String) -> String {
        var rest = Substring(path)
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }
}
