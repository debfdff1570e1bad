/// A set of Unicode scalars: a character class of a regular expression.
///
/// It is an expression in postfix order over ranges and properties. The answers for ASCII are computed once.
struct ScalarSet: Sendable {
    private(set) var operations: [Operation] = []
    private(set) var asciiLow: UInt64 = 0
    private(set) var asciiHigh: UInt64 = 0

    enum Operation: Sendable {
        /// Sorted ranges that neither overlap nor touch.
        case ranges([ClosedRange<UInt32>], LetterFolding)
        case property(ScalarProperty)
        case union
        case intersection
        case complement
    }

    /// - Parameter operations: At most ``RegularExpression/maximumDepth`` + 2 operands wait for their operator.
    init(_ operations: [Operation]) {
        self.operations = operations
        for scalar in UInt32(0)..<128 where evaluate(scalar) {
            if scalar < 64 { asciiLow |= 1 << UInt64(scalar) } else { asciiHigh |= 1 << UInt64(scalar - 64) }
        }
    }

    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return (asciiLow >> UInt64(scalar)) & 1 != 0 }
        if scalar < 128 { return (asciiHigh >> UInt64(scalar &- 64)) & 1 != 0 }
        return evaluate(scalar)
    }

    /// The steps of one test of a scalar outside ASCII.
    var cost: Int { operations.count }

    /// Evaluates the expression. The stack of truth values is a word, whose lowest bit is the top.
    private func evaluate(_ scalar: UInt32) -> Bool {
        var stack: UInt64 = 0
        for operation in operations {
            switch operation {
            case .ranges(let ranges, let folding):
                stack = stack << 1 | (Self.contains(scalar, ranges, folding) ? 1 : 0)
            case .property(let property): stack = stack << 1 | (property.holds(scalar) ? 1 : 0)
            case .union: stack = stack >> 1 | (stack & 1)
            case .intersection: stack = (stack >> 1) & (stack | ~1)
            case .complement: stack ^= 1
            }
        }
        return stack & 1 == 1
    }

    private static func contains(_ scalar: UInt32, _ ranges: [ClosedRange<UInt32>], _ folding: LetterFolding) -> Bool {
        if search(scalar, ranges) { return true }
        switch folding {
        case .exact: return false
        case .ascii:
            guard scalar < 0x80 else { return false }
            return search(scalar.uppercaseScalar, ranges) || search(scalar.lowercaseScalar, ranges)
        case .unicode:
            let upper = scalar.uppercaseScalar
            return search(upper, ranges) || search(upper.lowercaseScalar, ranges)
        }
    }

    private static func search(_ scalar: UInt32, _ ranges: [ClosedRange<UInt32>]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(scalar)
    }

    /// Sorts the ranges and joins those that overlap or touch.
    static func normalized(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound &+ 1 {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
