import Foundation
import LinkCatalog
import LinkRouting

/// Reads tenant files and suites, and reads them again when they have changed.
actor LinkFiles {
    private let named: (tenants: [String], suites: [String])
    /// Has the folders `tenants` and `suites`; nil for none.
    private let folder: String?
    private var tenants: [Entry<TenantSource>] = []
    private var suites: [Entry<LinkSuite>] = []
    /// The tenants as they were when no two files had the same tenant, domain or scheme.
    private var accepted: [TenantSource] = []
    /// The last errors of the content of a file, and the last reason why a file could not be read, so that each is
    /// reported once.
    private var wrong: [String: UnusableFile] = [:]
    private var unreadable: [String: UnusableFile] = [:]

    /// The maximum number of files of each kind.
    private static let maximumFiles = 100

    /// The content of a file without errors, and the file, which may have got errors since.
    private struct Entry<Content: Sendable>: Sendable {
        var file: WatchedFile
        var content: Content
    }

    /// The content of the files.
    struct Content: Sendable {
        let tenants: [TenantSource]
        let suites: [LinkSuite]
    }

    /// The changes of the files since they were last read.
    struct Changes: Sendable {
        /// Nil if nothing that can be used has changed.
        let content: Content?
        let changedFiles: [String]
        let problems: [String]
    }

    init(tenants: [String], suites: [String], folder: String?) {
        named = (tenants, suites)
        self.folder = folder
    }

    private var content: Content { Content(tenants: accepted, suites: suites.map(\.content)) }

    /// Reads all files. Each must be without errors.
    ///
    /// - Throws: ``UnusableFile``.
    func read() throws -> Content {
        tenants = try paths(named.tenants, "tenants").map { path in
            let file = try WatchedFile(path)
            return Entry(file: file, content: try TenantSource(file))
        }
        suites = try paths(named.suites, "suites").map { path in
            let file = try WatchedFile(path)
            return Entry(file: file, content: try Self.suite(file))
        }
        accepted = tenants.map(\.content)
        try TenantSource.requireDifferent(accepted)
        return content
    }

    /// Reads the files that may have changed. A file that is missing or has errors keeps its last valid content.
    func readChanges() -> Changes {
        var changed: [String] = []
        var found: [String] = []
        update(&tenants, named.tenants, "tenants", &changed, &found) { try TenantSource($0) }
        if !changed.isEmpty {
            do {
                try TenantSource.requireDifferent(tenants.map(\.content))
                accepted = tenants.map(\.content)
                wrong[""] = nil
            } catch {
                changed = []
                note(error, of: "", in: &wrong, &found)
            }
        }
        update(&suites, named.suites, "suites", &changed, &found, Self.suite)
        return Changes(content: changed.isEmpty ? nil : content, changedFiles: changed, problems: found)
    }

    private func update<Content: Sendable>(
        _ entries: inout [Entry<Content>],
        _ named: [String],
        _ subfolder: String,
        _ changed: inout [String],
        _ found: inout [String],
        _ read: (WatchedFile) throws -> Content
    ) {
        for index in entries.indices {
            let path = entries[index].file.path
            do {
                let hasNewText = try entries[index].file.update()
                unreadable[path] = nil
                guard hasNewText else { continue }
            } catch {
                note(error, of: path, in: &unreadable, &found)
                continue
            }
            do {
                entries[index].content = try read(entries[index].file)
                wrong[path] = nil
                changed.append(path)
            } catch {
                note(error, of: path, in: &wrong, &found)
            }
        }
        do {
            let known = Set(entries.map(\.file.path))
            for path in try paths(named, subfolder) where !known.contains(path) {
                do {
                    let file = try WatchedFile(path)
                    entries.append(Entry(file: file, content: try read(file)))
                    wrong[path] = nil
                    changed.append(path)
                } catch {
                    note(error, of: path, in: &wrong, &found)
                }
            }
        } catch {
            note(error, of: subfolder, in: &wrong, &found)
        }
    }

    private func note(
        _ error: any Error,
        of path: String,
        in noted: inout [String: UnusableFile],
        _ found: inout [String]
    ) {
        guard let error = error as? UnusableFile, noted.updateValue(error, forKey: path) != error else { return }
        found += error.lines
    }

    private static func suite(_ file: WatchedFile) throws -> LinkSuite {
        do {
            return try LinkSuite(file.text)
        } catch let error as DocumentError {
            throw UnusableFile(file.path, error)
        }
    }

    /// The named files, and those of the folder, sorted by their names.
    private func paths(_ named: [String], _ subfolder: String) throws -> [String] {
        var paths = named
        if let folder {
            let inside = "\(folder)/\(subfolder)"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: inside)) ?? []
            let documents = names.filter { name in
                !name.hasPrefix(".") && [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) }
            }
            paths += documents.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(inside)/\($0)" }
        }
        guard paths.count <= Self.maximumFiles else {
            throw UnusableFile(
                paths[Self.maximumFiles],
                "there are \(paths.count) files in '\(subfolder)'; at most \(Self.maximumFiles) are read."
            )
        }
        return paths
    }
}
