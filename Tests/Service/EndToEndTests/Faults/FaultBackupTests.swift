import Foundation
import LinkRouting
import Testing

/// The restore drill with the clients' history: backup under load, kill, wipe, restore, compare.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: MovableClock.isHere, MovableClock.skipped))
struct FaultBackupTests {
    @Test func everythingBeforeTheBackupIsRestored() async throws {
        try await withFaultTrial(try FaultTrial(startingAt: "2026-11-17 10:00:00")) { trial in
            let clock = try #require(trial.clock)
            let server = try trial.start()
            for day in 17...21 {
                try clock.set("2026-11-\(day) 10:00:00")
                await trial.load(server, "day-\(day)", clients: 4, requests: 20).run()
            }
            try StoredSet.export(server, key: trial.key)
            let before = trial.history.acknowledged
            // Requests continue during and after the backup.
            let backup = trial.folder + "/backup"
            let begin = ContinuousClock.now
            async let made = tool("backup", backup, "--data", trial.data)
            async let beside: Void = trial.load(server, "beside", clients: 2, requests: 60).run()
            #expect(try await made == 0)
            await beside
            _ = try run("cp", "-a", trial.data + "/service/exports", trial.folder + "/exports")
            await trial.load(server, "later", clients: 4, requests: 10).run()
            server.killNow()
            let exposed = ContinuousClock.now - begin
            _ = try run("rm", "-rf", trial.data)

            let wiped = ContinuousClock.now
            #expect(try await tool("restore", backup, "--data", trial.data) == 0)
            _ = try run("cp", "-a", trial.folder + "/exports", trial.data + "/service/exports")
            let restored = try trial.start()
            defer { restored.killNow() }
            try trial.load(restored, "restored", clients: 1).once()
            let back = ContinuousClock.now - wiped

            let stored = try StoredSet(of: restored, key: trial.key)
            let set = AckedSet(trial.history, stored)
            #expect(set.invented.isEmpty && set.repeated.isEmpty && set.torn.isEmpty && set.gaps.isEmpty, "\(set)")
            let lost = Set(set.lost).intersection(before.values.joined())
            if !lost.isEmpty { trial.fail() }
            #expect(lost.isEmpty)
            let days = try FileManager.default.contentsOfDirectory(atPath: trial.data + "/service/events")
            #expect(days.count { $0.hasPrefix("2026-11-") && $0.hasSuffix(".db") } == 5, "\(days)")
            print(
                "restore drill: \(stored.rows.count) rows of 5 days; the backup began \(exposed) before the end, and \(set.lost.count) "
                    + "events that were acknowledged meanwhile are gone; answering again \(back) after the loss"
            )
        }
    }

    private func tool(_ arguments: String...) async throws -> Int32 {
        try await runBeside(RunningServer.products.appending(path: "fingerpost").path, arguments).status
    }
}
