/// A path pattern, parsed: what one route says about a link's path. See docs/routing.md, "Patterns".
///
/// `/product/{id:int}`, `/{tab(list,detail)}`, `/files/{name}.{ext}`, `/docs/{path...}`, `/a/*/b`.
public struct Pattern: Sendable, Hashable, CustomStringConvertible {
    /// At most 64 segments and 8 parameters inside one segment.
    public static let maximumSegments = 64
    /// Of the text of a pattern that is written, and of one set in it.
    static let maximumBytes = 8_192
    static let maximumValues = 1_000
    public static let maximumParametersInSegment = 8

    /// The text as written.
    public let description: String
    /// Whether the text ends with a slash that is not the root; only `trailingSlash: strict` looks at it.
    public let hasTrailingSlash: Bool
    let hasRest: Bool

    public enum Segment: Sendable, Hashable {
        case literal([UInt8])
        /// Literal bytes and parameters mixed, such as `item-{id:int}`.
        case mixed(Mixed)
        case parameter(Parameter)
        /// `*`: one segment without a name.
        case any
        /// `{name...}`: zero or more segments; only at the end.
        case rest(String)
    }

    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let type: ParameterType

        public init(name: String, type: ParameterType) {
            self.name = name
            self.type = type
        }
    }

    /// `prefix`, then each parameter with the literal after it; the last literal may be empty, the others are not.
    public struct Mixed: Sendable, Hashable {
        public let prefix: [UInt8]
        public let pieces: [Piece]

        public struct Piece: Sendable, Hashable {
            public let parameter: Parameter
            public let literal: [UInt8]
        }

        public var literalByteCount: Int { pieces.reduce(prefix.count) { $0 + $1.literal.count } }
    }

    /// The names that the pattern captures, in the order of the path.
    public var parameterNames: [String] {
        segments.flatMap { segment in
            switch segment {
            case .literal, .any: [String]()
            case .parameter(let parameter): [parameter.name]
            case .mixed(let mixed): mixed.pieces.map(\.parameter.name)
            case .rest(let name): [name]
            }
        }
    }

    /// Why a text is not a pattern; `offset` counts UTF-8 bytes in the text.
    public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        public let pattern: String
        public let offset: Int
        public let problem: String
        /// Names the pattern, the place and what to write.
        public var description: String { "Pattern '\(pattern)': \(problem)" }
    }

    /// Reads a pattern that starts with `/`.
    public init(_ text: some StringProtocol) throws(SyntaxError) {
        description = String(text)
        var parser = PatternParser(description)
        let path = try parser.path()
        hasTrailingSlash = path.hasTrailingSlash
        hasRest = if case .rest? = path.segments.last { true } else { false }
    }

    /// Read from the text each time, which is a tenth of their size: of a million patterns few are looked at twice.
    public var segments: [Segment] {
        var parser = PatternParser(description)
        do {
            return try parser.path().segments
        } catch {
            preconditionFailure("The initializer has read this text: \(error)")
        }
    }

    /// Two texts are one pattern when they have the same bytes.
    public static func == (left: Pattern, right: Pattern) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// What a route says about the host of a web link. Never holds for a custom scheme.
public enum HostPattern: Sendable, Hashable, CustomStringConvertible {
    case exact(HostName)
    /// Exactly one label and a dot before `suffix`; the parameter is nil for `*`.
    case label(Pattern.Parameter?, suffix: HostName)

    public init(_ text: some StringProtocol) throws(Pattern.SyntaxError) {
        var parser = PatternParser(String(text))
        self = try parser.host()
    }

    public var description: String {
        switch self {
        case .exact(let host): host.unicode
        case .label(let parameter?, let suffix): "\(Pattern.Segment.parameter(parameter)).\(suffix.unicode)"
        case .label(nil, let suffix): "*.\(suffix.unicode)"
        }
    }
}
