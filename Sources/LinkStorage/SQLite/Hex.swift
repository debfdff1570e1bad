/// Converts lower-case hexadecimal text and UUIDs to bytes and back.
enum Hex {
    /// Returns nil for every text that ``text(_:)`` would not reproduce.
    static func bytes(of text: String) -> [UInt8]? { bytes(of: text.utf8) }

    static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the 16 bytes of a UUID in canonical form (36 bytes of lower-case text); nil for any other text.
    /// Allocates nothing.
    static func bytes(ofUUID text: String) -> UUIDBytes? {
        guard text.utf8.count == 36 else { return nil }
        var text = text
        return text.withUTF8 { characters in
            var (high, low) = (UInt64(0), UInt64(0))
            for (place, character) in characters.enumerated() {
                switch place {
                case 8, 13, 18, 23: guard character == UInt8(ascii: "-") else { return nil }
                default:
                    guard let nibble = nibble(character) else { return nil }
                    high = high << 4 | low >> 60
                    low = low << 4 | UInt64(nibble)
                }
            }
            return UUIDBytes(high: high, low: low)
        }
    }

    struct UUIDBytes: RandomAccessCollection {
        let high: UInt64
        let low: UInt64

        var startIndex: Int { 0 }
        var endIndex: Int { 16 }
        subscript(place: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (place < 8 ? high : low) >> UInt64(56 - place % 8 * 8))
        }
    }

    static func uuid(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        text.reserveCapacity(36)
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append("-") }
            text += Self.text(CollectionOfOne(byte))
        }
        return text
    }

    private static func bytes(of digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let nibble = nibble(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return bytes
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
