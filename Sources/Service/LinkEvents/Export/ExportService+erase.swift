import Crypto
package import LinkRouting
import Logging
import Networking

/// The effect of an erasure on exports.
package struct ExportErasure: Sendable, Hashable {
    package var changed: [ChangedExport] = []
    /// Exports whose manifest or file is missing, damaged or unreadable, so that their contents are unknown. Exporting
    /// their windows again repairs them, without the erased rows.
    package var unreadable: [String] = []

    package struct ChangedExport: Sendable, Hashable {
        package let name: String
        /// The version of the current manifest.
        package let version: Int64
        package let rows: Int64
    }
}

extension ExportService {
    /// Removes the rows of an install from every export of a tenant. Each affected export gets a new file and a
    /// manifest with the next version, and its old file is removed. Files without a manifest are removed too, because
    /// leftovers of interrupted runs may contain rows.
    ///
    /// A crash at any step leaves every export intact, and repeating the erasure completes it. The bytes are the same
    /// as those exported from a log without the rows. Erase in the log first: a window that is cut and not yet exported
    /// is read from there.
    ///
    /// - Parameter last: Rows with a later sequence stay: the install came back after the erasure was requested.
    package func erase(
        install: InstallID,
        of tenant: TenantID,
        through last: Int64 = .max
    ) async throws -> ExportErasure {
        try await exclusively(.erasure(tenant)) {
            try await self.eraseInTurn(install: install, of: tenant, through: last)
        }
    }

    /// Runs `body` within an erasure turn. Throws ``ExportRefusal`` before `body` starts if too many erasures are
    /// waiting.
    package func inErasureTurn<Result: Sendable>(
        of tenant: TenantID,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await exclusively(.erasure(tenant)) { try await body() }
    }

    /// Like ``erase(install:of:through:)``, but must run within ``inErasureTurn(of:_:)``.
    package func eraseInTurn(
        install: InstallID,
        of tenant: TenantID,
        through last: Int64
    ) async throws -> ExportErasure {
        let filter = ErasureFilter(install: install, lastSequence: last)
        var erasure = ExportErasure()
        let paths = try await self.sink.paths(of: tenant)
        let names = ExportPath.names(in: paths)
        if names.isEmpty { erasure.unreadable = try await self.exportedNames(of: tenant) }
        var named: Set<String> = []
        var untouched: Set<String> = []
        for name in names {
            try Task.checkCancellation()
            named.insert(name + ExportPath.manifestEnding)
            guard let manifest = try await self.readableManifest(name) else {
                untouched.insert(name)
                erasure.unreadable.append(name)
                continue
            }
            do {
                let changed = try await self.erase(filter, from: manifest)
                if let path = (changed ?? manifest).file?.path { named.insert(path) }
                guard let changed else { continue }
                erasure.changed.append(
                    ExportErasure.ChangedExport(
                        name: name,
                        version: changed.version,
                        rows: manifest.rows - changed.rows
                    )
                )
            } catch ExportFailure.damaged(let path) {
                named.insert(path)
                erasure.unreadable.append(name)
            }
        }
        for path in paths where !named.contains(path) {
            if let name = ExportPath.name(of: path), untouched.contains(name) { continue }
            try await self.sink.remove(path)
        }
        return erasure
    }

    /// Returns the names of the exported windows. Used if the sink has no exports at all, because its disk may not be
    /// mounted. If the sink has some, others may have been removed on purpose.
    private func exportedNames(of tenant: TenantID) async throws -> [String] {
        let pending = Set(try await ledger.pending(tenant).map(\.name))
        let cut = try await ledger.windows(of: tenant, endingAfter: Timestamp(milliseconds: 0)).map(\.name)
        return cut.filter { !pending.contains($0) }.reversed()
    }

    /// Returns the manifest; nil if it cannot be read, or has been removed since it was listed.
    func readableManifest(_ name: String) async throws -> ExportManifest? {
        do {
            return try await sink.manifest(name).map { try ExportManifest($0, name: name) }
        } catch let error where error is FileFailure || error is ExportManifest.Unreadable {
            logger.error("a manifest cannot be read", metadata: ["export.path": "\(name)", "error": "\(error)"])
            return nil
        }
    }

    /// Erases rows from one export. Returns the new manifest; nil if there was nothing to erase.
    private func erase(_ filter: ErasureFilter, from manifest: ExportManifest) async throws -> ExportManifest? {
        guard let file = manifest.file else { return nil }
        guard let format = ExportEncoder(rawValue: file.format) else { throw ExportFailure.damaged(file.path) }
        var found: Int64 = 0
        // Most files contain no matching rows and are only read.
        try await forEachPart(of: file, as: format) { part in
            for row in part.rows where filter.holds(row, in: part.records) { found += 1 }
        }
        guard found > 0 else { return nil }
        var changed = manifest
        changed.version += 1
        changed.software = software
        changed.rows -= found
        changed.erasedRows += found
        (changed.file, changed.firstRecordedAt, changed.lastRecordedAt) = (nil, nil, nil)
        if changed.rows > 0 {
            try await rewrite(file, as: format, without: filter, into: &changed)
        }
        return try await replace(manifest, by: changed)
    }

