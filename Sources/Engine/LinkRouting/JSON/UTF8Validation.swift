/// Whether the bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms).
func isUTF8(_ bytes: some Sequence<UInt8>) -> Bool {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while true {
        switch decoder.decode(&iterator) {
        case .scalarValue: continue
        case .emptyInput: return true
        case .error: return false
        }
    }
}

/// Returns the length of the UTF-8 sequence at `index`, in bytes; nil if it is malformed (RFC 3629; Unicode, table
/// 3-7).
func utf8Length<Bytes: RandomAccessCollection<UInt8>>(at index: Int, in bytes: Bytes) -> Int? where Bytes.Index == Int {
    let lead = bytes[index]
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case ..<0x80: return 1
    case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
    case 0xE0: (second, length) = (0xA0...0xBF, 3)
    case 0xED: (second, length) = (0x80...0x9F, 3)
    case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
    case 0xF0: (second, length) = (0x90...0xBF, 4)
    case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
    case 0xF4: (second, length) = (0x80...0x8F, 4)
    default: return nil
    }
    guard bytes.endIndex - index >= length, second.contains(bytes[index + 1]) else { return nil }
    for continuation in bytes[(index + 2)..<(index + length)] where continuation & 0xC0 != 0x80 { return nil }
    return length
}

extension String {
    /// A text of these bytes; nil if they are not UTF-8. `String(validating:as:)` needs iOS 18, and is slower because its
    /// generic code is not specialized.
    package init?(validUTF8 bytes: some RandomAccessCollection<UInt8>) {
        guard bytes.allSatisfy({ $0 < 0x80 }) || isUTF8(bytes) else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
