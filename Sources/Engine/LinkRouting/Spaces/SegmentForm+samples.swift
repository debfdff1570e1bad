extension SegmentForm {
    /// Sample texts of the segment. The plainest come first, and they differ from each other, so that one of them
    /// escapes narrower routes.
    var samples: [[UInt8]] {
        if let texts { return texts }
        return switch segment {
        case .literal(let literal): [literal, literal.map(folded), literal.map { isLetter($0) ? $0 & ~0x20 : $0 }]
        case .parameter(let parameter): parameter.type.samples(shortest: 1)
        case .any, .rest: ParameterType.plain.samples(shortest: 1)
        case .mixed(let mixed): samples(of: mixed)
        }
    }

    private func samples(of mixed: RoutePattern.Mixed) -> [[UInt8]] {
        let values = mixed.pieces.map { $0.parameter.type.samples(shortest: 1) }
        let count = values.map(\.count).min() ?? 0
        return (0..<count).map { number in
            mixed.prefix + zip(mixed.pieces, values).flatMap { $1[number] + $0.literal }
        }
    }

    /// Returns texts that match both segments: samples of either one, and for two mixed segments, combinations of the
    /// parts of both.
    func commonTexts(with other: SegmentForm) -> [[UInt8]] {
        let texts = samples + other.samples + crossings(with: other) + other.crossings(with: self)
        return other.accepted(accepted(texts))
    }

    /// Returns the texts that match the segment.
    func accepted(_ texts: [[UInt8]]) -> [[UInt8]] {
        guard case .parameter(let parameter) = segment, let values = parameter.type.listedValues else {
            return texts.filter(accepts)
        }
        // A list of a thousand values is not searched for each of a thousand texts.
        func key(_ text: some Sequence<UInt8>) -> [UInt8] { letterCase == .ignored ? text.map(folded) : Array(text) }
        let known = Set(values.map { key($0.utf8) })
        return texts.filter { !$0.isEmpty && known.contains(key($0)) }
    }

    private static let mostCrossings = 128

    private func crossings(with other: SegmentForm) -> [[UInt8]] {
        guard case .mixed(let mixed) = segment, case .mixed(let partner) = other.segment else { return [] }
        let parts = [partner.prefix] + partner.pieces.map(\.literal) + other.samples.prefix(1)
        return mixed.pieces.reduce([mixed.prefix]) { beginnings, piece in
            let own = piece.parameter.type.samples(shortest: 1).prefix(2)
            let values = (own + parts.flatMap { part in own.flatMap { [part + $0, $0 + part] } } + parts)
                .filter { piece.parameter.type.accepts($0[...], letterCase) }
            return Array(
                beginnings.lazy.flatMap { beginning in values.lazy.map { beginning + $0 + piece.literal } }
                    .prefix(Self.mostCrossings)
            )
        }
    }
}

extension ParameterType {
    /// Returns sample texts of the type; none when it has none, or when its texts are longer than a link can be.
    func samples(shortest: Int) -> [[UInt8]] {
        let words: [String]
        switch self {
        case .string: words = ["x", "~", "~x~", "x-x", "1"]
        case .slug: words = ["a", "a-b", "zq-9", "1"]
        case .alpha: words = ["a", "Zq", "zzzz"]
        case .alnum: words = ["a", "a1", "Z9q", "1"]
        case .hex: words = ["a", "1", "F0", "0a9f"]
        case .int(let range):
            words = Self.samples(range).map { "\($0)" }
        case .number(let range):
            let ends = [range?.lower, range?.upper].compactMap(\.self)
            let inside = ends.filter { abs($0) < 1e15 }.flatMap { ["\(Int64($0))", "\(Int64($0) + 1)"] }
            words = ["1", "0.5", "-1.5", "42", "1000.25"] + inside + ends.map { "\($0)" }
        case .bool: words = ["true", "false"]
        case .uuid: words = ["01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF"]
        case .date: words = ["2026-01-31", "1999-12-31"]
        case .oneOf(let values): return values.map { Array($0.utf8) }
        }
        return fitted(words.map { Array($0.utf8) }, shortest).filter { accepts($0[...]) }
    }

    private static func samples(_ range: Bounds<Int64>?) -> [Int64] {
        let (lower, upper) = (range?.lower ?? .min, range?.upper ?? .max)
        let inside: [Int64] = [1, 7, 0, -1, 42, 1_000_003].filter { lower <= $0 && $0 <= upper }
        return inside + [lower, upper]
    }

    /// Returns the texts extended or truncated to lengths that the type allows.
    private func fitted(_ words: [[UInt8]], _ shortest: Int) -> [[UInt8]] {
        switch self {
        case .int, .number, .bool, .uuid, .date, .oneOf: return words
        case .string, .slug, .alpha, .alnum, .hex: break
        }
        let lengths = lengths(shortest: shortest)
        guard lengths.lowerBound <= DeepLink.maximumLength else { return [] }
        var texts: [[UInt8]] = []
        for length in [nil, lengths.upperBound] where length ?? 0 <= 64 {
            for word in words {
                let count = min(max(length ?? word.count, lengths.lowerBound), lengths.upperBound)
                guard let last = word.last else { continue }
                texts.append(word.prefix(count) + Array(repeating: last, count: max(0, count - word.count)))
            }
        }
        return texts
    }
}
