import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging

struct ExportLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export all events of the tenant 'shop' in a log, and measure the time.",
        discussion: """
            EXAMPLE
              LogBench export /tmp/log /tmp/exports --format csv
            """
    )

    @Argument(help: "The folder of the log.") var folder: String
    @Argument(help: "The folder of the exports.") var exports: String
    @Option(help: "ndjson or csv.") var format = "ndjson"

    func run() async throws {
        guard let tenant = TenantID("shop"), let format = ExportEncoder(rawValue: format) else {
            throw ValidationError("The format must be ndjson or csv.")
        }
        let log = try EventLog(folder) { Self.now() }
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let recorder = EventRecorder(store: log, now: Self.now, logger: logger)
        let exporter = ExportService(
            store: log,
            ledger: log.exportLedger,
            sink: DirectoryExportSink(directory: exports),
            recorder: recorder,
            plans: { [] },
            now: Self.now,
            sleep: { _ in },
            software: "fingerpost test",
            logger: logger
        )
        let plan = ExportPlan(tenant: tenant, schedule: nil, format: format, level: 6)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            group.addTask {
                defer { recorder.stop() }
                let start = ContinuousClock.now
                let manifest = try await exporter.exportNow(plan)
                let seconds = (ContinuousClock.now - start).milliseconds / 1_000
                let name = format.rawValue
                print("\(name) \(manifest.rows) \(seconds) \(manifest.file?.rawBytes ?? 0) \(peakMegabytes())")
            }
            try await group.waitForAll()
        }
        try log.close()
    }

    @Sendable private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}

/// Peak resident memory of this process as Linux reports it; 0 on other systems.
private func peakMegabytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
    else { return 0 }
    return kilobytes / 1_024
}
