extension [UInt8] {
    /// Appends a text with its percent-escapes decoded. A `%` that begins no escape stays.
    mutating func append(decoding raw: ArraySlice<UInt8>, plus: DeepLink.PlusSign) {
        reserveCapacity(count + raw.count)
        raw.withUnsafeBufferPointer { raw in
            var index = 0
            while index < raw.count {
                let byte = raw[index]
                index += 1
                if byte == UInt8(ascii: "%"), raw.count - index >= 2, let high = hexValue(raw[index]),
                    let low = hexValue(raw[index + 1])
                {
                    append(high << 4 | low)
                    index += 2
                } else {
                    append(byte == UInt8(ascii: "+") && plus == .space ? UInt8(ascii: " ") : byte)
                }
            }
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
    guard let firstHighEscape else { return nil }
    var decoded: [UInt8] = []
    decoded.append(decoding: raw, plus: .plus)
    return isUTF8(decoded) ? nil : (.invalidUTF8, firstHighEscape)
}
