/// Reads fixed-width numbers and the separators between them.
struct DigitReader<Text: Sequence<UInt8>> {
    private var iterator: Text.Iterator
    private var peeked: UInt8?

    init(_ text: Text) {
        iterator = text.makeIterator()
        peeked = iterator.next()
    }

    var isAtEnd: Bool { peeked == nil }

    /// Consumes `byte` if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peeked == byte else { return false }
        peeked = iterator.next()
        return true
    }

    mutating func digit() -> Int64? {
        guard let byte = peeked, isDigit(byte) else { return nil }
        peeked = iterator.next()
        return Int64(byte - UInt8(ascii: "0"))
    }

    /// Reads exactly `count` digits; at most 18, so that they fit into Int64.
    mutating func number(of count: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}

/// Appends the last `count` digits of a number that is not negative.
func appendDigits(_ number: Int64, count: Int, to text: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
    }
}
