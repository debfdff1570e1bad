/// A JSON value that knows where it stood in its text. Two nodes are equal when their values are, wherever they stood: texts,
/// numbers and keys by their bytes.
public struct JSONNode: Sendable, Hashable {
    public var value: Value
    public var position: Position

    public enum Value: Sendable, Hashable {
        case null
        case bool(Bool)
        /// The number as written.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// In the document's order.
        case object([Member])

        public static func == (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.null, .null): true
            case (.bool(let left), .bool(let right)): left == right
            case (.number(let left), .number(let right)), (.string(let left), .string(let right)): left.isExactly(right)
            case (.array(let left), .array(let right)): left == right
            case (.object(let left), .object(let right)): left == right
            default: false
            }
        }

        public func hash(into hasher: inout Hasher) {
            switch self {
            case .null: hasher.combine(0)
            case .bool(let bool): hasher.combine(bool)
            case .number(let text), .string(let text): text.hashExactly(into: &hasher)
            case .array(let elements): hasher.combine(elements)
            case .object(let members): hasher.combine(members)
            }
        }
    }

    public struct Member: Sendable, Hashable {
        public var key: String
        public var keyPosition: Position
        public var value: JSONNode

        public init(_ key: String, _ value: JSONNode, at position: Position = .unknown) {
            self.key = key
            keyPosition = position
            self.value = value
        }

        public static func == (left: Member, right: Member) -> Bool {
            left.key.isExactly(right.key) && left.value == right.value
        }

        public func hash(into hasher: inout Hasher) {
            key.hashExactly(into: &hasher)
            hasher.combine(value)
        }
    }

    /// A place in a text; line and column start at 1 and the column counts Unicode scalars. Every node carries one, so it is
    /// kept small.
    public struct Position: Sendable, Hashable {
        private let storedLine: UInt32
        private let storedColumn: UInt32

        public var line: Int { Int(storedLine) }
        public var column: Int { Int(storedColumn) }

        /// Of a node that was not read from a text.
        public static let unknown = Position(line: 0, column: 0)

        public init(line: Int, column: Int) {
            storedLine = UInt32(clamping: line)
            storedColumn = UInt32(clamping: column)
        }
    }

    public init(_ value: Value, at position: Position = .unknown) {
        self.value = value
        self.position = position
    }

    public static func == (left: JSONNode, right: JSONNode) -> Bool { left.value == right.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }

    public static func string(_ text: String) -> JSONNode { JSONNode(.string(text)) }
    public static func int(_ number: some BinaryInteger) -> JSONNode { JSONNode(.number("\(number)")) }
    public static func bool(_ bool: Bool) -> JSONNode { JSONNode(.bool(bool)) }
    public static func array(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }
    public static let null = JSONNode(.null)

    /// Members without a value are left out.
    public static func object(_ members: KeyValuePairs<String, JSONNode?>) -> JSONNode {
        JSONNode(.object(members.compactMap { key, value in value.map { Member(key, $0) } }))
    }

    public var text: String? {
        guard case .string(let text) = value else { return nil }
        return text
    }

    public var bool: Bool? {
        guard case .bool(let bool) = value else { return nil }
        return bool
    }

    /// Exact: nil unless the number is written as an integer, without point or exponent, and lies within Int64.
    public var int: Int64? {
        guard case .number(let lexeme) = value else { return nil }
        return Int64(lexeme)
    }

    /// The nearest double; nil when the number lies beyond all of them.
    public var double: Double? {
        guard case .number(let lexeme) = value, let double = Double(lexeme), double.isFinite else { return nil }
        return double
    }

    public var elements: [JSONNode]? {
        guard case .array(let elements) = value else { return nil }
        return elements
    }

    public var members: [Member]? {
        guard case .object(let members) = value else { return nil }
        return members
    }

    /// Of an object: the value of the last member with this key.
    public subscript(key: String) -> JSONNode? {
        members?.last { $0.key.isExactly(key) }?.value
    }

    /// What a reader would call the value's type.
    public var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
