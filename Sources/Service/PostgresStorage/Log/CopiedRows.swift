import LinkEvents
import LinkRouting
import LinkStorage

/// The rows of events in the text format of PostgreSQL's `COPY`.
enum CopiedRows {
    private static let names = EventColumn.all.map(\.name).joined(separator: ", ")
    private static let install = EventColumn.all.firstIndex { $0.name == "install" }
    /// The columns that the views read as JSON, whose texts may have no NUL either.
    private static let json = Set(
        EventColumn.all.indices.filter { ["query", "parameters", "traits"].contains(EventColumn.all[$0].name) }
    )

    static let statement = "COPY event (day, log, duplicate, \(names)) FROM STDIN"
    static let selectSQL = "SELECT log, \(names) FROM event"

    static func text(
        of events: [StoredEvent],
        in log: Int64,
        on day: CivilDay,
        duplicates: Set<Int64>
    ) throws -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(events.count * 512)
        for stored in events {
            text.append(contentsOf: "\(day)\t\(log)\t".utf8)
            text.append(UInt8(ascii: duplicates.contains(stored.sequence) ? "t" : "f"))
            var column = 0
            try Event.forEachValue(of: [stored.event], from: stored.sequence) { value, _ in
                text.append(UInt8(ascii: "\t"))
                switch value {
                case .null: text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "N")])
                case .integer(let number): text.append(contentsOf: "\(number)".utf8)
                case .bytes(let bytes): text.append(contentsOf: bytes.text(column == install ? .digits : .uuid).utf8)
                case .text(let value): append(value, isJSON: json.contains(column), to: &text)
                }
                column += 1
            } end: {
                text.append(UInt8(ascii: "\n"))
            }
        }
        return text
    }

    /// Appends a text with PostgreSQL's escapes. NUL, which its texts cannot have, becomes U+FFFD; in a JSON text also where it
    /// is escaped.
    private static func append(_ value: String, isJSON: Bool, to text: inout [UInt8]) {
        guard value.utf8.contains(where: { $0 < UInt8(ascii: " ") || $0 == UInt8(ascii: "\\") }) else {
            text.append(contentsOf: value.utf8)
            return
        }
        var rest = Substring(value).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                text.append(contentsOf: [byte, byte])
                guard isJSON else { continue }
                if rest.starts(with: escapedNUL) {
                    text.append(contentsOf: "ufffd".utf8)
                    rest = rest.dropFirst(escapedNUL.count)
                } else if rest.first == byte {
                    // An escaped backslash, which begins nothing.
                    rest.removeFirst()
                    text.append(contentsOf: [byte, byte])
                }
            case UInt8(ascii: "\n"): text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case UInt8(ascii: "\r"): text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case UInt8(ascii: "\t"): text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0: text.append(contentsOf: "\u{FFFD}".utf8)
            default: text.append(byte)
            }
        }
    }

    private static let escapedNUL = Array("u0000".utf8)

    /// Another version has written a value that this one does not know.
    struct UnreadableRow: Error {
        let column: String
    }

    /// Reads a row of ``selectSQL``.
    static func event(_ row: SQLRow) throws -> StoredEvent {
        let values = try EventColumn.all.enumerated().map { index, column -> EventValue in
            switch column.storage {
            case .integer: try (row[column.name] as Int64?).map(EventValue.integer) ?? .null
            case .bytes where index == install:
                try (row[column.name] as String?).flatMap { Bytes16($0, .digits) }.map(EventValue.bytes) ?? .null
            case .row, .shared, .key, .bytes: try (row[column.name] as String?).map(EventValue.text) ?? .null
            }
        }
        let log: Int64 = try row["log"]
        do {
            let stored = try StoredEvent(values)
            return StoredEvent(sequence: stored.sequence, event: stored.event, log: log)
        } catch {
            throw UnreadableRow(column: EventColumn.all[error.index].name)
        }
    }
}
