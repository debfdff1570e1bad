import LinkRouting

/// The tables of docs/routing-conformance.md.
struct ConformancePage {
    private let lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

    static func error(_ message: String) -> DocumentError {
        DocumentError(path: "docs/routing-conformance.md", position: .unknown, message: message)
    }

    /// The rows of all tables under a level-two heading, without header rows. Cells are without backticks.
    func rows(under heading: String) throws(DocumentError) -> [[String]] {
        guard let start = lines.firstIndex(of: "## \(heading)") else {
            throw Self.error("there is no heading '\(heading)'.")
        }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.split { !$0.hasPrefix("|") }.flatMap { table in table.dropFirst(2).map(Self.cells) }
    }

    /// Splits a row at `|` but not at `\|`.
    private static func cells(_ row: Substring) -> [String] {
        var cells = [""]
        var isAfterBackslash = false
        for character in row.dropFirst().dropLast() {
            switch character {
            case "|" where isAfterBackslash:
                cells[cells.count - 1].removeLast()
                cells[cells.count - 1].append(character)
            case "|": cells.append("")
            default: cells[cells.count - 1].append(character)
            }
            isAfterBackslash = character == "\\"
        }
        return cells.map { content(of: $0[...].trimmed) }
    }

    /// The text of a cell without backticks.
    private static func content(of cell: Substring) -> String {
        guard cell.count > 1, cell.hasPrefix("`"), cell.hasSuffix("`") else { return String(cell) }
        let code = String(cell.dropFirst().dropLast())
        // Markdown has no empty code, so a space stands for the empty text.
        return code == " " ? "" : code
    }

    /// Expands `{x*3}` to `xxx`, `{U+0301}` to the scalar and `{0xFF}` to the byte. Other braces are literal.
    static func expanded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            bytes += rest[..<brace].utf8
            rest = rest[brace...]
            if let end = rest.firstIndex(of: "}"), let expansion = expansion(of: rest[rest.index(after: brace)..<end]) {
                bytes += expansion
                rest = rest[rest.index(after: end)...]
            } else {
                bytes.append(UInt8(ascii: "{"))
                rest = rest.dropFirst()
            }
        }
        return bytes + rest.utf8
    }

    /// The bytes of an escape without its braces; nil if it is none.
    private static func expansion(of escape: Substring) -> [UInt8]? {
        if escape.hasPrefix("U+") {
            let scalar = UInt32(escape.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            return scalar.map { Array(String($0).utf8) }
        }
        if escape.hasPrefix("0x") { return UInt8(escape.dropFirst(2), radix: 16).map { [$0] } }
        guard escape.dropFirst().hasPrefix("*"), let count = Int(escape.dropFirst(2)), (1...100_000).contains(count)
        else { return nil }
        return Array(String(repeating: String(escape.prefix(1)), count: count).utf8)
    }

    static func json(_ cell: String) throws(DocumentError) -> JSONNode {
        do {
            return try JSONReader.parse(expanded(cell), limits: JSONReader.Limits(maximumBytes: 100_000))
        } catch {
            throw Self.error("'\(cell)' is not JSON: \(error.message)")
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " }
        return start[..<(start.lastIndex { $0 != " " }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}
