/// A pattern of an association file: `*`, `?` and `$(name)` are special, all other text is literal.
///
/// Source: Apple, "components" of applinks.
struct Glob: Hashable, Sendable {
    var pieces: [Piece]

    /// A table has millions of pieces. Those with a payload are indirect, so that a piece takes 8 bytes instead of 40.
    enum Piece: Hashable, Sendable {
        /// UTF-8 bytes of literal text.
        case byte(UInt8)
        /// `?`
        case one
        /// `*`
        case many
        /// One character of a built-in class, such as `$(digit)`.
        indirect case character(ByteSet)
        /// `$(name)`: one of a variable's values.
        indirect case values([[Piece]], name: String)
        /// Matches nothing; an unknown variable, for example.
        case never
    }

    init(pieces: [Piece]) { self.pieces = pieces }

    /// Parses a pattern. `values` returns the values of a variable, or nil if the variable is unknown.
    init(_ text: String, values: (String) -> [String]? = { _ in nil }) {
        self.init(pattern: text) { Self.variable($0, values) }
    }

    /// Parses a pattern. `variable` returns the piece of a variable: see ``variable(_:_:)``. Patterns share a piece that
    /// is made once.
    init(pattern: String, variable: (String) -> Piece) {
        self.init(pieces: Self.pieces(Array(pattern.utf8)[...], variable))
    }

    private static func pieces(_ text: ArraySlice<UInt8>, _ variable: (String) -> Piece) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"): pieces.append(.many)
            case UInt8(ascii: "?"): pieces.append(.one)
            case UInt8(ascii: "$") where rest.first == UInt8(ascii: "("):
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return pieces + [.never] }
                let name = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
                rest = rest[(end + 1)...]
                pieces.append(variable(name))
            default: pieces.append(.byte(byte))
            }
        }
        return pieces
    }

    /// Returns the piece of a variable. `values` returns the variable's values, or nil if it is unknown.
    static func variable(_ name: String, _ values: (String) -> [String]?) -> Piece {
        if let values = values(name) {
            // A value may contain wildcards but no variables.
            let plain = values.filter { !$0.containsBytes(of: "$(") }
            return .values(plain.map { pieces(Array($0.utf8)[...]) { Self.variable($0) { _ in nil } } }, name: name)
        }
        return switch name {
        case "alpha": .character(.letters)
        case "upper": .character(.upper)
        case "lower": .character(.lower)
        case "alnum": .character(.letters.union(.digits))
        case "digit": .character(.digits)
        case "xdigit": .character(.hexDigits)
        default: .never
        }
    }

    /// The bytes before the first wildcard, variable or class.
    var literalPrefix: [UInt8] {
        var prefix: [UInt8] = []
        for piece in pieces {
            guard case .byte(let byte) = piece else { break }
            prefix.append(byte)
        }
        return prefix
    }
}

// MARK: Languages

extension Glob {
    /// The flags of a rule that change what a pattern matches.
    struct Reading: Hashable, Sendable {
        var foldsCase = false
        /// Whether the pattern is compared with the URL as written, not percent-decoded.
        var comparesEncoded = true
    }

    /// Returns the language of the URL paths that the pattern matches. The paths are normalised as iOS does it: without
    /// runs of `/`, and with a `/` at the beginning and at the end.
    func pathLanguage(_ reading: Reading = Reading()) -> Language { normalisedPath.language(reading) }

    /// The pattern, normalised as iOS does it before it compares a path.
    var normalisedPath: Glob {
        let slash = Piece.byte(UInt8(ascii: "/"))
        var path: [Piece] = []
        // The last comparison comes last: two variables have many values.
        for piece in pieces where (piece != slash && piece != .many) || piece != path.last { path.append(piece) }
        if path.isEmpty { path = [slash] }
        if !isOneCharacter {
            if path.first != .many, path.first != slash { path.insert(slash, at: 0) }
            if path.last != .many, path.last != slash { path.append(slash) }
        }
        return Glob(pieces: path)
    }

