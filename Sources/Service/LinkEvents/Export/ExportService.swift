package import LinkRouting
package import Logging
import Metrics
package import Networking
import ServiceLifecycle

/// The export settings of one tenant.
package struct ExportPlan: Sendable, Hashable {
    package let tenant: TenantID
    /// Nil: exports only on request.
    package let schedule: ExportSchedule?
    package let format: ExportEncoder
    package let level: Int

    package init(tenant: TenantID, schedule: ExportSchedule?, format: ExportEncoder, level: Int) {
        self.tenant = tenant
        self.schedule = schedule
        self.format = format
        self.level = level
    }
}

/// Cuts the log into windows on schedule and writes each window as one compressed file.
///
/// A window is a range of sequences. When its end has passed, a fence goes through the recorder, and the last committed
/// sequence becomes the tenant's edge, exactly once. A crash at any point leaves no partial file visible, and no row is
/// exported twice or missed: a window that is cut but not marked as exported is written again, with the same bytes.
///
/// The exporter's thread reads and encodes rows, while another thread compresses and writes the previous ones. At most
/// two pages are in memory.
package actor ExportService: Service {
    private let executor = BlockingExecutor(label: "fingerpost.exporter")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let store: any EventStore
    let ledger: any ExportLedger
    let sink: any ExportSink
    private let recorder: EventRecorder
    private let plans: @Sendable () -> [ExportPlan]
    /// The queue of the deliveries about finished exports; nil without a webhook.
    let webhooks: (any WebhookQueue)?
    let now: @Sendable () -> Timestamp
    /// Monotonic clock that measures the duration of exports.
    let uptime: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let traces: TraceSource
    let logger: Logger
    package nonisolated let progress = ExportProgress()

    /// The name of this node, if there are several.
    let node: String?
    /// This program with its version, for manifests.
    let software: String
    private let queue = ExportQueue()

    static let pageSize = 1_000
    /// The chunk size for reading a file back.
    static let chunkBytes = 4 << 20
    /// The longest sleep, so that a clock jump is noticed.
    private static let longestSleep = Duration.seconds(30)

    package init(
        store: any EventStore,
        ledger: any ExportLedger,
        sink: any ExportSink,
        recorder: EventRecorder,
        plans: @escaping @Sendable () -> [ExportPlan],
        webhooks: (any WebhookQueue)? = nil,
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        traces: TraceSource = TraceSource(),
        node: String? = nil,
        software: String,
        logger: Logger
    ) {
        self.store = store
        self.ledger = ledger
        self.sink = sink
        self.recorder = recorder
        self.plans = plans
        self.webhooks = webhooks
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.traces = traces
        self.node = node
        self.software = software
        self.logger = logger
    }

    /// Exports due windows and sleeps until the next one is due, until shutdown. A failed export is logged and retried.
    package func run() async throws {
        // Created before the first failure, because a rate would not see that failure otherwise.
        let failures = Counter(
            label: "fingerpost_sink_batches_total",
            dimensions: [("sink", sink.kind), ("result", "failed")]
        )
        await recallLastSuccesses()
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var pause = Self.longestSleep
                await self.releaseHeldDeliveries()
                for plan in self.plans() {
                    let next = await TraceContext.$current.withValue(self.traces.root()) {
                        await self.exportDue(plan, counting: failures)
                    }
                    if let next {
                        pause = min(pause, .milliseconds(max(1, next.milliseconds - self.now().milliseconds)))
                    }
                }
                do {
                    try await self.sleep(pause)
                } catch {
                    return
                }
            }
        }
    }

    private func releaseHeldDeliveries() async {
        do {
            try await exclusively(.schedule) { try await releaseDeliveries() }
        } catch is CancellationError {
            // The service stops; the next start queues them.
        } catch {
            logger.error("some webhook deliveries cannot be queued yet", metadata: ["error": "\(error)"])
        }
    }

    private func exportDue(_ plan: ExportPlan, counting failures: Counter) async -> Timestamp? {
        do {
            let next = try await exportDue(plan)
            progress.set(due: next, of: plan.tenant)
            return next
        } catch is CancellationError {
            return nil
        } catch {
            failures.increment()
            progress.failed(plan.tenant)
            await setDue(of: plan)
            logger.error(
                "an export failed and will be retried",
                metadata: ["tenant": "\(plan.tenant)", "error": "\(error)"]
            )
            return nil
        }
    }

    /// Sets the time for which a plan is late after a failed run. It is unchanged if the ledger cannot be read.
    private func setDue(of plan: ExportPlan) async {
        guard let schedule = plan.schedule else { return progress.set(due: nil, of: plan.tenant) }
        guard let pending = try? await ledger.pending(plan.tenant),
            let cursor = try? await ledger.cursor(of: plan.tenant, since: now())
        else { return }
        progress.set(due: pending.first?.end ?? schedule.next(after: cursor.lastEnd), of: plan.tenant)
    }

    /// Exports every window of the plan whose end has passed, including windows missed while the service was stopped.
    /// Returns the end of the next window; nil without a schedule.
    package func exportDue(_ plan: ExportPlan) async throws -> Timestamp? {
        try await exclusively(.schedule) { try await self.cutAndExportDue(plan) }
    }

    private func cutAndExportDue(_ plan: ExportPlan) async throws -> Timestamp? {
        let cursor = try await cursor(of: plan)
        guard let schedule = plan.schedule else { return nil }
        let ends = schedule.ends(after: cursor.lastEnd, upTo: now())
        if !ends.isEmpty {
            let edge = try await recorder.fence()
            for end in ends { _ = try await cut(plan, end: end, edge: edge) }
        }
        if let failure = try await exportPending(plan.tenant) { throw failure }
        return schedule.next(after: max(cursor.lastEnd, ends.last ?? cursor.lastEnd))
    }

    /// Returns the tenant's cursor. If a fast clock has cut windows up to a future time, and the clock is corrected,
    /// the schedule continues from now instead of waiting for that time. The edge is a sequence and does not change, so
    /// no row is exported twice or missed. If the clock was set back by less than a period, the schedule waits.
    private func cursor(of plan: ExportPlan) async throws -> ExportCursor {
        let now = now()
        let cursor = try await ledger.cursor(of: plan.tenant, since: now)
        let ahead = Duration.milliseconds(cursor.lastEnd.milliseconds - now.milliseconds)
        guard ahead > (plan.schedule ?? .hourly).period else { return cursor }
        logger.notice(
            "the clock was set back; export windows continue from now",
            metadata: ["tenant": "\(plan.tenant)", "window.end": "\(cursor.lastEnd)"]
        )
        return try await ledger.rewind(plan.tenant, to: now)
    }

    /// Cuts a window at this moment and exports it. Throws ``ExportRefusal`` if too many requests are waiting.
    package func exportNow(_ plan: ExportPlan) async throws -> ExportManifest {
        try await exclusively(.request(plan.tenant)) { try await self.cutAndExport(plan) }
    }

    private func cutAndExport(_ plan: ExportPlan) async throws -> ExportManifest {
        let cursor = try await cursor(of: plan)
        // A window must end after the last one; two windows cannot end in the same millisecond.
        let end = Timestamp(milliseconds: max(now().milliseconds, cursor.lastEnd.milliseconds + 1))
        if let failure = try await exportPending(plan.tenant) {
            logger.error(
                "an earlier window cannot be exported",
                metadata: ["tenant": "\(plan.tenant)", "error": "\(failure)"]
            )
        }
        let edge = try await recorder.fence()
        // Repeated requests without new rows fill neither the sink nor the ledger. The first window is kept even if it
        // is empty: from then on retention waits for exports.
        if try await ledger.hasWindows(plan.tenant), try await firstRows(of: plan, from: cursor.edge, to: edge).isEmpty
        {
            return ExportManifest(
                ExportWindow(
                    tenant: plan.tenant,
                    start: cursor.lastEnd,
                    end: end,
                    firstSequence: cursor.edge + 1,
                    lastSequence: max(edge, cursor.edge),
                    format: plan.format.rawValue,
                    level: plan.level,
                    software: software
                )
            )
        }
        return try await export(try await cut(plan, end: end, edge: edge))
    }

    /// Cuts the next window. The first window starts with its oldest row, which may be older than the cursor.
    private func cut(_ plan: ExportPlan, end: Timestamp, edge: Int64) async throws -> ExportWindow {
        var start: Timestamp?
        if try await !ledger.hasWindows(plan.tenant) {
            do {
                start = try await firstRows(of: plan, from: 0, to: edge).map(\.event.recordedAt).min()
            } catch let error where error.concernsOneWindow {
                // A damaged day. The window is cut anyway, and its export reports the damage, so that later windows
                // continue.
                start = nil
            }
        }
        return try await ledger.cut(
            plan.tenant,
            start: start,
            end: end,
            edge: edge,
            format: plan.format.rawValue,
            level: plan.level,
            software: software
        )
    }

    private func firstRows(of plan: ExportPlan, from edge: Int64, to end: Int64) async throws -> [StoredEvent] {
        guard edge < end else { return [] }
        return try await store.events(of: plan.tenant, in: (edge + 1)...end, limit: Self.pageSize)
    }

    /// Exports windows that are cut but not exported yet. A failure that concerns one window does not stop later ones;
    /// the first such failure is returned. A failure of the sink stops all of them and is thrown.
    private func exportPending(_ tenant: TenantID) async throws -> (any Error)? {
        var failure: (any Error)?
        for window in try await ledger.pending(tenant) {
            try Task.checkCancellation()
            do {
                _ = try await export(window)
            } catch let error where error.concernsOneWindow {
                failure = failure ?? error
            }
        }
        return failure
    }

    /// Runs `body` alone. Needed because actors are reentrant: another call may run while one awaits. Throws
    /// ``ExportRefusal`` if too many are waiting.
    func exclusively<Result>(
        _ purpose: ExportQueue.Purpose,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await queue.acquire(purpose)
        defer { queue.release() }
        return try await body()
    }

    // MARK: Existing windows

    /// Exports a window again. The result has the same bytes and changes nothing, unless the schema or zlib has
    /// changed, or the file is damaged or missing. Throws ``ExportFailure``.
    ///
    /// - Parameter name: The name in the manifest, with or without its directories.
    package func exportAgain(_ name: String, of tenant: TenantID) async throws -> ExportManifest {
        try await exclusively(.request(tenant)) { try await self.export(try await self.window(name, of: tenant)) }
    }

    /// Exports a window unless the sink has its manifest and a file with the manifest's checksum.
    package func backfill(_ name: String, of tenant: TenantID) async throws -> ExportBackfill {
        try await exclusively(.request(tenant)) {
            let window = try await self.window(name, of: tenant)
            if let stored = try await self.storedManifest(of: window), try await self.isWhole(stored) {
                return .kept(stored)
            }
            return .written(try await self.export(window))
        }
    }

    /// Returns the names of the windows that end after an instant, oldest first.
    package func windows(of tenant: TenantID, endingAfter instant: Timestamp) async throws -> [String] {
        try await ledger.windows(of: tenant, endingAfter: instant).map(\.name)
    }

    private func window(_ name: String, of tenant: TenantID) async throws -> ExportWindow {
        guard let end = ExportWindow.end(named: name, of: tenant),
            let window = try await ledger.window(of: tenant, ending: end)
        else { throw ExportFailure.unknownWindow(name) }
        guard try await !ledger.isGone(window) else { throw ExportFailure.windowGone(window.name) }
        return window
    }

    // MARK: Contents of the sink

    /// Returns the names of a tenant's exports, newest first.
    package func names(of tenant: TenantID) async throws -> [String] { try await sink.names(of: tenant) }
    package func manifest(_ name: String) async throws -> [UInt8]? { try await sink.manifest(name) }
    package func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        try await sink.read(path, from: offset, count: count)
    }
}

extension Error {
    /// Whether the failure is limited to one window, so that others may succeed.
    fileprivate var concernsOneWindow: Bool {
        switch self {
        case is CancellationError, is S3Failure, is FileFailure: false
        default: true
        }
    }
}

/// The result of a backfill for one window.
package enum ExportBackfill: Sendable, Hashable {
    case written(ExportManifest)
    /// The sink already had the complete export.
    case kept(ExportManifest)
}
