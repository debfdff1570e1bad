import Foundation
import TestSupport
import Testing

/// SIGHUP to the running process.
@Suite(.timeLimit(.minutes(15)))
struct ReloadTests {
    /// More than one kilobyte and less than two.
    private static let link = #"{"url":"yourapp://product/1?\#(String(repeating: "x", count: 1_200))"}"#

    @Test func changeHoldsAtOnceOnConnectionsThatAreOpen() async throws {
        try await withServer("limits: {bodyBytes: 1024}\nlog: {level: warning}\nnode: a\n") { server, file, log in
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 413)
            let other = try HTTPConnection(port: server.publicPort)
            #expect(try other.request("POST", "/resolve", body: "{}").status == 400)
            #expect(try log().isEmpty)

            try write("limits: {bodyBytes: 4096}\nlog: {level: info, requests: all}\nnode: b\n", to: file)
            server.send(SIGHUP)
            try server.ops("/metrics") { $0.text.contains("fingerpost_config_reloads_total{result=\"ok\"} 1\n") }

            #expect(try other.request("POST", "/resolve", body: Self.link).status == 200)
            _ = try wait(for: "take effect after a restart", in: log)
            // The line of the request above, not one of a scrape.
            let lines = try wait(for: #""outcome":"matched""#, in: log)
            #expect(lines.contains { $0.contains(#""event":"request""#) && $0.contains(#""outcome":"matched""#) })
            #expect(
                lines.contains { $0.contains("take effect after a restart") && $0.contains(#""config_keys":["node"]"#) }
            )
            #expect(
                lines.contains {
                    $0.contains(#""config_keys":["log.level","log.requests","limits.bodyBytes"]"#)
                }
            )
        }
    }

    /// A tenant at its bytes of the day is recorded again when the limit is raised. The service stays ready.
    @Test func bytesOfTheDayHoldAtOnce() async throws {
        try await withServer("limits: {dayBytes: 1}\n") { server, file, _ in
            let connection = try HTTPConnection(port: server.publicPort)
            func resolved() throws -> HTTPConnection.Response {
                try connection.request("POST", "/resolve", body: #"{"url":"yourapp://product/1"}"#)
            }
            let (first, second) = (try resolved(), try resolved())
            #expect(first.status == 200 && first.text.contains(#""recorded":true"#))
            #expect(second.status == 200 && second.text.contains(#""recorded":false"#))
            let ready = try server.ops("/readyz?verbose")
            #expect(ready.status == 200 && ready.text.contains(#""degraded":["day bytes"]"#), "\(ready.text)")
            let metrics = try server.ops("/metrics").text
            #expect(metrics.contains("fingerpost_answers_unrecorded_total{reason=\"day_bytes\"} 1\n"))
            #expect(metrics.contains("fingerpost_events_rejected_total{reason=\"day_bytes\"} 1\n"))

            try write("limits: {dayBytes: 0}\n", to: file)
            server.send(SIGHUP)
            try server.ops("/metrics") { $0.text.contains("fingerpost_config_reloads_total{result=\"ok\"} 1\n") }
            let third = try resolved()
            #expect(third.text.contains(#""recorded":true"#))
        }
    }

    @Test func wrongFileChangesNothing() async throws {
        try await withServer("limits: {bodyBytes: 1024}\nlog: {level: warning}\n") { server, file, log in
            try write("limits: {bodyBytes: 4096, bodyBites: 1}\n", to: file)
            server.send(SIGHUP)
            try server.ops("/metrics") { $0.text.contains("fingerpost_config_reloads_total{result=\"failed\"} 1\n") }

            #expect(try server.ops("/metrics").text.contains("\nfingerpost_config_last_reload_successful 0\n"))
            let connection = try HTTPConnection(port: server.publicPort)
            #expect(try connection.request("POST", "/resolve", body: Self.link).status == 413)
            let lines = try wait(for: "limits.bodyBites", in: log)
            #expect(lines.contains { $0.contains("limits.bodyBites") && $0.contains("the old one stays in effect") })

            try write("limits: {bodyBytes: 4096}\n", to: file)
            server.send(SIGHUP)
            try server.ops("/metrics") { $0.text.contains("\nfingerpost_config_last_reload_successful 1\n") }
            #expect(
                try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: Self.link).status == 200
            )
        }
    }

    private func withServer(
        _ configuration: String,
        _ body: (RunningServer, _ file: String, _ log: () throws -> [Substring]) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let (file, log) = (directory + "/fingerpost.yaml", directory + "/log")
            try write(configuration, to: file)
            let server = try RunningServer(
                directory: directory + "/data",
                launcher: RunningServer.logging(to: log),
                flags: ["--config", file],
                log: nil
            )
            defer { server.killNow() }
            try body(server, file) {
                try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
                    // Skips the warning about SQLite's version, which is logged at every start.
                    !$0.contains("WAL that two connections")
                }
            }
        }
    }

    /// Reads the log until it has such a line, because it is written after the answers.
    private func wait(for text: String, in log: () throws -> [Substring]) throws -> [Substring] {
        var lines: [Substring] = []
        try waitUntil("the log contains '\(text)'") {
            lines = try log()
            return lines.contains { $0.contains(text) }
        }
        return lines
    }

    private func write(_ text: String, to file: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
}
