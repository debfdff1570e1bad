/// The bytes of a text whose escapes are known to be whole, decoded one after the other without an allocation.
struct PercentDecoding: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private let plus: Link.PlusSign

    init(_ raw: ArraySlice<UInt8>, plus: Link.PlusSign) {
        rest = raw
        self.plus = plus
    }

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

/// Whether every escape is whole, none is a control character, and the decoded bytes are UTF-8.
func isDecodable(_ raw: ArraySlice<UInt8>) -> Bool {
    var hasHighEscape = false
    var index = raw.startIndex
    while index < raw.endIndex {
        guard raw[index] == UInt8(ascii: "%") else {
            index += 1
            continue
        }
        guard raw.endIndex - index > 2, let high = hexValue(raw[index + 1]), let low = hexValue(raw[index + 2]) else {
            return false
        }
        let byte = high << 4 | low
        guard byte >= 0x20, byte != 0x7F else { return false }
        if byte >= 0x80 { hasHighEscape = true }
        index += 3
    }
    return !hasHighEscape || isUTF8(PercentDecoding(raw, plus: .plus))
}

/// Whether the bytes are well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong).
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
