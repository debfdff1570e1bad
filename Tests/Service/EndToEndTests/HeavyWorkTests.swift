import Foundation
import TestSupport
import Testing

/// Checks of large tables do not affect other requests.
@Suite(.timeLimit(.minutes(15)))
struct HeavyWorkTests {
    private static let link = #"{"url":"yourapp://product/1"}"#

    /// Every pattern that opens the app overlaps every pattern that does not.
    private static let table: String = {
        let routes = (0..<500).flatMap { number in
            [
                #"{"id":"o\#(number)","path":"/{a}/open-\#(number)","open":{"screen":"Item"}}"#,
                #"{"id":"c\#(number)","path":"/closed-\#(number)/{b}"}"#,
            ]
        }
        return #"{"routes":[\#(routes.joined(separator: ","))]}"#
    }()

    private func check(_ server: RunningServer, of tenant: String) throws -> HTTPConnection {
        let connection = try HTTPConnection(port: server.adminPort)
        try connection.begin(
            "POST /admin/v1/tenants/\(tenant)/draft/check HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(server.key ?? "")\r\nContent-Length: \(Self.table.utf8.count)\r\n\r\n"
                + Self.table
        )
        return connection
    }

    private func metric(_ name: String, in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// Waits until a metric on the ops port reaches a value.
    private func wait(_ server: RunningServer, _ name: String, atLeast count: Int) throws {
        try server.ops("/metrics") { (metric(name, in: $0.text) ?? 0) >= count }
    }

    @Test func checksDelayNeitherProbesNorOthersAndEndWithTheProcess() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                environment: ["FINGERPOST_SHUTDOWN_GRACE_SECONDS": "1"]
            )
            let checks = try ["shop", "shop", "shop", "blogs"].map { try check(server, of: $0) }
            try wait(server, "fingerpost_work_running", atLeast: 1)
            for _ in 0..<10 {
                #expect(try server.ops("/livez").status == 200)
                let other = try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link)
                #expect(other.status == 200)
            }
            // The checks were running all the time.
            #expect(metric("fingerpost_work_running", in: try server.ops("/metrics").text) ?? 0 >= 1)
            server.send(SIGTERM)
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
            withExtendedLifetime(checks) {}
        }
    }

    @Test func checkEndsWithItsClient() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            var client: HTTPConnection? = try check(server, of: "shop")
            try wait(server, "fingerpost_work_running", atLeast: 1)
            withExtendedLifetime(client) {}
            client = nil
            try wait(server, "fingerpost_work_cancelled_total", atLeast: 1)
            try server.ops("/metrics") { metric("fingerpost_work_running", in: $0.text) == 0 }
        }
    }
}
