/// A JSON value with its position in the source text. Equality ignores positions; strings, numbers and keys are
/// compared by their bytes.
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
        /// In document order.
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

    /// A position in a text. Line and column start at 1; the column counts Unicode scalars. It is compact because every
    /// node has one.
    public struct Position: Sendable, Hashable {
        private let storedLine: UInt32
        private let storedColumn: UInt32

        public var line: Int { Int(storedLine) }
        public var column: Int { Int(storedColumn) }

        /// The position of a node that was not read from a text.
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

    /// Creates an object without the members whose value is nil.
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

    /// The exact integer; nil unless the number is written without point and exponent and fits into Int64.
    public var int: Int64? {
        guard case .number(let lexeme) = value else { return nil }
        return Int64(lexeme)
    }

    /// The nearest double; nil when the number exceeds the range of finite doubles.
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

    /// The value of an object's last member with this key; nil for other types.
    public subscript(key: String) -> JSONNode? {
        members?.last { $0.key.isExactly(key) }?.value
    }

    /// The name of the value's type, for messages.
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
