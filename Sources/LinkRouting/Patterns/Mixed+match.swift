extension RoutePattern.Mixed {
    /// Returns the ranges of the parameters in `text`; nil when the segment does not match.
    ///
    /// Each parameter takes as little as possible, leftmost first, so that the whole text matches: `{name}.{ext}` on
    /// `a.b.c` gives `a` and `b.c`; `{title}-{id:int}` on `a-b-7` gives `a-b` and `7`. For each parameter, the search is
    /// linear in the text, because an end after which the rest has failed is not tried again. At each position it costs
    /// what ``steps`` counts.
    func match(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> [Range<Int>]? {
        solution(text, letterCase).map { search in
            pieces.indices.map { Int(search.starts[$0])..<Int(search.ends[$0]) }
        }
    }

    /// Whether `match` finds ranges. Does not allocate, unless a parameter after the first has a type that is judged as
    /// a whole.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Bool {
        solution(text, letterCase) != nil
    }

    /// The steps of a lookup that compares the segment: about the work for the worst text, which has as many starts of
    /// each parameter after the first as bytes.
    var steps: Int {
        let last = pieces.count - 1
        return pieces.enumerated().reduce(1) { steps, next in
            let (index, piece) = next
            let type = piece.parameter.type
            var work = index < last ? piece.literal.count / 2 : 0
            if index == 0 {
                work += type.listedCount / 32
            } else if let values = type.listedValues {
                work += values.reduce(0) { $0 + $1.utf8.count } / 4
            } else {
                work += 4 * (type.isRun || index == last ? 1 : type.maximumLength ?? 1)
            }
            return steps + work
        }
    }

    private func solution(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Search? {
        guard hasPrefix(text, prefix, letterCase), let last = pieces.last,
            text.count > prefix.count + last.literal.count,
            areEqual(text.suffix(last.literal.count), last.literal, letterCase)
        else { return nil }
        var search = Search(mixed: self, text: text, letterCase: letterCase)
        return search.solve(0, from: text.startIndex + prefix.count) ? search : nil
    }

    /// A depth-first search over the parameters with memoization of failures.
    private struct Search {
        let mixed: RoutePattern.Mixed
        let text: ArraySlice<UInt8>
        let letterCase: LetterCase
        /// The range of each parameter, one lane each: a segment has at most eight parameters.
        private(set) var starts = SIMD8<Int32>()
        private(set) var ends = SIMD8<Int32>()
        /// For each parameter whose type is judged byte by byte: the latest start, and the last end that was tried from
        /// it or from an earlier start. The remaining parameters have failed for all ends up to that one, regardless of
        /// the start, so only later ends are tried.
        private var latestStarts: SIMD8<Int32>
        private var triedEnds: SIMD8<Int32>
        private var failedStarts: Set<Start> = []
        /// The first start from which the type of the last parameter may accept the text to its end; nil until it is
        /// needed.
        private var firstOfLast: Int?

        private struct Start: Hashable {
            let piece: Int
            let index: Int
        }

        init(mixed: RoutePattern.Mixed, text: ArraySlice<UInt8>, letterCase: LetterCase) {
            self.mixed = mixed
            self.text = text
            self.letterCase = letterCase
            latestStarts = SIMD8(repeating: Int32(text.startIndex))
            triedEnds = latestStarts
        }

        mutating func solve(_ index: Int, from start: Int) -> Bool {
            let piece = mixed.pieces[index]
            let type = piece.parameter.type
            guard start < text.endIndex, type.mayHold(text[start], after: nil) else { return false }
            if index == mixed.pieces.count - 1 {
                let end = text.endIndex - piece.literal.count
                guard end > start else { return false }
                take(start..<end, index)
                return acceptsLast(start..<end, type)
            }
            if case .oneOf(let values) = type { return solve(index, from: start, values) }
            // Starts come in ascending order, except after a set, because one of its values may be a prefix of another.
            let isForward = type.isRun && start >= Int(latestStarts[index])
            guard isForward || !failedStarts.contains(Start(piece: index, index: start)) else { return false }
            var end = isForward ? max(start, Int(triedEnds[index])) : start
            let limit = start + min(text.endIndex - start, type.maximumLength ?? .max)
            while end < limit, type.mayHold(text[end], after: end > start ? text[end - 1] : nil) {
                end += 1
                if isForward { (latestStarts[index], triedEnds[index]) = (Int32(start), Int32(end)) }
                guard hasPrefix(text[end...], piece.literal, letterCase),
                    type.acceptsRun(text[start..<end], letterCase)
                else { continue }
                take(start..<end, index)
                if solve(index + 1, from: end + piece.literal.count) { return true }
            }
            // The first parameter has a single start, so there is nothing to memoize.
            if !isForward, index > 0 { failedStarts.insert(Start(piece: index, index: start)) }
            return false
        }

        /// Tries the values of a set, the shortest first.
        private mutating func solve(_ index: Int, from start: Int, _ values: [String]) -> Bool {
            let literal = mixed.pieces[index].literal
            guard !failedStarts.contains(Start(piece: index, index: start)) else { return false }
            let rest = text[start...]
            let matching = values.filter { hasPrefix(rest, $0.utf8, letterCase) }
            for end in matching.map({ start + $0.utf8.count }).sorted()
            where hasPrefix(text[end...], literal, letterCase) {
                take(start..<end, index)
                if solve(index + 1, from: end + literal.count) { return true }
            }
            if index > 0 { failedStarts.insert(Start(piece: index, index: start)) }
            return false
        }

        /// Whether the last parameter accepts the text to its end. There may be as many starts as bytes.
        private mutating func acceptsLast(_ range: Range<Int>, _ type: ParameterType) -> Bool {
            let first = firstOfLast ?? firstStart(of: type, to: range.upperBound)
            firstOfLast = first
            guard range.lowerBound >= first else { return false }
            return type.isRun ? type.acceptsRun(text[range], letterCase) : type.accepts(text[range], letterCase)
        }

        private func firstStart(of type: ParameterType, to end: Int) -> Int {
            guard type.isRun else { return end - min(end - text.startIndex, type.maximumLength ?? .max) }
            var start = end - 1
            while start > text.startIndex, type.mayHold(text[start], after: text[start - 1]) { start -= 1 }
            return start
        }

        private mutating func take(_ range: Range<Int>, _ index: Int) {
            (starts[index], ends[index]) = (Int32(range.lowerBound), Int32(range.upperBound))
        }
    }
}

private func hasPrefix(_ text: ArraySlice<UInt8>, _ literal: some Collection<UInt8>, _ letterCase: LetterCase) -> Bool {
    guard text.count >= literal.count else { return false }
    return switch letterCase {
    case .sensitive: text.starts(with: literal)
    case .ignored: text.starts(with: literal) { folded($0) == folded($1) }
    }
}
