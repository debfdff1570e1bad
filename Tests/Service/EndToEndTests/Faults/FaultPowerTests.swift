import Foundation
import TestSupport
import Testing

/// A power cut: shuts down a private ext4 file system under load, so that only synced data remains.
@Suite(
    .serialized,
    .timeLimit(FaultSeeds.timeLimit),
    .enabled(if: ScratchDisk.imageObstacle == nil, ScratchDisk.imageObstacle)
)
struct FaultPowerTests {
    /// Three power cuts at different moments; `FAULT_SEEDS=50` makes 50.
    @Test func everyAnswerSurvivesAPowerCut() async throws {
        var acknowledged = 0
        for seed in FaultSeeds.all(3) {
            var random = SeededGenerator(seed: seed)
            let answers = Int.random(in: 1...250, using: &random)
            acknowledged += try await withDisk(ScratchDisk(megabytesOfImage: 64)) { disk in
                try await withFaultTrial(try FaultTrial(data: disk.path + "/data")) { trial in
                    try await cut(disk, trial, answers: answers, exporters: 1)
                    let restarted = try trial.start()
                    defer { restarted.killNow() }
                    #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [], "seed \(seed)")
                    try trial.verify(restarted, "seed \(seed):")
                    return trial.history.acknowledgedCount
                }
            }
        }
        print("cut the power: \(acknowledged) requests were acknowledged, and all of them are stored")
    }

    /// Negative control: without the sync of every commit, as with `synchronous=NORMAL`, the same power cut must lose
    /// acknowledged events. Otherwise the test above would prove nothing.
    @Test(.enabled(if: Tracer.isHere, Tracer.skipped))
    func withoutTheSyncOfEveryCommitAPowerCutLosesAnswers() async throws {
        try await withDisk(ScratchDisk(megabytesOfImage: 64)) { disk in
            try await withFaultTrial(try FaultTrial(data: disk.path + "/data")) { trial in
                // The day's file is complete; only the contents of its WAL can be lost.
                let first = try trial.start()
                try trial.load(first, "first", clients: 1).once()
                first.send(SIGTERM)
                #expect(first.wait().status == 0)
                let lying = Tracer.launcher("fdatasync", "retval=0", log: trial.folder + "/calls")
                try await cut(disk, trial, launcher: lying, answers: 200, exporters: 0)
                let restarted = try trial.start()
                defer { restarted.killNow() }
                // Another client may be answered between the 200th answer and the cut.
                #expect(trial.history.acknowledgedCount >= 200)
                let lost = AckedSet(trial.history, try StoredSet(of: restarted, key: trial.key)).lost
                #expect(!lost.isEmpty)
                print("without syncs the cut lost \(lost.count) events of \(trial.history.acknowledgedCount) requests")
            }
        }
    }

    private func cut(
        _ disk: ScratchDisk,
        _ trial: FaultTrial,
        launcher: [String] = [],
        answers: Int,
        exporters: Int
    ) async throws {
        let server = try trial.start(launcher: launcher)
        async let exported: Void = onThreads(exporters) { _ in
            while (try? StoredSet.export(server, key: trial.key)) != nil {}
        }
        await trial.load(server, "power").run { answer in
            guard answer.response.status == 200 else { return .stop }
            if answer.acknowledged == answers {
                // The kernel may report success for a sync that is in progress during the shutdown.
                trial.history.seal()
                #expect(throws: Never.self) { try disk.cutPower() }
            }
            return .proceed
        }
        server.killNow()
        await exported
        try disk.powerOn()
    }
}
