package import LinkRouting

/// Where finished exports go. A manifest is what makes an export visible: it is written last, and a file that none names is
/// left from a run that was stopped.
package protocol ExportSink: Sendable {
    /// Names the kind of sink in metrics.
    var kind: String { get }
    /// Begins a file that nobody sees until it is finished. What was begun earlier under the path is thrown away.
    func create(_ path: String) async throws -> any ExportFile
    /// Writes a small file at once, which nobody sees in part.
    func write(_ bytes: [UInt8], to path: String, over previous: ExportOverwriting) async throws
    /// The bytes of a file from an offset, at most `count`; empty at its end, nil when there is no such file. One that cannot be
    /// read is a failure.
    func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]?
    /// The paths of all files of a tenant, unfinished ones where a sink has them among the others; in no order. A
    /// folder that cannot be looked into is a failure.
    func paths(of tenant: TenantID) async throws -> [String]
    /// Removes a file. One that is not there is no failure.
    func remove(_ path: String) async throws
}

/// What may happen to a file that has the name already.
package enum ExportOverwriting: Sendable {
    /// It stays, and the write fails unless it has the same bytes.
    case refused
    case allowed
}

/// A file that is being written.
package protocol ExportFile: Sendable {
    func write(_ bytes: ArraySlice<UInt8>) async throws
    /// Makes the file durable and visible under its path. `sha256` is that of everything written: where a sink can tell, a
    /// file of the same content may stand there already, and one of another throws ``ExportFailure/occupied(_:)``.
    func finish(sha256: String) async throws
    /// Throws away what was written.
    func discard() async
}

/// Why there is no export.
package enum ExportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file with other content has the path.
    case occupied(String)
    /// The manifest of that name is about another window.
    case otherWindow(String)
    /// No window of the tenant has that name.
    case unknownWindow(String)
    /// Retention has dropped rows of the window.
    case windowGone(String)
    /// A file does not hold what its manifest says.
    case damaged(String)
    /// The log holds other rows than an export that is whole.
    case otherRows(String)
    /// The log no longer has all rows of an export that is whole, and retention has not dropped them.
    case fewerRows(String)

    package var description: String {
        switch self {
        case .occupied(let path):
            "'\(path)' is there with other content; does another server export into the same place?"
        case .otherWindow(let name):
            "'\(name)' is there with a manifest of another window; give every server a directory or prefix of its own"
        case .unknownWindow(let name): "there is no window '\(name)'"
        case .windowGone(let name): "rows of the window '\(name)' have been dropped by retention"
        case .otherRows(let name):
            "the log holds other rows than the export '\(name)', which stays as it is; 'fingerpost verify-log' tells whether the log is damaged. If the export is the wrong one, remove its manifest and export the window again"
        case .fewerRows(let name):
            "the log holds fewer rows than the export '\(name)', which stays as it is; an erasure may still be running, or a day of the log was lost"
        case .damaged(let path): "'\(path)' does not hold what its manifest says; export the window again"
        }
    }
}

extension ExportSink {
    /// The manifest's text if the export is there; then its file is whole.
    package func manifest(_ name: String) async throws -> [UInt8]? {
        try await read(name + ExportPath.manifestEnding, from: 0, count: ExportPath.mostManifestBytes)
    }

    /// The names of a tenant's exports, newest first.
    package func names(of tenant: TenantID) async throws -> [String] {
        ExportPath.names(in: try await paths(of: tenant))
    }
}

/// How the files of exports are named.
enum ExportPath {
    static let manifestEnding = ".manifest.json"
    static let mostManifestBytes = 65_536

    /// The names that have a manifest among the paths, newest first.
    static func names(in paths: [String]) -> [String] {
        paths.filter { $0.hasSuffix(manifestEnding) }.map { String($0.dropLast(manifestEnding.count)) }.sorted(by: >)
    }

    /// The name that a file belongs to, whatever its version and ending: names hold no dot in their last part but the one
    /// before the milliseconds.
    static func name(of path: String) -> String? {
        guard let z = path.lastIndex(of: "Z"), path[path.index(after: z)...].hasPrefix(".") else { return nil }
        return String(path[...z])
    }
}

extension ExportWindow {
    /// `tenant=shop/dt=2026-11-21/hour=10/events-20261121T110000.000Z`: the UTC hour in which the window's last instant
    /// lies, and its end. Tenants are identifiers, so no part needs escaping.
    package var name: String {
        let last = Timestamp(milliseconds: end.milliseconds - 1).description
        let day = last.prefix(10)
        let hour = last.dropFirst(11).prefix(2)
        let stamp = end.description.replacing("-", with: "").replacing(":", with: "")
        return "tenant=\(tenant)/dt=\(day)/hour=\(hour)/events-\(stamp)"
    }

    /// The end of the window of a tenant that has the name, with or without its folders; nil for anything else.
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
            level: 1
        )
        return window.name.split(separator: "/").suffix(parts.count) == parts[...] ? end : nil
    }
}
