import Crypto
package import LinkRouting
package import Logging
import Metrics
import ServiceLifecycle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one tenant wants exported.
package struct ExportPlan: Sendable, Hashable {
    package let tenant: TenantID
    /// Nil: only when asked for.
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

/// Cuts the log into windows when their time has come and writes each as one compressed file.
///
/// A window is a range of sequences. When its end has passed, a fence goes through the recorder, and the last committed
/// sequence becomes the tenant's edge, once. A crash at any point leaves no partial file visible and no row exported twice
/// or missed: a window that is cut but not marked is written again, to the same bytes.
package actor Exporter: Service {
    private let executor = BlockingExecutor(label: "fingerpost.exporter")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: any EventStore
    private let ledger: any ExportLedger
    private let sink: any ExportSink
    private let recorder: EventRecorder
    private let plans: @Sendable () -> [ExportPlan]
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    private var isExporting = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private static let pageSize = 1_000
    /// The longest sleep, so that a clock that jumps is noticed.
    private static let longestSleep = Duration.seconds(30)

    package init(
        store: any EventStore,
        ledger: any ExportLedger,
        sink: any ExportSink,
        recorder: EventRecorder,
        plans: @escaping @Sendable () -> [ExportPlan],
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        logger: Logger
    ) {
        self.store = store
        self.ledger = ledger
        self.sink = sink
        self.recorder = recorder
        self.plans = plans
        self.now = now
        self.sleep = sleep
        self.logger = logger
    }

    /// Exports what is due, sleeps until something is, and so on until shutdown. A failed export is logged and tried again.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var pause = Self.longestSleep
                for plan in self.plans() {
                    do {
                        let next = try await self.exportDue(plan)
                        if let next {
                            pause = min(pause, .milliseconds(max(1, next.milliseconds - self.now().milliseconds)))
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        Counter(
                            label: "fingerpost_sink_batches_total",
                            dimensions: [("sink", "directory"), ("result", "failed")]
                        )
                        .increment()
                        self.logger.error(
                            "an export failed and will be tried again",
                            metadata: ["tenant": "\(plan.tenant)", "error": "\(error)"]
                        )
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

    /// Exports every window of the plan whose end has passed, also those missed while nothing ran; when the next one ends.
    package func exportDue(_ plan: ExportPlan) async throws -> Timestamp? {
        try await exclusively { try await self.cutAndExportDue(plan) }
    }

    private func cutAndExportDue(_ plan: ExportPlan) async throws -> Timestamp? {
        let cursor = try await cursor(of: plan)
        guard let schedule = plan.schedule else { return nil }
        let ends = schedule.ends(after: cursor.lastEnd, upTo: now())
        if !ends.isEmpty {
            let edge = try await recorder.fence()
            for end in ends {
                _ = try await ledger.cut(
                    plan.tenant,
                    end: end,
                    edge: edge,
                    format: plan.format.rawValue,
                    level: plan.level
                )
            }
        }
        for window in try await ledger.pending(plan.tenant) { _ = try await export(window) }
        return schedule.next(after: max(cursor.lastEnd, ends.last ?? cursor.lastEnd))
    }

    /// How far the tenant's exports have come. A clock that ran ahead has cut windows up to the false time; once it is set
    /// right, the schedule goes on from now and does not wait until that time comes. An edge is a sequence and stays where it
    /// is, so no row is exported twice or missed. A clock that is set back by less than a period is only waited for.
    private func cursor(of plan: ExportPlan) async throws -> ExportCursor {
        let now = now()
        let cursor = try await ledger.cursor(of: plan.tenant, since: now)
        let ahead = Duration.milliseconds(cursor.lastEnd.milliseconds - now.milliseconds)
        guard ahead > (plan.schedule ?? .hourly).period else { return cursor }
        logger.notice(
            "the clock was set back; export windows go on from now",
            metadata: ["tenant": "\(plan.tenant)", "window.end": "\(cursor.lastEnd)"]
        )
        return try await ledger.rewind(plan.tenant, to: now)
    }

    /// Ends a window at this moment and exports it.
    package func exportNow(_ plan: ExportPlan) async throws -> ExportManifest {
        try await exclusively { try await self.cutAndExport(plan) }
    }

    private func cutAndExport(_ plan: ExportPlan) async throws -> ExportManifest {
        let cursor = try await cursor(of: plan)
        // Two windows cannot end in the same millisecond, nor before the last one.
        let end = Timestamp(milliseconds: max(now().milliseconds, cursor.lastEnd.milliseconds + 1))
        for window in try await ledger.pending(plan.tenant) { _ = try await export(window) }
        let edge = try await recorder.fence()
        let window = try await ledger.cut(
            plan.tenant,
            end: end,
            edge: edge,
            format: plan.format.rawValue,
            level: plan.level
        )
        return try await export(window)
    }

    /// One export at a time: an actor takes other calls while one awaits, and two writers of one window would take each
    /// other's temporary file away.
    private func exclusively<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        while isExporting { await withCheckedContinuation { waiting.append($0) } }
        isExporting = true
        defer {
            isExporting = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        return try await body()
    }

    /// The manifests of a tenant's exports, newest first, as they stand in the sink.
    package func names(of tenant: TenantID) async throws -> [String] { try await sink.names(of: tenant) }
    package func manifest(_ name: String) async throws -> [UInt8]? { try await sink.manifest(name) }
    package func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        try await sink.read(path, from: offset, count: count)
    }

    /// Writes the window's file and manifest, unless they are there, and marks it.
    func export(_ window: ExportWindow) async throws -> ExportManifest {
        let name = window.name
        let manifest = try await write(window, name: name)
        // Written before: the same rows give the same bytes, so what stands there is what was just computed.
        try await sink.write(manifest: manifest.json, name: name)
        try await ledger.markExported(window, at: now())
        Counter(label: "fingerpost_export_rows_total").increment(by: manifest.rows)
        Gauge(label: "fingerpost_export_last_success_timestamp_seconds").record(now().milliseconds / 1_000)
        logger.debug("window exported", metadata: ["export.rows": "\(manifest.rows)", "tenant": "\(window.tenant)"])
        return manifest
    }

    private func write(_ window: ExportWindow, name: String) async throws -> ExportManifest {
        guard let encoder = ExportEncoder(rawValue: window.format) else {
            throw EventStoreError.refused(
                "the ledger names the format '\(window.format)', which this binary does not know"
            )
        }
        var manifest = ExportManifest(
            tenant: window.tenant,
            name: name,
            windowStart: window.start,
            windowEnd: window.end,
            schemaVersion: Int64(ExportSchema.version),
            rows: 0,
            firstSequence: window.firstSequence,
            lastSequence: window.lastSequence
        )
        var page = try await page(of: window, after: window.firstSequence - 1)
        guard !page.isEmpty else { return manifest }
        let path = "\(name).\(encoder.fileExtension).gz"
        let file = try await sink.create(path)
        let gzip = try GzipStream(level: window.level)
        var (hash, rawHash) = (SHA256(), SHA256())
        var (bytes, rawBytes) = (Int64(0), Int64(0))
        func put(_ compressed: ArraySlice<UInt8>) throws {
            hash.update(data: compressed)
            bytes += Int64(compressed.count)
            try file.write(compressed)
        }
        func write(_ raw: [UInt8]) throws {
            rawHash.update(data: raw)
            rawBytes += Int64(raw.count)
            try gzip.write(raw, to: put)
        }
        try write(encoder.header())
        manifest.firstRecordedAt = page.first?.event.recordedAt
        manifest.lastRecordedAt = manifest.firstRecordedAt
        while let last = page.last {
            try write(page.flatMap(encoder.row))
            manifest.rows += Int64(page.count)
            for stored in page {
                manifest.firstRecordedAt = manifest.firstRecordedAt.map { min($0, stored.event.recordedAt) }
                manifest.lastRecordedAt = manifest.lastRecordedAt.map { max($0, stored.event.recordedAt) }
            }
            page = try await self.page(of: window, after: last.sequence)
        }
        try gzip.finish(to: put)
        try file.finish()
        manifest.file = ExportManifest.File(
            path: path,
            format: encoder.rawValue,
            level: Int64(window.level),
            bytes: bytes,
            rawBytes: rawBytes,
            sha256: hash.finalize().hexadecimal,
            rawSHA256: rawHash.finalize().hexadecimal
        )
        return manifest
    }

    private func page(of window: ExportWindow, after sequence: Int64) async throws -> [StoredEvent] {
        guard sequence < window.lastSequence else { return [] }
        return try await store.events(
            of: window.tenant,
            in: (sequence + 1)...window.lastSequence,
            limit: Self.pageSize
        )
    }
}

extension SHA256Digest {
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
