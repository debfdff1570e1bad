extension ParameterType {
    /// Whether a decoded text is a valid value of the type.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase = .sensitive) -> Bool {
        switch self {
        case .string(let length): return isWithin(length, text)
        case .int(let range): return parseInt(text).map { range?.contains($0) ?? true } ?? false
        case .number(let range):
            guard isNumber(text) else { return false }
            guard let range else { return true }
            return Double(String(decoding: text, as: UTF8.self)).map(range.contains) ?? false
        case .bool: return text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
        case .uuid: return isUUID(text)
        case .slug(let length): return isSlug(text) && isWithin(length, text)
        case .alpha(let length): return !text.isEmpty && text.allSatisfy(isLetter) && isWithin(length, text)
        case .alnum(let length):
            return !text.isEmpty && text.allSatisfy { isLetter($0) || isDigit($0) } && isWithin(length, text)
        case .hex(let length): return !text.isEmpty && text.allSatisfy { hexValue($0) != nil } && isWithin(length, text)
        case .date: return text.count == 10 && CivilDay(String(decoding: text, as: UTF8.self)) != nil
        case .oneOf(let values):
            return values.contains { areEqual(text, $0.utf8, letterCase) }
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
        case .oneOf(let values): values.map(\.utf8.count).max()
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
        case .oneOf(let values): values.map(\.utf8.count).min() ?? 1
        case .string(let length), .slug(let length), .alpha(let length), .alnum(let length), .hex(let length):
            max(1, length?.lower ?? 1)
        }
    }

    /// Whether a value of the type may end with `byte`.
    func mayEnd(with byte: UInt8) -> Bool {
        if case .slug = self { byte != UInt8(ascii: "-") } else { true }
    }

    /// Whether a value of the type may continue with `byte`.
    func mayHold(_ byte: UInt8, after previous: UInt8?) -> Bool {
        switch self {
        case .alpha: isLetter(byte)
        case .alnum: isLetter(byte) || isDigit(byte)
        case .hex: hexValue(byte) != nil
        case .slug:
            byte == UInt8(ascii: "-")
                ? previous != nil && previous != byte
                : isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        case .string, .int, .number, .bool, .uuid, .date, .oneOf: true
        }
    }

    /// Whether `mayHold`, the length and the last byte suffice to validate a value.
    var isRun: Bool {
        switch self {
        case .string, .slug, .alpha, .alnum, .hex: true
        case .int, .number, .bool, .uuid, .date, .oneOf: false
        }
    }

    /// Validates the length and the last byte of a text that consists of bytes which `mayHold` has accepted in order.
    /// Only for types with `isRun`.
    func acceptsRun(length: Int, last: UInt8) -> Bool {
        switch self {
        case .string(let bounds), .slug(let bounds), .alpha(let bounds), .alnum(let bounds), .hex(let bounds):
            mayEnd(with: last) && (bounds?.contains(length) ?? true)
        case .int, .number, .bool, .uuid, .date, .oneOf: false
        }
    }

    private func isWithin(_ length: Bounds<Int>?, _ text: ArraySlice<UInt8>) -> Bool {
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
func parseInt(_ text: ArraySlice<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text
    guard let first = digits.first, digits.count <= 19 else { return nil }
    if first == UInt8(ascii: "0") { return digits.count == 1 && !isNegative ? 0 : nil }
    var value: Int64 = 0
    for byte in digits {
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

/// Whether the text is an integer in the form of ``parseInt(_:)`` with optional decimals, at most 15 digits, and no
/// negative zero.
func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let isNegative = text.first == UInt8(ascii: "-")
    let unsigned = isNegative ? text.dropFirst() : text
    let point = unsigned.firstIndex(of: UInt8(ascii: "."))
    let integer = unsigned[..<(point ?? unsigned.endIndex)]
    guard !integer.isEmpty, integer.allSatisfy(isDigit), integer.count == 1 || integer.first != UInt8(ascii: "0") else {
        return false
    }
    var digits = integer.count
    if let point {
        let decimals = unsigned[(point + 1)...]
        guard !decimals.isEmpty, decimals.allSatisfy(isDigit) else { return false }
        digits += decimals.count
    }
    let isZero = unsigned.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    return digits <= 15 && !(isNegative && isZero)
}

private func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    return text.enumerated().allSatisfy { offset, byte in
        switch offset {
        case 8, 13, 18, 23: byte == UInt8(ascii: "-")
        default: hexValue(byte) != nil
        }
    }
}

private func isSlug(_ text: ArraySlice<UInt8>) -> Bool {
    var previous = UInt8(ascii: "-")
    for byte in text {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        case UInt8(ascii: "-"): guard previous != UInt8(ascii: "-") else { return false }
        default: return false
        }
        previous = byte
    }
    return previous != UInt8(ascii: "-")
}
