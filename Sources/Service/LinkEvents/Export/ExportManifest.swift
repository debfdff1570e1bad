package import LinkRouting

/// Describes one export. It is written after its file, so that a manifest always refers to a complete file.
package struct ExportManifest: Sendable, Hashable {
    package static let formatVersion: Int64 = 1

    package var tenant: TenantID
    /// The path without its extension, relative to the sink: `tenant=shop/dt=2026-11-21/hour=10/events-…`.
    package var name: String
    /// The node whose log it is from, if there are several.
    package var node: String?
    /// The program with its version: for the first version of an export the one that cut the window, so that each attempt writes
    /// the same manifest, for a later one the one that wrote it.
    package var software: String?
    /// Starts at 1 and increases whenever the window's file is replaced by one with other bytes.
    package var version: Int64 = 1
    /// The number of the window's rows that erasures removed, over all versions.
    package var erasedRows: Int64 = 0
    package var windowStart: Timestamp
    package var windowEnd: Timestamp
    package var schemaVersion: Int64
    package var rows: Int64
    /// The window's range of sequences, which rows of other tenants share.
    package var firstSequence: Int64
    package var lastSequence: Int64
    package var firstRecordedAt: Timestamp?
    package var lastRecordedAt: Timestamp?
    /// Nil if there are no rows.
    package var file: File?

    package struct File: Sendable, Hashable {
        /// Relative to the sink.
        package var path: String
        package var format: String
        package var level: Int64
        package var bytes: Int64
        package var rawBytes: Int64
        /// Hexadecimal SHA-256 of the compressed bytes and of the raw bytes.
        package var sha256: String
        package var rawSHA256: String
    }

    package var json: [UInt8] {
        var writer = JSONWriter(.pretty)
        write(to: &writer)
        return writer.bytes + [0x0A]
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("formatVersion", Self.formatVersion)
        writer.member("tenant", tenant.rawValue)
        writer.member("name", name)
        writer.member("node", node)
        writer.member("software", software)
        writer.member("version", version)
        writer.key("window")
        writer.beginObject()
        writer.member("start", windowStart.description)
        writer.member("end", windowEnd.description)
        writer.member("firstSeq", firstSequence)
        writer.member("lastSeq", lastSequence)
        writer.endObject()
        writer.member("schemaVersion", schemaVersion)
        writer.member("rows", rows)
        writer.member("erasedRows", erasedRows)
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
    }

    /// Returns the path of a version's file. The first version has the window's name; later ones add their version
    /// number.
    package static func path(of name: String, version: Int64, format: ExportEncoder) -> String {
        "\(name)\(version > 1 ? ".v\(version)" : "").\(format.fileExtension).gz"
    }

    /// Whether the manifest belongs to this window. Detects two servers that export into the same place.
    func describes(_ window: ExportWindow) -> Bool {
        tenant == window.tenant && windowStart == window.start && windowEnd == window.end
            && firstSequence == window.firstSequence && lastSequence == window.lastSequence
    }
}

extension ExportManifest {
    package init(_ window: ExportWindow) {
        tenant = window.tenant
        name = window.name
        windowStart = window.start
        windowEnd = window.end
        software = window.software
        schemaVersion = Int64(ExportSchema.version)
        rows = 0
        firstSequence = window.firstSequence
        lastSequence = window.lastSequence
    }

    /// A manifest that cannot be parsed. Manifests are read from files, so they may contain anything.
    package struct Unreadable: Error, CustomStringConvertible {
        package let name: String

        package init(name: String) { self.name = name }

        package var description: String {
            "the manifest of '\(name)' cannot be read; remove it and re-export the window"
        }
    }

    private static let maximumBytes = 65_536

    /// Parses the output of ``json``. The earliest manifests had neither software, nor a version, nor a count of erased rows.
    package init(_ text: [UInt8], name: String) throws {
        guard let node = try? JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: Self.maximumBytes)),
            node["formatVersion"]?.int == Self.formatVersion, node["name"]?.text == name,
            let tenant = node["tenant"]?.text.flatMap({ TenantID($0) }), let window = node["window"],
            let start = window["start"]?.text.flatMap({ Timestamp($0) }),
            let end = window["end"]?.text.flatMap({ Timestamp($0) }),
            let first = window["firstSeq"]?.int, let last = window["lastSeq"]?.int,
            let schema = node["schemaVersion"]?.int, let rows = node["rows"]?.int
        else { throw Unreadable(name: name) }
        self.tenant = tenant
        self.name = name
        self.node = node["node"]?.text
        software = node["software"]?.text
        version = node["version"]?.int ?? 1
        erasedRows = node["erasedRows"]?.int ?? 0
        windowStart = start
        windowEnd = end
        schemaVersion = schema
        self.rows = rows
        firstSequence = first
        lastSequence = last
        firstRecordedAt = node["minRecordedAt"]?.text.flatMap { Timestamp($0) }
        lastRecordedAt = node["maxRecordedAt"]?.text.flatMap { Timestamp($0) }
        guard let file = node["file"] else { return }
        guard let path = file["path"]?.text, let format = file["format"]?.text, let level = file["level"]?.int,
            let bytes = file["bytes"]?.int, let rawBytes = file["rawBytes"]?.int, let sha256 = file["sha256"]?.text,
            let rawSHA256 = file["rawSha256"]?.text
        else { throw Unreadable(name: name) }
        self.file = File(
            path: path,
            format: format,
            level: level,
            bytes: bytes,
            rawBytes: rawBytes,
            sha256: sha256,
            rawSHA256: rawSHA256
        )
    }
}
