import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Networking
import TestSupport

/// An exporter with a real log, a real folder, and a clock that only the test advances.
struct ExportBench: Sendable {
    let folder: String
    let clock: TestClock
    let log: EventLog
    let recorder: EventRecorder
    let exporter: ExportService
    let plan: ExportPlan

    var exports: String { folder + "/exports" }

    func record(_ events: [Event]) async throws {
        guard case .stored = await recorder.record(events) else { throw NotStored() }
    }

    struct NotStored: Error {}
    struct NotWhole: Error {}

    func manifest(_ name: String) async throws -> ExportManifest? {
        try await exporter.manifest(name).map { try ExportManifest($0, name: name) }
    }

    /// Every file below the exports, including unfinished ones.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        guard FileManager.default.fileExists(atPath: exports) else { return files }
        for path in try FileManager.default.subpathsOfDirectory(atPath: exports) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(exports)/\(path)", isDirectory: &isFolder)
            if !isFolder.boolValue { files[path] = try Data(contentsOf: URL(filePath: "\(exports)/\(path)")) }
        }
        return files
    }

    /// The uncompressed text of a file.
    func text(_ path: String) throws -> String {
        let gunzip = try GunzipStream()
        var bytes: [UInt8] = []
        try gunzip.write(Array(try Data(contentsOf: URL(filePath: "\(exports)/\(path)")))) { bytes += $0 }
        guard gunzip.isWhole else { throw NotWhole() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// - Parameter faults: Stops the exporter at one of its steps.
func withExportBench(
    format: ExportEncoder = .ndjson,
    hasWebhook: Bool = false,
    faults: Faults = Faults(failAt: nil),
    _ body: (ExportBench) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        let clock = TestClock("2026-11-21T10:00:00Z")
        try FileManager.default.createDirectory(atPath: folder + "/events", withIntermediateDirectories: true)
        let log = try EventLog(folder + "/events") { clock.now }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let recorder = EventRecorder(store: log, now: { clock.now }, logger: logger)
        let exporter = ExportService(
            store: log,
            ledger: log.exportLedger,
            sink: FaultySink(sink: DirectoryExportSink(directory: folder + "/exports"), faults: faults),
            recorder: recorder,
            plans: { [] },
            webhooks: hasWebhook ? log.webhookQueue : nil,
            now: { clock.now },
            sleep: { _ in },
            software: "fingerpost test",
            logger: logger
        )
        let bench = ExportBench(
            folder: folder,
            clock: clock,
            log: log,
            recorder: recorder,
            exporter: exporter,
            plan: ExportPlan(tenant: tenant("shop"), schedule: .hourly, format: format, level: 6)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(bench)) } catch { result = .failure(error) }
            recorder.stop()
            try await group.waitForAll()
            try result.get()
        }
        try log.close()
    }
}
