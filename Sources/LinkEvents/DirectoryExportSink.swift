import Foundation
package import LinkRouting

/// Exports in a folder: temporary name → write → fsync → rename → fsync of the folder, then the manifest the same way.
package struct DirectoryExportSink: ExportSink {
    private let root: URL
    private static let manifestEnding = ".manifest.json"
    private static let temporaryEnding = ".partial"

    package init(directory: String) { root = URL(filePath: directory, directoryHint: .isDirectory) }

    package func manifest(_ name: String) throws -> [UInt8]? {
        let path = url(name + Self.manifestEnding).path
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

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

    package func write(manifest: [UInt8], name: String) throws {
        let file = try create(name + Self.manifestEnding)
        try file.write(manifest[...])
        try file.finish()
    }

    package func names(of tenant: TenantID) throws -> [String] {
        let folder = url("tenant=\(tenant)")
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var names: [String] = []
        for case let path as String in files where path.hasSuffix(Self.manifestEnding) {
            names.append("tenant=\(tenant)/" + path.dropLast(Self.manifestEnding.count))
        }
        return names.sorted(by: >)
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

        func finish() throws {
            guard fsync(descriptor) == 0 else { throw FileFailure("fsync", temporary) }
            guard rename(temporary, final) == 0 else { throw FileFailure("rename", temporary) }
            try Folder.sync(Folder.parent(of: final))
        }
    }
}
