import Crypto
import Foundation
import LinkRouting
import TestSupport

/// The stored events as users read them: every export file of every tenant, checked against its manifest.
struct StoredSet {
    struct Row: Hashable {
        let sequence: Int64
        let id: String
        let request: String
        let tenant: String
        let shortLink: String?
    }

    /// In the order of their sequences.
    let rows: [Row]
    /// The SHA-256 of each export file by its path.
    let files: [String: String]
    /// The end of each window, by tenant and in the order of the rows.
    let windowEnds: [String: [String]]

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    init(of server: RunningServer, key: String) throws {
        try Self.export(server, key: key)
        try self.init(exports: server.service + "/exports")
    }

    /// Ends a window of each tenant now, so that the exports hold all committed events.
    static func export(_ server: RunningServer, key: String) throws {
        for tenant in FaultLoad.tenants {
            let answer = try HTTPConnection(port: server.adminPort).request(
                "POST",
                "/admin/v1/tenants/\(tenant)/exports",
                headers: ["Authorization": "Bearer \(key)"]
            )
            // 200 if nothing was recorded since the last window.
            guard [200, 201].contains(answer.status) else {
                throw Broken(description: "export of \(tenant): \(answer.text)")
            }
        }
    }

    init(exports folder: String) throws {
        var rows: [Row] = []
        var files: [String: String] = [:]
        var windows: [String: [Window]] = [:]
        let paths = (FileManager.default.enumerator(atPath: folder)?.allObjects ?? []).compactMap { $0 as? String }
        for path in paths where path.hasSuffix(".manifest.json") {
            let window = try Window(manifest: path, in: folder)
            windows[window.tenant, default: []].append(window)
            rows += window.rows
            if let file = window.file { files[file.path] = file.sum }
        }
        for (tenant, ofTenant) in windows {
            windows[tenant] = ofTenant.sorted { ($0.first, $0.last, $0.end) < ($1.first, $1.last, $1.end) }
            var next = Int64(1)
            for window in windows[tenant] ?? [] {
                guard window.first == next else {
                    throw Broken(description: "\(window.manifest) begins at \(window.first), not at \(next)")
                }
                next = window.last + 1
            }
        }
        self.rows = rows.sorted { $0.sequence < $1.sequence }
        self.files = files
        windowEnds = windows.mapValues { $0.map(\.end) }
    }

    /// Incomplete files with a final name. No interruption of an export may leave any.
    static func partialFiles(in folder: String) throws -> [String] {
        let paths = (FileManager.default.enumerator(atPath: folder)?.allObjects ?? []).compactMap { $0 as? String }
        return try paths.filter { path in
            guard path.hasSuffix(".gz") else { return false }
            return try run("gzip", "-t", "\(folder)/\(path)").status != 0
        }
    }
}

/// One manifest and the rows of its file.
private struct Window {
    let manifest: String
    let tenant: String
    let end: String
    let first: Int64
    let last: Int64
    let file: (path: String, sum: String)?
    let rows: [StoredSet.Row]

    init(manifest path: String, in folder: String) throws {
        func broken(_ detail: String) -> StoredSet.Broken { StoredSet.Broken(description: "\(path): \(detail)") }
        let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
        let node = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 65_536))
        guard let tenant = node["tenant"]?.text, let end = node["window"]?["end"]?.text,
            let first = node["window"]?["firstSeq"]?.int, let last = node["window"]?["lastSeq"]?.int,
            let count = node["rows"]?.int
        else { throw broken("it lacks what every manifest has") }
        manifest = path
        self.tenant = tenant
        self.end = end
        self.first = first
        self.last = last
        guard let name = node["file"]?["path"]?.text, let sum = node["file"]?["sha256"]?.text,
            let rawSum = node["file"]?["rawSha256"]?.text
        else {
            guard count == 0 else { throw broken("it names no file for \(count) rows") }
            (file, rows) = (nil, [])
            return
        }
        file = (name, sum)
        guard hash(try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))) == sum else {
            throw broken("the file is not the one that it describes")
        }
        let unpacked = try run("gzip", "-dc", "\(folder)/\(name)")
        guard unpacked.status == 0 else { throw broken("gzip cannot read its file") }
        guard hash(unpacked.output) == rawSum else { throw broken("the file unpacks to something else") }
        rows = try unpacked.output.split(separator: UInt8(ascii: "\n")).map { line in
            let row = try JSONReader.parse(Array(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
            guard let sequence = row["seq"]?.int, let id = row["id"]?.text, let request = row["requestId"]?.text,
                row["tenant"]?.text == tenant
            else { throw broken("a row lacks seq, id or requestId, or is another tenant's") }
            guard (first...last).contains(sequence) else { throw broken("row \(sequence) is outside of the window") }
            return StoredSet.Row(
                sequence: sequence,
                id: id,
                request: request,
                tenant: tenant,
                shortLink: row["shortLink"]?.text
            )
        }
        guard Int64(rows.count) == count else { throw broken("it counts \(count) rows, the file \(rows.count)") }
    }
}

private func hash(_ data: Data) -> String {
    SHA256.hash(data: data).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
