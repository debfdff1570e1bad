/// A decimal number of any size, for exact comparisons: 1, 1.0 and 1e0 are equal.
package struct DecimalNumber: Sendable, Hashable, Comparable {
    private let isNegative: Bool
    /// The digits without zeros at the start and the end; empty for zero.
    private let digits: [UInt8]
    /// The number is 0.d₁d₂d₃… × 10 to this power.
    private let exponent: Int

    /// Reads a number as JSON writes it; nil for other texts.
    package init?(_ text: some StringProtocol) {
        var digits: [UInt8] = []
        var (pointShift, sawPoint, sawDigit) = (0, false, false)
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
                continue
            }
            guard (0x30...0x39).contains(byte) else { return nil }
            sawDigit = true
            if !sawPoint { pointShift += 1 }
            digits.append(byte - 0x30)
        }
        guard sawDigit else { return nil }
        var power = 0
        if !rest.isEmpty {
            guard rest.count > 1, let parsed = Self.power(String(decoding: rest.dropFirst(), as: UTF8.self)) else {
                return nil
            }
            power = parsed
        }
        let leadingZeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leadingZeros)
        while digits.last == 0 { digits.removeLast() }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        exponent = digits.isEmpty ? 0 : power + pointShift - leadingZeros
    }

    /// The exponent of a number, limited to what no document needs.
    private static func power(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let limit = 1_000_000_000
        let magnitude = min(Int(digits) ?? limit, limit)
        return text.hasPrefix("-") ? -magnitude : magnitude
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isCloserToZero(than: left) : left.isCloserToZero(than: right)
    }

    private func isCloserToZero(than other: Self) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        if exponent != other.exponent { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }

    /// A number of a document as Java's parsers read it and write it again: integers stay, others become doubles such as
    /// 12.0 and 1.0E10, unless they have more than 18 characters.
    package static func javaText(of lexeme: String) -> String {
        let isInteger = !lexeme.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        if isInteger { return lexeme == "-0" ? "0" : lexeme }
        guard lexeme.utf8.count <= 18, let double = Double(lexeme) else { return lexeme }
        return double.javaText
    }
}

extension Double {
    /// The text of Java's `Double.toString`.
    package var javaText: String {
        guard isFinite else { return isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
        if self == 0 { return sign == .minus ? "-0.0" : "0.0" }
        let (digits, exponent) = magnitude.shortestDigits
        let sign = self < 0 ? "-" : ""
        if (-3..<7).contains(exponent) { return sign + Self.plain(digits, exponent) }
        let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
        return "\(sign)\(digits.prefix(1)).\(fraction)E\(exponent)"
    }

    /// The shortest digits that identify a positive number, and the power of ten of the first digit.
    private var shortestDigits: (digits: String, exponent: Int) {
        var digits = ""
        var (exponent, point, power) = (0, -1, 0)
        let parts = description.split(separator: "e")
        if parts.count == 2 { power = Int(parts[1]) ?? 0 }
        for character in parts[0] {
            if character == "." { point = digits.count } else { digits.append(character) }
        }
        if point < 0 { point = digits.count }
        let zeros = digits.prefix { $0 == "0" }.count
        digits.removeFirst(zeros)
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        exponent = point - zeros - 1 + power
        return (digits, exponent)
    }

    private static func plain(_ digits: String, _ exponent: Int) -> String {
        if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
        let padded = digits + String(repeating: "0", count: max(0, exponent + 2 - digits.count))
        return "\(padded.prefix(exponent + 1)).\(padded.dropFirst(exponent + 1))"
    }
}
