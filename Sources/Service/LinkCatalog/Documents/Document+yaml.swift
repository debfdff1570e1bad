package import LinkRouting
import Yams

extension Document {
    /// Returns the document as YAML that `read` parses to an equal document. It is indented by two spaces a level, keys
    /// keep their order, strings are quoted where they could be read as another type, and control and format characters
    /// are escapes.
    package static func yaml(_ node: JSONNode) throws -> String {
        try Yams.serialize(node: yamlNode(node), indent: 2, width: -1, allowUnicode: true).yamlEscapedForDisplay
    }

    private static func yamlNode(_ node: JSONNode) -> Node {
        switch node.value {
        case .null: Node("null", Tag(.null), .plain)
        case .bool(let bool): Node("\(bool)", Tag(.bool), .plain)
        case .number(let text): Node(text, Tag(text.contains { ".eE".contains($0) } ? .float : .int), .plain)
        case .string(let text): Node(text, Tag(.str), isPlain(text) ? .any : .doubleQuoted)
        case .array(let elements):
            .sequence(Node.Sequence(elements.map(yamlNode), Tag(.seq), elements.isEmpty ? .flow : .block))
        case .object(let members):
            .mapping(
                Node.Mapping(
                    members.map {
                        (Node($0.key, Tag(.str), isPlain($0.key) ? .any : .doubleQuoted), yamlNode($0.value))
                    },
                    Tag(.map),
                    members.isEmpty ? .flow : .block
                )
            )
        }
    }

    /// Whether the unquoted text is read as a string, here and by YAML 1.1 readers, which reserve many more words.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic || first == "/" else { return false }
        let words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        return !words.contains(text.lowercased()) && !text.unicodeScalars.contains(where: \.isUnsafeToDisplay)
    }
}
