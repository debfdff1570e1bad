/// The type of an argument of a screen.
public indirect enum ArgumentType: Sendable, Hashable {
    case string
    /// A whole number within 64 bits.
    case int
    case number
    case bool
    /// 8-4-4-4-12 hexadecimal digits.
    case uuid
    /// A day, `YYYY-MM-DD`.
    case date
    /// One of these texts.
    case oneOf([String])
    /// A list of values of one type.
    case list(ArgumentType)
    /// Any JSON value but null, which counts as a missing argument.
    case json

    /// The types that are written as one word.
    package static let names = ["string", "int", "number", "bool", "uuid", "date", "json"]
    /// Maximum number of texts in a set.
    static let maximumValues = 1_000

    /// The reason why a text is not a type.
    public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Parses a type such as `int`, `(list,detail)` or `list(string)`.
    public init(_ text: some StringProtocol) throws(SyntaxError) {
        let text = String(text)
        guard text.hasPrefix("list("), text.hasSuffix(")") else {
            self = try Self.scalar(text)
            return
        }
        // A list of lists is `json`, so the nesting is bounded.
        self = .list(try Self.scalar(String(text.dropFirst(5).dropLast())))
    }

    private static func scalar(_ text: String) throws(SyntaxError) -> ArgumentType {
        switch text {
        case "string": return .string
        case "int": return .int
        case "number": return .number
        case "bool": return .bool
        case "uuid": return .uuid
        case "date": return .date
        case "json": return .json
        default: break
        }
        guard text.hasPrefix("("), text.hasSuffix(")"), text.utf8.count > 2 else {
            let near = text.nearest(among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw SyntaxError(
                description:
                    "'\(text.prefix(64))' is not a type; use \(names.joined(separator: ", ")), a set (a,b), or "
                    + "list(TYPE) of one of these.\(near)"
            )
        }
        let values = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false).map(
            String.init
        )
        guard values.count <= maximumValues else {
            throw SyntaxError(description: "a set can have at most \(maximumValues) values; use 'string'.")
        }
        guard !values.contains(""), Set(values.map { ExactText($0) }).count == values.count else {
            throw SyntaxError(description: "'\(text.prefix(64))' has an empty or duplicate value; write (list,detail).")
        }
        return .oneOf(values)
    }

    /// Whether every value of the other type is a value of this one.
    package func accepts(_ other: ArgumentType) -> Bool {
        switch (self, other) {
        case (.json, _), (.string, .string), (.string, .uuid), (.string, .date), (.string, .oneOf): true
        case (.int, .int), (.number, .int), (.number, .number), (.bool, .bool), (.uuid, .uuid), (.date, .date): true
        case (.oneOf(let values), .oneOf(let others)):
            Set(values.map { ExactText($0) }).isSuperset(of: others.map { ExactText($0) })
        case (.list(let element), .list(let other)): element.accepts(other)
        default: false
        }
    }

    /// Whether a JSON value has this type.
    package func accepts(_ node: JSONNode) -> Bool {
        switch self {
        case .json: node.value != .null
        case .string: node.text != nil
        case .int: node.int != nil
        case .number: node.double != nil
        case .bool: node.bool != nil
        case .uuid: node.text.map { ParameterType.uuid.accepts(Array($0.utf8)[...]) } ?? false
        case .date: node.text.map { ParameterType.date.accepts(Array($0.utf8)[...]) } ?? false
        case .oneOf(let values): node.text.map { text in values.contains { $0.isExactly(text) } } ?? false
        case .list(let element): node.elements?.allSatisfy(element.accepts) ?? false
        }
    }

    /// The narrowest type that accepts the values of both.
    package func joined(with other: ArgumentType) -> ArgumentType {
        if accepts(other) { return self }
        if other.accepts(self) { return other }
        switch (self, other) {
        case (.oneOf(let values), .oneOf(let others)):
            return .oneOf(values + others.filter { text in !values.contains { $0.isExactly(text) } })
        case (.list(let element), .list(let other)): return .list(element.joined(with: other))
        default:
            return ArgumentType.string.accepts(self) && ArgumentType.string.accepts(other) ? .string : .json
        }
    }
}

extension ArgumentType: CustomStringConvertible {
    /// The type as written in a table.
    public var description: String {
        switch self {
        case .string: "string"
        case .int: "int"
        case .number: "number"
        case .bool: "bool"
        case .uuid: "uuid"
        case .date: "date"
        case .json: "json"
        case .oneOf(let values): "(\(values.joined(separator: ",")))"
        case .list(let element): "list(\(element))"
        }
    }
}

extension ArgumentType {
    /// Compares the texts of sets by their bytes.
    public static func == (left: ArgumentType, right: ArgumentType) -> Bool {
        switch (left, right) {
        case (.string, .string), (.int, .int), (.number, .number), (.bool, .bool), (.uuid, .uuid), (.date, .date),
            (.json, .json):
            true
        case (.oneOf(let left), .oneOf(let right)): left.map { ExactText($0) } == right.map { ExactText($0) }
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
