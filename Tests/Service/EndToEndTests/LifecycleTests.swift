import Foundation
import LinkRouting
import TestSupport
import Testing

/// Start and stop of the running process.
@Suite(.timeLimit(.minutes(15)))
struct LifecycleTests {
    private static let link = #"{"url":"yourapp://product/1"}"#

    @Test func probesReportThatTheServiceIsReady() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            #expect(try server.ops("/livez").status == 200)
            #expect(try server.ops("/startupz").text == #"{"status":"started"}"# + "\n")
            let ready = try server.ops("/readyz?verbose")
            #expect(ready.status == 200)
            for name in ["phase", "tables", "writer", "disk"] {
                #expect(ready.text.contains(#"{"name":"\#(name)","ok":true,"#), "\(ready.text)")
            }
        }
    }

    @Test func fullDiskIsDegradedButReady() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                environment: ["FINGERPOST_OPS_MINIMUM_FREE_BYTES": "1125899906842624"]
            )
            defer { server.killNow() }
            let ready = try server.ops("/readyz")
            #expect(ready.status == 200)
            #expect(ready.text == #"{"status":"degraded","degraded":["disk"]}"# + "\n")
            #expect(try server.ops("/livez").status == 200)
        }
    }

    /// The disk of the exports may be mounted later, and links are resolved meanwhile.
    @Test func exportsDirectoryThatCannotBeUsedIsReportedAtTheStart() async throws {
        try await withTemporaryDirectory { directory in
            let (data, log) = (directory + "/data", directory + "/log")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/exports",
                withDestinationPath: directory + "/not-mounted"
            )
            let server = try RunningServer(
                directory: data,
                launcher: RunningServer.logging(to: log),
                environment: ["FINGERPOST_EXPORTS_DIRECTORY": directory + "/exports"]
            )
            #expect(
                try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link).status == 200
            )
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("is a symbolic link whose target does not exist; mount its disk"), "\(text)")
        }
    }

    @Test func whatIsOpenToAllIsReportedAtTheStart() async throws {
        try await withTemporaryDirectory { directory in
            let log = directory + "/log"
            let server = try RunningServer(
                directory: directory + "/data",
                launcher: RunningServer.logging(to: log),
                flags: ["--admin", "0.0.0.0:0"],
                environment: ["FINGERPOST_TRUSTED_PROXIES": "10.0.0.0/8, 0.0.0.0/0"]
            )
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("the admin port has no TLS and listens on 0.0.0.0"), "\(text)")
            #expect(text.contains("trustedProxies contains 0.0.0.0/0, so every client"), "\(text)")
        }
    }

    @Test func shutdownDrainsAndTheSecondSignalForcesIt() async throws {
        try await withTemporaryDirectory { directory in
            let log = directory + ".log"
            defer { try? FileManager.default.removeItem(atPath: log) }
            let server = try RunningServer(
                directory: directory,
                launcher: RunningServer.logging(to: log),
                environment: ["FINGERPOST_SHUTDOWN_DRAIN_SECONDS": "600"]
            )
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 200)
            server.send(SIGTERM)
            try server.ops("/readyz") { $0.status == 503 }
            // While load balancers may still send requests, they are answered, on old and new connections.
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 200)
            #expect(
                try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link).status == 200
            )
            #expect(try server.ops("/livez").status == 200)
            server.send(SIGTERM)
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
            #expect(try String(contentsOfFile: log, encoding: .utf8).contains("error") == false)
            try expectClosedInGoodOrder(directory)
            #expect(try storedRows(directory) == 3)
        }
    }

    @Test func clientThatNeverEndsItsRequestIsCutOffAfterItsTime() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                environment: [
                    "FINGERPOST_SHUTDOWN_GRACE_SECONDS": "1", "FINGERPOST_LIMITS_BODY_SECONDS": "3600",
                    "FINGERPOST_LIMITS_IDLE_SECONDS": "3600",
                ]
            )
            let slow = try HTTPConnection(port: server.publicPort)
            try slow.begin("POST /resolve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            #expect(
                try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link).status == 200
            )
            server.send(SIGTERM)
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
            try expectClosedInGoodOrder(directory)
            #expect(try storedRows(directory) == 1)
        }
    }

    /// All WAL contents are in the database files, and the next start needs no check.
    private func expectClosedInGoodOrder(_ directory: String) throws {
        let files = FileManager.default
        #expect(!files.fileExists(atPath: directory + "/service/running"))
        for folder in [directory + "/service", directory + "/service/events"] {
            let left = try files.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("-wal") }
            for name in left {
                #expect(try files.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int == 0, "\(name)")
            }
        }
    }

    private func storedRows(_ directory: String) throws -> Int? {
        let verification = try run(
            RunningServer.products.appending(path: "fingerpost").path,
            [
                "verify-log", "--data", directory, "--json",
            ]
        )
        #expect(verification.status == 0)
        let node = try JSONReader.parse(
            String(decoding: verification.output, as: UTF8.self),
            limits: JSONReader.Limits(maximumBytes: 1 << 20)
        )
        return node["stored"]?.int.map { Int($0) }
    }
}
