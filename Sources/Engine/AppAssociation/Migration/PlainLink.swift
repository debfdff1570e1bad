/// Plain links: links as programs write them. For these a migrated table gives the same answers as iOS.
///
/// A plain link has a fixed spelling: nothing is escaped that may stand unescaped, escapes are UTF-8 with upper-case
/// digits, and no segment is empty, `.` or `..`. Links that iOS and tables cannot both distinguish are left out: those
/// with an escaped slash or backslash inside a segment, and those with `*` in a path. The path ends with a slash, as
/// iOS compares it.
enum PlainLink {
    /// The links that a comparison covers.
    enum Scope {
        /// Paths only. Rules without a query and a fragment treat all links with the same path alike.
        case paths
        case links
    }

    /// Returns languages whose intersection is the set of plain links. Segments may also contain the bytes of `more`
    /// escaped.
    ///
    /// One language constrains the characters and one the structure. Together they are far smaller than a single
    /// automaton.
    static func languages(_ scope: Scope, escaping more: ByteSet = .none) -> [Language] {
        let path = path(escapes: escapedInPath.union(more))
        let structure: Language =
            switch scope {
            case .paths: path
            case .links: .sequence([path, .optional(query), .optional(fragment)])
            }
        return [characters(escapes: escapedInPath.union(ByteSet("&=")).union(more)), structure]
    }

    // MARK: Bytes

    static let slash = ByteSet("/")
    /// RFC 3986 `pchar` without `*`.
    private static let plainInPath = ByteSet.letters.union(.digits).union(ByteSet("-._~!$&'()+,;=:@"))
    /// The characters that some browsers write unescaped and others escape. Plain links have either spelling.
    private static let eitherWay = ByteSet("[]^|{}")
    private static let escapedInPath =
        ByteSet(0x20...0x7E).subtracting(plainInPath).subtracting(ByteSet("*/\\"))
    private static let plain = plainInPath.union(eitherWay).union(ByteSet("*/?"))

    /// The bytes of each component of a link, and of the parts of a query, without its delimiters.
    static let inPath = ByteSet.all.subtracting(ByteSet("?#"))
    static let inQuery = ByteSet.all.subtracting(ByteSet("#"))
    static let inValue = inQuery.subtracting(ByteSet("&"))
    static let inName = inValue.subtracting(ByteSet("="))

    // MARK: Structure

    private static func path(escapes: ByteSet) -> Language {
        let plain = plainInPath.union(eitherWay)
        // The first digit of an escape identifies a byte beyond ASCII. `characters(escapes:)` checks the UTF-8.
        let any = Language.either([.byte(plain), escaped(escapes.union(ByteSet(0x80...0xFF)))])
        let dot = Language.byte(ByteSet("."))
        let other = Language.either([
            .byte(plain.subtracting(ByteSet("."))), escaped(escapes.union(ByteSet(0x80...0xFF))),
            .sequence([dot, dot, any]),
        ])
        let segment = Language.sequence([.optional(dot), other, .repeated(any)])
        return .sequence([.byte(slash), .repeated(.sequence([segment, .byte(slash)]))])
    }

    /// A query without empty items and without items that have no name. A `?` in it is not escaped.
    private static let query: Language = {
        let inValue = unescaped(plain.subtracting(ByteSet("&")), escapes: escapedInPath.union(ByteSet("&")))
        let inName = unescaped(plain.subtracting(ByteSet("&=")), escapes: escapedInPath.union(ByteSet("&=")))
        let item = Language.sequence([
            .oneOrMore(inName), .optional(.sequence([.byte(ByteSet("=")), .repeated(inValue)])),
        ])
        return .sequence([.byte(ByteSet("?")), item, .repeated(.sequence([.byte(ByteSet("&")), item]))])
    }()

    private static let fragment: Language = .sequence([
        .byte(ByteSet("#")), .oneOrMore(unescaped(plain, escapes: escapedInPath)),
    ])

    private static func unescaped(_ plain: ByteSet, escapes: ByteSet) -> Language {
        .either([.byte(plain), escaped(escapes.subtracting(ByteSet("?")).union(ByteSet(0x80...0xFF)))])
    }

    // MARK: Characters

    /// Returns the texts whose escapes are UTF-8 characters (RFC 3629). Of the ASCII characters only `escapes` are
    /// escaped.
    private static func characters(escapes: ByteSet) -> Language {
        func bytes(_ range: ClosedRange<UInt8>) -> Language { escaped(ByteSet(range)) }
        let tail = bytes(0x80...0xBF)
        let headOfFour = Language.either([
            .sequence([bytes(0xF0...0xF0), bytes(0x90...0xBF)]), .sequence([bytes(0xF1...0xF3), tail]),
            .sequence([bytes(0xF4...0xF4), bytes(0x80...0x8F)]),
        ])
        let headOfThree = Language.either([
            .sequence([bytes(0xE0...0xE0), bytes(0xA0...0xBF)]), .sequence([bytes(0xE1...0xEC), tail]),
            .sequence([bytes(0xED...0xED), bytes(0x80...0x9F)]), .sequence([bytes(0xEE...0xEF), tail]),
            .sequence([headOfFour, tail]),
        ])
        let multibyte = Language.sequence([.either([bytes(0xC2...0xDF), headOfThree]), tail])
        return .repeated(.either([.byte(plain.union(ByteSet("#"))), escaped(escapes), multibyte]))
    }

    // MARK: Spelling

    /// Returns the spellings of a decoded byte of `bytes` in a plain link. Bytes of characters beyond ASCII are
    /// escaped.
    static func spelled(_ bytes: ByteSet) -> Language {
        let escapes = bytes.subtracting(plainInPath).subtracting(ByteSet("*/"))
        return .either([.byte(bytes.intersection(plain)), escaped(escapes)])
    }

    /// Returns the spellings of one decoded byte in a component that may contain `bytes`.
    static func character(of bytes: ByteSet) -> Language {
        .either([
            .byte(bytes.subtracting(ByteSet("%"))),
            .sequence([.byte(ByteSet("%")), .byte(.hexDigits), .byte(.hexDigits)]),
        ])
    }

    /// Returns the spellings of a query item's name in plain links.
    static func spellings(of name: String) -> [[UInt8]] {
        let plain = plain.subtracting(ByteSet("&="))
        var spellings: [[UInt8]] = [[]]
        for byte in name.utf8 {
            let escape = [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            let mayBoth = eitherWay.contains(byte) && spellings.count < 16
            let forms = mayBoth ? [[byte], escape] : plain.contains(byte) ? [[byte]] : [escape]
            spellings = spellings.flatMap { beginning in forms.map { beginning + $0 } }
        }
        return spellings
    }

    private static func escaped(_ bytes: ByteSet) -> Language {
        var highs: [[UInt8]: ByteSet] = [:]
        for high in UInt8(0)..<16 {
            let low = bytes.bytes.filter { $0 >> 4 == high }.map { hexDigit($0 & 15) }
            if !low.isEmpty { highs[low, default: .none].insert(hexDigit(high)) }
        }
        // The order is fixed, so that the same search always finds the same link.
        let spellings = highs.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { low, high in
            Language.sequence([.byte(ByteSet("%")), .byte(high), .byte(ByteSet(low))])
        }
        return .either(spellings)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
