import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost export` on a data directory without a server, and through a running server.
@Suite(.timeLimit(.minutes(15)))
struct ExportCommandTests {
    private struct Result {
        let status: Int32
        let output: String
        let errors: String

        func json() throws -> JSONNode {
            try JSONReader.parse(Array(output.utf8), limits: JSONReader.Limits(maximumBytes: 65_536))
        }
    }

    private func export(_ words: String..., data: String) throws -> Result {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = ["export"] + words + ["--data", data]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let errorBytes = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: errorBytes, as: UTF8.self)
        )
    }

    /// Either way of exporting writes the missing windows and leaves existing ones unchanged.
    @Test func backfillWritesWhatIsMissing() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            let connection = try HTTPConnection(port: server.publicPort)
            var manifests: [JSONNode] = []
            for number in 0..<3 {
                let body = #"{"url":"yourapp://product/\#(number)"}"#
                #expect(try connection.request("POST", "/resolve", body: body).status == 200)
                manifests.append(try export("shop", "--json", data: directory).json())
            }
            let files = manifests.map { directory + "/service/exports/" + ($0["file"]?["path"]?.text ?? "") }
            let before = try files.map { try Data(contentsOf: URL(filePath: $0)) }
            try FileManager.default.removeItem(atPath: files[1])

            let served = try export("shop", "--all", data: directory)
            #expect(served.status == 0)
            #expect(served.output == "3 windows of shop: 1 written, 2 kept, 0 gone; 3 rows\n")
            // Progress is for terminals.
            #expect(served.errors.isEmpty, "\(served.errors)")
            #expect(try Data(contentsOf: URL(filePath: files[1])) == before[1])

            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            try FileManager.default.removeItem(atPath: directory + "/service/exports")
            let since = try #require(manifests[0]["window"]?["end"]?.text)
            let alone = try export("shop", "--since", since, data: directory)
            #expect(alone.output == "2 windows of shop: 2 written, 0 kept, 0 gone; 2 rows\n")
            #expect(try files.dropFirst().map { try Data(contentsOf: URL(filePath: $0)) } == Array(before.dropFirst()))
            let first = try #require(manifests[0]["name"]?.text)
            #expect(try export("shop", "--json", "--window", first, data: directory).json() == manifests[0])
            let (path, bytes) = (manifests[0]["file"]?["path"]?.text ?? "", before[0].count)
            #expect(try export("shop", "--window", first, data: directory).output == "1 row, \(bytes) bytes: \(path)\n")
            #expect(try export("shop", data: directory).output == "no events: no file was written\n")
            #expect(try export("shop", "--all", data: directory).output.contains("0 written, 3 kept, 0 gone"))
        }
    }

    @Test func invalidRequestsAreRejected() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let unknown = try export("shop", "--window", "events-20200101T010000.000Z", data: directory)
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("there is no window 'events-20200101T010000.000Z'; nothing of 'shop' is"))
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: #"{"url":"yourapp://"}"#).status == 200)
            let manifest = try export("shop", "--json", data: directory).json()
            let name = try #require(manifest["name"]?.text?.split(separator: "/").last)
            let mistyped = try export("shop", "--window", "nope", data: directory)
            #expect(mistyped.errors.contains("the newest are \(name)."), "\(mistyped.errors)")
            let nobody = try export("nobody", "--all", data: directory)
            #expect(nobody.status == 1)
            #expect(nobody.errors.contains("or name the data directory of its server with --data."), "\(nobody.errors)")
            #expect(try export("shop", "--all", "--since", "2026-11-01", data: directory).status == 64)
            #expect(try export("shop", "--all", "--json", data: directory).status == 64)
            #expect(try export("shop", "--since", "yesterday", data: directory).status == 64)
        }
    }

    /// Both ways of exporting say what to do, and the events are exported once the directory can be used.
    @Test func directoryThatCannotBeUsedIsExplained() async throws {
        try await withTemporaryDirectory { directory in
            let (data, link, disk) = (directory + "/data", directory + "/exports", directory + "/disk")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: disk)
            let file = directory + "/fingerpost.yaml"
            try "exports: {directory: \"\(link)\"}\n".write(toFile: file, atomically: true, encoding: .utf8)
            let server = try RunningServer(directory: data, flags: ["--config", file], log: "error")
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: #"{"url":"yourapp://"}"#).status == 200)
            let reason = "\(link) is a symbolic link whose target does not exist; mount its disk, create the target, or"
            let served = try export("shop", "--config", file, data: data)
            #expect(served.status != 0 && served.errors.contains(reason), "\(served.errors)")
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let alone = try export("shop", "--config", file, data: data)
            #expect(alone.status == 74, "\(alone.errors)")
            let start = "fingerpost: the export could not be written: \(reason)"
            #expect(alone.errors.contains(start) && !alone.errors.contains("stat "), "\(alone.errors)")
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            #expect(try export("shop", "--config", file, data: data).status == 0)
        }
    }

    /// Secret files are read at start, refused if other users can read them, and never printed.
    @Test func secretsStayInTheirFiles() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/credentials"
            let text = "aws_access_key_id = AKID\naws_secret_access_key = hush-hush\n"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let hook = directory + "/hook"
            let secret = "whsec_" + Data("another-hush-hush-hush-hush".utf8).base64EncodedString()
            try secret.write(toFile: hook, atomically: true, encoding: .utf8)
            let environment = [
                "FINGERPOST_EXPORTS_SINK=s3", "FINGERPOST_EXPORTS_S3_ENDPOINT=http://127.0.0.1:9",
                "FINGERPOST_EXPORTS_S3_BUCKET=bucket", "FINGERPOST_EXPORTS_S3_CREDENTIALS_FILE=\(file)",
                "FINGERPOST_EXPORTS_WEBHOOK_URL=https://example.com/hook",
                "FINGERPOST_EXPORTS_WEBHOOK_SECRET_FILE=\(hook)",
            ]
            let config = environment + [RunningServer.products.appending(path: "fingerpost").path, "config"]
            for path in [file, hook] {
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
                #expect(try run("/usr/bin/env", config).status == 78)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            let shown = try run("/usr/bin/env", config)
            #expect(shown.status == 0)
            let output = String(decoding: shown.output, as: UTF8.self)
            #expect(output.contains("    credentialsFile: \(file)\n"))
            for hidden in ["AKID", "hush", secret] { #expect(!output.contains(hidden)) }
            let plain = ["FINGERPOST_EXPORTS_WEBHOOK_URL=http://example.com/hook"] + config.dropFirst(5)
            #expect(try run("/usr/bin/env", plain).status == 78)
            for (ranges, status) in [
                ("10.0.0.0/8, fd00::/8", 0), ("10.0.0.1", 0), ("10.0.0.0/33", 78), ("intranet", 78),
            ] {
                let allowing = ["FINGERPOST_EXPORTS_WEBHOOK_ALLOW_PRIVATE=\(ranges)"] + config
                #expect(try run("/usr/bin/env", allowing).status == status, "\(ranges)")
            }
        }
    }
}
