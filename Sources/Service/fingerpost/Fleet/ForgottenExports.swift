import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import PostgresStorage

/// Exports what a node that is gone has not exported, from the copies of its logs.
struct ForgottenExports {
    let node: String
    let configuration: ServiceConfiguration
    let store: PostgresStore

    /// Returns the manifests of the windows that were written, and those that the target had.
    func run() async throws -> [(manifest: ExportManifest, isNew: Bool)] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fingerpost-\(UUID().uuidString)")
        let directory = try DataDirectory(folder.path, for: .createNode)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try CatalogDatabase(store, copy: directory.catalogPath, node: configuration.node)
        _ = try await database.follow()
        var manifests: [(manifest: ExportManifest, isNew: Bool)] = []
        for (number, log) in try await LogCopy(store).logs(of: node).enumerated() {
            let ledger = directory.servicePath + "/log-\(number)"
            try FileManager.default.createDirectory(atPath: ledger, withIntermediateDirectories: false)
            manifests += try await export(log, ledger: EventLog(ledger, now: SystemClock.now), database, directory)
        }
        try database.close()
        return manifests
    }

    /// - Parameter ledger: An empty log, for the windows.
    private func export(
        _ log: CopiedLog,
        ledger: EventLog,
        _ database: CatalogDatabase,
        _ directory: DataDirectory
    ) async throws -> [(manifest: ExportManifest, isNew: Bool)] {
        var logger = Logger(label: "fingerpost")
        logger.logLevel = .error
        let recorder = EventRecorder(store: log, now: SystemClock.now, logger: logger)
        let catalog = try await database.served.snapshot().catalog()
        let exporter = ExportService(
            store: log,
            ledger: ledger.exportLedger,
            sink: configuration.exports.makeSink(in: directory),
            recorder: recorder,
            plans: { [] },
            now: SystemClock.now,
            sleep: { try await Task.sleep(for: $0) },
            node: node,
            software: BuildInfo.software,
            logger: logger
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            defer { recorder.stop() }
            var manifests: [(manifest: ExportManifest, isNew: Bool)] = []
            var cursors = try await log.exported()
            for tenant in cursors.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                while let cursor = cursors[tenant], let stored = try await next(of: tenant, after: cursor, exporter) {
                    manifests.append((stored, false))
                    cursors[tenant] = ExportCursor(lastEnd: stored.windowEnd, edge: stored.lastSequence)
                }
            }
            try await ledger.exportLedger.adopt(cursors, software: BuildInfo.software)
            for plan in catalog.tables.map({ ExportPlan($0) }) where cursors[plan.tenant] != nil || plan.schedule != nil
            {
                let manifest = try await exporter.exportNow(plan)
                if manifest.rows > 0 { manifests.append((manifest, true)) }
            }
            return manifests
        }
    }

    /// Returns the manifest of the window that continues an export, if the target has it.
    private func next(
        of tenant: TenantID,
        after cursor: ExportCursor,
        _ exporter: ExportService
    ) async throws -> ExportManifest? {
        for name in try await exporter.names(of: tenant) {
            guard let text = try await exporter.manifest(name) else { continue }
            let manifest = try ExportManifest(text, name: name)
            if manifest.windowEnd > cursor.lastEnd, manifest.firstSequence == cursor.edge + 1 { return manifest }
        }
        return nil
    }
}
