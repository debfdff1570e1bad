import Foundation
import Testing

/// Kills the process in a system call, or fails the call, at every place that writes to the disk.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: Tracer.isHere, Tracer.skipped))
struct FaultSyscallTests {
    /// The usual run tests these places; the long run tests 1 to 50.
    private static func places(_ usual: [Int]) -> [Int] { FaultSeeds.isLong ? Array(1...50) : usual }

    /// Kills the process at the nth call: while it starts on a directory without a log, under load, during an export,
    /// or while it stops.
    @Test(arguments: [
        ("fdatasync", [1, 2, 9, 30, 60]), ("pwrite64", [1, 20, 60, 200]), ("rename", [1, 2, 3]), ("unlink", [1, 4, 8]),
        ("fsync", [1, 3, 6]),
    ])
    func everyAnswerSurvivesAKillAtTheNth(_ call: String, _ usual: [Int]) async throws {
        var killed = 0
        try await withFaultTrial { fresh in
            // The first start also creates the log.
            try FileManager.default.removeItem(atPath: fresh.data + "/service/events")
            for place in Self.places(usual) {
                try await withFaultTrial(try FaultTrial(copying: fresh)) { trial in
                    if try await kill(trial, at: call, place) { killed += 1 }
                }
            }
        }
        print("\(call): killed \(killed) of \(Self.places(usual).count) processes")
        #expect(killed >= usual.count / 2)
    }

    /// Whether the call killed the process.
    private func kill(_ trial: FaultTrial, at call: String, _ place: Int) async throws -> Bool {
        var isKilled = true
        let traced = Tracer.launcher(call, "signal=KILL:when=\(place)", log: trial.folder + "/calls")
        // Nil if the process was killed during its start.
        if let server = try? trial.start(launcher: traced) {
            await trial.load(server, call, requests: 40).run()
            try? StoredSet.export(server, key: trial.key)
            server.send(SIGTERM)
            isKilled = server.wait().reason == .uncaughtSignal
        }
        #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [], "\(call) \(place)")
        let restarted = try trial.start()
        defer { restarted.killNow() }
        try trial.verify(restarted, "\(call) \(place):")
        await trial.load(restarted, "after", clients: 2, requests: 5).run()
        #expect(trial.history.refused.isEmpty)
        try trial.verify(restarted, "\(call) \(place), afterwards:")
        return isKilled
    }
}
