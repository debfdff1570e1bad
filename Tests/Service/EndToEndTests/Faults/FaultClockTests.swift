import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// A clock that passes ends of windows, midnight and daylight-saving changes during requests, and a clock that jumps.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: MovableClock.isHere, MovableClock.skipped))
struct FaultClockTests {
    /// Each server starts a few seconds before an instant at which a window of the shop (02:00 in Paris) ends. Swift's
    /// timers do not follow the false clock, so the start after the kill cuts the window.
    private static let passages: [(from: String, windowEnd: String)] = [
        ("2036-02-11 00:59:57", "2036-02-11T01:00:00.000Z"),
        // 02:00 does not exist: 03:00 follows 01:59.
        ("2036-03-30 00:59:57", "2036-03-30T01:00:00.000Z"),
        // Midnight UTC, and the end of a window in summer time.
        ("2036-03-30 23:59:57", "2036-03-31T00:00:00.000Z"),
        // 02:00 occurs twice; the window ends at the first.
        ("2036-10-25 23:59:57", "2036-10-26T00:00:00.000Z"),
    ]

    @Test func everyRowIsInOneWindowWhenTheServerIsKilledBehindItsEdge() async throws {
        try await withFaultTrial(try FaultTrial(startingAt: "2036-02-10 12:00:00")) { trial in
            let clock = try #require(trial.clock)
            for (number, passage) in Self.passages.enumerated() {
                try clock.set(passage.from)
                let server = try trial.start()
                let edge = try #require(Timestamp(passage.windowEnd)).milliseconds
                let behind = Mutex(0)
                await trial.load(server, "edge-\(number)", clients: 2, requests: 8_000).run { answer in
                    guard Self.milliseconds(answer.response) >= edge else { return .proceed }
                    if behind.withLock({
                        $0 += 1
                        return $0
                    }) == 40 {
                        server.send(SIGKILL)
                    }
                    return .proceed
                }
                _ = server.wait()
                #expect(behind.withLock(\.self) >= 40)
            }
            // The second 02:00 of the night.
            try clock.set("2036-10-26 01:00:05")
            let server = try trial.start()
            defer { server.killNow() }
            try trial.load(server, "second", clients: 1).once()
            let last = Self.passages[Self.passages.count - 1].windowEnd
            try await eventually("the window of \(last) is exported") { Self.isExported(last, trial) }
            let ends = try #require(try trial.verify(server).windowEnds["shop"])
            for passage in Self.passages { #expect(ends.count { $0 == passage.windowEnd } == 1, "\(passage)") }
            #expect(!ends.contains("2036-10-26T01:00:00.000Z"))
            #expect(ends == ends.sorted())
            let days = try FileManager.default.contentsOfDirectory(atPath: trial.data + "/service/events")
            #expect(
                ["2036-02-11.db", "2036-03-30.db", "2036-03-31.db", "2036-10-26.db"].allSatisfy(days.contains),
                "\(days)"
            )
        }
    }

    /// The clock jumps back by two hours, ahead by ten years and back to the next day, during requests and exports.
    @Test func jumpingClockLosesAndRepeatsNothing() async throws {
        try await withFaultTrial(try FaultTrial(startingAt: "2036-11-21 12:00:00")) { trial in
            let clock = try #require(trial.clock)
            let jumps = [
                100: "2036-11-21 09:59:59", 200: "2046-11-21 12:00:00", 300: "2036-11-22 00:00:01",
                400: "2036-11-21 23:59:59",
            ]
            let server = try trial.start()
            await trial.load(server, "jump", clients: 4).run { answer in
                #expect(answer.response.status == 200)
                if let time = jumps[answer.acknowledged] {
                    #expect(throws: Never.self) {
                        try clock.set(time)
                        try StoredSet.export(server, key: trial.key)
                    }
                }
                return answer.acknowledged < 500 ? .proceed : .stop
            }
            try trial.verify(server)
            server.killNow()
            try clock.set("2036-11-22 08:00:00")
            let restarted = try trial.start()
            defer { restarted.killNow() }
            await trial.load(restarted, "restarted", clients: 2, requests: 10).run()
            try trial.verify(restarted)
        }
    }

    /// The time of the answer's event, which is the start of its id.
    private static func milliseconds(_ response: HTTPConnection.Response) -> Int64 {
        guard let answer = try? response.json() else { return 0 }
        let id = (answer["results"]?.elements?.first ?? answer)["id"]?.text ?? ""
        return Int64(id.filter { $0 != "-" }.prefix(12), radix: 16) ?? 0
    }

    /// A manifest is named after the end of its window and stored in the folder of the window's last hour.
    private static func isExported(_ end: String, _ trial: FaultTrial) -> Bool {
        let name = end.filter { $0 != "-" && $0 != ":" }
        let folder = trial.data + "/service/exports/tenant=shop"
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects ?? []
        return paths.contains { ($0 as? String)?.hasSuffix("/events-\(name).manifest.json") == true }
    }
}
