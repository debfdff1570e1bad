import Foundation
import LinkRouting
import Testing

/// How the real process starts and stops.
@Suite(.timeLimit(.minutes(15)))
struct LifecycleTests {
    private static let link = #"{"url":"yourapp://product/1"}"#

    @Test func probesTellThatEverythingIsOpen() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            #expect(try server.ops("/livez").status == 200)
            #expect(try server.ops("/startupz").text == #"{"status":"started"}"#)
            let ready = try server.ops("/readyz?verbose")
            #expect(ready.status == 200)
            for name in ["phase", "tables", "writer", "disk"] {
                #expect(ready.text.contains(#"{"name":"\#(name)","ok":true,"#), "\(ready.text)")
            }
        }
    }

    @Test func fullDiskIsNotReadyButAlive() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                environment: ["FINGERPOST_OPS_MINIMUM_FREE_BYTES": "1125899906842624"]
            )
            defer { server.killNow() }
            let ready = try server.ops("/readyz")
            #expect(ready.status == 503)
            #expect(ready.text == #"{"status":"not ready","failing":["disk"]}"#)
            #expect(try server.ops("/livez").status == 200)
        }
    }

    /// A file that blocks whoever opens it stands for one that takes long to check.
    @Test func opsPortAnswersWhileFilesAreOpened() async throws {
        try await withTemporaryDirectory { directory in
            #expect(mkfifo(directory + "/catalog.db", 0o600) == 0)
            let port = try freePort()
            var command = RunningServer.command(directory)
            try #require(command.firstIndex(of: "--ops").map { command[$0 + 1] = "127.0.0.1:\(port)" } != nil)
            let process = try RunningProcess(RunningServer.logging(to: directory + "/log") + command)
            let answer = try askWhenOpen(port, "/startupz")
            #expect(answer.status == 503)
            #expect(answer.text.contains(#""step":"opening catalog.db""#), "\(answer.text)")
            #expect(try askWhenOpen(port, "/readyz").status == 503)
            #expect(try askWhenOpen(port, "/livez").status == 200)
            // Whoever opens it for writing lets the other go on, to find no database.
            close(open(directory + "/catalog.db", O_WRONLY))
            #expect(process.wait().status == 65)
        }
    }

    @Test func shutdownDrainsAndTheSecondSignalHurries() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                environment: ["FINGERPOST_SHUTDOWN_DRAIN_SECONDS": "600"]
            )
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 200)
            server.send(SIGTERM)
            try server.ops("/readyz") { $0.status == 503 }
            // For as long as load balancers may still send them, requests are answered, on old connections and new ones.
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 200)
            #expect(
                try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link).status == 200
            )
            #expect(try server.ops("/livez").status == 200)
            server.send(SIGTERM)
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
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

    /// Whatever was in the WALs is in the files, and the next start checks nothing.
    private func expectClosedInGoodOrder(_ directory: String) throws {
        let files = FileManager.default
        #expect(!files.fileExists(atPath: directory + "/running"))
        for folder in [directory, directory + "/events"] {
            let left = try files.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("-wal") }
            for name in left {
                #expect(try files.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int == 0, "\(name)")
            }
        }
    }

    private func storedRows(_ directory: String) throws -> Int? {
        let account = try run(
            RunningServer.products.appending(path: "fingerpost").path,
            [
                "verify-log", "--data", directory, "--json",
            ]
        )
        #expect(account.status == 0)
        let node = try JSONReader.parse(
            String(decoding: account.output, as: UTF8.self),
            limits: JSONReader.Limits(maximumBytes: 1 << 20)
        )
        return node["stored"]?.int.map { Int($0) }
    }

    private func freePort() throws -> UInt16 {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try #require(bind(probe, $0, length) == 0 && getsockname(probe, $0, &length) == 0)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private func askWhenOpen(_ port: UInt16, _ path: String) throws -> HTTPConnection.Response {
        while true {
            if let connection = try? HTTPConnection(port: port) { return try connection.request("GET", path) }
            sched_yield()
        }
    }
}
