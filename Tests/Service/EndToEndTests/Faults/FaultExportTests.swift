import Foundation
import LinkRouting
import Testing

/// An exporter that is killed between any two of its steps leaves no visible partial file, and the next one writes the
/// same bytes.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: Tracer.isHere, Tracer.skipped))
struct FaultExportTests {
    /// System calls, and the number of the call at which the usual trial kills the process.
    private static let steps = [
        ("rename", [1, 2]), ("fsync", [2, 5, 8]), ("fdatasync", [3, 6, 10]), ("unlink", [1]), ("write", [1, 2, 3]),
        ("openat", [8, 20, 33]), ("pwrite64", [5, 30, 60]),
    ]

    @Test func commandKilledAnywhereIsRunAgainToTheSameBytes() async throws {
        try await withFaultTrial { trial in
            let whole = try await recorded(trial)
            for (call, places) in Self.steps {
                var killed = 0
                for place in FaultSeeds.isLong ? Array(1...60) : places {
                    _ = try run("rm", "-rf", trial.data)
                    _ = try run("cp", "-a", trial.folder + "/recorded", trial.data)
                    let launcher = Tracer.launcher(call, "signal=KILL:when=\(place)", log: trial.folder + "/calls")
                    if try export(trial.data, launcher) != 0 { killed += 1 }
                    #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [], "\(call) \(place)")
                    #expect(try export(trial.data) == 0, "\(call) \(place)")
                    try compare(StoredSet(exports: trial.data + "/service/exports"), whole, trial, "\(call) \(place)")
                }
                print("export: killed \(killed) at \(call)")
                #expect(killed >= (places.count + 1) / 2)
            }
        }
    }

    @Test func serverKilledDuringAnExportIsStartedAgainToTheSameBytes() async throws {
        try await withFaultTrial { trial in
            let whole = try await recorded(trial)
            for (call, place) in [("rename", 2), ("fsync", 6), ("fdatasync", 3), ("fdatasync", 5)] {
                _ = try run("rm", "-rf", trial.data)
                _ = try run("cp", "-a", trial.folder + "/recorded", trial.data)
                let server = try trial.start()
                let effect = "signal=KILL:when=\(place)"
                let tracer = try Tracer.Attached(server.holder, call, effect, log: trial.folder + "/calls")
                try? StoredSet.export(server, key: trial.key)
                server.killNow()
                tracer.detach()
                #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [], "\(call) \(place)")
                let restarted = try trial.start()
                defer { restarted.killNow() }
                try compare(trial.verify(restarted, "\(call) \(place):"), whole, trial, "\(call) \(place)")
            }
        }
    }

    private func compare(_ again: StoredSet, _ whole: StoredSet, _ trial: FaultTrial, _ note: String) {
        let isSame = again.rows == whole.rows && Set(again.files.values) == Set(whole.files.values)
        if !isSame { trial.fail() }
        #expect(isSame, "\(note): \(again.rows.count) rows in \(again.files), \(whole.rows.count) in \(whole.files)")
    }

    /// Records a log without exports, also in `recorded`. Returns the contents of an undisturbed export.
    private func recorded(_ trial: FaultTrial) async throws -> StoredSet {
        let server = try trial.start()
        await trial.load(server, "export", clients: 4, requests: 60).run()
        server.send(SIGTERM)
        #expect(server.wait().status == 0)
        _ = try run("cp", "-a", trial.data, trial.folder + "/recorded")
        let whole = trial.folder + "/whole"
        _ = try run("cp", "-a", trial.data, whole)
        #expect(try export(whole) == 0)
        let stored = try StoredSet(exports: whole + "/service/exports")
        #expect(AckedSet(trial.history, stored).violations == [])
        return stored
    }

    /// Exports each tenant. Returns the status of the first command that failed, or 0.
    private func export(_ data: String, _ launcher: [String] = []) throws -> Int32 {
        for tenant in FaultLoad.tenants {
            let command =
                launcher + [
                    RunningServer.products.appending(path: "fingerpost").path, "export", tenant, "--data", data,
                ]
            let status = try run("env", ["FINGERPOST_LOG_LEVEL=error"] + command).status
            if status != 0 { return status }
        }
        return 0
    }
}
