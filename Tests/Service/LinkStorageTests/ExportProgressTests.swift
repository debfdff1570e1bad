import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Synchronization
import TestSupport
import Testing

/// The progress that the metrics of exports show.
@Suite(.timeLimit(.minutes(15)))
struct ExportProgressTests {
    private static let hour: Int64 = 3_600_000

    @Test func lateExportIsDueSinceTheEndOfItsFirstWindow() async throws {
        try await withTemporaryDirectory { folder in
            let tenant = try #require(TenantID("shop"))
            let begin = try #require(Timestamp("2026-11-21T10:30:00Z"))
            let clock = Mutex(begin)
            let plan = Mutex(ExportPlan(tenant: tenant, schedule: .hourly, format: .ndjson, level: 6))
            let (exports, now) = (folder + "/exports", { @Sendable in clock.withLock(\.self) })
            try FileManager.default.createDirectory(atPath: folder + "/events", withIntermediateDirectories: true)
            let log = try EventLog(folder + "/events", now: now)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let recorder = EventRecorder(store: log, now: now, logger: logger)
            /// Runs the schedule once in a new process.
            func progress(after hours: Int64) async throws -> ExportProgress.Entry? {
                clock.withLock { $0 = Timestamp(milliseconds: begin.milliseconds + hours * Self.hour) }
                let exporter = ExportService(
                    store: log,
                    ledger: log.exportLedger,
                    sink: DirectoryExportSink(directory: exports),
                    recorder: recorder,
                    plans: { [plan.withLock(\.self)] },
                    now: now,
                    sleep: { _ in throw CancellationError() },
                    software: "fingerpost test",
                    logger: logger
                )
                try await exporter.run()
                return exporter.progress.current[tenant]
            }
            func due(_ hours: Int64) -> Timestamp {
                Timestamp(milliseconds: begin.milliseconds + hours * Self.hour + Self.hour / 2)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await recorder.run() }
                #expect(try await progress(after: 0) == .init(due: due(0)))
                // A file where the directory should be: no export can be written.
                try Data().write(to: URL(filePath: exports))
                #expect(try await progress(after: 3) == .init(failures: 1, due: due(0)))
                #expect(try await progress(after: 5) == .init(failures: 1, due: due(0)))
                try FileManager.default.removeItem(atPath: exports)
                let exported = Timestamp(milliseconds: begin.milliseconds + 6 * Self.hour)
                #expect(try await progress(after: 6) == .init(lastSuccess: exported, due: due(6)))
                // The time is read from the ledger; without a schedule nothing is due.
                plan.withLock { $0 = ExportPlan(tenant: tenant, schedule: nil, format: .ndjson, level: 6) }
                #expect(try await progress(after: 9) == .init(lastSuccess: exported))
                recorder.stop()
                try await group.waitForAll()
            }
            try log.close()
        }
    }
}
