/// The types without bounds that a text is a value of, among those that allow a set of bytes. Computed once for a text that
/// many patterns are compared with.
struct TextKinds: OptionSet {
    let rawValue: UInt8

    static let alpha = TextKinds(rawValue: 1)
    static let alnum = TextKinds(rawValue: 2)
    static let hex = TextKinds(rawValue: 4)
    static let slug = TextKinds(rawValue: 8)
    /// Every text.
    static let string = TextKinds(rawValue: 16)
    /// Marks a hyphen in ``byByte``.
    private static let hyphen = TextKinds(rawValue: 32)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ text: ArraySlice<UInt8>) { self = text.withUnsafeBufferPointer(Self.of) }

    static func of(_ text: UnsafeBufferPointer<UInt8>) -> TextKinds {
        byByte.withUnsafeBufferPointer { kinds in
            guard let first = text.first, let last = text.last else { return .string }
            var all: UInt8 = .max
            var doubled: UInt8 = 0
            var previous = hyphen.rawValue
            for byte in text {
                let kind = kinds[Int(byte)]
                all &= kind
                doubled |= kind & previous
                previous = kind
            }
            _ = first
            let hasLoneHyphens = doubled & hyphen.rawValue == 0 && last != UInt8(ascii: "-")
            return TextKinds(rawValue: all & (hasLoneHyphens ? 31 : ~slug.rawValue & 31))
        }
    }

    /// The kinds whose texts may contain a byte.
    static let byByte: [UInt8] = (0...UInt8.max).map { byte in
        var kinds: TextKinds = .string
        if isLetter(byte) { kinds.formUnion([.alpha, .alnum]) }
        if isDigit(byte) { kinds.insert(.alnum) }
        if hexValue(byte) != nil { kinds.insert(.hex) }
        if isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { kinds.insert(.slug) }
        if byte == UInt8(ascii: "-") { kinds.formUnion([.slug, .hyphen]) }
        return kinds.rawValue
    }
}

extension ParameterType {
    /// The kind of the type's values; nil for types that a set of bytes does not describe.
    var kind: TextKinds? {
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
}
