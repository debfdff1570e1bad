import LinkRouting

/// Splits the text of an export into records incrementally, and extracts columns from a record.
struct ExportRecords {
    private let format: ExportEncoder
    private var pending: [UInt8] = []
    private var isQuoted = false
    /// The columns of a CSV file, read from its header. A file of an earlier schema may have other columns.
    private var columns: [String]?

    private static let quote = UInt8(ascii: "\"")
    private static let newLine = UInt8(ascii: "\n")

    init(_ format: ExportEncoder) { self.format = format }

    /// Whether the last record is complete.
    var isAtEnd: Bool { pending.isEmpty }

    enum Record {
        case header([UInt8])
        /// Includes the line end.
        case row([UInt8])
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (Record) throws -> Void) rethrows {
        var start = bytes.startIndex
        for index in bytes.indices {
            let byte = bytes[index]
            // A line break inside quotes belongs to a field.
            if byte == Self.quote, format == .csv { isQuoted.toggle() }
            guard byte == Self.newLine, !isQuoted else { continue }
            pending += bytes[start...index]
            start = index + 1
            try body(take())
        }
        pending += bytes[start...]
    }

    private mutating func take() -> Record {
        defer { pending = [] }
        guard format == .csv, columns == nil else { return .row(pending) }
        columns = Self.fields(pending)
        return .header(pending)
    }

    /// Returns the sequence, which is the first column of both formats.
    func sequence(of row: [UInt8]) -> Int64? {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return Int64(String(decoding: row.drop { !isDigit($0) }.prefix(while: isDigit), as: UTF8.self))
    }

    /// Returns the text of a column in a row; nil if it has none.
    func text(_ column: String, of row: [UInt8]) -> String? {
        switch format {
        case .ndjson:
            return (try? JSONReader.parse(row, limits: JSONReader.Limits(maximumBytes: 1 << 20)))?[column]?.text
        case .csv:
            guard let index = columns?.firstIndex(of: column) else { return nil }
            let fields = Self.fields(row)
            return index < fields.count ? fields[index] : nil
        }
    }

    /// Parses one record as defined by RFC 4180.
    private static func fields(_ record: [UInt8]) -> [String] {
        var fields: [[UInt8]] = [[]]
        var (isQuoted, wasQuote) = (false, false)
        for byte in record {
            if byte == quote {
                // Two quotes inside a quoted field are one quote.
                if !isQuoted, wasQuote { fields[fields.count - 1].append(byte) }
                isQuoted.toggle()
                wasQuote = !isQuoted
                continue
            }
            wasQuote = false
            if isQuoted {
                fields[fields.count - 1].append(byte)
            } else if byte == UInt8(ascii: ",") {
                fields.append([])
            } else if byte != newLine, byte != 0x0D {
                fields[fields.count - 1].append(byte)
            }
        }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Whether the bytes occur in this array.
    func holds(_ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first else { return true }
        guard pattern.count <= count else { return false }
        return withUnsafeBufferPointer { bytes in
            for start in 0...(bytes.count - pattern.count) where bytes[start] == first {
                var length = 1
                while length < pattern.count, bytes[start + length] == pattern[length] { length += 1 }
                if length == pattern.count { return true }
            }
            return false
        }
    }
}
