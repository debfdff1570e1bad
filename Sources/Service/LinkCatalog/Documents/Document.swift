package import LinkRouting
import Yams

/// Reads tables, settings and suites from YAML or JSON text into nodes that carry their source positions.
package enum Document {
    /// Maximum size of a document, in bytes. It equals the highest value of `limits.tableBytes`, so that every accepted
    /// draft can be published.
    package static let maximumBytes = 256 << 20
    /// Maximum number of values in a document. A value takes about 50 bytes of memory, however short its text is.
    package static let maximumValues = 1_000_000
    /// Default maximum number of values in a YAML document: libyaml and Yams take ten times as much memory for each.
    package static let maximumYAMLValues = 300_000
    /// Maximum size of YAML in a request, in bytes. It is lower than ``maximumBytes`` because the YAML reader holds
    /// several copies of the text.
    package static let maximumYAMLBytes = 8 << 20
    /// Maximum number of nodes that YAML aliases may add. Without aliases, a text has at most one node a byte.
    private static let maximumAliasedNodes = 100_000
    /// Maximum number of bytes of text that YAML aliases may add.
    private static let maximumAliasedBytes = 1 << 20
    package static let maximumDepth = 64

    /// Reads JSON when the text starts with `{` or `[`, else YAML (JSON is nearly a subset of YAML).
    ///
    /// A byte order mark at the start is skipped: editors on Windows write one.
    ///
    /// - Throws: `DocumentError`.
    package static func read(_ text: String, maximumYAMLValues: Int = maximumYAMLValues) throws -> JSONNode {
        let text = withoutByteOrderMark(text)
        switch text.utf8.first(where: { !$0.isSpace }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try readJSON(text)
        default: return try readYAML(text, maximumValues: maximumYAMLValues)
        }
    }

    private static func withoutByteOrderMark(_ text: String) -> String {
        text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Reads JSON within the limits of bytes, depth and values. Throws `DocumentError`.
    package static func readJSON(_ text: String) throws -> JSONNode {
        do {
            return try JSONReader.parse(
                text,
                limits: JSONReader.Limits(
                    maximumBytes: maximumBytes,
                    maximumDepth: maximumDepth,
                    maximumValues: maximumValues
                )
            )
        } catch {
            throw DocumentError(path: "", position: error.position, message: error.message)
        }
    }

    /// Reads one YAML document within the limits of bytes, depth, values and aliases. Throws `DocumentError`.
    package static func readYAML(_ text: String, maximumValues: Int = maximumYAMLValues) throws -> JSONNode {
        guard text.utf8.count <= maximumBytes else {
            throw DocumentError(
                path: "",
                position: .unknown,
                message: "The document has more than \(maximumBytes) bytes."
            )
        }
        let text = withoutByteOrderMark(text)
        guard mostYAMLValues(in: text) <= maximumValues else {
            throw DocumentError(
                path: "",
                position: .unknown,
                message: "The document may have more than \(maximumValues) values; send JSON, or make it shorter."
            )
        }
        do {
            try refuseAliasesInKeys(text)
            guard let root = try Yams.compose(yaml: text) else {
                throw DocumentError(
                    path: "",
                    position: JSONNode.Position(line: 1, column: 1),
                    message: "The document is empty; write at least one key."
                )
            }
            var budget = Budget(
                nodes: min(text.utf8.count + maximumAliasedNodes, maximumValues),
                // An escape of two bytes, such as \P, expands to three bytes.
                bytes: text.utf8.count * 2 + maximumAliasedBytes
            )
            return try node(root, depth: 0, &budget)
        } catch let error as YamlError {
            throw error.documentError(in: text)
        }
    }

    /// The remaining allowance of one reading, with aliases expanded.
    private struct Budget {
        var nodes: Int
        /// Bytes of keys and strings.
        var bytes: Int

        mutating func spend(_ text: String) { bytes -= text.utf8.count }
    }

    /// Returns an upper bound of the number of values in the text, computed before libyaml allocates them. Each value
    /// follows an indicator character of the syntax.
    private static func mostYAMLValues(in text: String) -> Int {
        var marks = 1
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch (previous, byte) {
            case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "[")), (_, UInt8(ascii: "{")): marks += 1
            case (UInt8(ascii: ":"), _) where byte.isSpace: marks += 1
            case (UInt8(ascii: "-"), _) where byte.isSpace: marks += 1
            case (UInt8(ascii: "?"), _) where byte.isSpace: marks += 1
            // After a quoted key, the colon needs no space.
            case (UInt8(ascii: "\""), UInt8(ascii: ":")), (UInt8(ascii: "'"), UInt8(ascii: ":")): marks += 1
            default: break
            }
            previous = byte
        }
        // Each indicator may stand for a key and its value, or for an item and a list that begins with it.
        return marks * 2
    }

    /// Throws for keys that are aliases or collections. Yams hashes the keys of a mapping while it reads, with aliases
    /// expanded: a small text whose aliases multiply each other in a key would keep it busy forever. A text that may
    /// contain aliases is therefore parsed once with the `*` of each alias replaced by `~`. This turns the alias into a
    /// plain scalar and expands nothing. Every key must then be a scalar that does not start with such a `~`.
    private static func refuseAliasesInKeys(_ text: String) throws {
        var bytes = Array(text.utf8)
        var mayHaveAliases = false
        for index in bytes.indices.dropLast()
        where bytes[index] == UInt8(ascii: "*") && bytes[index + 1].mayNameAnAnchor {
            bytes[index] = UInt8(ascii: "~")
            mayHaveAliases = true
        }
        guard mayHaveAliases, let root = try Yams.compose(yaml: String(decoding: bytes, as: UTF8.self)) else { return }
        var nodes = [root]
        while let node = nodes.popLast() {
            switch node {
            case .mapping(let mapping):
                for (key, value) in mapping {
                    let isText = key.scalar.map { $0.style != .plain || !$0.string.hasPrefix("~") } ?? false
                    guard isText || key.scalar?.string == "~" else { throw keyError(key) }
                    nodes.append(value)
                }
            case .sequence(let sequence): nodes += sequence
            case .scalar, .alias: break
            }
        }
    }

    private static func keyError(_ key: Node) -> DocumentError {
        DocumentError(
            path: "",
            position: JSONNode.Position(key.mark),
            message: "A key must be a string; write 'key: value'."
        )
    }

    private static func node(_ yaml: Node, depth: Int, _ budget: inout Budget) throws -> JSONNode {
        let position = JSONNode.Position(yaml.mark)
        budget.nodes -= 1
        if case .scalar(let scalar) = yaml { budget.spend(scalar.string) }
        guard depth < maximumDepth, budget.nodes > 0, budget.bytes >= 0 else {
            throw DocumentError(
                path: "",
                position: position,
                message:
                    "The document nests deeper than \(maximumDepth) levels, or its aliases expand too much; make it shorter."
            )
        }
        switch yaml {
        case .scalar(let scalar):
            return JSONNode(value(of: scalar), at: position)
        case .sequence(let sequence):
            return JSONNode(.array(try sequence.map { try node($0, depth: depth + 1, &budget) }), at: position)
        case .mapping(let mapping):
            var members: [JSONNode.Member] = []
            var keys: Set<ExactText> = []
            for (key, value) in mapping {
                guard case .scalar(let name) = key else { throw keyError(key) }
                budget.spend(name.string)
                // Yams treats `1` and `"1"` as different keys.
                guard keys.insert(ExactText(name.string)).inserted else {
                    throw DocumentError(
                        path: "",
                        position: JSONNode.Position(key.mark),
                        message: "Duplicate key '\(name.string)'; remove one."
                    )
                }
                members.append(
                    JSONNode.Member(
                        name.string,
                        try node(value, depth: depth + 1, &budget),
                        at: JSONNode.Position(key.mark)
                    )
                )
            }
            return JSONNode(.object(members), at: position)
        case .alias:
            throw DocumentError(path: "", position: position, message: "The alias has no anchor.")
        }
    }

    /// Maps the words and numbers of JSON to their types. Every other plain scalar is a string, so that `no` is a
    /// string and not a boolean.
    private static func value(of scalar: Node.Scalar) -> JSONNode.Value {
        guard scalar.style == .plain, scalar.tag != Tag(.str) else { return .string(scalar.string) }
        switch scalar.string {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            let number = try? JSONReader.parse(scalar.string, limits: JSONReader.Limits(maximumBytes: 64))
            if case .number(let lexeme)? = number?.value { return .number(lexeme) }
            return .string(scalar.string)
        }
    }
}

