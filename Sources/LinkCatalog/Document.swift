package import LinkRouting
import Yams

/// A table, settings or suite as people write it: YAML or JSON text, read into nodes that know their lines.
package enum Document {
    package static let maximumBytes = 32 << 20
    private static let maximumNodes = 20_000_000
    private static let maximumDepth = 64

    /// Reads JSON when the text starts with `{` or `[`, else YAML, of which JSON is nearly a part.
    package static func read(_ text: String) throws -> JSONNode {
        switch text.utf8.first(where: { !$0.isSpace }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try readJSON(text)
        default: try readYAML(text)
        }
    }

    package static func readJSON(_ text: String) throws -> JSONNode {
        do {
            return try JSONReader.parse(
                text,
                limits: JSONReader.Limits(maximumBytes: maximumBytes, maximumDepth: maximumDepth)
            )
        } catch {
            throw DocumentError(path: "", position: error.position, message: error.message)
        }
    }

    package static func readYAML(_ text: String) throws -> JSONNode {
        guard text.utf8.count <= maximumBytes else {
            throw DocumentError(path: "", position: .unknown, message: "The text has more than \(maximumBytes) bytes.")
        }
        do {
            guard let root = try Yams.compose(yaml: text) else {
                throw DocumentError(
                    path: "",
                    position: JSONNode.Position(line: 1, column: 1),
                    message: "The text is empty."
                )
            }
            var budget = maximumNodes
            return try node(root, depth: 0, &budget)
        } catch let error as YamlError {
            throw error.documentError
        }
    }

    private static func node(_ yaml: Node, depth: Int, _ budget: inout Int) throws -> JSONNode {
        let position = JSONNode.Position(yaml.mark)
        budget -= 1
        guard depth < maximumDepth, budget > 0 else {
            throw DocumentError(
                path: "",
                position: position,
                message: "The text nests deeper than \(maximumDepth) levels or its aliases expand too far."
            )
        }
        switch yaml {
        case .scalar(let scalar):
            return JSONNode(value(of: scalar), at: position)
        case .sequence(let sequence):
            return JSONNode(.array(try sequence.map { try node($0, depth: depth + 1, &budget) }), at: position)
        case .mapping(let mapping):
            var members: [JSONNode.Member] = []
            for (key, value) in mapping {
                guard case .scalar(let name) = key else {
                    throw DocumentError(
                        path: "",
                        position: JSONNode.Position(key.mark),
                        message: "A key is a text; write 'key: value'."
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
        guard scalar.style == .plain else { return .string(scalar.string) }
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
    fileprivate var documentError: DocumentError {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            DocumentError(path: "", position: JSONNode.Position(mark), message: "This is not YAML: \(problem).")
        case .duplicatedKeysInMapping(let duplicates, let context):
            DocumentError(
                path: "",
                position: JSONNode.Position(context.mark),
                message: "The key '\(duplicates.first ?? "")' stands twice; remove one."
            )
        default:
            DocumentError(path: "", position: .unknown, message: "This is not YAML: \(self).")
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
