/// A pointer to the next byte of a buffer in which the caller has reserved room for all bytes to be written.
struct ReservedOutput {
    private(set) var cursor: UnsafeMutablePointer<UInt8>

    init(at cursor: UnsafeMutablePointer<UInt8>) { self.cursor = cursor }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        cursor.pointee = byte
        cursor += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        cursor.update(from: start, count: bytes.count)
        cursor += bytes.count
    }

    @inline(__always)
    mutating func append(_ count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        fill(UnsafeMutableBufferPointer(start: cursor, count: count))
        cursor += count
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        JSONBytes.copy(UnsafeRawBufferPointer(start: text.utf8Start, count: count), to: cursor)
        cursor += count
    }

    /// A key of JSON that needs no escape, or none. An optional `StaticString` would take three words, and several branches
    /// at each use.
    struct Key {
        private let start: UnsafePointer<UInt8>?
        private let count: Int

        static var none: Key { Key() }

        private init() { (start, count) = (nil, 0) }

        @inline(__always)
        init(_ text: StaticString) {
            (start, count) = (text.utf8Start, text.utf8CodeUnitCount)
            assert(
                JSONBytes.isPlain(UnsafeBufferPointer(start: start, count: count)),
                "the key '\(text)' needs an escape"
            )
        }

        @inline(__always)
        var isPresent: Bool { start != nil }

        /// The maximum length with quotes, a colon, and a comma before it.
        @inline(__always)
        var length: Int { count &+ 4 }

        @inline(__always)
        fileprivate func write(to cursor: inout UnsafeMutablePointer<UInt8>) {
            guard let start else { return }
            cursor.pointee = UInt8(ascii: "\"")
            JSONBytes.copy(UnsafeRawBufferPointer(start: start, count: count), to: cursor + 1)
            cursor[count &+ 1] = UInt8(ascii: "\"")
            cursor[count &+ 2] = UInt8(ascii: ":")
            cursor += count &+ 3
        }
    }

    /// Writes what precedes a value of JSON.
    @inline(__always)
    mutating func append(comma: Bool, _ key: Key) {
        if comma { append(UInt8(ascii: ",")) }
        key.write(to: &cursor)
    }

    mutating func append(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digits = 1
        // Comparisons take less time than divisions. The longest number has 19 digits.
        var limit: UInt64 = 10
        while rest >= limit, digits < 19 {
            digits &+= 1
            limit &*= 10
        }
        var index = digits
        while index > 0 {
            index &-= 1
            cursor[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        cursor += digits
    }

    /// Writes a text of JSON without quotes. Returns false if a byte needs an escape; it may then have written some.
    @inline(__always)
    mutating func append(plain text: UnsafeBufferPointer<UInt8>) -> Bool {
        let isPlain = JSONBytes.copyPlain(UnsafeRawBufferPointer(text), to: UnsafeMutableRawPointer(cursor))
        cursor += text.count
        return isPlain
    }
}

/// Searches text for bytes that JSON escapes, several bytes at a time.
enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Returns the top bits of the bytes of a word that need an escape; 0 if there are none. Above the first such byte,
    /// the bits may be false.
    @inline(__always)
    private static func escapes(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        // The top bit of a byte in `x - n & ~x` tells whether the byte is smaller than n.
        // All three have the top bits of `word`.
        let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones)
        return found & ~word & (ones &* 0x80)
    }

    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.allSatisfy { escapes((ones &* 0x20) << 8 | UInt64($0)) == 0 }
    }

    /// Copies a text in vectors or words, the last of which may overlap the one before it. Returns false if a byte needs
    /// an escape; some bytes may then have been copied.
    @inline(never)
    static func copyPlain(_ text: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) -> Bool {
        guard let start = text.baseAddress else { return true }
        let count = text.count
        if count >= 16 {
            let last = count &- 16
            var offset = 0
            while true {
                let bytes = (start + offset).loadUnaligned(as: SIMD16<UInt8>.self)
                guard !hasEscape(bytes) else { return false }
                (destination + offset).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
                guard offset < last else { return true }
                offset = min(offset &+ 16, last)
            }
        }
        if count >= 8 {
            let first = start.loadUnaligned(as: UInt64.self)
            let last = (start + (count &- 8)).loadUnaligned(as: UInt64.self)
            destination.storeBytes(of: first, as: UInt64.self)
            (destination + (count &- 8)).storeBytes(of: last, as: UInt64.self)
            return !hasEscape(unsafeBitCast(SIMD2(first, last), to: SIMD16<UInt8>.self))
        }
        if count >= 4 {
            let first = start.loadUnaligned(as: UInt32.self)
            let last = (start + (count &- 4)).loadUnaligned(as: UInt32.self)
            destination.storeBytes(of: first, as: UInt32.self)
            (destination + (count &- 4)).storeBytes(of: last, as: UInt32.self)
            return escapes(UInt64(first) << 32 | UInt64(last)) == 0
        }
        guard count > 0 else { return true }
        func copied(_ offset: Int) -> UInt64 {
            let byte = start.load(fromByteOffset: offset, as: UInt8.self)
            destination.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            return UInt64(byte)
        }
        // One to three bytes are the first, the middle and the last.
        return escapes((ones &* 0x20) << 24 | copied(0) << 16 | copied(count / 2) << 8 | copied(count &- 1)) == 0
    }

    /// Whether one of sixteen bytes needs an escape.
    @inline(__always)
    private static func hasEscape(_ bytes: SIMD16<UInt8>) -> Bool {
        // With a scalar, the operators are generic loops.
        func all(_ byte: UInt8) -> SIMD16<UInt8> { SIMD16(repeating: byte) }
        let found = (bytes .< all(0x20)) .| (bytes .== all(UInt8(ascii: "\""))) .| (bytes .== all(UInt8(ascii: "\\")))
        let words = unsafeBitCast(found, to: SIMD2<UInt64>.self)
        return words[0] | words[1] != 0
    }

    /// Copies a short text in words, the last of which may overlap the one before it. `memcpy` takes longer, because
    /// the compiler does not know the length.
    @inline(__always)
    static func copy(_ text: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) {
        guard let start = text.baseAddress else { return }
        let count = text.count
        func copy<Word: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Word.Type) {
            (destination + offset).storeBytes(of: (start + offset).loadUnaligned(as: Word.self), as: Word.self)
        }
        switch count {
        case 8...:
            var offset = 0
            while offset < count {
                copy(min(offset, count &- 8), UInt64.self)
                offset &+= 8
            }
        case 4...:
            copy(0, UInt32.self)
            copy(count &- 4, UInt32.self)
        case 2...:
            copy(0, UInt16.self)
            copy(count &- 2, UInt16.self)
        case 1: copy(0, UInt8.self)
        default: break
        }
    }

    /// Returns the end of a prefix of ASCII without bytes to escape. It may end earlier within the last eight bytes.
    static func plainASCII(_ utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(utf8)
        var index = 0
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let others = (escapes(word) | word) & (ones &* 0x80)
            // The lowest bit belongs to the first byte that ends the prefix.
            guard others == 0 else { return index + others.trailingZeroBitCount / 8 }
            index += 8
        }
        return index
    }
}
