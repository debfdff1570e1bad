/// A set of bytes.
struct ByteSet: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    static let all = ByteSet(0...255)
    static let none = ByteSet()

    init() {}

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    /// Creates the set of the bytes of `text`, which is ASCII.
    init(_ text: StaticString) {
        self.init(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    var isEmpty: Bool { words == SIMD4() }

    func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 }

    mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    func union(_ other: ByteSet) -> ByteSet {
        var union = self
        union.words |= other.words
        return union
    }

    func intersection(_ other: ByteSet) -> ByteSet {
        var intersection = self
        intersection.words &= other.words
        return intersection
    }

    func subtracting(_ other: ByteSet) -> ByteSet {
        var rest = self
        rest.words &= ~other.words
        return rest
    }

    /// The only byte of the set; nil if the set is empty or has several.
    var only: UInt8? {
        guard (0..<4).reduce(0, { $0 + words[$1].nonzeroBitCount }) == 1 else { return nil }
        return (0..<4).first { words[$0] != 0 }.map { UInt8($0 * 64 + words[$0].trailingZeroBitCount) }
    }

    /// The bytes of the set, in ascending order.
    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter(contains) }

    /// The set with both cases of each ASCII letter that it contains.
    var foldingCase: ByteSet {
        bytes.reduce(into: self) { set, byte in
            let letter = byte | 0x20
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) else { return }
            set.insert(letter)
            set.insert(letter & ~0x20)
        }
    }

    static let digits = ByteSet("0123456789")
    static let upper = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let lower = ByteSet("abcdefghijklmnopqrstuvwxyz")
    static let letters = upper.union(lower)
    static let hexDigits = ByteSet("0123456789ABCDEFabcdef")
    /// The bytes that may occur unescaped in a segment of a URL's path: those of `pchar` (RFC 3986), without its
    /// escapes, and `[]^|{}`, which devices accept.
    static let plainInSegment = letters.union(digits).union(ByteSet("-._~!$&'()*+,;=:@[]^|{}"))
}
