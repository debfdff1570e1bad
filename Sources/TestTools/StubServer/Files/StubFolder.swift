import Foundation
import LinkRouting
import StubMatching

/// The folder of a stub server: `mappings` with stubs and `__files` with bodies.
struct StubFolder: Sendable {
    let path: String

    static let maximumFileBytes = 64 << 20

    var mappings: String { path + "/mappings" }
    var files: String { path + "/__files" }

    /// An error in a file of mappings.
    struct Problem: Error, CustomStringConvertible {
        let file: String
        let error: MappingError
        var description: String { "\(file): \(error)" }
    }

    /// The names of all mapping files, relative to `mappings`, sorted by their bytes: the order does not depend on the
    /// file system.
    func mappingFiles() -> [String] { Self.names(in: mappings).filter { $0.hasSuffix(".json") } }

    /// Reads the stubs of all mapping files in order.
    ///
    /// - Parameter newID: Makes an id for a mapping without one.
    func stubs(
        templating: Templating,
        newID: () -> String
    ) -> (stubs: [(stub: StubMapping, file: String)], problems: [Problem]) {
        var stubs: [(stub: StubMapping, file: String)] = []
        var problems: [Problem] = []
        for file in mappingFiles() {
            do throws(MappingError) {
                for field in try mappings(in: file).fields {
                    guard stubs.count < StubStore.maximumCount else {
                        throw field.error("the folder has more than \(StubStore.maximumCount) mappings; split it.")
                    }
                    stubs.append((try StubMapping(field, templating: templating, newID: newID), file))
                }
            } catch {
                problems.append(Problem(file: "\(mappings)/\(file)", error: error))
            }
        }
        return (stubs, problems)
    }

    /// Whether the file can be rewritten or removed with its stub; false for one that cannot be read.
    func holdsOneStub(_ file: String) -> Bool { (try? mappings(in: file))?.holdsSeveral == false }

    private func mappings(in file: String) throws(MappingError) -> MappingFile {
        let path = "\(mappings)/\(file)"
        guard Self.isRegularFile(path) else {
            throw MappingError(pointer: nil, detail: "it is not a regular file; replace it with one, or remove it.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw MappingError(pointer: nil, detail: "the file cannot be read; check its mode.")
        }
        return try MappingFile(data)
    }

    /// The content of a file in `__files`; nil if there is none, or the name leads out of the folder.
    func content(of name: String) -> [UInt8]? {
        guard let path = Self.path(of: name, in: files), Self.isRegularFile(path),
            let data = FileManager.default.contents(atPath: path), data.count <= Self.maximumFileBytes
        else { return nil }
        return Array(data)
    }

    /// The names of the files in `__files` that can be served, relative to it and sorted.
    func bodyFiles() -> [String] {
        Self.names(in: files).filter { Self.path(of: $0, in: files).map(Self.isRegularFile) ?? false }
    }

    /// Whether the path leads to a file, and not to a device or a pipe, from which a read may never return.
    private static func isRegularFile(_ path: String) -> Bool {
        FileManager.default.status(atPath: path)?[.type] as? FileAttributeType == .typeRegular
    }

    func write(_ bytes: [UInt8], toBodyFile name: String) throws -> Bool {
        guard let path = Self.path(of: name, in: files) else { return false }
        try Self.write(bytes, to: path)
        return true
    }

    /// Returns false if there is no such file.
    func removeBodyFile(_ name: String) -> Bool {
        guard let path = Self.path(of: name, in: files) else { return false }
        return unlink(path) == 0
    }

    func write(_ stub: StubMapping, toMappingFile name: String, order: Int) throws {
        guard let path = Self.path(of: name, in: mappings) else { return }
        var members = stub.json.members ?? []
        members.append(JSONNode.Member("insertionIndex", .int(order)))
        try Self.write(Array((JSONNode.object(members).json(.pretty) + "\n").utf8), to: path)
    }

    func removeMappingFile(_ name: String) {
        guard let path = Self.path(of: name, in: mappings) else { return }
        unlink(path)
    }

    /// Writes a temporary file and renames it, so that a reader never sees a part of it.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: .atomic)
    }

    /// The path of a file in a folder; nil for names that are empty, absolute or lead out of the folder, also through
    /// a symbolic link.
    private static func path(of name: String, in folder: String) -> String? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.utf8.contains(0), !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return nil
        }
        let path = "\(folder)/\(name)"
        let root = URL(filePath: folder).resolvingSymlinksInPath().path
        // The path of a file that does not exist yet is not resolved, so each of its folders is.
        var part = folder
        for name in parts {
            part += "/\(name)"
            let resolved = URL(filePath: part).resolvingSymlinksInPath().path
            guard resolved.hasPrefix(root + "/") else { return nil }
        }
        return path
    }

    static func names(in folder: String) -> [String] {
        guard let enumerator = FileManager.default.enumerator(atPath: folder) else { return [] }
        var names: [String] = []
        while let name = enumerator.nextObject() as? String {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isDirectory),
                !isDirectory.boolValue, names.count < 100_000
            else { continue }
            names.append(name)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
