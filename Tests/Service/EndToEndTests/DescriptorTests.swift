import Foundation
import TestSupport
import Testing

/// How the process divides its descriptor limit.
@Suite(.timeLimit(.minutes(15)))
struct DescriptorTests {
    private static func limited(to count: Int) -> [String] {
        ["/bin/sh", "-c", #"ulimit -n "$0" && exec "$@""#, "\(count)"]
    }

    /// One client opens more idle connections than the process may open files.
    @Test(arguments: [128, 256]) func idleConnectionsLeaveTheOtherPortsAlone(_ limit: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory, launcher: Self.limited(to: limit))
            defer { server.killNow() }
            let key = try #require(server.key)
            let idle = try (0..<400).map { _ in try HTTPConnection(port: server.publicPort) }
            #expect(try server.ops("/livez").status == 200)
            let metrics = try server.ops("/metrics").text
            #expect(metrics.contains("process_max_fds \(limit)\n"))
            let tenants = try HTTPConnection(port: server.adminPort)
                .request("GET", "/admin/v1/tenants", headers: ["Authorization": "Bearer \(key)"])
            #expect(tenants.status == 200)
            let listed = try run(
                RunningServer.products.appending(path: "fingerpost").path,
                ["keys", "list", "--data", directory]
            )
            #expect(listed.status == 0)
            // A connection with a request replaces an idle one.
            let answer = try HTTPConnection(port: server.publicPort).request("GET", "/openapi.json")
            #expect(answer.status == 200)
            withExtendedLifetime(idle) {}
        }
    }

    @Test func softLimitIsRaised() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                launcher: ["/bin/sh", "-c", #"ulimit -S -n "$0" && ulimit -H -n 512 && exec "$@""#, "64"]
            )
            defer { server.killNow() }
            #expect(try server.ops("/metrics").text.contains("process_max_fds 512\n"))
        }
    }

    @Test func tooFewAreWrongConfiguration() async throws {
        try await withTemporaryDirectory { directory in
            let errorFile = directory + "/said"
            let command =
                Self.limited(to: 64) + ["/bin/sh", "-c", #"exec "$@" 2>"$0""#, errorFile]
                + RunningServer.command(directory + "/data")
            let ended = try run(command[0], Array(command.dropFirst()))
            #expect(ended.status == 78)
            let text = try String(contentsOfFile: errorFile, encoding: .utf8)
            #expect(
                text.hasPrefix("fingerpost: the process may open only 64 files and connections; it needs at least 128")
            )
            #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
        }
    }
}
