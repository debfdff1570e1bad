import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Synchronization
import TestSupport
import Testing

/// Exports with a real log and a real folder, stopped at every step and resumed.
struct ExportServiceTests {
    private static let start = Timestamp(milliseconds: 1_795_255_200_000)

    private func event(_ number: Int, of tenant: TenantID) -> Event {
        Event(
            Event.Fields(
                id: "event-\(number)",
                recordedAt: Self.start,
                tenant: tenant,
                environment: .production,
                outcome: .matched,
                linkLength: 10,
                source: "api",
                node: "a",
                requestID: "request-\(number)",
                method: "POST"
            )
        )
    }

    /// Records 2,500 events of two tenants in turn and runs all exports due within three hours. Returns the folder's
    /// contents.
    private func export(failAt: Int?, in directory: String) async throws -> (files: [String: Data], steps: Int) {
        let shop = try #require(TenantID("shop"))
        let taxi = try #require(TenantID("taxi"))
        let plans = [
            ExportPlan(tenant: shop, schedule: .hourly, format: .ndjson, level: 6),
            ExportPlan(tenant: taxi, schedule: .hourly, format: .csv, level: 1),
        ]
        let clock = Mutex(Self.start)
        let now: @Sendable () -> Timestamp = { clock.withLock(\.self) }
        try FileManager.default.createDirectory(atPath: directory + "/events", withIntermediateDirectories: true)
        let log = try EventLog(directory + "/events", now: now)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let recorder = EventRecorder(store: log, now: now, logger: logger)
        let faults = Faults(failAt: failAt)
        let exporter = ExportService(
            store: log,
            ledger: log.exportLedger,
            sink: FaultySink(sink: DirectoryExportSink(directory: directory + "/exports"), faults: faults),
            recorder: recorder,
            plans: { plans },
            now: now,
            sleep: { _ in },
            software: "fingerpost test",
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            for plan in plans { _ = try await exporter.exportDue(plan) }
            for first in stride(from: 0, to: 2_500, by: 100) {
                _ = await recorder.record((first..<(first + 100)).map { event($0, of: $0 % 2 == 0 ? shop : taxi) })
            }
            clock.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + 3 * 3_600_000) }
            for plan in plans {
                // A stopped run is resumed; it stops only once.
                do {
                    _ = try await exporter.exportDue(plan)
                } catch is Faults.Stopped {
                    _ = try await exporter.exportDue(plan)
                }
            }
            recorder.stop()
            try await group.waitForAll()
        }
        try log.close()
        return (try files(in: directory + "/exports"), faults.steps)
    }

    private func files(in folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where !path.hasSuffix(".partial") {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
            if !isFolder.boolValue { files[path] = try Data(contentsOf: URL(filePath: "\(folder)/\(path)")) }
        }
        return files
    }

    @Test func exportStoppedAtAnyStepEndsAsOneThatWasNot() async throws {
        let whole = try await withTemporaryDirectory { try await export(failAt: nil, in: $0) }
        // Three windows for each tenant: one with rows, and two empty ones that have only a manifest.
        #expect(whole.files.keys.count { $0.hasSuffix(".manifest.json") } == 6)
        #expect(whole.files.keys.count { $0.hasSuffix(".gz") } == 2)
        #expect(whole.steps > 10)
        for step in 0..<whole.steps {
            let stopped = try await withTemporaryDirectory { try await export(failAt: step, in: $0) }
            #expect(stopped.files == whole.files, "stopped at step \(step)")
        }
    }
}
