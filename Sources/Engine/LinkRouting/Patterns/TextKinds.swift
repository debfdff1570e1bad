/// What decides whether a text is a value of a type that allows a set of bytes. A long text is read once for all patterns
/// that it is compared with, and for parts of the text as well.
struct TextKinds {
    /// For each kind, the number of bytes that its texts may not contain: 16 bits each.
    private var others: UInt64 = 0
    /// The number of hyphens that follow another one.
    private var doubledHyphens = 0

    /// A set of bytes.
    enum Kind: Int {
        case alpha, alnum, hex, slug
        /// Every byte.
        case string

        /// Whether a text of this kind may contain a byte.
        func mayContain(_ byte: UInt8) -> Bool {
            switch self {
            case .alpha: isLetter(byte)
            case .alnum: isLetter(byte) || isDigit(byte)
            case .hex: hexValue(byte) != nil
            case .slug:
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
            case .string: true
            }
        }

        /// Returns where the bytes of a text begin that may be behind each other, up to an end and not before a position.
        func startOfRun(in text: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int) -> Int {
            let hyphen = UInt8(ascii: "-")
            var (start, next) = (end, UInt8(0))
            while start > first, mayContain(text[start - 1]), text[start - 1] != hyphen || next != hyphen {
                start -= 1
                next = text[start]
            }
            return start
        }
    }

    init() {}

    /// Reads a text of at most 65,535 bytes.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        Self.byByte.withUnsafeBufferPointer { table in
            var previous: UInt8 = 0
            for byte in text {
                others &+= table[Int(byte)]
                if byte == UInt8(ascii: "-"), previous == byte { doubledHyphens += 1 }
                previous = byte
            }
        }
    }

    /// Whether a part of this text has only bytes of a kind, and no two hyphens if it is a slug. Reads the text around the
    /// part, with the hyphens at its ends.
    func isOnly(_ kind: Kind, in range: Range<Int>, of text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard kind != .string else { return true }
        var rest = self
        if range.lowerBound > 0 {
            rest.subtract(TextKinds(UnsafeBufferPointer(rebasing: text[..<range.lowerBound])))
            let isDoubled =
                text[range.lowerBound] == UInt8(ascii: "-") && text[range.lowerBound - 1] == UInt8(ascii: "-")
            if isDoubled { rest.doubledHyphens -= 1 }
        }
        if range.upperBound < text.count {
            rest.subtract(TextKinds(UnsafeBufferPointer(rebasing: text[range.upperBound...])))
            let isDoubled =
                text[range.upperBound] == UInt8(ascii: "-") && text[range.upperBound - 1] == UInt8(ascii: "-")
            if isDoubled { rest.doubledHyphens -= 1 }
        }
        return rest.isOnly(kind)
    }

    func isOnly(_ kind: Kind) -> Bool {
        guard kind != .string else { return true }
        return others >> (UInt64(kind.rawValue) * 16) & 0xFFFF == 0 && (kind != .slug || doubledHyphens == 0)
    }

    mutating func add(_ other: TextKinds) {
        others &+= other.others
        doubledHyphens += other.doubledHyphens
    }

    private mutating func subtract(_ part: TextKinds) {
        others &-= part.others
        doubledHyphens -= part.doubledHyphens
    }

    private static let byByte: [UInt64] = (0...UInt8.max).map { byte in
        (0..<4).reduce(0) { sum, kind in
            Kind(rawValue: kind)?.mayContain(byte) == false ? sum | 1 << (UInt64(kind) * 16) : sum
        }
    }
}

extension ParameterType {
    /// The set of bytes that describes the type's values besides their length; nil for other types.
    var kind: TextKinds.Kind? {
        switch self {
        case .string: .string
        case .slug: .slug
        case .alpha: .alpha
        case .alnum: .alnum
        case .hex: .hex
        case .int, .number, .bool, .uuid, .date, .oneOf: nil
        }
    }

    /// The range of lengths of the values of a type with a ``kind``.
    var lengthBounds: Bounds<Int>? {
        switch self {
        case .string(let length), .slug(let length), .alpha(let length), .alnum(let length), .hex(let length): length
        case .int, .number, .bool, .uuid, .date, .oneOf: nil
        }
    }

    /// Whether a text that is part of another one is a value of a type with a ``kind``.
    ///
    /// - Parameters:
    ///   - whole: The kinds of the whole text; nil to read the part.
    ///   - range: The part, which is not empty. Only short texts may be around it if `whole` is not nil.
    func accepts(_ range: Range<Int>, of text: UnsafeBufferPointer<UInt8>, _ kind: TextKinds.Kind, _ whole: TextKinds?)
        -> Bool
    {
        guard lengthBounds?.contains(range.count) ?? true else { return false }
        guard kind != .string else { return true }
        let hyphen = UInt8(ascii: "-")
        if kind == .slug, text[range.lowerBound] == hyphen || text[range.upperBound - 1] == hyphen { return false }
        guard let whole else {
            return TextKinds(UnsafeBufferPointer(rebasing: text[range])).isOnly(kind)
        }
        return whole.isOnly(kind, in: range, of: text)
    }
}
