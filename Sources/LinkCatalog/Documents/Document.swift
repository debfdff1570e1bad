package import LinkRouting
import Yams

/// A table, settings or suite as people write it: YAML or JSON text, read into nodes that know their lines.
package enum Document {
    /// As much as `limits.tableBytes` can be set to: a draft that was taken in can be published.
    package static let maximumBytes = 256 << 20
    /// How many values a document may have. A value takes about 50 bytes of memory, however few it was written in.
    package static let maximumValues = 1_000_000
    /// The same of YAML where nothing else is said: libyaml and Yams take ten times as much for each.
    package static let maximumYAMLValues = 300_000
    /// Of YAML that a request sends: its reader holds the text several times.
    package static let maximumYAMLBytes = 8 << 20
    /// How many nodes YAML's aliases may add to those that the text itself holds, of which a byte makes at most one.
    private static let maximumAliasedNodes = 100_000
    /// How many bytes of text they may add.
    private static let maximumAliasedBytes = 1 << 20
    package static let maximumDepth = 64

    /// Reads JSON when the text starts with `{` or `[`, else YAML, of which JSON is nearly a part.
    package static func read(_ text: String, maximumYAMLValues: Int = maximumYAMLValues) throws -> JSONNode {
        switch text.utf8.first(where: { !$0.isSpace }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try readJSON(text)
        default: try readYAML(text, maximumValues: maximumYAMLValues)
        }
    }

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

    package static func readYAML(_ text: String, maximumValues: Int = maximumYAMLValues) throws -> JSONNode {
        guard text.utf8.count <= maximumBytes else {
            throw DocumentError(path: "", position: .unknown, message: "The text has more than \(maximumBytes) bytes.")
        }
        guard mostYAMLValues(in: text) <= maximumValues else {
            throw DocumentError(
                path: "",
                position: .unknown,
                message: "The text may have more than \(maximumValues) values; send JSON, or write less of it."
            )
        }
        do {
            try refuseAliasesInKeys(text)
            guard let root = try Yams.compose(yaml: text) else {
                throw DocumentError(
                    path: "",
                    position: JSONNode.Position(line: 1, column: 1),
                    message: "The text is empty."
                )
            }
            var budget = Budget(
                nodes: min(text.utf8.count + maximumAliasedNodes, maximumValues),
                // An escape of two bytes, such as \P, makes three.
                bytes: text.utf8.count * 2 + maximumAliasedBytes
            )
            return try node(root, depth: 0, &budget)
        } catch let error as YamlError {
            throw error.documentError(in: text)
        }
    }

    /// What reading may still make, aliases expanded.
    private struct Budget {
        var nodes: Int
        /// Of keys and texts.
        var bytes: Int

        mutating func spend(_ text: String) { bytes -= text.utf8.count }
    }

    /// No fewer values than the text has, counted before libyaml makes them: each begins behind a mark of the syntax.
    private static func mostYAMLValues(in text: String) -> Int {
        var marks = 1
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch (previous, byte) {
            case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "[")), (_, UInt8(ascii: "{")): marks += 1
            case (UInt8(ascii: ":"), _) where byte.isSpace: marks += 1
            case (UInt8(ascii: "-"), _) where byte.isSpace: marks += 1
            case (UInt8(ascii: "?"), _) where byte.isSpace: marks += 1
            // Behind a key in quotes no blank is needed.
            case (UInt8(ascii: "\""), UInt8(ascii: ":")), (UInt8(ascii: "'"), UInt8(ascii: ":")): marks += 1
            default: break
            }
            previous = byte
        }
        // A key and its value, or an item and a list that begins with it.
        return marks * 2
    }

    /// Yams hashes the keys of a mapping while it reads, aliases expanded: a small text whose aliases multiply each other in
    /// a key would keep it busy for ever. So a text that may have aliases is read once with `~` in place of each alias's
    /// `*`, which makes it a plain text and expands nothing, and no key may be more than a text or start with such a `~`.
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
        DocumentError(path: "", position: JSONNode.Position(key.mark), message: "A key is a text; write 'key: value'.")
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
                    "The text nests deeper than \(maximumDepth) levels, or its aliases add too much; write less of it."
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
                // Yams takes `1` and `"1"` for different keys.
                guard keys.insert(ExactText(name.string)).inserted else {
                    throw DocumentError(
                        path: "",
                        position: JSONNode.Position(key.mark),
                        message: "The key '\(name.string)' stands twice; remove one."
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
            throw DocumentError(path: "", position: position, message: "The alias names no anchor.")
        }
    }

    /// JSON's own words and numbers; every other plain scalar is a text, so that `no` is a text and not a boolean.
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
                message: "A second document starts here; write one document to a file, without '---' between."
            )
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return DocumentError(
                path: "",
                position: JSONNode.Position(mark),
                message: "This is not YAML: \(problem); \(Self.advice(on: problem))"
            )
        case .duplicatedKeysInMapping(let duplicates, let context):
            return DocumentError(
                path: "",
                position: JSONNode.Position(context.mark),
                message: "The key '\(duplicates.first ?? "")' stands twice; remove one."
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

    /// What to write instead, for what libyaml says most often.
    private static func advice(on problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "put a text with ': ' in it in quotes, or correct the indentation."
        case "found character that cannot start any token":
            "indent with spaces, and put a text that starts with @, % or ` in quotes."
        case "found undefined alias":
            "put a text that starts with * in quotes, or write '&name' where the alias should point to."
        case _ where problem.hasPrefix("did not find expected ',' or"):
            "separate by commas, close the bracket, and put a text with ?, { or } in it in quotes."
        case "found unexpected end of stream":
            "close the quote."
        case "found a tab character that violates indentation":
            "indent with spaces."
        default:
            "correct the indentation, or put the text in quotes."
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

    /// As libyaml has it: letters, digits, `-` and `_`.
    fileprivate var mayNameAnAnchor: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
