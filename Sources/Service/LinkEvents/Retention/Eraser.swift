package import LinkRouting
package import Logging
import ServiceLifecycle

/// An erasure that was interrupted, but not by damaged files. The next start completes it, or a repeated request.
package struct UnfinishedErasure: Error {
    package let id: Int64
    package let reason: any Error
}

/// Erases the rows of one install from the log and from every export, and what other stores have of it.
package struct Eraser: Service {
    private let days: any EventDays
    private let recorder: EventRecorder
    private let exporter: ExportService
    private let eraseElsewhere: @Sendable (InstallID, TenantID, _ now: Timestamp) async throws -> Void
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// - Parameter eraseElsewhere: Erases the install outside of the log; repeated if an erasure was interrupted.
    package init(
        days: any EventDays,
        recorder: EventRecorder,
        exporter: ExportService,
        eraseElsewhere: @escaping @Sendable (InstallID, TenantID, _ now: Timestamp) async throws -> Void,
        now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.days = days
        self.recorder = recorder
        self.exporter = exporter
        self.eraseElsewhere = eraseElsewhere
        self.now = now
        self.logger = logger
    }

    /// The same, for orders of other nodes.
    ///
    /// - Parameter isOnlyLog: Whether what other stores have stays.
    package func erasing(from days: any EventDays, isOnlyLog: Bool = false) -> Eraser {
        let nothing: @Sendable (InstallID, TenantID, Timestamp) async throws -> Void = { _, _, _ in }
        return Eraser(
            days: days,
            recorder: recorder,
            exporter: exporter,
            eraseElsewhere: isOnlyLog ? nothing : eraseElsewhere,
            now: now,
            logger: logger
        )
    }

    /// Completes erasures that were begun before the process started. Failures are logged and retried at the next
    /// start.
    package func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await finishBegun() }
        } catch is CancellationError {
            // The next start continues.
        } catch {
            logger.error("unfinished erasures cannot be listed", metadata: ["error": "\(error)"])
        }
        try await gracefulShutdown()
    }

    /// Erases events recorded until now, or up to a sequence. Later events of the install are recorded again. Throws
    /// ``UnfinishedErasure`` if the erasure is cancelled or the disk is full.
    package func erase(
        install: InstallID,
        of tenant: TenantID,
        through last: Int64 = .max,
        requestID: String
    ) async throws -> Report {
        try await exporter.inErasureTurn(of: tenant) {
            // The fence commits all events that were submitted before.
            _ = try await recorder.fence()
            let erasure = try await days.beginErasure(
                of: install,
                tenant: tenant,
                through: last,
                requestID: requestID,
                at: now()
            )
            do {
                return try await carryOut(erasure)
            } catch let reason where reason is CancellationError || (reason as? any DiskError)?.isDiskFull == true {
                throw UnfinishedErasure(id: erasure.id, reason: reason)
            }
        }
    }

    /// Completes the erasures that a crash interrupted. A failed erasure does not stop the others.
    package func finishBegun() async throws {
        for erasure in try await days.erasures(of: nil) where erasure.finishedAt == nil {
            do {
                let report = try await exporter.inErasureTurn(of: erasure.tenant) { try await carryOut(erasure) }
                guard !report.exports.unreadable.isEmpty else { continue }
                logger.error(
                    "an erasure was completed except for unreadable exports; re-export their windows",
                    metadata: [
                        "tenant": "\(erasure.tenant)", "erasure": "\(erasure.id)",
                        "exports": "\(report.exports.unreadable.joined(separator: ", "))",
                    ]
                )
            } catch {
                try Task.checkCancellation()
                logger.error(
                    "an erasure could not be completed; it is retried at the next start",
                    metadata: ["tenant": "\(erasure.tenant)", "erasure": "\(erasure.id)", "error": "\(error)"]
                )
            }
        }
    }

    /// The result of an erasure.
    package struct Report: Sendable, Hashable {
        package let erasure: Erasure
        package let exports: ExportErasure
    }

    /// Runs within the exporter's erasure turn. Every step is idempotent. The log is erased first, because windows that
    /// are not exported yet are read from it.
    private func carryOut(_ erasure: Erasure) async throws -> Report {
        guard let install = erasure.install else { return Report(erasure: erasure, exports: ExportErasure()) }
        try await eraseElsewhere(install, erasure.tenant, now())
        let rows = try await days.deleteRows(of: erasure)
        let exports = try await exporter.eraseInTurn(
            install: install,
            of: erasure.tenant,
            through: erasure.lastSequence
        )
        var finished = erasure
        finished.rows = rows
        finished.finishedAt = try await days.finish(erasure, at: now())
        return Report(erasure: finished, exports: exports)
    }
}
