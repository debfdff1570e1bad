import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import NIOCore

/// Executes export requests: in this process, or in the one that holds the directory.
struct ExportSession: Sendable {
    let answer: @Sendable (ExportRequest) async throws -> JSONNode

    func answer(_ request: ExportRequest) async throws -> JSONNode { try await answer(request) }

    /// Runs `body` on an open data directory and closes it properly. Failures are printed and end the process.
    static func open(
        _ configuration: ServiceConfiguration,
        _ body: @escaping @Sendable (ExportSession) async throws -> Void
    ) async throws {
        do {
            try await openHere(configuration, body)
        } catch StorageError.locked {
            try await body(
                ExportSession {
                    // The duration depends on the number of rows in a window.
                    try await ControlMessage.send(
                        $0.message,
                        toDirectory: configuration.data,
                        timeout: .seconds(86_400)
                    )
                }
            )
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as ExportCommandHandler.UnknownName {
            throw fail(error.description, .failed)
        } catch let error as ExportFailure {
            throw fail("\(error).", .failed)
        } catch let error as ExportManifest.Unreadable {
            throw fail("\(error).", .failed)
        } catch let error as S3Failure {
            throw fail("\(error); the events will be written with the next export.", .unavailable)
        } catch let error as FileFailure {
            throw fail("the export could not be written: \(error). The next export writes its events.", .ioError)
        }
    }

    private static func openHere(
        _ configuration: ServiceConfiguration,
        _ body: @escaping @Sendable (ExportSession) async throws -> Void
    ) async throws {
        let directory = try DataDirectory(configuration.data, for: .use)
        try await directory.leavingAsFound { try await run(configuration, in: directory, body) }
    }

    private static func run(
        _ configuration: ServiceConfiguration,
        in directory: DataDirectory,
        _ body: @escaping @Sendable (ExportSession) async throws -> Void
    ) async throws {
        let database = try CatalogDatabase(directory.catalogPath)
        let log = try EventLog(directory.eventsPath, now: SystemClock.now)
        let catalog = (try await database.snapshot()).catalog()
        // The command prints what it exported.
        var logger = Logger(label: "fingerpost")
        logger.logLevel = .notice
        let recorder = EventRecorder(store: log, now: SystemClock.now, logger: logger)
        let exporter = ExportService(
            store: log,
            ledger: log.exportLedger,
            sink: configuration.exports.makeSink(in: directory),
            recorder: recorder,
            plans: { [] },
            webhooks: configuration.exports.webhook == nil ? nil : log.webhookQueue,
            now: SystemClock.now,
            sleep: { _ in },
            logger: logger
        )
        let handler = ExportCommandHandler(exporter: exporter) { catalog.table(of: $0).map { ExportPlan($0) } }
        // The recorder serves only the exporter's fence, and stops once the export is written.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            group.addTask {
                defer { recorder.stop() }
                try await body(ExportSession(answer: handler.answer))
            }
            try await group.waitForAll()
        }
        try log.close()
        try database.close()
    }
}
