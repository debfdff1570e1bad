/// Links as programs write them: the links for which a migrated table gives iOS's answers.
///
/// Of each way to write a link there is one: nothing is escaped that may stand as it is, escapes are UTF-8 with digits in upper
/// case, no segment is empty, `.` or `..`. Left out are what iOS and tables cannot both tell: escaped slashes and backslashes
/// inside a segment, and `*` in a path. The path ends with a slash, as iOS compares it.
enum PlainLink {
    /// Which links a question is about.
    enum Scope {
        /// Rules that name no query and no fragment say the same of all of them.
        case paths
        case links
    }

    /// Languages that have all plain links in common, and nothing else; in segments also `more` may be escaped.
    ///
    /// One looks at characters and one at delimiters: together they are far smaller than a single one.
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
    /// Browsers write some of these as they are and escape others.
    private static let eitherWay = ByteSet("[]^|{}")
    private static let escapedInPath =
        ByteSet(0x20...0x7E).subtracting(plainInPath).subtracting(ByteSet("*/\\"))
    private static let plain = plainInPath.union(eitherWay).union(ByteSet("*/?"))

    /// What separates the parts of a link, and of a query.
    static let inPath = ByteSet.all.subtracting(ByteSet("?#"))
    static let inQuery = ByteSet.all.subtracting(ByteSet("#"))
    static let inValue = inQuery.subtracting(ByteSet("&"))
    static let inName = inValue.subtracting(ByteSet("="))

    // MARK: Structure

    private static func path(escapes: ByteSet) -> Language {
        let plain = plainInPath.union(eitherWay)
        // Bytes beyond ASCII are told by their escape's first digit; what follows it is looked at as characters.
        let any = Language.either([.byte(plain), escaped(escapes.union(ByteSet(0x80...0xFF)))])
        let dot = Language.byte(ByteSet("."))
        let other = Language.either([
            .byte(plain.subtracting(ByteSet("."))), escaped(escapes.union(ByteSet(0x80...0xFF))),
            .sequence([dot, dot, any]),
        ])
        let segment = Language.sequence([.optional(dot), other, .repeated(any)])
        return .sequence([.byte(slash), .repeated(.sequence([segment, .byte(slash)]))])
    }

    /// Items without a name or nothing in them are left out. A `?` need not be escaped.
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

    /// Texts whose escapes are characters in UTF-8 (RFC 3629), those of ASCII out of `escapes`.
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

    /// A decoded byte in any of the ways in which a plain link may hold it. Bytes of characters beyond ASCII are escaped.
    static func spelled(_ bytes: ByteSet) -> Language {
        let escapes = bytes.subtracting(plainInPath).subtracting(ByteSet("*/"))
        return .either([.byte(bytes.intersection(plain)), escaped(escapes)])
    }

    /// One decoded byte of a part that may hold `bytes`.
    static func character(of bytes: ByteSet) -> Language {
        .either([
            .byte(bytes.subtracting(ByteSet("%"))),
            .sequence([.byte(ByteSet("%")), .byte(.hexDigits), .byte(.hexDigits)]),
        ])
    }

    /// The ways to write a query item's name.
    static func spellings(of name: String) -> [[UInt8]] {
        let plain = plain.subtracting(ByteSet("&="))
        var spellings: [[UInt8]] = [[]]
        for byte in name.utf8 {
            let escape = [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            let mayBoth = eitherWay.contains(byte) && spellings.count < 16
            let ways = mayBoth ? [[byte], escape] : plain.contains(byte) ? [[byte]] : [escape]
            spellings = spellings.flatMap { beginning in ways.map { beginning + $0 } }
        }
        return spellings
    }

    private static func escaped(_ bytes: ByteSet) -> Language {
        var highs: [[UInt8]: ByteSet] = [:]
        for high in UInt8(0)..<16 {
            let low = bytes.bytes.filter { $0 >> 4 == high }.map { hexDigit($0 & 15) }
            if !low.isEmpty { highs[low, default: .none].insert(hexDigit(high)) }
        }
        // In a fixed order, so that the same question is always answered by the same link.
        let spellings = highs.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { low, high in
            Language.sequence([.byte(ByteSet("%")), .byte(high), .byte(ByteSet(low))])
        }
        return .either(spellings)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
