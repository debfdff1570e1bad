import Foundation
import LinkRouting
import TestSupport
import Testing

/// `kill -9` while days are closed, dropped by retention, and rows are erased: every sequence stays accounted for.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: MovableClock.isHere, MovableClock.skipped))
struct FaultRetentionTests {
    @Test func everySequenceIsStoredErasedOrDroppedAfterKills() async throws {
        try await withFaultTrial(try FaultTrial(startingAt: "2036-02-01 10:00:00")) { trial in
            let clock = try #require(trial.clock)
            try settings(of: trial)
            for (round, seed) in FaultSeeds.all(6).enumerated() {
                var random = SeededGenerator(seed: seed)
                // Every round is a day. The next start closes the previous day and drops old ones.
                try clock.set(Self.day(round))
                let server = try trial.start()
                try ask(server, round: round)
                try StoredSet.export(server, key: trial.key)
                let wait = Double.random(in: 0...0.08, using: &random)
                async let erased: Void = onThreads(1) { _ in _ = try? erase(server, trial.key, "install-\(round % 4)") }
                await onThreads(1) { _ in
                    // Sleeps for a random time to choose the moment of the kill; waits for no condition.
                    Thread.sleep(forTimeInterval: wait)
                    server.send(SIGKILL)
                }
                await erased
                _ = server.wait()
                try clock.set(Self.day(round + 1))
                let start = Double.random(in: 0.05...0.6, using: &random)
                let hasty = try Process.run(
                    URL(filePath: "/usr/bin/env"),
                    arguments: (trial.clock?.launcher ?? []) + [
                        "FINGERPOST_LOG_LEVEL=critical", "timeout", "-s", "KILL", "\(start)",
                    ]
                        + RunningServer.command(trial.data)
                )
                hasty.waitUntilExit()
                let verification = try verification(trial)
                #expect(verification["whole"]?.bool == true, "seed \(seed): \(verification.json())")
            }
            let server = try trial.start()
            try await eventually("every erasure is finished") {
                try !erasures(server, trial.key).contains { $0["finishedAt"]?.text == nil }
            }
            #expect(try erase(server, trial.key, "install-0").status == 201)
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let verification = try verification(trial)
            #expect(verification["whole"]?.bool == true, "\(verification.json())")
            #expect(verification["erased"]?.int ?? 0 > 0)
            #expect(verification["dropped"]?.int ?? 0 > 0)
            if verification["whole"]?.bool != true { trial.fail() }
        }
    }

    private static func day(_ round: Int) -> String {
        let instant = Timestamp("2036-02-01T10:00:00Z")?.milliseconds ?? 0
        let text = Timestamp(milliseconds: instant + Int64(round) * 86_400_000).description
        return String(text.prefix(19).replacing("T", with: " "))
    }

    /// Enables the recording of installs and sets a retention of one day.
    private func settings(of trial: FaultTrial) throws {
        let server = try trial.start()
        defer {
            server.send(SIGTERM)
            _ = server.wait()
        }
        let path = "/admin/v1/tenants/shop/settings"
        let connection = try HTTPConnection(port: server.adminPort)
        let authorization = ["Authorization": "Bearer \(trial.key)"]
        let known = try #require(
            try connection.request("GET", path, headers: authorization).json()["settings"]?.json()
        )
        let settings = known.replacing("\"retentionDays\":400", with: "\"retentionDays\":1").replacing(
            "\"privacy\":{",
            with: "\"privacy\":{\"recordInstall\":true,"
        )
        #expect(try connection.request("PUT", path, headers: authorization, body: settings).status == 200)
    }

    private func ask(_ server: RunningServer, round: Int) throws {
        let connection = try HTTPConnection(port: server.publicPort)
        for number in 0..<40 {
            let body =
                #"{"url":"yourapp://product/\#(number)","context":{"platform":"ios","stickyKey":"install-\#(number % 4)"}}"#
            #expect(try connection.request("POST", "/resolve", body: body).status == 200, "round \(round)")
        }
    }

    @discardableResult
    private func erase(_ server: RunningServer, _ key: String, _ install: String) throws -> HTTPConnection.Response {
        try HTTPConnection(port: server.adminPort).request(
            "POST",
            "/admin/v1/tenants/shop/erasures",
            headers: ["Authorization": "Bearer \(key)"],
            body: #"{"stickyKey":"\#(install)"}"#
        )
    }

    private func erasures(_ server: RunningServer, _ key: String) throws -> [JSONNode] {
        let answer = try HTTPConnection(port: server.adminPort).request(
            "GET",
            "/admin/v1/tenants/shop/erasures",
            headers: ["Authorization": "Bearer \(key)"]
        )
        return try answer.json()["erasures"]?.elements ?? []
    }

    private func verification(_ trial: FaultTrial) throws -> JSONNode {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let report = try run(tool, ["verify-log", "--data", trial.data, "--json"])
        return try JSONReader.parse(Array(report.output), limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }
}
