/// Reads links from the parts of a file: comma-separated values with a header, or the lines of an export.
package struct LinkRows {
    package typealias Row = Result<ImportedLink, ImportFailure>

    /// The filled columns that are not imported.
    package private(set) var lost = LostColumns()
    private let named: [LinkField: String]
    private let origin: LinkField.Origin?
    private let urls: ShortLinkURLs?
    private var format: Format?
    private var reader = CSVReader()
    /// The bytes of a line of an export that has not ended yet.
    private var rest: [UInt8] = []
    private var line = 0

    private enum Format {
        case header
        case columns(LinkColumns)
        case lines
    }

    /// - Parameters:
    ///   - named: The headers that the user chose.
    ///   - urls: Where the live table follows short links; nil if that is not known.
    package init(named: [LinkField: String], origin: LinkField.Origin?, urls: ShortLinkURLs?) {
        self.named = named
        self.origin = origin
        self.urls = urls
    }

    /// Returns the rows that end in the next part of the file. Throws if the file as a whole cannot be read.
    package mutating func rows(of part: [UInt8]) throws(UnreadableLinks) -> [Row] {
        if format == nil { format = try Self.format(of: part) }
        guard case .lines? = format else {
            let rows = reader.rows(of: part)
            return try links(rows)
        }
        rest += part
        var rows: [Row] = []
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let row = link(rest[start..<end]) { rows.append(row) }
            start = end + 1
        }
        rest.removeFirst(start)
        return rows
    }

    /// Returns the last row, if the file does not end with a line break. Throws if the file has no header.
    package mutating func lastRows() throws(UnreadableLinks) -> [Row] {
        switch format {
        case .lines?: return [link(rest[...])].compactMap(\.self)
        case let csv:
            let last = reader.lastRows()
            let rows = try links(last)
            // Without a part, there is no format either.
            if csv == nil { throw .other("the file is empty.") }
            if case .header? = format {
                throw .other("the file has no header, which names its columns.")
            }
            return rows
        }
    }

    private static func format(of part: [UInt8]) throws(UnreadableLinks) -> Format {
        switch part.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "{"): return .lines
        case UInt8(ascii: "["):
            throw .other("the file is a list; write one link per line, without [ ] and commas.")
        default: return .header
        }
    }

    private mutating func links(_ rows: [CSVReader.Row]) throws(UnreadableLinks) -> [Row] {
        var links: [Row] = []
        for row in rows {
            switch (format, row.content) {
            case (.columns(let columns)?, .cells(let cells)):
                do throws(ImportFailure) {
                    links.append(.success(try ImportedLink(cells, line: row.line, columns, urls: urls, &lost)))
                } catch {
                    links.append(.failure(error))
                }
            case (.columns(let columns)?, .broken(let cell, let reason)):
                let header = columns.headers.indices.contains(cell - 1) ? columns.headers[cell - 1] : "\(cell)"
                links.append(.failure(ImportFailure(line: row.line, column: header, reason: reason)))
            case (_, .cells(let cells)):
                format = .columns(try LinkColumns(cells.map(\.trimmed), named: named, origin: origin))
            case (_, .broken(_, let reason)):
                throw .other("the header in line \(row.line) cannot be read: \(reason)")
            }
        }
        return links
    }

    /// Returns nil for a blank line.
    private mutating func link(_ bytes: ArraySlice<UInt8>) -> Row? {
        line += 1
        guard bytes.contains(where: { !" \t\r".utf8.contains($0) }) else { return nil }
        do throws(ImportFailure) {
            return .success(try ImportedLink(bytes, line: line))
        } catch {
            return .failure(error)
        }
    }
}
