import LinkRouting

/// Encodes events as the rows of an export.
package enum ExportEncoder: String, Sendable, CaseIterable {
    /// One JSON object per line, with every column in every row.
    case ndjson
    /// RFC 4180 with a header row and CRLF. A text that a spreadsheet would read as a formula is prefixed with `'`.
    case csv

    package var fileExtension: String { rawValue }

    package func header() -> [UInt8] {
        switch self {
        case .ndjson: []
        case .csv: Array(ExportSchema.columns.joined(separator: ",").utf8) + CSVRows.lineEnd
        }
    }

    package func rows(_ events: [StoredEvent]) -> [UInt8] {
        // A typical row length, so that a page's buffer rarely grows.
        let capacity = events.count * 1_200
        switch self {
        case .ndjson:
            var rows = NDJSONRows(writer: JSONWriter(reservingCapacity: capacity))
            for event in events { rows.append(event) }
            return rows.writer.bytes
        case .csv:
            var rows = CSVRows()
            rows.bytes.reserveCapacity(capacity)
            for event in events { rows.append(event) }
            return rows.bytes
        }
    }
}

private struct NDJSONRows: ExportRow {
    var writer: JSONWriter

    mutating func append(_ event: StoredEvent) {
        writer.beginObject()
        ExportSchema.write(event, to: &self)
        writer.endObject()
        writer.endLine()
    }

    mutating func text(_ column: String, _ value: String?) {
        writer.key(column)
        if let value { writer.string(value) } else { writer.null() }
    }

    mutating func int(_ column: String, _ value: Int64?) {
        writer.key(column)
        if let value { writer.int(value) } else { writer.null() }
    }

    mutating func json(_ column: String, _ value: String?) {
        writer.key(column)
        if let value { writer.number(value) } else { writer.null() }
    }
}

private struct CSVRows: ExportRow {
    static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let quote = UInt8(ascii: "\"")

    var bytes: [UInt8] = []
    private var needsComma = false

    mutating func append(_ event: StoredEvent) {
        needsComma = false
        ExportSchema.write(event, to: &self)
        bytes += Self.lineEnd
    }

    mutating func text(_: String, _ value: String?) {
        separate()
        if let value { field(value) }
    }

    mutating func int(_: String, _ value: Int64?) {
        separate()
        if let value { bytes.append(contentsOf: String(value).utf8) }
    }

    mutating func json(_ column: String, _ value: String?) { text(column, value) }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func field(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let isFormula = utf8.first.map(Self.beginsFormula) ?? false
            guard utf8.contains(where: Self.needsQuotes) else {
                if isFormula { bytes.append(UInt8(ascii: "'")) }
                bytes.append(contentsOf: utf8)
                return
            }
            bytes.append(Self.quote)
            if isFormula { bytes.append(UInt8(ascii: "'")) }
            // Works on bytes: a quote and a combining accent form one character, but the quote must still be doubled.
            for byte in utf8 {
                if byte == Self.quote { bytes.append(Self.quote) }
                bytes.append(byte)
            }
            bytes.append(Self.quote)
        }
    }

    private static func beginsFormula(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
    }
}
