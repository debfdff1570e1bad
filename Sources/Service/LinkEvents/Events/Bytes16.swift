package import LinkRouting

/// 16 bytes that an id consists of, such as a UUID.
package struct Bytes16: Sendable, Hashable, RandomAccessCollection {
    private let high: UInt64
    private let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        self.init(high: high, low: low)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { 16 }
    package subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8))
    }

    // MARK: Text

    /// The two forms that ids have as text, in lower case.
    package enum Form: Sendable {
        /// Digits in groups of 8, 4, 4, 4 and 12, with `-` between them.
        case uuid
        /// 32 digits.
        case digits

        fileprivate var length: Int { self == .uuid ? 36 : 32 }

        fileprivate func hasDash(at index: Int) -> Bool {
            switch index {
            case 8, 13, 18, 23: self == .uuid
            default: false
            }
        }
    }

    /// Nil for every text that ``text(_:)`` does not reproduce. Allocates nothing.
    package init?(_ text: String, _ form: Form) {
        guard text.utf8.count == form.length else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for (index, character) in text.utf8.enumerated() {
            if form.hasDash(at: index) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        self.init(high: high, low: low)
    }

    package func text(_ form: Form) -> String {
        String(unsafeUninitializedCapacity: form.length) { text in
            write(form, to: text)
            return form.length
        }
    }

    /// Writes the text as the value of a key of JSON.
    package func write(_ form: Form, to writer: inout JSONWriter, key: StaticString) {
        writer.member(key, plainBytes: form.length) { write(form, to: $0) }
    }

    private func write(_ form: Form, to text: UnsafeMutableBufferPointer<UInt8>) {
        let bytes = UnsafeMutableRawBufferPointer(text)
        func write(_ word: UInt64, atGroups first: Int, _ second: Int) {
            let digits = Self.digits(UInt32(truncatingIfNeeded: word))
            let groups = (UInt32(truncatingIfNeeded: digits >> 32), UInt32(truncatingIfNeeded: digits))
            bytes.storeBytes(of: groups.0.bigEndian, toByteOffset: first, as: UInt32.self)
            bytes.storeBytes(of: groups.1.bigEndian, toByteOffset: second, as: UInt32.self)
        }
        switch form {
        case .uuid:
            write(high >> 32, atGroups: 0, 4)
            write(high, atGroups: 9, 14)
            write(low >> 32, atGroups: 19, 24)
            write(low, atGroups: 28, 32)
            for index in [8, 13, 18, 23] { text[index] = UInt8(ascii: "-") }
        case .digits:
            write(high >> 32, atGroups: 0, 4)
            write(high, atGroups: 8, 12)
            write(low >> 32, atGroups: 16, 20)
            write(low, atGroups: 24, 28)
        }
    }

    /// Returns the eight hexadecimal digits of a word, the first in the top byte.
    private static func digits(_ word: UInt32) -> UInt64 {
        // Spreads the eight groups of four bits over the bytes, then adds the characters' offsets to all at once.
        var spread = UInt64(word)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let ones: UInt64 = 0x0101_0101_0101_0101
        let letters = ((spread + ones * 6) >> 4) & ones
        return spread + ones * UInt64(UInt8(ascii: "0")) + letters * UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    }
}
