import LinkRouting
import Logging
import Metrics

/// Writes one window into one file, in these steps. The parentheses tell what a crash leads to:
///
/// 1. The file is written (no manifest names it: it is written again).
/// 2. The webhook delivery is stored (it stays held).
/// 3. The manifest is written.
/// 4. The delivery is released (the next run does it).
/// 5. The previous file is removed (the next run does it).
/// 6. The window is marked as exported.
extension ExportService {
    /// Reads the times of the last exports from the ledger, so that their age survives a restart.
    func recallLastSuccesses() async {
        do {
            progress.recall(try await ledger.lastExports())
        } catch {
            logger.error("the times of the last exports cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the window's file and manifest unless they exist with the same bytes, and marks the window as exported.
    func export(_ window: ExportWindow) async throws -> ExportManifest {
        let begin = uptime()
        let manifest: ExportManifest
        do {
            manifest = try await publish(window)
        } catch ExportFailure.occupied(let path) where !path.hasSuffix(ExportPath.manifestEnding) {
            // An interrupted run left the file before rows were erased or the binary was replaced, or the file is
            // damaged.
            logger.notice(
                "an export file that does not match its manifest is rewritten",
                metadata: ["export.path": "\(path)"]
            )
            try await sink.remove(path)
            manifest = try await publish(window)
        }
        // Repeats what a crash after writing the manifest left undone.
        try await webhooks?.release(WebhookDelivery.id(of: manifest), at: now())
        try await ledger.markExported(window, at: now())
        Counter(label: "fingerpost_sink_batches_total", dimensions: [("sink", sink.kind), ("result", "ok")]).increment()
        Counter(label: "fingerpost_export_rows_total").increment(by: manifest.rows)
        progress.exported(window.tenant, at: now())
        let duration = uptime() - begin
        logger.info(
            "window exported",
            metadata: [
                "tenant": "\(window.tenant)", "window.start": "\(window.start)", "window.end": "\(window.end)",
                "export.path": "\(manifest.name)", "export.rows": .stringConvertible(manifest.rows),
                "export.bytes": .stringConvertible(manifest.file?.bytes ?? 0),
                "dur_ms": .stringConvertible(duration / .milliseconds(1)),
            ]
        )
        return manifest
    }

    private func publish(_ window: ExportWindow) async throws -> ExportManifest {
        let stored = try await storedManifest(of: window)
        let wasGone = try await ledger.isGone(window)
        let isWhole: Bool
        if let stored { isWhole = try await self.isWhole(stored) } else { isWhole = true }
        guard let format = ExportEncoder(rawValue: window.format) else {
            throw EventStoreError.refused(
                "the ledger has a window in the format '\(window.format)', which this version does not support"
            )
        }
        var manifest = ExportManifest(window)
        manifest.node = node
        manifest.version = (stored?.version ?? 0) + 1
        if stored != nil { manifest.software = software }
        manifest.erasedRows = stored?.erasedRows ?? 0
        // A damaged file is repaired in place; an intact one stays until another replaces it.
        let damaged = isWhole ? nil : stored?.file?.path
        let path = damaged ?? ExportManifest.path(of: window.name, version: manifest.version, format: format)
        let written = try await write(window, as: format, to: path)
        // Retention may have dropped rows while they were read. Rows dropped before a forced export were already lost.
        let isGone = try await ledger.isGone(window)
        guard wasGone || !isGone else {
            await written?.file.discard()
            throw ExportFailure.windowGone(window.name)
        }
        guard let draft = written else {
            if let stored, stored.file == nil { return stored }
            if let stored, isWhole { throw ExportFailure.fewerRows(stored.name) }
            return try await replace(stored, by: manifest)
        }
        do {
            // A lost day of the log must not take its exports with it. Erased rows are missing in both.
            if let stored, isWhole, draft.rows.count < stored.rows { throw ExportFailure.fewerRows(stored.name) }
            // Damaged rows must not replace a good file: only another schema or zlib explains other bytes for as many
            // rows.
            if let stored, isWhole, stored.schemaVersion == manifest.schemaVersion,
                stored.file?.rawSHA256 != draft.sums.rawSHA256
            {
                throw ExportFailure.otherRows(stored.name)
            }
            manifest.rows = draft.rows.count
            manifest.firstRecordedAt = draft.rows.firstRecordedAt
            manifest.lastRecordedAt = draft.rows.lastRecordedAt
            manifest.file = ExportManifest.File(
                path: path,
                format: format.rawValue,
                level: Int64(window.level),
                bytes: draft.sums.bytes,
                rawBytes: draft.sums.rawBytes,
                sha256: draft.sums.sha256,
                rawSHA256: draft.sums.rawSHA256
            )
            if let stored, stored.file?.sha256 == draft.sums.sha256 {
                if isWhole {
                    await draft.file.discard()
                } else {
                    try await draft.file.finish(sha256: draft.sums.sha256)
                }
                return stored
            }
            try await draft.file.finish(sha256: draft.sums.sha256)
        } catch {
            await draft.file.discard()
            throw error
        }
        return try await replace(stored, by: manifest)
    }

    /// Writes a manifest that replaces the previous one, if any, and removes the file that no manifest names any more.
    func replace(_ stored: ExportManifest?, by manifest: ExportManifest) async throws -> ExportManifest {
        if manifest.file != nil || manifest.version > 1 {
            try await webhooks?.add(WebhookDelivery(of: manifest, at: now()))
        }
        try await sink.write(
            manifest.json,
            to: manifest.name + ExportPath.manifestEnding,
            over: stored == nil ? .refused : .allowed
        )
        try await webhooks?.release(WebhookDelivery.id(of: manifest), at: now())
        if let path = stored?.file?.path, path != manifest.file?.path { try await sink.remove(path) }
        return manifest
    }

    private static let mostDeliveriesAtOnce = 1_000

    /// Releases deliveries whose manifest was written right before a crash. Removes those whose manifest was never
    /// written and has been superseded.
    func releaseDeliveries() async throws {
        guard let webhooks else { return }
        for delivery in try await webhooks.heldDeliveries(limit: Self.mostDeliveriesAtOnce) {
            guard let name = delivery.exportName, let manifest = try await readableManifest(name) else { continue }
            if WebhookDelivery.id(of: manifest) == delivery.id {
                try await webhooks.release(delivery.id, at: now())
            } else {
                try await webhooks.complete(delivery)
            }
        }
    }

    /// Returns the window's manifest from the sink; nil if there is none. Throws if it belongs to another window.
    func storedManifest(of window: ExportWindow) async throws -> ExportManifest? {
        guard let text = try await sink.manifest(window.name) else { return nil }
        let manifest = try ExportManifest(text, name: window.name)
        guard manifest.describes(window) else { throw ExportFailure.otherWindow(window.name) }
        return manifest
    }

    /// Returns whether the manifest's file exists with the expected bytes.
    func isWhole(_ manifest: ExportManifest) async throws -> Bool {
        guard let file = manifest.file else { return true }
        return try await digest(of: file.path) == file.sha256
    }

    // MARK: The file

    /// A file that is written but not yet visible.
    struct Draft {
        let file: any ExportFile
        let sums: ExportFileWriter.Sums
        let rows: RowSummary
    }

    /// The part of the manifest about the rows.
    struct RowSummary {
        private(set) var count: Int64 = 0
        private(set) var last: Int64 = 0
        private(set) var firstRecordedAt: Timestamp?
        private(set) var lastRecordedAt: Timestamp?

        init(_ page: [StoredEvent]) { add(page) }

        mutating func add(_ page: [StoredEvent]) {
            count += Int64(page.count)
            last = page.last?.sequence ?? last
            for stored in page {
                let time = stored.event.recordedAt
                firstRecordedAt = min(firstRecordedAt ?? time, time)
                lastRecordedAt = max(lastRecordedAt ?? time, time)
            }
        }
    }

    /// Writes the window's rows to a file; returns nil if there are none.
    private func write(_ window: ExportWindow, as format: ExportEncoder, to path: String) async throws -> Draft? {
        var page = try await page(of: window, after: window.firstSequence - 1)
        guard !page.isEmpty else { return nil }
        let file = try await sink.create(path)
        do {
            let writer = try ExportFileWriter(file, level: window.level)
            var rows = RowSummary(page)
            var text = format.header() + format.rows(page)
            while !text.isEmpty {
                try Task.checkCancellation()
                // Compresses these rows while the next page is read and encoded.
                let ready = text
                async let written: Void = writer.write(ready)
                page = try await self.page(of: window, after: rows.last)
                rows.add(page)
                text = format.rows(page)
                try await written
            }
            return Draft(file: file, sums: try await writer.end(), rows: rows)
        } catch {
            await file.discard()
            throw error
        }
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
