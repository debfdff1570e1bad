/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var pending: UInt32 = 0
        var count = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            count += 1
            guard count == 3 else { continue }
            for shift in [18, 12, 6, 0] { text.append(alphabet[Int(pending >> UInt32(shift) & 63)]) }
            (pending, count) = (0, 0)
        }
        if count > 0 {
            pending <<= UInt32(8 * (3 - count))
            for shift in [18, 12, 6, 0].prefix(count + 1) { text.append(alphabet[Int(pending >> UInt32(shift) & 63)]) }
            text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text with or without padding; line breaks are skipped. Nil for any other character.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        var isPadded = false
        for byte in text.utf8 {
            switch byte {
            case 0x0A, 0x0D: continue
            case UInt8(ascii: "="): isPadded = true
            default:
                guard !isPadded, let value = value(byte) else { return nil }
                pending = pending << 6 | value
                bits += 6
                guard bits >= 8 else { continue }
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
                pending &= (1 << bits) - 1
            }
        }
        return bits == 6 ? nil : bytes
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
