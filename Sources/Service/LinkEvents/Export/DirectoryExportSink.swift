import Foundation
package import LinkRouting

/// Exports in a directory, which only their owner can read. A file is written under a temporary name, synced and renamed,
/// and its directory is synced. The manifest follows in the same way.
package struct DirectoryExportSink: ExportSink {
    private let root: URL
    private static let temporaryEnding = ".partial"

    package let kind = "directory"

    package init(directory: String) { root = URL(filePath: directory, directoryHint: .isDirectory) }

    /// Why exports cannot be written to the directory, and what to do; nil if they can. The first export creates a missing
    /// directory.
    package var problem: String? {
        var path = Self.plain(root.path)
        var status = stat()
        // Walks up to the first directory that exists. A path is finite, so the loop ends.
        while stat(path, &status) != 0 {
            let failure = FileFailure("stat", path)
            guard failure.code == ENOENT else { return "\(path): \(failure.reason); correct the path." }
            guard lstat(path, &status) != 0 else {
                return "\(path) is a symbolic link whose target does not exist; mount its disk, create the target, or "
                    + "correct the link."
            }
            let parent = Folder.parent(of: path)
            guard parent != path else { return nil }
            path = parent
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return "\(path) is not a directory; move it, or choose another directory."
        }
        guard status.st_mode & 0o002 == 0 || path != Self.plain(root.path) else {
            return
                "every user may write to \(path), and could replace exports: run 'chmod o-w \(path)', or choose another "
                + "directory."
        }
        guard access(path, W_OK | X_OK) == 0 else {
            return "this user may not write to \(path); change its owner or mode, or choose another directory."
        }
        return nil
    }

    private static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Says what to do if the failure is one of the directory itself.
    private func explained(_ failure: FileFailure) -> FileFailure {
        guard !failure.isDiskFull, let problem else { return failure }
        return FileFailure(problem.hasSuffix(".") ? String(problem.dropLast()) : problem, of: failure)
    }

    package func create(_ path: String) throws -> any ExportFile {
        let final = url(path)
        do {
            try Folder.make(final.deletingLastPathComponent().path, mode: 0o700)
            try requireClosedRoot()
        } catch let failure as FileFailure {
            throw explained(failure)
        }
        // Syncs every level: after a power cut a directory exists only if its parent was synced.
        var folder = root
        for part in path.split(separator: "/") {
            try Folder.sync(folder.path)
            folder.append(path: String(part))
        }
        return try File(final: final.path, temporary: final.path + Self.temporaryEnding)
    }

    /// Replaces an existing file regardless of the overwriting mode. An interrupted run left it: the same rows give the
    /// same bytes.
    package func write(_ bytes: [UInt8], to path: String, over _: ExportOverwriting) async throws {
        let file = try create(path)
        try await file.write(bytes[...])
        try await file.finish(sha256: "")
    }

    /// Walks `tenant=…/dt=…/hour=…`, following symbolic links. Ignores files that are not exports.
    package func paths(of tenant: TenantID) throws -> [String] {
        let top = "tenant=\(tenant)"
        var paths: [String] = []
        for day in try names(in: top) where day.hasPrefix("dt=") {
            for hour in try names(in: "\(top)/\(day)") where hour.hasPrefix("hour=") {
                let folder = "\(top)/\(day)/\(hour)"
                for name in try names(in: folder) where name.hasPrefix("events-") { paths.append("\(folder)/\(name)") }
            }
        }
        return paths
    }

    /// Returns the entries of a directory; empty if it does not exist. Throws if it cannot be read, because its
    /// contents are then unknown.
    private func names(in folder: String) throws -> [String] {
        let path = url(folder).path
        guard let stream = opendir(path) else {
            let code = errno
            var status = stat()
            // A dangling link is not a missing directory: its disk may not be mounted.
            if code == ENOTDIR || (code == ENOENT && lstat(path, &status) != 0) { return [] }
            errno = code
            throw explained(FileFailure("open directory", path))
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
                }
            )
            errno = 0
        }
        guard errno == 0 else { throw FileFailure("read directory", path) }
        return names
    }

    package func remove(_ path: String) throws {
        let path = url(path).path
        if unlink(path) != 0 {
            guard errno == ENOENT else { throw FileFailure("remove", path) }
            return
        }
        try Folder.sync(Folder.parent(of: path))
    }

    package func read(_ path: String, from offset: Int64, count: Int) throws -> [UInt8]? {
        guard offset >= 0, count >= 0 else { return nil }
        guard !offset.addingReportingOverflow(Int64(count)).overflow else { return [] }
        let descriptor: Int32
        do {
            descriptor = try openFile(path)
        } catch let failure as FileFailure {
            guard failure.code == ENOENT else { throw explained(failure) }
            return nil
        }
        defer { close(descriptor) }
        let path = url(path).path
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw FileFailure("read", path) }
                if got == 0 { break }
                filled += got
            }
        }
    }

    /// Opens a file below the root. A link could lead to what is not an export, and a pipe block the reader, so both are
    /// refused. The operator may have moved a folder behind a link.
    private func openFile(_ path: String) throws -> Int32 {
        try requireClosedRoot()
        let path = url(path).path
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure("open", path) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            errno = EINVAL
            throw FileFailure("open as a file", path)
        }
        return file
    }

    /// Throws if every user may write to the root. They could replace its folders.
    private func requireClosedRoot() throws {
        var status = stat()
        guard stat(root.path, &status) == 0 else { throw FileFailure("stat", root.path) }
        guard status.st_mode & 0o002 == 0 else {
            errno = EPERM
            throw FileFailure("use directory", root.path)
        }
    }

    private func url(_ path: String) -> URL { root.appending(path: path) }

    /// Owned by the exporter's task alone. Its only state is the file descriptor.
    private final class File: ExportFile {
        private let descriptor: Int32
        private let final: String
        private let temporary: String

        init(final: String, temporary: String) throws {
            self.final = final
            self.temporary = temporary
            // An interrupted run may have left one, and others may write to the directory: their file or link is not used.
            unlink(temporary)
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FileFailure("open", temporary) }
        }

        deinit { close(descriptor) }

        func write(_ bytes: ArraySlice<UInt8>) throws {
            try bytes.withUnsafeBytes { buffer in
                var rest = UnsafeRawBufferPointer(buffer)
                while !rest.isEmpty {
                    let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw FileFailure("write", temporary) }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }

        func finish(sha256 _: String) throws {
            guard fsync(descriptor) == 0 else { throw FileFailure("fsync", temporary) }
            guard rename(temporary, final) == 0 else { throw FileFailure("rename", temporary) }
            try Folder.sync(Folder.parent(of: final))
        }

        func discard() { unlink(temporary) }
    }
}
