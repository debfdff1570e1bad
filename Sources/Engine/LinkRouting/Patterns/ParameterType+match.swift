extension ParameterType {
    /// Whether a decoded text is a valid value of the type.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase = .sensitive) -> Bool {
        text.withUnsafeBufferPointer { accepts($0, letterCase) }
    }

    func accepts(_ text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> Bool {
        switch self {
        case .string(let length): return isWithin(length, text)
        case .int(let range):
            guard let value = parseInt(text) else { return false }
            return range?.contains(value) ?? true
        case .number(let range):
            guard let value = parseNumber(text) else { return false }
            return range?.contains(value) ?? true
        case .bool: return text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
        case .uuid: return isUUID(text)
        case .slug, .alpha, .alnum, .hex:
            guard let kind, !text.isEmpty else { return false }
            return accepts(0..<text.count, of: text, kind, nil)
        case .date: return isDate(text)
        case .oneOf(let values): return values.contains(text, letterCase)
        }
    }

    /// Converts a text that the type accepts.
    func value(of text: String) -> ParameterValue {
        switch self {
        case .int: Int64(text).map(ParameterValue.int) ?? .string(text)
        case .number: .number(text)
        case .bool: .bool(text == "true")
        case .string, .uuid, .slug, .alpha, .alnum, .hex, .date, .oneOf: .string(text)
        }
    }

    /// Maximum length of a value in bytes; nil when unbounded.
    var maximumLength: Int? {
        switch self {
        case .int: 20
        case .number: 17
        case .bool: 5
        case .uuid: 36
        case .date: 10
        case .oneOf(let values): values.longest
        case .string(let length), .slug(let length), .alpha(let length), .alnum(let length), .hex(let length):
            length?.upper
        }
    }

    /// Minimum length of a value in a path, in bytes.
    var minimumLength: Int {
        switch self {
        case .int, .number: 1
        case .bool: 4
        case .uuid: 36
        case .date: 10
        case .oneOf(let values): values.lengths.first ?? 1
        case .string(let length), .slug(let length), .alpha(let length), .alnum(let length), .hex(let length):
            max(1, length?.lower ?? 1)
        }
    }

    /// Whether a value of the type may end with `byte`.
    func mayEnd(with byte: UInt8) -> Bool {
        if case .slug = self { byte != UInt8(ascii: "-") } else { true }
    }

    /// Whether a value may contain `byte` behind its first one.
    func mayContain(_ byte: UInt8) -> Bool {
        switch self {
        case .string: true
        case .int: isDigit(byte)
        case .number: isDigit(byte) || byte == UInt8(ascii: ".")
        case .bool: isLetter(byte)
        case .date: isDigit(byte) || byte == UInt8(ascii: "-")
        case .uuid: hexValue(byte) != nil || byte == UInt8(ascii: "-")
        case .slug, .alpha, .alnum, .hex: kind?.mayContain(byte) ?? true
        case .oneOf(let values): values.contains { $0.utf8.dropFirst().contains(byte) }
        }
    }

    /// Whether at most one value begins at a position and ends before a literal that begins with `byte`.
    func hasOneEnd(before byte: UInt8) -> Bool {
        if case .bool = self { return true }
        let other = isLetter(byte) ? byte ^ 0x20 : byte
        return minimumLength == maximumLength || !mayContain(byte) && !mayContain(other)
    }

    /// Whether the type is `string` without a longest length.
    var isUnboundedText: Bool {
        guard case .string(let length) = self else { return false }
        return length?.upper == nil
    }

    private func isWithin(_ length: Bounds<Int>?, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        length?.contains(text.count) ?? true
    }
}

/// Whether two texts are equal, ignoring ASCII case if requested.
func areEqual(
    _ left: ArraySlice<UInt8>,
    _ right: some Collection<UInt8>,
    _ letterCase: LetterCase
) -> Bool {
    guard left.count == right.count else { return false }
    return switch letterCase {
    case .sensitive: left.elementsEqual(right)
    case .ignored: left.elementsEqual(right) { folded($0) == folded($1) }
    }
}

/// Returns an ASCII capital in lower case; any other byte unchanged.
func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

/// Whether a byte is a letter, a digit, `-`, `.` or `_`. These have no special meaning in any part of a link.
func isPlain(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_")
}

/// Parses `-?(0|[1-9][0-9]*)` within Int64, except `-0`; nil for anything else.
func parseInt(_ text: ArraySlice<UInt8>) -> Int64? { text.withUnsafeBufferPointer(parseInt) }

func parseInt(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard (1...19).contains(text.count - start) else { return nil }
    if text[start] == UInt8(ascii: "0") { return text.count == 1 ? 0 : nil }
    var value: Int64 = 0
    for byte in text[start...] {
        guard isDigit(byte) else { return nil }
        let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
        let digit = Int64(byte - UInt8(ascii: "0"))
        let (next, overflowsAgain) =
            isNegative
            ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
        guard !overflows, !overflowsAgain else { return nil }
        value = next
    }
    return value
}

/// Whether the text is a number: see ``parseNumber(_:)``.
func isNumber(_ text: ArraySlice<UInt8>) -> Bool { parseNumber(text) != nil }

func parseNumber(_ text: ArraySlice<UInt8>) -> Double? { text.withUnsafeBufferPointer(parseNumber) }

/// Parses an integer in the form of ``parseInt(_:)`` with optional decimals, at most 15 digits, and no negative zero; nil
/// for anything else.
func parseNumber(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count <= 17 else { return nil }
    let isNegative = text.first == UInt8(ascii: "-")
    var (digits, value, power) = (0, Int64(0), Int64(0))
    for byte in text[(isNegative ? 1 : 0)...] {
        if byte == UInt8(ascii: "."), power == 0, digits > 0 {
            power = 1
            continue
        }
        guard isDigit(byte), digits < 15, power > 0 || digits == 0 || value > 0 else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        power *= 10
        digits += 1
    }
    guard digits > 0, power != 1, !isNegative || value > 0 else { return nil }
    // Both are exact as a Double, so the quotient is the nearest one to the number.
    return Double(isNegative ? -value : value) / Double(max(power, 1))
}

private func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    for index in text.indices {
        switch index {
        case 8, 13, 18, 23: guard text[index] == UInt8(ascii: "-") else { return false }
        default: guard hexValue(text[index]) != nil else { return false }
        }
    }
    return true
}

private func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return false }
    func number(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for index in range {
            guard isDigit(text[index]) else { return nil }
            value = value * 10 + Int64(text[index] - UInt8(ascii: "0"))
        }
        return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return false }
    return CivilDay.exists(year: year, month: month, day: day)
}
