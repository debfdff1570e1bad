extension RoutePattern.Mixed {
    /// Returns the ranges of the parameters in `text`; nil when the segment does not match.
    ///
    /// Each parameter takes as little as possible, leftmost first, so that the whole text matches: `{name}.{ext}` on
    /// `a.b.c` gives `a` and `b.c`; `{title}-{id:int}` on `a-b-7` gives `a-b` and `7`. The work for each parameter is
    /// linear in the text, and at most ``steps`` in all.
    func match(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> [Range<Int>]? {
        guard hasEnds(of: text, letterCase) else { return nil }
        var search = Search(mixed: self, text: text, letterCase: letterCase)
        var ranges: [Range<Int>] = []
        var start = text.startIndex + prefix.count
        for (index, piece) in pieces.enumerated() {
            guard let end = search.firstEnd(of: index, from: start) else { return nil }
            ranges.append(start..<end)
            start = end + piece.literal.count
        }
        return ranges
    }

    /// Whether the segment matches. Allocates only if there is a parameter between the first and the last, or a set
    /// before the last.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard hasEnds(of: text, letterCase) else { return false }
        var search = Search(mixed: self, text: text, letterCase: letterCase)
        return search.firstEnd(of: 0, from: text.startIndex + prefix.count) != nil
    }

    /// Whether the text begins with the first literal and ends with the last one, with a byte between them.
    private func hasEnds(of text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard let last = pieces.last, text.count > prefix.count + last.literal.count else { return false }
        return hasPrefix(text, prefix, letterCase)
            && areEqual(text.suffix(last.literal.count), last.literal, letterCase)
    }

    /// The search for one text. Whether the rest of the pattern matches from a position does not depend on how the search
    /// came there, so each parameter between the first and the last is compared once from each position.
    private struct Search {
        let mixed: RoutePattern.Mixed
        let text: ArraySlice<UInt8>
        let letterCase: LetterCase
        private let last: Int
        private let lastType: ParameterType
        /// The end of the last parameter.
        private let lastEnd: Int
        /// The first position from which the type of the last parameter may accept the text to ``lastEnd``.
        private let firstOfLast: Int
        /// For parameters between the first and the last: whether they and the rest match from each position.
        private var matches: [[Bool]] = []

        init(mixed: RoutePattern.Mixed, text: ArraySlice<UInt8>, letterCase: LetterCase) {
            self.mixed = mixed
            self.text = text
            self.letterCase = letterCase
            last = mixed.pieces.count - 1
            lastType = mixed.pieces[last].parameter.type
            lastEnd = text.endIndex - mixed.pieces[last].literal.count
            firstOfLast = lastType.firstStart(in: text, to: lastEnd)
        }

        /// Returns the first end of a parameter from which the rest of the text matches; nil if there is none.
        mutating func firstEnd(of index: Int, from start: Int) -> Int? {
            guard index < last else { return acceptsLast(from: start) ? lastEnd : nil }
            let type = mixed.pieces[index].parameter.type
            let literal = mixed.pieces[index].literal
            if case .oneOf(let values) = type {
                let rest = text[start...]
                let lengths = values.filter { value in
                    rest.count >= value.utf8.count && areEqual(rest.prefix(value.utf8.count), value.utf8, letterCase)
                }
                return lengths.map { start + $0.utf8.count }.sorted().first { isEnd($0, of: index, literal) }
            }
            var end = start
            let limit = start + min(text.endIndex - start, type.maximumLength ?? .max)
            while end < limit, type.mayHold(text[end], after: end > start ? text[end - 1] : nil) {
                end += 1
                guard isEnd(end, of: index, literal) else { continue }
                if type.isRun
                    ? type.acceptsRun(length: end - start, last: text[end - 1])
                    : type.accepts(text[start..<end], letterCase)
                {
                    return end
                }
            }
            return nil
        }

        /// Whether the literal after a parameter, and the rest of the pattern, match from a position.
        private mutating func isEnd(_ end: Int, of index: Int, _ literal: [UInt8]) -> Bool {
            guard isAt(end, literal) else { return false }
            let start = end + literal.count
            guard index + 1 < last else { return acceptsLast(from: start) }
            if matches.isEmpty { matches = Array(repeating: [], count: last) }
            if matches[index + 1].isEmpty { matches[index + 1] = allMatches(of: index + 1) }
            return matches[index + 1][start - text.startIndex]
        }

        private func isAt(_ position: Int, _ literal: [UInt8]) -> Bool {
            guard literal.count <= text.endIndex - position else { return false }
            for offset in literal.indices {
                let (byte, other) = (text[position + offset], literal[offset])
                guard byte == other || letterCase == .ignored && folded(byte) == folded(other) else { return false }
            }
            return true
        }

        /// Whether the last parameter accepts the text from a position to its literal. There may be as many positions as
        /// bytes.
        private func acceptsLast(from start: Int) -> Bool {
            guard start < lastEnd, start >= firstOfLast, lastType.mayHold(text[start], after: nil) else { return false }
            return lastType.isRun
                ? lastType.acceptsRun(length: lastEnd - start, last: text[lastEnd - 1])
                : lastType.accepts(text[start..<lastEnd], letterCase)
        }

        /// Returns from which positions a parameter and the rest of the pattern match, including the end of the text.
        private mutating func allMatches(of index: Int) -> [Bool] {
            let type = mixed.pieces[index].parameter.type
            let literal = mixed.pieces[index].literal
            let count = text.count
            // The first end of the parameter at or after each position; `count + 1` if there is none.
            var nextEnds = Array(repeating: Int32(count + 1), count: count + 2)
            for end in stride(from: count, to: 0, by: -1) {
                let position = text.startIndex + end
                let isEnd = type.mayEnd(with: text[position - 1]) && isEnd(position, of: index, literal)
                nextEnds[end] = isEnd ? Int32(end) : nextEnds[end + 1]
            }
            var matches = Array(repeating: false, count: count + 1)
            guard nextEnds[1] <= count else { return matches }
            if case .oneOf(let values) = type {
                let set = ByteStrings(values, letterCase)
                let folded = letterCase == .ignored ? text.map(folded)[...] : text
                for start in 0..<count {
                    matches[start] = set.lengths.contains { length in
                        guard length <= count - start, nextEnds[start + length] == start + length else { return false }
                        let first = folded.startIndex + start
                        return set.contains(folded[first..<first + length])
                    }
                }
                return matches
            }
            let (shortest, longest) = (type.minimumLength, min(type.maximumLength ?? count, count))
            // Where the bytes that the type may hold end, from the current position.
            var runEnd = count
            for start in stride(from: count - 1, through: 0, by: -1) {
                let position = text.startIndex + start
                if start + 1 < count, !type.mayHold(text[position + 1], after: text[position]) { runEnd = start + 1 }
                guard shortest <= count - start, type.mayHold(text[position], after: nil) else { continue }
                let limit = min(start + longest, runEnd)
                var end = Int(nextEnds[start + shortest])
                // A type whose bytes do not suffice has few ends.
                while end <= limit, !type.isRun, !type.accepts(text[position..<text.startIndex + end], letterCase) {
                    end = Int(nextEnds[end + 1])
                }
                matches[start] = end <= limit
            }
            return matches
        }
    }

    /// Distinct byte strings, for many comparisons.
    private struct ByteStrings {
        private let strings: Set<Element>
        /// The lengths that occur, in ascending order.
        let lengths: [Int]

        /// Hashes its bytes at once, instead of one by one.
        private struct Element: Hashable {
            let bytes: ArraySlice<UInt8>

            func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
        }

        init(_ texts: [String], _ letterCase: LetterCase) {
            strings = Set(
                texts.map { Element(bytes: (letterCase == .ignored ? $0.utf8.map(folded) : Array($0.utf8))[...]) }
            )
            lengths = Set(strings.map(\.bytes.count)).sorted()
        }

        func contains(_ bytes: ArraySlice<UInt8>) -> Bool { strings.contains(Element(bytes: bytes)) }
    }
}

extension ParameterType {
    /// Returns the first position from which the type may accept the text to an end.
    fileprivate func firstStart(in text: ArraySlice<UInt8>, to end: Int) -> Int {
        guard isRun else { return end - min(end - text.startIndex, maximumLength ?? .max) }
        var start = end - 1
        while start > text.startIndex, mayHold(text[start], after: text[start - 1]) { start -= 1 }
        return start
    }
}

private func hasPrefix(_ text: ArraySlice<UInt8>, _ literal: [UInt8], _ letterCase: LetterCase) -> Bool {
    text.count >= literal.count && areEqual(text.prefix(literal.count), literal, letterCase)
}
