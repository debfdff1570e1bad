import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// Checks the log's durability: acknowledged ⊆ stored ⊆ attempted, no duplicates, in `seq` order.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DurabilityTests {
    @Test func exportHoldsExactlyTheHundredThousandResolutionsOfSixtyFourConnections() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let key = try #require(server.key)
            let ledger = Ledger()
            let (clients, each) = (64, 100_000 / 64 + 1)
            await onThreads(clients) { client in
                guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                for number in 0..<each where client * each + number < 100_000 {
                    let id = "load-\(client)-\(number)"
                    ledger.attempt(id)
                    let answer = try? connection.request(
                        "POST",
                        "/resolve",
                        headers: ["X-Request-ID": id],
                        body: #"{"url":"\#(generatedLink(client * each + number))","context":{"platform":"ios"}}"#
                    )
                    if answer?.status == 200 { _ = ledger.acknowledge(id) }
                }
            }
            #expect(ledger.acknowledged.count == 100_000)
            _ = try ExportedRows("shop", of: server, key: key)
            let rows = try ExportedRows.all(of: server)
            #expect(rows.count == 100_000)
            #expect(Set(rows.compactMap { $0["requestId"]?.text }) == ledger.acknowledged)
            #expect(rows.compactMap { $0["seq"]?.int } == Array(1...100_000))
            let text = rows.map { $0.json() }.joined()
            #expect(!text.contains("s3cret"))
        }
    }

    /// Each round kills the process after a different number of answers, on the same directory.
    @Test func everyAnswerSurvivesKillNineUnderLoad() async throws {
        try await withTemporaryDirectory { directory in
            var key: String?
            let ledger = Ledger()
            for (round, answers) in [1, 173, 400, 37, 900].enumerated() {
                let server = try RunningServer(directory: directory)
                key = key ?? server.key
                let target = ledger.acknowledged.count + answers
                await onThreads(16) { client in
                    guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                    var number = 0
                    while number < 20_000 {
                        number += 1
                        let id = "kill-\(round)-\(client)-\(number)"
                        ledger.attempt(id)
                        let answer = try? connection.request(
                            "POST",
                            "/resolve",
                            headers: ["X-Request-ID": id],
                            body: #"{"url":"\#(generatedLink(number))","context":{"platform":"ios"}}"#
                        )
                        guard let answer, answer.status == 200 else { return }
                        if ledger.acknowledge(id) == target { server.send(SIGKILL) }
                    }
                }
                _ = server.wait()
            }
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            try expectLedgerHolds(ledger, try ExportedRows("shop", of: server, key: try #require(key)))
        }
    }

    @Test func terminationAnswersAcceptedRequestsAndExitsCleanly() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            let key = try #require(server.key)
            let ledger = Ledger()
            await onThreads(16) { client in
                guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                var number = 0
                while number < 20_000 {
                    number += 1
                    let id = "term-\(client)-\(number)"
                    ledger.attempt(id)
                    let answer = try? connection.request(
                        "POST",
                        "/resolve",
                        headers: ["X-Request-ID": id],
                        body: #"{"url":"\#(generatedLink(number))"}"#
                    )
                    guard let answer, answer.status == 200 else { return }
                    if ledger.acknowledge(id) == 500 { server.send(SIGTERM) }
                }
            }
            let end = server.wait()
            #expect(end.reason == .exit)
            #expect(end.status == 0)
            #expect(!FileManager.default.fileExists(atPath: directory + "/service/running"))
            let again = try RunningServer(directory: directory)
            defer { again.killNow() }
            try expectLedgerHolds(ledger, try ExportedRows("shop", of: again, key: key))
        }
    }

    /// Needs Debian's package `faketime`. The process starts eight seconds before midnight UTC, since a busy machine needs some of
    /// them to start it.
    @Test(.enabled(if: hasFakeClock, "SKIPPED: install the package faketime to run this"))
    func everyAnswerSurvivesKillNineAcrossMidnight() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(
                directory: directory,
                launcher: startingAt("2026-11-21 23:59:52")
            )
            let key = try #require(server.key)
            let ledger = Ledger()
            let second = directory + "/service/events/2026-11-22.db"
            let afterMidnight = Mutex(0)
            await onThreads(8) { client in
                guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                var number = 0
                while number < 20_000 {
                    number += 1
                    let id = "midnight-\(client)-\(number)"
                    ledger.attempt(id)
                    let answer = try? connection.request(
                        "POST",
                        "/resolve",
                        headers: ["X-Request-ID": id],
                        body: #"{"url":"\#(generatedLink(number))"}"#
                    )
                    guard let answer, answer.status == 200 else { return }
                    _ = ledger.acknowledge(id)
                    guard FileManager.default.fileExists(atPath: second) else { continue }
                    if afterMidnight.withLock({
                        $0 += 1; return $0
                    }) == 200 {
                        server.send(SIGKILL)
                    }
                }
            }
            _ = server.wait()
            #expect(FileManager.default.fileExists(atPath: directory + "/service/events/2026-11-21.db"))
            let again = try RunningServer(
                directory: directory,
                launcher: startingAt("2026-11-22 00:05:00")
            )
            defer { again.killNow() }
            try expectLedgerHolds(ledger, try ExportedRows("shop", of: again, key: key))
        }
    }

    private func expectLedgerHolds(_ ledger: Ledger, _ exported: ExportedRows) throws {
        let stored = Set(exported.requestIDs)
        #expect(ledger.acknowledged.isSubset(of: stored))
        #expect(stored.isSubset(of: ledger.attempted))
        #expect(stored.count == exported.rows.count)
        #expect(exported.sequences == Array(1...Int64(exported.rows.count)))
    }
}

/// Debian's wrapper that gives a process a false wall clock. The process is its child.
private let hasFakeClock = FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime")

private func startingAt(_ time: String) -> [String] {
    MovableClock.afterKilledOnes + ["/usr/bin/env", "TZ=UTC", "DONT_FAKE_MONOTONIC=1", "faketime", "-f", "@\(time)"]
}
