import Foundation
import TestSupport
import Testing

/// `kill -9` at random moments: during start, under load, during exports and during stop.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit))
struct FaultKillTests {
    /// Ten seeds; `FAULT_SEEDS=200` uses 200, and `FAULT_SEED=17` uses only seed 17. Every tenth seed starts a new data
    /// directory.
    @Test func everyAnswerSurvivesKillNineAtRandomMoments() async throws {
        let seeds = FaultSeeds.all()
        var acknowledged = 0
        for first in stride(from: 0, to: seeds.count, by: 10) {
            try await withFaultTrial { trial in
                var server = try trial.start()
                defer { server.killNow() }
                for seed in seeds[first..<min(first + 10, seeds.count)] {
                    try await kill(server, of: trial, seed: seed)
                    server = try trial.start()
                    try trial.verify(server, "seed \(seed):")
                }
                acknowledged += trial.history.acknowledgedCount
            }
        }
        print("killed \(seeds.count) times: \(acknowledged) requests were acknowledged, and all of them are stored")
    }

    private func kill(_ server: RunningServer, of trial: FaultTrial, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let answers = Int.random(in: 0...120, using: &random)
        let moment = Double.random(in: 0...0.02, using: &random)
        let stopping = Int.random(in: 0..<5, using: &random) == 0 ? Double.random(in: 0...0.03, using: &random) : nil
        let exporters = Int.random(in: 0...1, using: &random)
        // The limit on requests bounds the rows to verify where the kill comes late.
        let load = trial.load(server, "kill-\(seed)", clients: .random(in: 1...16, using: &random), requests: 200)
        let target = trial.history.acknowledgedCount + answers
        let (isReached, reached) = AsyncStream.makeStream(of: Never.self)
        if answers == 0 { reached.finish() }
        async let loaded: Void = {
            await load.run { answer in
                if answer.acknowledged >= target { reached.finish() }
                return .proceed
            }
            reached.finish()
        }()
        async let exported: Void = onThreads(exporters) { _ in
            while (try? StoredSet.export(server, key: trial.key)) != nil {}
        }
        for await _ in isReached {}
        #expect(trial.history.acknowledgedCount >= target, "seed \(seed): every client ended before \(answers) answers")
        await onThreads(1) { _ in
            // Sleeps for a random time to choose the moment of the kill; waits for no condition.
            Thread.sleep(forTimeInterval: moment)
            if let stopping {
                server.send(SIGTERM)
                Thread.sleep(forTimeInterval: stopping)
            }
            server.send(SIGKILL)
        }
        _ = await (loaded, exported)
        _ = server.wait()
        #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [], "seed \(seed)")
        guard Bool.random(using: &random) else { return }
        // The next start is killed as well.
        let start = Double.random(in: 0.01...0.25, using: &random)
        _ = try run(
            "env",
            ["FINGERPOST_LOG_LEVEL=error", "timeout", "-s", "KILL", "\(start)"] + RunningServer.command(trial.data)
        )
    }
}
