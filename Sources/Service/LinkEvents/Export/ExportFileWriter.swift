import Crypto
import Networking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compresses, hashes and writes one file on its own thread, while its caller reads and encodes the next rows.
actor ExportFileWriter {
    private let executor = BlockingExecutor(label: "fingerpost.exporter.file")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let file: any ExportFile
    private let gzip: GzipStream
    private var hash = SHA256()
    private var rawHash = SHA256()
    private var bytes: Int64 = 0
    private var rawBytes: Int64 = 0
    private var compressed: [UInt8] = []

    init(_ file: any ExportFile, level: Int) throws {
        self.file = file
        gzip = try GzipStream(level: level)
    }

    func write(_ raw: [UInt8]) async throws {
        rawHash.update(data: raw)
        rawBytes += Int64(raw.count)
        try gzip.write(raw) { compressed += $0 }
        try await pass()
    }

    /// Ends the compressed stream but does not finish the file, so that its checksums are known before it becomes
    /// visible.
    func end() async throws -> Sums {
        try gzip.finish { compressed += $0 }
        try await pass()
        return Sums(
            bytes: bytes,
            rawBytes: rawBytes,
            sha256: hash.finalize().hexadecimal,
            rawSHA256: rawHash.finalize().hexadecimal
        )
    }

    struct Sums: Sendable {
        let bytes: Int64
        let rawBytes: Int64
        let sha256: String
        let rawSHA256: String
    }

    private func pass() async throws {
        guard !compressed.isEmpty else { return }
        hash.update(data: compressed)
        bytes += Int64(compressed.count)
        try await file.write(compressed[...])
        compressed.removeAll(keepingCapacity: true)
    }
}