    private func rewrite(
        _ file: ExportManifest.File,
        as format: ExportEncoder,
        without filter: ErasureFilter,
        into manifest: inout ExportManifest
    ) async throws {
        let path = ExportManifest.path(of: manifest.name, version: manifest.version, format: format)
        var (first, last): (Timestamp?, Timestamp?)
        // Removes the file of an interrupted run, because this run may find other rows to erase.
        try await sink.remove(path)
        let draft = try await sink.create(path)
        do {
            let writer = try ExportFileWriter(draft, level: Int(file.level))
            try await forEachPart(of: file, as: format) { part in
                var retained = part.header
                for row in part.rows where !filter.holds(row, in: part.records) {
                    retained += row
                    guard let time = part.records.text("recordedAt", of: row).flatMap({ Timestamp($0) }) else {
                        throw ExportFailure.damaged(file.path)
                    }
                    first = min(first ?? time, time)
                    last = max(last ?? time, time)
                }
                try await writer.write(retained)
            }
            let sums = try await writer.end()
            try await draft.finish(sha256: sums.sha256)
            manifest.firstRecordedAt = first
            manifest.lastRecordedAt = last
            manifest.file = ExportManifest.File(
                path: path,
                format: file.format,
                level: file.level,
                bytes: sums.bytes,
                rawBytes: sums.rawBytes,
                sha256: sums.sha256,
                rawSHA256: sums.rawSHA256
            )
        } catch {
            await draft.discard()
            throw error
        }
    }

    // MARK: Reading a file back

    /// The rows of one chunk of the file.
    private struct Part {
        var header: [UInt8] = []
        var rows: [[UInt8]] = []
        let records: ExportRecords
    }

    private static let partBytes = 256 << 10

    /// Decompresses a file chunk by chunk. Throws ``ExportFailure/damaged(_:)`` if the file does not match its
    /// manifest, which is known only at the end.
    private func forEachPart(
        of file: ExportManifest.File,
        as format: ExportEncoder,
        _ body: (Part) async throws -> Void
    ) async throws {
        var (records, hash, offset) = (ExportRecords(format), SHA256(), Int64(0))
        let gunzip = try GunzipStream()
        while let chunk = try await part(of: file, from: offset), !chunk.isEmpty {
            try Task.checkCancellation()
            offset += Int64(chunk.count)
            hash.update(data: chunk)
            var (header, rows): ([UInt8], [[UInt8]]) = ([], [])
            do {
                try gunzip.write(chunk) { text in
                    records.read(text) { record in
                        switch record {
                        case .header(let bytes): header = bytes
                        case .row(let bytes): rows.append(bytes)
                        }
                    }
                }
            } catch is GunzipStream.Failure {
                throw ExportFailure.damaged(file.path)
            }
            try await body(Part(header: header, rows: rows, records: records))
        }
        guard gunzip.isWhole, records.isAtEnd, hash.finalize().hexadecimal == file.sha256 else {
            throw ExportFailure.damaged(file.path)
        }
    }

    /// Reads compressed bytes. Maps a read failure to ``ExportFailure/damaged(_:)``, to distinguish it from a write
    /// failure.
    private func part(of file: ExportManifest.File, from offset: Int64) async throws -> [UInt8]? {
        do {
            return try await sink.read(file.path, from: offset, count: Self.partBytes)
        } catch let failure as FileFailure {
            logger.error("an export file cannot be read", metadata: ["error": "\(failure)"])
            throw ExportFailure.damaged(file.path)
        }
    }

    /// Returns the SHA-256 of a file; nil if the file is missing.
    func digest(of path: String) async throws -> String? {
        var (hash, offset) = (SHA256(), Int64(0))
        while let chunk = try await sink.read(path, from: offset, count: Self.chunkBytes) {
            guard !chunk.isEmpty else { return hash.finalize().hexadecimal }
            try Task.checkCancellation()
            hash.update(data: chunk)
            offset += Int64(chunk.count)
        }
        return nil
    }
}

/// Matches the rows of one install.
private struct ErasureFilter {
    private let install: String
    private let lastSequence: Int64
    private let bytes: [UInt8]

    init(install: InstallID, lastSequence: Int64) {
        self.install = install.description
        self.lastSequence = lastSequence
        bytes = Array(self.install.utf8)
    }

    /// Searches the raw bytes first, because parsing is slow. The digits may also occur in another column.
    func holds(_ row: [UInt8], in records: ExportRecords) -> Bool {
        guard row.holds(bytes), records.text("install", of: row) == install else { return false }
        return records.sequence(of: row).map { $0 <= lastSequence } ?? true
    }
}
