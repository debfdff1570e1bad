/// Decodes the percent-escapes of a text lazily, without allocating. The escapes must be well-formed.
struct PercentDecoding: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private let plus: DeepLink.PlusSign

    init(_ raw: ArraySlice<UInt8>, plus: DeepLink.PlusSign) {
        rest = raw
        self.plus = plus
    }

    var underestimatedCount: Int { rest.count / 3 }

    mutating func next() -> UInt8? {
        guard let byte = rest.popFirst() else { return nil }
        switch byte {
        case UInt8(ascii: "%"):
            guard let first = rest.first, let high = hexValue(first), let second = rest.dropFirst().first,
                let low = hexValue(second)
            else { return byte }
            rest = rest.dropFirst(2)
            return high << 4 | low
        case UInt8(ascii: "+") where plus == .space:
            return UInt8(ascii: " ")
        default:
            return byte
        }
    }
}

/// Returns the first problem with the escapes of a text, and its index. Nil when every escape is well-formed, none is a
/// control character, and the decoded bytes are UTF-8. The raw bytes must be UTF-8 already.
func escapeFailure(in raw: ArraySlice<UInt8>) -> (code: DeepLink.Rejection.Code, index: Int)? {
    var firstHighEscape: Int?
    var index = raw.startIndex
    while index < raw.endIndex {
        guard raw[index] == UInt8(ascii: "%") else {
            index += 1
            continue
        }
        guard raw.endIndex - index > 2, let high = hexValue(raw[index + 1]), let low = hexValue(raw[index + 2]) else {
            return (.invalidEscape, index)
        }
        let byte = high << 4 | low
        guard byte >= 0x20, byte != 0x7F else { return (.controlCharacter, index) }
        if byte >= 0x80, firstHighEscape == nil { firstHighEscape = index }
        index += 3
    }
    guard let firstHighEscape, !isUTF8(PercentDecoding(raw, plus: .plus)) else { return nil }
    return (.invalidUTF8, firstHighEscape)
}
