package import LinkRouting

/// What one export holds; written after its file, so that a manifest always stands beside a whole file.
package struct ExportManifest: Sendable, Hashable {
    package static let formatVersion: Int64 = 1

    package var tenant: TenantID
    /// The path without its ending, relative to the sink: `tenant=shop/dt=2026-11-21/hour=10/events-…`.
    package var name: String
    package var windowStart: Timestamp
    package var windowEnd: Timestamp
    package var schemaVersion: Int64
    package var rows: Int64
    /// The window's range; rows of other tenants lie in it too.
    package var firstSequence: Int64
    package var lastSequence: Int64
    package var firstRecordedAt: Timestamp?
    package var lastRecordedAt: Timestamp?
    /// Nil when there are no rows.
    package var file: File?

    package struct File: Sendable, Hashable {
        /// Relative to the sink.
        package var path: String
        package var format: String
        package var level: Int64
        package var bytes: Int64
        package var rawBytes: Int64
        /// Hexadecimal, of the compressed and of the raw bytes.
        package var sha256: String
        package var rawSHA256: String
    }

    package var json: [UInt8] {
        var writer = JSONWriter(.pretty)
        writer.beginObject()
        writer.member("formatVersion", Self.formatVersion)
        writer.member("tenant", tenant.rawValue)
        writer.member("name", name)
        writer.key("window")
        writer.beginObject()
        writer.member("start", windowStart.description)
        writer.member("end", windowEnd.description)
        writer.member("firstSeq", firstSequence)
        writer.member("lastSeq", lastSequence)
        writer.endObject()
        writer.member("schemaVersion", schemaVersion)
        writer.member("rows", rows)
        writer.member("minRecordedAt", firstRecordedAt?.description)
        writer.member("maxRecordedAt", lastRecordedAt?.description)
        if let file {
            writer.key("file")
            writer.beginObject()
            writer.member("path", file.path)
            writer.member("format", file.format)
            writer.member("level", file.level)
            writer.member("bytes", file.bytes)
            writer.member("rawBytes", file.rawBytes)
            writer.member("sha256", file.sha256)
            writer.member("rawSha256", file.rawSHA256)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes + [0x0A]
    }
}