    /// Whether the pattern is one literal byte or `?`. iOS does not normalise such a pattern: `?` matches only the path
    /// `/`, and a letter matches no path.
    var isOneCharacter: Bool {
        switch pieces.first {
        case .one, .byte: pieces.count == 1
        case .many, .character, .values, .never, nil: false
        }
    }

    /// Returns the language of the texts that the pattern matches.
    func language(_ reading: Reading = Reading()) -> Language { .sequence(pieces.map { $0.language(reading) }) }

    /// The language of the percent-decoded texts that the pattern matches on Android. `?` matches one Unicode scalar. A
    /// star ends before the first occurrence of an ASCII character that follows it.
    var androidLanguage: Language {
        .sequence(
            pieces.indices.map { index in
                switch pieces[index] {
                case .one: return Self.anyScalar
                case .many:
                    guard index + 1 < pieces.count, case .byte(let next) = pieces[index + 1], next < 0x80 else {
                        return .repeated(.byte(.all))
                    }
                    return .repeated(.byte(.all.subtracting(ByteSet(CollectionOfOne(next)))))
                case .byte, .character, .values, .never: return pieces[index].language(Reading())
                }
            }
        )
    }

    private static let anyScalar: Language = {
        let tail = Language.byte(ByteSet(0x80...0xBF))
        return .either([
            .byte(ByteSet(0...0x7F)), .sequence([.byte(ByteSet(0xC2...0xDF)), tail]),
            .sequence([.byte(ByteSet(0xE0...0xEF)), tail, tail]),
            .sequence([.byte(ByteSet(0xF0...0xF4)), tail, tail, tail]),
        ])
    }()

    /// The pattern as text. The pattern must consist of literals and wildcards only.
    var text: String {
        let bytes = pieces.map { piece in
            switch piece {
            case .byte(let byte): byte
            case .one: UInt8(ascii: "?")
            case .many: UInt8(ascii: "*")
            case .character, .values, .never: preconditionFailure("only Apple's patterns have variables and classes")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The normalised form of every URL path that iOS can be asked for. A path that ends with a star gets no slash
    /// after it.
    static let allPaths: Language = {
        let slash = Language.byte(ByteSet("/"))
        let star = Language.sequence([.repeated(.anySpelled), .spelled(UInt8(ascii: "*"))])
        return .sequence([slash, .repeated(.sequence([.oneOrMore(.anySpelled), slash])), .optional(star)])
    }()
}

extension Glob.Piece {
    fileprivate func language(_ reading: Glob.Reading) -> Language {
        switch self {
        case .byte(let byte): character(ByteSet(CollectionOfOne(byte)), reading)
        case .character(let set): character(set, reading)
        case .one: reading.comparesEncoded ? .byte(.all) : Self.oneDecoded
        case .many: .repeated(reading.comparesEncoded ? .byte(.all) : Self.byteDecoded)
        case .values(let values, _): .either(values.map { .sequence($0.map { $0.language(reading) }) })
        case .never: .nothing
        }
    }

    private func character(_ set: ByteSet, _ reading: Glob.Reading) -> Language {
        let set = reading.foldsCase ? set.foldingCase : set
        guard !reading.comparesEncoded else { return .byte(set) }
        let slash = set.intersection(ByteSet("/"))
        return slash.isEmpty ? .spelled(set) : .either([.byte(slash), .spelled(set)])
    }

    /// One decoded byte, as itself or percent-encoded. A decoded comparison cannot end inside an escape.
    /// A slash or a question mark occurs unescaped where the URL component allows it.
    private static let byteDecoded = Language.either([.byte(ByteSet("/?")), .anySpelled])

    /// One Unicode scalar, as itself or with each byte percent-encoded.
    private static let oneDecoded: Language = {
        func bytes(_ range: ClosedRange<UInt8>) -> Language { .spelled(ByteSet(range)) }
        let tail = bytes(0x80...0xBF)
        return .either([
            .byte(ByteSet("/?")), bytes(0x00...0x7F), .sequence([bytes(0xC2...0xDF), tail]),
            .sequence([bytes(0xE0...0xEF), tail, tail]), .sequence([bytes(0xF0...0xF4), tail, tail, tail]),
        ])
    }()
}
