/// The arguments of one screen of an answer, read by name and type. Generated screens use it.
public struct ScreenArguments: Sendable, Hashable {
    /// The name of the screen in the table.
    public let screen: String
    private let arguments: [ResolvedDestination.Argument]

    public init(_ screen: ResolvedDestination.Screen) {
        self.screen = screen.name
        arguments = screen.arguments
    }

    /// Returns an argument.
    ///
    /// - Parameter read: Converts a value, such as `\.int`; returns nil if it has another type.
    public func required<Value>(
        _ name: String,
        _ read: (ArgumentValue) -> Value?
    ) throws(ScreenError) -> Value {
        guard let value = try optional(name, read) else {
            throw ScreenError(screen: screen, reason: .missingArgument(name))
        }
        return value
    }

    /// Returns an argument; nil if the answer does not have it.
    public func optional<Value>(
        _ name: String,
        _ read: (ArgumentValue) -> Value?
    ) throws(ScreenError) -> Value? {
        guard let argument = arguments.first(where: { $0.name.isExactly(name) }) else { return nil }
        guard let value = read(argument.value) else {
            throw ScreenError(screen: screen, reason: .mistypedArgument(name))
        }
        return value
    }
}

/// The reason why an app cannot show a screen of an answer. The table is then newer than the app's generated screens.
public struct ScreenError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        case unknownScreen
        case missingArgument(String)
        case mistypedArgument(String)
    }

    /// The name of the screen in the table.
    public let screen: String
    public let reason: Reason

    public init(screen: String, reason: Reason) {
        self.screen = screen
        self.reason = reason
    }

    public static func unknownScreen(_ arguments: ScreenArguments) -> ScreenError {
        ScreenError(screen: arguments.screen, reason: .unknownScreen)
    }

    public var description: String {
        switch reason {
        case .unknownScreen: "This app has no screen '\(screen)'; generate its screens again."
        case .missingArgument(let name): "The screen '\(screen)' lacks the argument '\(name)'."
        case .mistypedArgument(let name): "The argument '\(name)' of the screen '\(screen)' has another type."
        }
    }
}

extension ArgumentValue {
    public var string: String? {
        switch self {
        case .parameter(.string(let text)): text
        case .constant(let node): node.text
        default: nil
        }
    }

    public var int: Int64? {
        switch self {
        case .parameter(.int(let int)): int
        case .constant(let node): node.int
        default: nil
        }
    }

    public var number: Double? {
        switch self {
        case .parameter(.int(let int)): Double(int)
        case .parameter(.number(let lexeme)): Double(lexeme)
        case .constant(let node): node.double
        default: nil
        }
    }

    public var bool: Bool? {
        switch self {
        case .parameter(.bool(let bool)): bool
        case .constant(let node): node.bool
        default: nil
        }
    }

    /// The value as JSON.
    public var json: JSONNode {
        switch self {
        case .parameter(.string(let text)): .string(text)
        case .parameter(.int(let int)): .int(int)
        case .parameter(.number(let lexeme)): JSONNode(.number(lexeme))
        case .parameter(.bool(let bool)): .bool(bool)
        case .parameter(.list(let texts)): .array(texts.map(JSONNode.string))
        case .constant(let node): node
        }
    }

    /// Returns the elements of a list; nil if the value is not a list, or an element has another type.
    public func list<Element>(_ read: (ArgumentValue) -> Element?) -> [Element]? {
        guard let nodes = json.elements else { return nil }
        var elements: [Element] = []
        for node in nodes {
            guard let element = read(.constant(node)) else { return nil }
            elements.append(element)
        }
        return elements
    }
}
