/// A parsed path pattern of a route. See "Patterns" in docs/routing.md.
///
/// `/product/{id:int}`, `/{tab(list,detail)}`, `/files/{name}.{ext}`, `/docs/{path...}`, `/a/*/b`.
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    /// Maximum number of segments.
    public static let maximumSegments = 64
    /// Maximum length of the text of a written pattern, in bytes; stored patterns may be longer.
    static let maximumBytes = 8_192
    /// Maximum number of values of a set in a written pattern.
    static let maximumValues = 1_000
    /// Maximum number of parameters inside one segment.
    public static let maximumParametersInSegment = 8

    /// The text as written.
    public let description: String
    /// Whether the text ends with a slash and is not the root. Only `trailingSlash: strict` uses it.
    public let hasTrailingSlash: Bool
    let hasRest: Bool
    /// Set for patterns that each comparison reads; the index has read those of paths.
    private var parsed: [Segment]?

    public enum Segment: Sendable, Hashable {
        case literal([UInt8])
        /// A mix of literal bytes and parameters, such as `item-{id:int}`.
        case mixed(Mixed)
        case parameter(Parameter)
        /// `*`: one unnamed segment.
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

    /// A literal prefix, then parameters, each followed by a literal. Only the last literal may be empty.
    public struct Mixed: Sendable, Hashable {
        public let prefix: [UInt8]
        public let pieces: [Piece]
        /// The only parameter for which several ends have to be tried; nil for none.
        let openParameter: Int?

        init(prefix: [UInt8], pieces: [Piece]) {
            (self.prefix, self.pieces) = (prefix, pieces)
            openParameter = Self.openParameters(of: pieces).first
        }

        /// The indices of the parameters that may end at several places, of which the first one need not be right.
        ///
        /// The first one is right before a text of any length: if the rest matches from a later place, so does it from the
        /// first one, with a longer text.
        static func openParameters(of pieces: [Piece]) -> [Int] {
            pieces.indices.dropLast().filter { index in
                !pieces[index + 1].parameter.type.isUnboundedText
                    && !pieces[index].parameter.type.hasOneEnd(before: pieces[index].literal[0])
            }
        }

        /// The maximum length of the text behind a parameter; `Int.max` for any.
        static func restLength(of pieces: [Piece], behind index: Int) -> Int {
            pieces[(index + 1)...].reduce(pieces[index].literal.count) {
                $0.clampedSum($1.parameter.type.maximumLength ?? .max).clampedSum($1.literal.count)
            }
        }

        public struct Piece: Sendable, Hashable {
            public let parameter: Parameter
            public let literal: [UInt8]
        }

        public var literalByteCount: Int { pieces.reduce(prefix.count) { $0 + $1.literal.count } }
    }

    /// The names of the parameters, in the order of the path.
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

    /// The reason why a text is not a pattern. `offset` counts UTF-8 bytes in the text.
    public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        public let pattern: String
        public let offset: Int
        public let problem: String
        /// Names the pattern and the problem, and says what to write.
        public var description: String { "Pattern '\(pattern)': \(problem)" }
    }

    /// Parses a pattern, which starts with `/`.
    public init(_ text: some StringProtocol) throws(SyntaxError) {
        description = String(text)
        var parser = PatternParser(description)
        let path = try parser.path()
        hasTrailingSlash = path.hasTrailingSlash
        hasRest = if case .rest? = path.segments.last { true } else { false }
    }

    /// The segments, parsed from the text on each access. The text takes a tenth of the memory, and few of a million
    /// patterns are read twice.
    public var segments: [Segment] {
        if let parsed { return parsed }
        var parser = PatternParser(description)
        do {
            return try parser.path().segments
        } catch {
            preconditionFailure("The initializer has already parsed this text: \(error)")
        }
    }

    /// Returns the pattern with its segments kept.
    func keepingSegments() -> RoutePattern {
        var pattern = self
        pattern.parsed = segments
        return pattern
    }

    /// Compares patterns by the bytes of their texts.
    public static func == (left: RoutePattern, right: RoutePattern) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// A pattern for the host of a web link. It never matches a custom scheme.
public enum HostPattern: Sendable, Hashable, CustomStringConvertible {
    case exact(HostName)
    /// Exactly one label and a dot before `suffix`; the parameter is nil for `*`.
    case label(RoutePattern.Parameter?, suffix: HostName)

    public init(_ text: some StringProtocol) throws(RoutePattern.SyntaxError) {
        var parser = PatternParser(String(text))
        self = try parser.host()
    }

    public var description: String {
        switch self {
        case .exact(let host): host.unicode
        case .label(let parameter?, let suffix): "\(RoutePattern.Segment.parameter(parameter)).\(suffix.unicode)"
        case .label(nil, let suffix): "*.\(suffix.unicode)"
        }
    }
}