extension JSONNode.Position {
    fileprivate init(_ mark: Mark?) {
        self = mark.map { JSONNode.Position(line: $0.line, column: $0.column) } ?? .unknown
    }
}

extension YamlError {
    fileprivate func documentError(in text: String) -> DocumentError {
        switch self {
        case .composer(_, "but found another document", let mark, _):
            return DocumentError(
                path: "",
                position: JSONNode.Position(mark),
                message: "A second document starts here; write only one document per file, without '---'."
            )
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return DocumentError(
                path: "",
                position: JSONNode.Position(mark),
                message: "This is not YAML: \(problem); "
                    + (Self.quoteAdvice(mark.line, of: text) ?? Self.advice(on: problem))
            )
        case .duplicatedKeysInMapping(let duplicates, let context):
            let key = duplicates.first ?? ""
            return DocumentError(
                path: "",
                position: Self.second(key, after: context.mark, in: text) ?? JSONNode.Position(context.mark),
                message: "Duplicate key '\(key)'; remove one."
            )
        case .reader(let problem, let offset, _, _):
            return DocumentError(
                path: "",
                position: offset.map { JSONNode.Position(ofCharacter: $0, in: text) } ?? .unknown,
                message: "This is not YAML: \(problem); write it as an escape in double quotes."
            )
        default:
            return DocumentError(path: "", position: .unknown, message: "This is not YAML: \(self).")
        }
    }

