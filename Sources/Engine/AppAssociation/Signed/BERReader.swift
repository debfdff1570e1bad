/// A BER or DER element: its tag and its contents.
struct BERElement {
    /// The identifier byte with class, constructed bit and number, such as 0x30 for a SEQUENCE.
    let tag: UInt8
    /// The contents. For an indefinite length, they exclude the end marker.
    let contents: ArraySlice<UInt8>

    static let endOfContents: UInt8 = 0x00
    static let objectIdentifier: UInt8 = 0x06
    static let octetString: UInt8 = 0x04
    static let constructedOctetString: UInt8 = 0x24
    static let sequence: UInt8 = 0x30
    /// `[0]`, constructed.
    static let explicitZero: UInt8 = 0xA0
}

/// Reads BER elements one after the other. It never copies, reads each byte a bounded number of times, and limits the
/// nesting.
struct BERReader {
    private var rest: ArraySlice<UInt8>

    /// The maximum nesting of elements with an indefinite length. Only those must be searched for their end.
    private static let maximumDepth = 16

    struct Malformed: Error {}

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() throws(Malformed) -> BERElement { try next(depth: 0) }

    /// Returns the next element if it has the tag.
    mutating func next(_ tag: UInt8) throws(Malformed) -> BERElement {
        let element = try next()
        guard element.tag == tag else { throw Malformed() }
        return element
    }

    private mutating func next(depth: Int) throws(Malformed) -> BERElement {
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { throw Malformed() }
        guard first != 0x80 else { return try indefinite(tag, depth) }
        let length = try length(first)
        guard length <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(length) }
        return BERElement(tag: tag, contents: rest.prefix(length))
    }

    /// Returns the length whose first byte is `first`. More than four bytes of length exceed any file.
    private mutating func length(_ first: UInt8) throws(Malformed) -> Int {
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns an element that ends with an end-of-contents marker. Only constructed elements may.
    private mutating func indefinite(_ tag: UInt8, _ depth: Int) throws(Malformed) -> BERElement {
        guard tag & 0x20 != 0, depth < Self.maximumDepth else { throw Malformed() }
        var inner = self
        while true {
            let start = inner.rest.startIndex
            let element = try inner.next(depth: depth + 1)
            guard element.tag == BERElement.endOfContents else { continue }
            guard element.contents.isEmpty else { throw Malformed() }
            let contents = rest[..<start]
            rest = inner.rest
            return BERElement(tag: tag, contents: contents)
        }
    }
}
