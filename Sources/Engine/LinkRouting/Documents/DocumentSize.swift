/// The size of a document, measured on its stored form (compact JSON).
package struct DocumentSize: Sendable, Hashable {
    /// Length of the compact JSON, in bytes.
    package private(set) var bytes = 0
    /// Nesting depth of lists and objects; 0 for a scalar.
    package private(set) var depth = 0
    /// Number of values; lists, objects and keys count as well.
    package private(set) var values = 0

    package init(of node: JSONNode) { add(node, depth: 0) }

    private mutating func add(_ node: JSONNode, depth: Int) {
        values += 1
        switch node.value {
        case .null: bytes += 4
        case .bool(let bool): bytes += bool ? 4 : 5
        case .number(let lexeme): bytes += lexeme.utf8.count
        case .string(let text): add(text)
        case .array(let elements):
            self.depth = max(self.depth, depth + 1)
            bytes += 2 + max(elements.count - 1, 0)
            for element in elements { add(element, depth: depth + 1) }
        case .object(let members):
            self.depth = max(self.depth, depth + 1)
            bytes += 2 + max(members.count - 1, 0)
            for member in members {
                values += 1
                add(member.key)
                bytes += 1
                add(member.value, depth: depth + 1)
            }
        }
    }

    private mutating func add(_ text: String) {
        bytes += 2 + text.utf8.count
        for byte in text.utf8 {
            switch byte {
            case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += 1
            case ..<0x20: bytes += 5
            default: break
            }
        }
    }
}