    /// Returns the position of the second of two equal keys; nil if they are not at the start of lines. Yams names only
    /// the first.
    private static func second(_ key: String, after first: Mark, in text: String) -> JSONNode.Position? {
        let spellings = ["\(key):", "\"\(key)\":", "'\(key)':"]
        var (rest, line) = (text.utf8[...], 1)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = rest[rest.index(after: end)...]
            line += 1
            let content = rest.drop { $0 == UInt8(ascii: " ") }
            guard line > first.line, let byte = content.first, !"#\r\n".utf8.contains(byte) else { continue }
            let column = rest.distance(from: rest.startIndex, to: content.startIndex) + 1
            // The mapping ends before a line that is indented less.
            guard column >= first.column else { return nil }
            guard column == first.column, spellings.contains(where: { content.starts(with: $0.utf8) }) else { continue }
            return JSONNode.Position(line: line, column: column)
        }
        return nil
    }

    /// Returns advice if the line has the quotes of a word processor, which YAML reads as text.
    private static func quoteAdvice(_ line: Int, of text: String) -> String? {
        let lines = text.split(separator: "\n", maxSplits: max(line, 1), omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1), lines[line - 1].contains(where: { "“”„‟".contains($0) }) else {
            return nil
        }
        return "write straight quotes (\") instead of typographic ones."
    }

    /// Returns advice for the most frequent messages of libyaml.
    private static func advice(on problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "quote a string that contains ': ', or correct the indentation."
        case "found character that cannot start any token":
            "indent with spaces, and quote a string that starts with @, % or `."
        case "found undefined alias":
            "quote a string that starts with *, or write '&name' where the alias should point to."
        case _ where problem.hasPrefix("did not find expected ',' or"):
            "separate by commas, close the bracket, and quote a string that contains ?, { or }."
        case "found unexpected end of stream":
            "close the quote."
        case "found a tab character that violates indentation":
            "indent with spaces."
        default:
            "correct the indentation, or quote the string."
        }
    }
}

extension JSONNode.Position {
    fileprivate init(ofCharacter offset: Int, in text: String) {
        let before = text.prefix(offset).unicodeScalars
        let line = before.reversed().prefix { $0 != "\n" }
        self.init(line: before.count { $0 == "\n" } + 1, column: line.count + 1)
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether libyaml accepts the byte in an anchor name: letters, digits, `-` and `_`.
    fileprivate var mayNameAnAnchor: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
