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
        guard let first = events.first else { return [] }
        // A typical row length, so that a page's buffer rarely grows.
        let capacity = events.count * 1_200
        switch self {
        case .ndjson:
            var rows = NDJSONRows(from: first, reservingCapacity: capacity)
            for event in events { rows.append(event) }
            return rows.writer.finish()
        case .csv:
            var rows = CSVRows(from: first, reservingCapacity: capacity)
            for event in events { rows.append(event) }
            return rows.bytes
        }
    }
}

/// Writes the fields of an event as one row.
private protocol ExportRows: EventFieldVisitor {
    /// The event of the row.
    var stored: StoredEvent { get }

    mutating func null(_ column: String)
    mutating func int(_ column: String, _ value: Int64)
    mutating func text(_ column: String, _ value: String)
    /// - Parameter value: JSON text.
    mutating func json(_ column: String, _ value: String)
}

extension ExportRows {
    mutating func sequence(_ name: String) { int(name, stored.sequence) }

    @inline(__always) mutating func visit(
        _ name: String,
        _ field: WritableKeyPath<Event.Fields, some EventFieldValue>,
        _: EventColumn.Storage,
        _ form: ExportForm
    ) {
        switch stored.event.content.fields[keyPath: field].value {
        case .null: null(name)
        case .integer(let number):
            if form == .time { text(name, Timestamp(milliseconds: number).description) } else { int(name, number) }
        case .text(let value):
            if form == .json { json(name, value) } else { text(name, value) }
        case .bytes(let bytes): text(name, bytes.text(form == .uuid ? .uuid : .digits))
        }
    }

    mutating func utm(_ name: String, _ field: Event.UTM) {
        if let value = stored.event.content.fields.utm(field) { text(name, value) } else { null(name) }
    }
}

private struct NDJSONRows: ExportRows {
    var writer: JSONWriter
    private(set) var stored: StoredEvent

    init(from first: StoredEvent, reservingCapacity capacity: Int) {
        stored = first
        writer = JSONWriter(reservingCapacity: capacity)
    }

    mutating func append(_ event: StoredEvent) {
        stored = event
        writer.beginObject()
        Event.Fields.visit(&self)
        writer.endObject()
        writer.endLine()
    }

    mutating func null(_ column: String) {
        writer.key(escaping: column)
        writer.null()
    }

    mutating func int(_ column: String, _ value: Int64) {
        writer.key(escaping: column)
        writer.int(value)
    }

    mutating func text(_ column: String, _ value: String) {
        writer.key(escaping: column)
        writer.string(value)
    }

    mutating func json(_ column: String, _ value: String) {
        writer.key(escaping: column)
        writer.number(value)
    }
}

private struct CSVRows: ExportRows {
    static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let quote = UInt8(ascii: "\"")

    var bytes: [UInt8] = []
    private(set) var stored: StoredEvent
    private var needsComma = false

    init(from first: StoredEvent, reservingCapacity capacity: Int) {
        stored = first
        bytes.reserveCapacity(capacity)
    }

    mutating func append(_ event: StoredEvent) {
        stored = event
        needsComma = false
        Event.Fields.visit(&self)
        bytes += Self.lineEnd
    }

    mutating func null(_: String) { separate() }

    mutating func int(_: String, _ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func text(_: String, _ value: String) {
        separate()
        field(value)
    }

    mutating func json(_ column: String, _ value: String) { text(column, value) }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func field(_ text: String) {
        var text = text
        let isFormula = text.unicodeScalars.first.map(Self.beginsFormula) ?? false
        text.withUTF8 { utf8 in
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

    /// Whether a spreadsheet may read a text that begins so as a formula. Some read the signs in other widths and positions
    /// as the plain ones, and skip control characters and invisible ones.
    private static func beginsFormula(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "=", "+", "-", "@", "\t"..."\r": true
        case "＝", "﹦", "⁼", "₌", "＋", "﹢", "⁺", "₊", "﬩", "－", "﹣", "⁻", "₋", "−", "‐", "‑", "＠", "﹫": true
        case "\u{85}", "\u{2028}", "\u{2029}", "\u{200B}"..."\u{200F}", "\u{2060}", "\u{FEFF}": true
        default: false
        }
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
    }
}
