import LinkRouting

/// A part of a path pattern: literal text, or a parameter, which gets its name when the whole route is known.
enum MigratedPart: Hashable {
    case literal([UInt8])
    /// `name` is the name in the file; nil if it has none. `type` is the text after the name, such as `:alpha(2)`.
    case parameter(name: String?, type: String)
    /// One of several decoded texts.
    case set(name: String?, [[UInt8]])

    static let plain = MigratedPart.parameter(name: nil, type: "")
}

/// Why the grammar of routes cannot express a rule exactly, for people.
struct Inexactness: Hashable {
    let reason: String

    static let star = Inexactness(
        reason: "'*' inside a path also matches slashes and the empty string; a parameter matches one segment"
    )
    static let one = Inexactness(
        reason:
            "'?' matches one character of the URL as written, slashes included; a parameter counts decoded bytes of "
            + "one segment"
    )
    static let mixture = Inexactness(reason: "adjacent wildcards or variables become one parameter")
    static let variable = Inexactness(
        reason: "a variable with wildcards, slashes or very many values cannot become a set; a parameter matches any "
            + "text"
    )
    static let severalEnds = Inexactness(
        reason: "a segment has one parameter at most that may contain the text behind it; the others match any text"
    )
    static let characters = Inexactness(reason: "no parameter type matches exactly these characters")
}

/// A segment of a rule's path, or a query item's value, in the grammar of routes.
struct SegmentTranslation {
    private(set) var parts: [MigratedPart] = []
    private(set) var inexactness: Inexactness?

    private let reading: Glob.Reading

    /// The maximum number of values in a set. A table with more is not readable. The longest of Apple's own lists has
    /// fewer.
    private static let maximumValues = 700

    init(_ pieces: some Collection<Glob.Piece>, _ reading: Glob.Reading) {
        self.reading = reading
        var literal: [UInt8] = []
        var run: [Glob.Piece] = []
        for piece in pieces {
            if case .byte(let byte) = piece {
                if !run.isEmpty { add(run) }
                run = []
                literal.append(byte)
            } else {
                add(literal)
                literal = []
                run.append(piece)
            }
        }
        add(literal)
        if !run.isEmpty { add(run) }
    }

    private mutating func add(_ literal: [UInt8]) {
        guard !literal.isEmpty else { return }
        let literal = Self.decoded(literal, reading)
        // A variable with one value is literal text, too.
        if case .literal(let before)? = parts.last {
            parts[parts.count - 1] = .literal(before + literal)
        } else {
            parts.append(.literal(literal))
        }
    }

    /// Adds consecutive wildcards, variables and classes.
    private mutating func add(_ run: [Glob.Piece]) {
        let ones = run.count { $0 == .one }
        if run.contains(.many) {
            parts.append(.parameter(name: nil, type: ones > 1 ? ":string(\(ones)..)" : ""))
            inexactness = inexactness ?? (run.count == ones + 1 ? .star : .mixture)
        } else if ones == run.count {
            parts.append(.parameter(name: nil, type: ":string(\(ones))"))
            inexactness = inexactness ?? .one
        } else if case .values(let values, let name)? = run.first, run.count == 1 {
            add(values, name)
        } else if let (part, isExact) = characterPart(run) {
            parts.append(part)
            if !isExact { inexactness = inexactness ?? .characters }
        } else {
            parts.append(.plain)
            inexactness = inexactness ?? .mixture
        }
    }

    private mutating func add(_ values: [[Glob.Piece]], _ name: String) {
        guard let texts = Self.texts(values, reading), texts.count <= Self.maximumValues else {
            parts.append(.parameter(name: name, type: ""))
            inexactness = inexactness ?? .variable
            return
        }
        if texts.count == 1 { return addDecoded(texts[0]) }
        parts.append(.set(name: name, texts))
    }

    private mutating func addDecoded(_ literal: [UInt8]) {
        if case .literal(let before)? = parts.last {
            parts[parts.count - 1] = .literal(before + literal)
        } else {
            parts.append(.literal(literal))
        }
    }

    /// Returns the distinct decoded values of a variable without empty ones. Nil if no value remains, or if one is not
    /// literal text within one segment.
    static func texts(_ values: [[Glob.Piece]], _ reading: Glob.Reading) -> [[UInt8]]? {
        var texts: [[UInt8]] = []
        for value in values {
            var bytes: [UInt8] = []
            for piece in value {
                guard case .byte(let byte) = piece, byte != UInt8(ascii: "/") else { return nil }
                bytes.append(byte)
            }
            let text = decoded(bytes, reading)
            guard String(validUTF8: text) != nil else { return nil }
            if !text.isEmpty, !texts.contains(text) { texts.append(text) }
        }
        return texts.isEmpty ? nil : texts
    }

    /// Returns literal text of a pattern in decoded form. The pattern may be compared with the URL as written.
    static func decoded(_ bytes: [UInt8], _ reading: Glob.Reading) -> [UInt8] {
        reading.comparesEncoded ? bytes.percentDecoded ?? bytes : bytes
    }

    /// Returns a parameter for one or more characters of classes; nil if `run` contains anything else.
    private func characterPart(_ run: [Glob.Piece]) -> (part: MigratedPart, isExact: Bool)? {
        var sets: [ByteSet] = []
        for piece in run {
            guard case .character(let set) = piece else { return nil }
            sets.append(reading.foldsCase ? set.foldingCase : set)
        }
        func typed(_ type: String) -> MigratedPart { .parameter(name: nil, type: ":\(type)") }
        let all = sets.reduce(ByteSet.none) { $0.union($1) }
        let isUniform = Set(sets).count == 1
        switch all {
        case .digits where sets.count == 1: return (typed("int(0..9)"), true)
        case .upper where sets.count == 1, .lower where sets.count == 1:
            return (.set(name: nil, all.bytes.map { [$0] }), true)
        case _ where all.subtracting(.letters).isEmpty:
            return (typed("alpha(\(sets.count))"), isUniform && all == .letters)
        case .hexDigits: return (typed("hex(\(sets.count))"), isUniform)
        default: return (typed("alnum(\(sets.count))"), isUniform && all == .letters.union(.digits))
        }
    }

    // MARK: Writing

    static func setValue(_ text: [UInt8]) -> String { escaped(text, besides: "{}*\\,()") }

    static func literal(_ text: [UInt8]) -> String { escaped(text, besides: "{}*\\") }

    private static func escaped(_ text: [UInt8], besides special: StaticString) -> String {
        let special = ByteSet(special)
        let escapes = ByteSet("%?#/")
        let bytes = text.flatMap { byte -> [UInt8] in
            if special.contains(byte) { return [UInt8(ascii: "\\"), byte] }
            return escapes.contains(byte) ? Array("%\(String(byte, radix: 16, uppercase: true))".utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
