/// A pattern of association files as a language: `*`, `?`, `$(name)`, everything else literal.
///
/// Source: Apple, "components" of applinks; see docs/association.md, "Patterns".
struct Glob: Hashable, Sendable {
    var pieces: [Piece]

    enum Piece: Hashable, Sendable {
        /// UTF-8 bytes of literal text.
        case byte(UInt8)
        /// `?`
        case one
        /// `*`
        case many
        /// One character of a built-in class, such as `$(digit)`.
        case character(ByteSet)
        /// `$(name)`: one of a variable's values.
        case values([[Piece]], name: String)
        /// What matches nothing, such as an unknown variable.
        case never
    }

    init(pieces: [Piece]) { self.pieces = pieces }

    /// Reads a pattern; `values` gives a variable's, nil for an unknown one.
    init(_ text: String, values: (String) -> [String]? = { _ in nil }) {
        self.init(pieces: Self.pieces(Array(text.utf8)[...], values))
    }

    private static func pieces(_ text: ArraySlice<UInt8>, _ values: (String) -> [String]?) -> [Piece] {
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
                pieces.append(variable(name, values))
            default: pieces.append(.byte(byte))
            }
        }
        return pieces
    }

    private static func variable(_ name: String, _ values: (String) -> [String]?) -> Piece {
        if let values = values(name) {
            // A value may hold wildcards but no variables.
            let plain = values.filter { !$0.contains("$(") }
            return .values(plain.map { pieces(Array($0.utf8)[...]) { _ in nil } }, name: name)
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

    /// Of the text up to the first wildcard, variable or class.
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
    /// What a rule's flags make of a pattern.
    struct Reading: Hashable, Sendable {
        var foldsCase = false
        /// Whether the URL is compared as it is written, or decoded.
        var comparesEncoded = true
    }

    /// The URL paths that the pattern takes, normalised as iOS does it: no runs of `/`, one at the beginning and the end.
    func pathLanguage(_ reading: Reading = Reading()) -> Language { normalisedPath.language(reading) }

    /// The pattern as iOS compares it with a path.
    var normalisedPath: Glob {
        let slash = Piece.byte(UInt8(ascii: "/"))
        var path: [Piece] = []
        for piece in pieces where piece != path.last || (piece != slash && piece != .many) { path.append(piece) }
        if path.isEmpty { path = [slash] }
        if !isOneCharacter {
            if path.first != .many, path.first != slash { path.insert(slash, at: 0) }
            if path.last != .many, path.last != slash { path.append(slash) }
        }
        return Glob(pieces: path)
    }

    /// A text of one character is not normalised: `?` takes only the path `/`, and a letter takes none.
    var isOneCharacter: Bool {
        switch pieces.first {
        case .one, .byte: pieces.count == 1
        case .many, .character, .values, .never, nil: false
        }
    }

    /// The texts that the pattern takes.
    func language(_ reading: Reading = Reading()) -> Language { .sequence(pieces.map { $0.language(reading) }) }

    /// The decoded texts that the pattern takes; a character is a Unicode scalar.
    var decodedLanguage: Language {
        .sequence(
            pieces.map { piece in
                switch piece {
                case .one: Self.anyScalar
                case .byte, .character, .many, .values, .never: piece.language(Reading())
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

    /// The pattern as text, if it has nothing but literals and wildcards.
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

    /// Every path of a URL that iOS could be asked for, normalised. One that ends with a star gets no slash behind it.
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

    /// As itself or escaped: what is compared decoded cannot end inside an escape.
    /// A slash or a question mark stands as it is where the part of the URL has them.
    private static let byteDecoded = Language.either([.byte(ByteSet("/?")), .anySpelled])

    /// One Unicode scalar, as itself or escaped byte by byte.
    private static let oneDecoded: Language = {
        func bytes(_ range: ClosedRange<UInt8>) -> Language { .spelled(ByteSet(range)) }
        let tail = bytes(0x80...0xBF)
        return .either([
            .byte(ByteSet("/?")), bytes(0x00...0x7F), .sequence([bytes(0xC2...0xDF), tail]),
            .sequence([bytes(0xE0...0xEF), tail, tail]), .sequence([bytes(0xF0...0xF4), tail, tail, tail]),
        ])
    }()
}
