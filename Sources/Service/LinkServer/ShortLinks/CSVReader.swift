/// Reads rows of comma-separated values, as RFC 4180 describes them, from the parts of a file. The header may have `;` or
/// tabs instead of commas, as in files of spreadsheets. After a broken row, it continues with the next line.
package struct CSVReader {
    package struct Row: Sendable, Hashable {
        /// The line on which the row begins. The first is 1.
        package let line: Int
        package let content: Content

        package init(line: Int, _ content: Content) {
            self.line = line
            self.content = content
        }
    }

    package enum Content: Sendable, Hashable {
        case cells([String])
        /// - cell: The number of the wrong cell. The first is 1.
        case broken(cell: Int, reason: String)
    }

    /// A quotation mark that is never closed would make one row of the rest of the file.
    package static let maximumRow = 256 << 10

    /// The bytes of the row that has not ended yet.
    private var rest: [UInt8] = []
    private var line = 1
    /// Nil before the header.
    private var separator: UInt8?
    /// Whether the rest of the current line belongs to a row that is too long.
    private var isSkipping = false

    package init() {}

    /// Returns the rows that end in the next part of the file.
    package mutating func rows(of part: some Sequence<UInt8>) -> [Row] {
        rest += part
        return takeRows(untilEnd: false)
    }

    /// Returns the last row, if the file does not end with a line break, or is broken there.
    package mutating func lastRows() -> [Row] {
        if let last = rest.last, last != Self.lineFeed { rest.append(Self.lineFeed) }
        return takeRows(untilEnd: true)
    }

    private mutating func takeRows(untilEnd isEnd: Bool) -> [Row] {
        let isAtStart = self.separator == nil
        guard isEnd || rest.count > Self.byteOrderMark.count, let separator = separator ?? headerSeparator(isEnd)
        else { return [] }
        self.separator = separator
        var start = isAtStart && rest.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        if isSkipping { start = endOfLine(from: 0) }
        var rows: [Row] = []
        parsing: while start < rest.count {
            switch Self.row(in: rest, from: start, separator) {
            case .row(let cells, let end):
                // A blank line is no row.
                if cells != [""] { rows.append(Row(line: line, .cells(cells))) }
                line += rest[start..<end].count { $0 == Self.lineFeed }
                start = end
            case .unfinished where !isEnd && rest.count - start <= Self.maximumRow: break parsing
            case .unfinished(let cell):
                let reason = "the row does not end; a quotation mark may be missing."
                rows.append(Row(line: line, .broken(cell: cell, reason: reason)))
                start = endOfLine(from: start)
            case .broken(let cell, let reason):
                rows.append(Row(line: line, .broken(cell: cell, reason: reason)))
                start = endOfLine(from: start)
            }
        }
        rest.removeFirst(start)
        return rows
    }

    /// Returns the most frequent separator outside quotation marks in the first line that is not blank; nil if the line has
    /// not ended yet.
    private func headerSeparator(_ isEnd: Bool) -> UInt8? {
        guard let start = rest.firstIndex(where: { $0 != Self.lineFeed && $0 != Self.carriageReturn }),
            let end = rest[start...].firstIndex(of: Self.lineFeed)
        else { return isEnd || rest.count > Self.maximumRow ? Self.separators.first : nil }
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in rest[start..<end] {
            if byte == Self.quote { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        return Self.separators.max { counts[$0, default: 0] < counts[$1, default: 0] }
    }

    /// Returns the start of the next line.
    private mutating func endOfLine(from start: Int) -> Int {
        let end = rest[start...].firstIndex(of: Self.lineFeed)
        isSkipping = end == nil
        guard let end else { return rest.count }
        line += 1
        return end + 1
    }

    private enum Parsed {
        case row([String], end: Int)
        case broken(cell: Int, reason: String)
        /// The bytes end within the row.
        case unfinished(cell: Int)
    }

    private static let quote = UInt8(ascii: "\"")
    /// Of equally frequent ones, the first applies.
    private static let separators = Array(",;\t".utf8)
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func row(in bytes: [UInt8], from start: Int, _ separator: UInt8) -> Parsed {
        var cells: [String] = []
        var index = start
        while true {
            let number = cells.count + 1
            var cell: [UInt8] = []
            if index < bytes.count, bytes[index] == quote {
                guard let end = quotedCell(in: bytes, from: index + 1, &cell) else { return .unfinished(cell: number) }
                index = end
                if index < bytes.count, bytes[index] == carriageReturn { index += 1 }
                guard index < bytes.count else { return .unfinished(cell: number) }
                guard bytes[index] == separator || bytes[index] == lineFeed else {
                    return .broken(
                        cell: number,
                        reason: "text follows the closing quotation mark; double the quotation marks inside a cell."
                    )
                }
            } else {
                let end = bytes[index...].firstIndex { $0 == separator || $0 == lineFeed || $0 == quote }
                guard let end else { return .unfinished(cell: number) }
                guard bytes[end] != quote else {
                    let reason =
                        "a quotation mark is inside a cell that does not begin with one; put the whole cell in "
                    return .broken(cell: number, reason: reason + "quotation marks, and double those inside.")
                }
                cell += bytes[index..<end]
                if bytes[end] == lineFeed, cell.last == carriageReturn { cell.removeLast() }
                index = end
            }
            guard let text = String(validating: cell, as: UTF8.self) else {
                return .broken(cell: number, reason: "the text is not UTF-8; save the file as UTF-8.")
            }
            cells.append(text)
            index += 1
            if bytes[index - 1] == lineFeed { return .row(cells, end: index) }
        }
    }

    /// Appends the text of a cell in quotation marks. Returns the index after the closing one; nil if it is not there, or
    /// if it could be the first of two.
    private static func quotedCell(in bytes: [UInt8], from start: Int, _ cell: inout [UInt8]) -> Int? {
        var index = start
        while let end = bytes[index...].firstIndex(of: quote), end + 1 < bytes.count {
            cell += bytes[index..<end]
            guard bytes[end + 1] == quote else { return end + 1 }
            cell.append(quote)
            index = end + 2
        }
        return nil
    }
}
