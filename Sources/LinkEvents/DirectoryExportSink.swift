import Foundation
package import LinkRouting

/// Exports in a folder: temporary name → write → fsync → rename → fsync of the folder, then the manifest the same way.
package struct DirectoryExportSink: ExportSink {
    private let root: URL
    private static let temporaryEnding = ".partial"

    package let kind = "directory"

    package init(directory: String) { root = URL(filePath: directory, directoryHint: .isDirectory) }

    package func create(_ path: String) throws -> any ExportFile {
        let final = url(path)
        try Folder.make(final.deletingLastPathComponent().path, mode: 0o750)
        // Every level: after a power cut a folder is there only when the one above it was synced.
        var folder = root
        for part in path.split(separator: "/") {
            try Folder.sync(folder.path)
            folder.append(path: String(part))
        }
        return try File(final: final.path, temporary: final.path + Self.temporaryEnding)
    }

    /// A rename replaces what is there, and a run that was stopped left it: the same rows give the same bytes.
    package func write(_ bytes: [UInt8], to path: String, over _: ExportOverwriting) async throws {
        let file = try create(path)
        try await file.write(bytes[...])
        try await file.finish(sha256: "")
    }

    package func paths(of tenant: TenantID) throws -> [String] {
        let folder = url("tenant=\(tenant)")
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var paths: [String] = []
        for case let path as String in files where path.contains("/events-") {
            paths.append("tenant=\(tenant)/" + path)
        }
        return paths
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
        guard offset >= 0, let handle = FileHandle(forReadingAtPath: url(path).path) else { return nil }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        return Array(try handle.read(upToCount: count) ?? Data())
    }

    private func url(_ path: String) -> URL { root.appending(path: path) }

    /// Owned by the exporter's task alone; the descriptor is its only state.
    private final class File: ExportFile {
        private let descriptor: Int32
        private let final: String
        private let temporary: String

        init(final: String, temporary: String) throws {
            self.final = final
            self.temporary = temporary
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
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
