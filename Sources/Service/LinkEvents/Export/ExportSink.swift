package import LinkRouting

/// The destination of exports. A manifest makes an export visible and is written last. Files without a manifest are
/// left over from interrupted runs.
package protocol ExportSink: Sendable {
    /// Identifies the kind of sink in metrics.
    var kind: String { get }
    /// Begins a file that stays invisible until it is finished. Discards an earlier unfinished file with the same path.
    func create(_ path: String) async throws -> any ExportFile
    /// Writes a small file atomically.
    func write(_ bytes: [UInt8], to path: String, over previous: ExportOverwriting) async throws
    /// Reads at most `count` bytes from an offset. Returns an empty array at the end of the file, and nil if there is
    /// no such file. Throws if the file cannot be read.
    func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]?
    /// Returns the paths of all files of a tenant in no particular order. Includes unfinished files if the sink stores
    /// them among the others. Throws if a directory cannot be read.
    func paths(of tenant: TenantID) async throws -> [String]
    /// Removes a file. Succeeds if the file does not exist.
    func remove(_ path: String) async throws
}

/// Determines whether a write may replace an existing file.
package enum ExportOverwriting: Sendable {
    /// The existing file stays; the write fails unless both have the same bytes.
    case refused
    case allowed
}

/// A file that is being written.
package protocol ExportFile: Sendable {
    func write(_ bytes: ArraySlice<UInt8>) async throws
    /// Makes the file durable and visible under its path. `sha256` is the hash of everything written. Sinks that detect
    /// an existing file accept one with this hash; otherwise they throw ``ExportFailure/occupied(_:)``.
    func finish(sha256: String) async throws
    /// Discards what was written.
    func discard() async
}

/// The reason why an export failed.
package enum ExportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file with other content has the path.
    case occupied(String)
    /// The manifest of that name describes another window.
    case otherWindow(String)
    /// No window of the tenant has that name.
    case unknownWindow(String)
    /// Retention has dropped rows of the window.
    case windowGone(String)
    /// A file does not match its manifest.
    case damaged(String)
    /// The log has other rows than an intact export.
    case otherRows(String)
    /// The log has fewer rows than an intact export, and retention did not drop them.
    case fewerRows(String)

    package var description: String {
        switch self {
        case .occupied(let path):
            "'\(path)' exists with different content; check whether another server exports to the same place"
        case .otherWindow(let name):
            "'\(name)' exists with the manifest of another window; give every server its own directory or prefix"
        case .unknownWindow(let name): "there is no window '\(name)'"
        case .windowGone(let name): "rows of the window '\(name)' have been dropped by retention"
        case .otherRows(let name):
            "the rows in the log differ from the export '\(name)', which was not changed; run 'fingerpost verify-log' to check the log for damage. If the export is wrong, remove its manifest and re-export the window"
        case .fewerRows(let name):
            "the log has fewer rows than the export '\(name)', which was not changed; an erasure may still be running, or a day of the log was lost"
        case .damaged(let path): "'\(path)' does not match its manifest; re-export the window"
        }
    }
}

extension ExportSink {
    /// Returns the text of an export's manifest; nil if there is none. If it exists, the export's file is complete.
    package func manifest(_ name: String) async throws -> [UInt8]? {
        try await read(name + ExportPath.manifestEnding, from: 0, count: ExportPath.mostManifestBytes)
    }

    /// Returns the names of a tenant's exports, newest first.
    package func names(of tenant: TenantID) async throws -> [String] {
        ExportPath.names(in: try await paths(of: tenant))
    }
}

/// Naming of export files.
enum ExportPath {
    static let manifestEnding = ".manifest.json"
    static let mostManifestBytes = 65_536

    /// Returns the names that have a manifest among the paths, newest first.
    static func names(in paths: [String]) -> [String] {
        paths.filter { $0.hasSuffix(manifestEnding) }.map { String($0.dropLast(manifestEnding.count)) }.sorted(by: >)
    }

    /// Returns the export name that a file belongs to, without version and extension; nil for other files. The last
    /// part of a name contains no dot except the one before the milliseconds.
    static func name(of path: String) -> String? {
        guard let z = path.lastIndex(of: "Z"), path[path.index(after: z)...].hasPrefix(".") else { return nil }
        return String(path[...z])
    }
}

extension ExportWindow {
    /// The name `tenant=shop/dt=2026-11-21/hour=10/events-20261121T110000.000Z`. `dt` and `hour` are the UTC hour of
    /// the window's last instant; the timestamp is the window's end. Tenants are identifiers, so no part needs
    /// escaping.
    package var name: String {
        let last = Timestamp(milliseconds: end.milliseconds - 1).description
        let day = last.prefix(10)
        let hour = last.dropFirst(11).prefix(2)
        let stamp = end.description.filter { $0 != "-" && $0 != ":" }
        return "tenant=\(tenant)/dt=\(day)/hour=\(hour)/events-\(stamp)"
    }

    /// Returns the end of a tenant's window with this name, with or without its directories; nil if the name is
    /// invalid.
    package static func end(named name: String, of tenant: TenantID) -> Timestamp? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard let last = parts.last, last.hasPrefix("events-") else { return nil }
        let stamp = Array(last.dropFirst("events-".count))
        guard stamp.count == 20, stamp.allSatisfy(\.isASCII) else { return nil }
        func part(_ range: Range<Int>) -> String { String(stamp[range]) }
        let text = "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<20))"
        guard let end = Timestamp(text) else { return nil }
        let window = ExportWindow(
            tenant: tenant,
            start: end,
            end: end,
            firstSequence: 1,
            lastSequence: 0,
            format: "",
            level: 1,
            software: ""
        )
        return window.name.split(separator: "/").suffix(parts.count) == parts[...] ? end : nil
    }
}
