package import LinkRouting
package import Logging
import ServiceLifecycle

/// An erasure that was begun and could not be ended, for no fault of the files: the next start ends it, or a repetition.
package struct UnfinishedErasure: Error {
    package let id: Int64
    package let reason: any Error
}

/// Erases the rows of one install from the log and from every export.
package struct Eraser: Service {
    private let days: any EventDays
    private let recorder: EventRecorder
    private let exporter: Exporter
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    package init(
        days: any EventDays,
        recorder: EventRecorder,
        exporter: Exporter,
        now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.days = days
        self.recorder = recorder
        self.exporter = exporter
        self.now = now
        self.logger = logger
    }

    /// Ends what was begun before the process started; what fails is logged, and tried again by the next start.
    package func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await finishBegun() }
        } catch is CancellationError {
            // The next start goes on with it.
        } catch {
            logger.error("the erasures that were begun cannot be listed", metadata: ["error": "\(error)"])
        }
        try await gracefulShutdown()
    }

    /// Erases what was recorded until now; what the install does later is recorded again.
    ///
    /// - Parameter install: As in ``Event/install``.
    package func erase(install: String, of tenant: TenantID, requestID: String) async throws -> Report {
        try await exporter.inErasureTurn(of: tenant) {
            // What was handed in before is in the log then.
            _ = try await recorder.fence()
            let erasure = try await days.beginErasure(of: install, tenant: tenant, requestID: requestID, at: now())
            do {
                return try await carryOut(erasure)
            } catch let reason where reason is CancellationError || (reason as? any DiskError)?.isDiskFull == true {
                throw UnfinishedErasure(id: erasure.id, reason: reason)
            }
        }
    }

    /// Ends the erasures that a crash has left unfinished. One that fails stops no other.
    package func finishBegun() async throws {
        for erasure in try await days.erasures(of: nil) where erasure.finishedAt == nil {
            do {
                let report = try await exporter.inErasureTurn(of: erasure.tenant) { try await carryOut(erasure) }
                guard !report.exports.unreadable.isEmpty else { continue }
                logger.error(
                    "an erasure was ended without the exports that cannot be read; export their windows again",
                    metadata: [
                        "tenant": "\(erasure.tenant)", "erasure": "\(erasure.id)",
                        "exports": "\(report.exports.unreadable.joined(separator: ", "))",
                    ]
                )
            } catch {
                try Task.checkCancellation()
                logger.error(
                    "an erasure could not be ended; it is tried again at the next start",
                    metadata: ["tenant": "\(erasure.tenant)", "erasure": "\(erasure.id)", "error": "\(error)"]
                )
            }
        }
    }

    /// What an erasure did.
    package struct Report: Sendable, Hashable {
        package let erasure: Erasure
        package let exports: ExportErasure
    }

    /// In the exporter's turn. Each step may be repeated. The log comes first: a window that is not exported yet is read from there.
    private func carryOut(_ erasure: Erasure) async throws -> Report {
        let rows = try await days.deleteRows(of: erasure)
        let exports = try await exporter.eraseInTurn(
            install: erasure.install,
            of: erasure.tenant,
            through: erasure.lastSequence
        )
        var finished = erasure
        finished.rows = rows
        let end = now()
        try await days.finish(erasure, at: end)
        finished.finishedAt = end
        return Report(erasure: finished, exports: exports)
    }
}
