import Foundation
import LinkRouting
import Synchronization
import TestSupport

/// The requests that clients sent and the answers they got, by request id.
final class Ledger: Sendable {
    private let state = Mutex(State())

    private struct State {
        var attempted: Set<String> = []
        var acknowledged: Set<String> = []
    }

    func attempt(_ id: String) { state.withLock { _ = $0.attempted.insert(id) } }

    /// Returns the number of acknowledged requests so far.
    func acknowledge(_ id: String) -> Int {
        state.withLock { state in
            state.acknowledged.insert(id)
            return state.acknowledged.count
        }
    }

    var attempted: Set<String> { state.withLock(\.attempted) }
    var acknowledged: Set<String> { state.withLock(\.acknowledged) }
}

/// Links of the shop tenant with every outcome.
func generatedLink(_ number: Int) -> String {
    switch number % 7 {
    case 0: "yourapp://product/\(number)?utm_source=mail&token=s3cret\(number)"
    case 1: "https://yourappdomain.com/product/\(number)"
    case 2: "https://www.yourappdomain.com/user/u\(number)"
    case 3: "https://go.yourappdomain.com/product/x\(number)"
    case 4: "https://yourappdomain.com/nowhere/\(number)"
    case 5: "https://yourappdomain.com/a/..%2f..%2f\(number)"
    default: "yourapp://settings?n=\(number)"
    }
}

/// The rows of a tenant's export, read as any reader would: gzip, then one JSON object per line.
struct ExportedRows {
    let rows: [JSONNode]
    let manifest: JSONNode

    /// Requests an export now and reads it from the directory.
    init(_ tenant: String, of server: RunningServer, key: String) throws {
        let answer = try HTTPConnection(port: server.adminPort).request(
            "POST",
            "/admin/v1/tenants/\(tenant)/exports",
            headers: ["Authorization": "Bearer \(key)"]
        )
        guard [200, 201].contains(answer.status) else { throw Failure.refused(answer.text) }
        try self.init(
            manifest: try JSONReader.parse(answer.body, limits: JSONReader.Limits(maximumBytes: 65_536)),
            in: server.service + "/exports"
        )
    }

    /// The rows of all exports in a server's directory, in order: the schedule may have exported some already.
    static func all(of server: RunningServer) throws -> [JSONNode] {
        let folder = server.service + "/exports"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".gz") }
        let rows = try files.flatMap { file in
            try run("gzip", "-dc", folder + "/" + file).output.split(separator: UInt8(ascii: "\n")).map { line in
                try JSONReader.parse(Array(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
            }
        }
        return rows.sorted { $0["seq"]?.int ?? 0 < $1["seq"]?.int ?? 0 }
    }

    enum Failure: Error {
        case refused(String)
        case broken(String)
    }

    private init(manifest: JSONNode, in folder: String) throws {
        self.manifest = manifest
        guard let path = manifest["file"]?["path"]?.text, let sum = manifest["file"]?["sha256"]?.text else {
            rows = []
            return
        }
        let file = folder + "/" + path
        guard try run("gzip", "-t", file).status == 0 else { throw Failure.broken("gzip -t refuses \(file)") }
        let printed = String(decoding: try run("sha256sum", file).output, as: UTF8.self)
        guard printed.hasPrefix(sum) else { throw Failure.broken("sha256sum says \(printed), the manifest \(sum)") }
        let raw = try run("gzip", "-dc", file).output
        rows = try raw.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONReader.parse(Array(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
        }
        guard Int64(rows.count) == manifest["rows"]?.int else { throw Failure.broken("the manifest counts other rows") }
    }

    var requestIDs: [String] { rows.compactMap { $0["requestId"]?.text } }
    var sequences: [Int64] { rows.compactMap { $0["seq"]?.int } }
}
