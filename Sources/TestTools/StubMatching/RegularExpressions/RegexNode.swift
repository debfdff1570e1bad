/// The syntax tree of a regular expression. Its depth is bounded by the parser.
indirect enum RegexNode {
    case empty
    case scalar(UInt32, LetterFolding)
    /// One scalar of a set; the number is an index of the parser's sets.
    case set(Int)
    case anyScalar
    case sequence([RegexNode])
    case alternatives([RegexNode])
    /// A capturing group.
    case capture(RegexNode, group: Int)
    case repetition(RegexNode, minimum: Int, maximum: Int, Greed)
    case atomic(RegexNode)
    case look(RegexNode, Direction, negated: Bool)
    case backReference(group: Int, LetterFolding)
    case assertion(RegexAssertion)

    enum Greed: Sendable {
        case greedy, lazy, possessive
    }

    enum Direction: Sendable {
        case ahead, behind
    }

    /// The lengths of the texts that the node matches, in scalars. A `maximum` of nil is unbounded.
    struct Lengths {
        var minimum: Int
        var maximum: Int?

        static let zero = Lengths(minimum: 0, maximum: 0)
        static let one = Lengths(minimum: 1, maximum: 1)

        func followed(by next: Lengths) -> Lengths {
            var sum: Int?
            if let maximum, let other = next.maximum { sum = maximum.clampedSum(other) }
            return Lengths(minimum: minimum.clampedSum(next.minimum), maximum: sum)
        }

        func repeated(_ least: Int, _ most: Int) -> Lengths {
            let longest: Int? =
                if maximum == 0 { 0 } else if most == .max { nil } else { maximum.map { $0.clampedProduct(most) } }
            return Lengths(minimum: minimum.clampedProduct(least), maximum: longest)
        }
    }

    var lengths: Lengths {
        switch self {
        case .empty, .look, .assertion: return .zero
        case .scalar, .set, .anyScalar: return .one
        case .sequence(let nodes): return nodes.reduce(.zero) { $0.followed(by: $1.lengths) }
        case .alternatives(let nodes):
            let all = nodes.map(\.lengths)
            let maxima = all.compactMap(\.maximum)
            return Lengths(
                minimum: all.map(\.minimum).min() ?? 0,
                maximum: maxima.count == all.count ? maxima.max() : nil
            )
        case .capture(let node, _), .atomic(let node): return node.lengths
        case .repetition(let node, let minimum, let maximum, _): return node.lengths.repeated(minimum, maximum)
        case .backReference: return Lengths(minimum: 0, maximum: nil)
        }
    }
}

/// The comparison of letters that differ in case.
enum LetterFolding: Sendable {
    case exact
    /// `(?i)`: only the letters A to Z.
    case ascii
    /// `(?iu)`: all letters.
    case unicode

    /// One representative of the letters that are equal to the scalar.
    @inline(__always)
    func folded(_ scalar: UInt32) -> UInt32 {
        switch self {
        case .exact: scalar
        case .ascii: (0x41...0x5A).contains(scalar) ? scalar + 0x20 : scalar
        case .unicode: Self.unicodeFolded(scalar)
        }
    }

    private static func unicodeFolded(_ value: UInt32) -> UInt32 {
        if value < 0x80 { return LetterFolding.ascii.folded(value) }
        return value.uppercaseScalar.lowercaseScalar
    }
}

extension UInt32 {
    /// The upper case of a scalar if it is one scalar; else the scalar itself, as in Java.
    var uppercaseScalar: UInt32 { mapped { $0.uppercaseMapping } }
    var lowercaseScalar: UInt32 { mapped { $0.lowercaseMapping } }

    private func mapped(_ mapping: (Unicode.Scalar.Properties) -> String) -> UInt32 {
        guard let scalar = Unicode.Scalar(self) else { return self }
        let scalars = mapping(scalar.properties).unicodeScalars
        guard let first = scalars.first, scalars.count == 1 else { return self }
        return first.value
    }
}

/// A condition on a position that matches no text.
enum RegexAssertion: Sendable {
    /// `^` and `\A`
    case start
    /// `\z`
    case end
    /// `$` and `\Z`: the end, or before the last line break.
    case endOrLastLineBreak
    /// The same with `(?d)`, where only `\n` is a line break.
    case endOrLastNewline
    case lineStart
    case lineEnd
    case unixLineStart
    case unixLineEnd
    case wordBoundary
    case noWordBoundary
    /// `\G`: where the search started.
    case searchStart
}

extension Int {
    func clampedSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func clampedProduct(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
