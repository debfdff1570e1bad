/// A path attribute of an intent filter, with the semantics of Android's `PatternMatcher`.
enum PlatformPattern: Hashable {
    case literal(String)
    case prefix(String)
    case suffix(String)
    /// `pathPattern`: `.` is one character, `*` repeats the character before it, a backslash escapes. `.*` ends at the
    /// first occurrence of the character after it.
    case simple(String)
    /// `pathAdvancedPattern`: also sets, `+` and ranges. Each token takes as many characters as it can.
    case advanced(String)

    /// The meaning of an escaped dot in a simple pattern.
    enum EscapedDot {
        /// It matches a dot, as in recent sources of Android.
        case dot
        /// It matches any character, as in Android 15 and earlier.
        case anyCharacter
    }

    /// Returns whether the pattern matches the whole text; nil if it is malformed, or if the step budget is used up.
    func matches(_ text: String, _ dot: EscapedDot = .dot) -> Bool? {
        switch self {
        case .literal(let pattern): return text.utf8.elementsEqual(pattern.utf8)
        case .prefix(let pattern): return text.utf8.starts(with: pattern.utf8)
        case .suffix(let pattern): return text.utf8.reversed().starts(with: pattern.utf8.reversed())
        case .simple(let pattern): return Self.matchesSimple(Array(pattern.utf16), Array(text.utf16), dot)
        case .advanced(let pattern):
            return AdvancedPattern(pattern).map { $0.matches(Array(text.utf16)) }
        }
    }

    private static let star = UInt16(UInt8(ascii: "*"))
    private static let point = UInt16(UInt8(ascii: "."))
    private static let backslash = UInt16(UInt8(ascii: "\\"))

    private static func matchesSimple(_ pattern: [UInt16], _ text: [UInt16], _ dot: EscapedDot) -> Bool {
        var (rest, found) = (pattern[...], text[...])
        while !found.isEmpty, let (unit, isEscaped) = Self.next(&rest) {
            let isAny = unit == point && !isEscaped
            guard rest.first == star else {
                let takesAny = isAny || unit == point && dot == .anyCharacter
                guard takesAny || found.first == unit else { return false }
                found.removeFirst()
                continue
            }
            rest.removeFirst()
            guard isAny else {
                found = found.drop { $0 == unit }
                continue
            }
            guard let (stop, _) = Self.next(&rest) else { return true }
            guard let place = found.firstIndex(of: stop) else { return false }
            found = found[(place + 1)...]
        }
        return found.isEmpty && (rest.isEmpty || rest.elementsEqual([point, star]))
    }

    /// Removes the first character of a pattern, without the backslash that escapes it.
    private static func next(_ pattern: inout ArraySlice<UInt16>) -> (unit: UInt16, isEscaped: Bool)? {
        guard let unit = pattern.popFirst() else { return nil }
        guard unit == backslash, let escaped = pattern.popFirst() else { return (unit, false) }
        return (escaped, true)
    }
}

/// A parsed `pathAdvancedPattern`.
struct AdvancedPattern {
    private var tokens: [Token] = []

    private struct Token {
        var ranges: [ClosedRange<UInt16>]
        var isInverse = false
        var repetitions = 1...1

        func takes(_ unit: UInt16) -> Bool { ranges.contains { $0.contains(unit) } != isInverse }
    }

    /// Nil if the pattern is malformed; Android then rejects the app's manifest.
    init?(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        var canRepeat = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*", "+", "{":
                guard canRepeat, let range = Self.repetitions(scalar, &rest) else { return nil }
                tokens[tokens.count - 1].repetitions = range
                canRepeat = false
                continue
            case "[":
                guard let set = Self.set(&rest) else { return nil }
                tokens.append(set)
            case ".": tokens.append(Token(ranges: [0...UInt16.max]))
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                append(escaped)
            default: append(scalar)
            }
            canRepeat = true
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        for unit in String(scalar).utf16 { tokens.append(Token(ranges: [unit...unit])) }
    }

    private static func repetitions(
        _ modifier: Unicode.Scalar,
        _ rest: inout ArraySlice<Unicode.Scalar>
    ) -> ClosedRange<Int>? {
        guard modifier == "{" else { return (modifier == "*" ? 0 : 1)...Int.max }
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let numbers = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map {
            String(String.UnicodeScalarView($0))
        }
        rest = rest[(end + 1)...]
        guard let lower = numbers.first.flatMap({ Int($0) }), numbers.count <= 2 else { return nil }
        guard numbers.count == 2 else { return lower...lower }
        guard !numbers[1].isEmpty else { return lower...Int.max }
        guard let upper = Int(numbers[1]), lower <= upper else { return nil }
        return lower...upper
    }

    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Token? {
        var token = Token(ranges: [])
        if rest.first == "^" {
            rest.removeFirst()
            token.isInverse = true
        }
        while let scalar = rest.popFirst(), scalar != "]" {
            var first = scalar
            if scalar == "\\" {
                guard let escaped = rest.popFirst() else { return nil }
                first = escaped
            }
            var last = first
            if rest.first == "-", let next = rest.dropFirst().first, next != "]" {
                rest = rest.dropFirst(2)
                last = next
            }
            guard let lower = UInt16(exactly: first.value), let upper = UInt16(exactly: last.value), lower <= upper
            else {
                return nil
            }
            token.ranges.append(lower...upper)
        }
        return token.ranges.isEmpty ? nil : token
    }

    func matches(_ text: [UInt16]) -> Bool {
        var place = 0
        for token in tokens {
            let start = place
            while place < text.count, place - start < token.repetitions.upperBound, token.takes(text[place]) {
                place += 1
            }
            guard place - start >= token.repetitions.lowerBound else { return false }
        }
        return place == text.count
    }
}
