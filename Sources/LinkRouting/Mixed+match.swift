extension Pattern.Mixed {
    /// The ranges that the parameters take in `text`, or nil.
    ///
    /// Each takes as little as it can, leftmost first, so that the whole matches: `{name}.{ext}` on `a.b.c` takes `a` and
    /// `b.c`; `{title}-{id:int}` on `a-b-7` takes `a-b` and `7`. Linear in the text for each parameter: an end after which
    /// the rest has failed is not tried again.
    func match(_ text: ArraySlice<UInt8>, _ letterCase: Route.LetterCase) -> [Range<Int>]? {
        guard starts(text, with: prefix, letterCase) else { return nil }
        var search = Search(mixed: self, text: text, letterCase: letterCase)
        return search.solve(0, from: text.startIndex + prefix.count) ? search.taken : nil
    }

    /// A depth-first walk over the parameters with a memory of what cannot succeed.
    private struct Search {
        let mixed: Pattern.Mixed
        let text: ArraySlice<UInt8>
        let letterCase: Route.LetterCase
        var taken: [Range<Int>]
        /// For each parameter whose bytes are judged one by one: the latest start, and the last end tried from it or an earlier
        /// one. What follows has failed for those ends, whatever the start, so that only later ones are tried.
        private var latestStarts: [Int]
        private var triedEnds: [Int]
        private var failedStarts: Set<Start> = []

        private struct Start: Hashable {
            let piece: Int
            let index: Int
        }

        init(mixed: Pattern.Mixed, text: ArraySlice<UInt8>, letterCase: Route.LetterCase) {
            self.mixed = mixed
            self.text = text
            self.letterCase = letterCase
            taken = Array(repeating: 0..<0, count: mixed.pieces.count)
            latestStarts = Array(repeating: text.startIndex, count: mixed.pieces.count)
            triedEnds = latestStarts
        }

        mutating func solve(_ index: Int, from start: Int) -> Bool {
            let piece = mixed.pieces[index]
            let type = piece.parameter.type
            guard start < text.endIndex, type.mayHold(text[start], after: nil) else { return false }
            if index == mixed.pieces.count - 1 {
                let end = text.endIndex - piece.literal.count
                guard end > start, starts(text[end...], with: piece.literal, letterCase) else { return false }
                taken[index] = start..<end
                return type.accepts(text[start..<end], letterCase)
            }
            // Starts come in rising order, but for those behind a set, whose values may lie inside one another.
            let isForward = type.isRun && start >= latestStarts[index]
            guard isForward || !failedStarts.contains(Start(piece: index, index: start)) else { return false }
            var end = isForward ? max(start, triedEnds[index]) : start
            let limit = start + min(text.endIndex - start, type.maximumLength ?? .max)
            while end < limit, type.mayHold(text[end], after: end > start ? text[end - 1] : nil) {
                end += 1
                if isForward { (latestStarts[index], triedEnds[index]) = (start, end) }
                guard starts(text[end...], with: piece.literal, letterCase),
                    type.acceptsRun(text[start..<end], letterCase)
                else { continue }
                taken[index] = start..<end
                if solve(index + 1, from: end + piece.literal.count) { return true }
            }
            if !isForward { failedStarts.insert(Start(piece: index, index: start)) }
            return false
        }
    }
}

private func starts(_ text: ArraySlice<UInt8>, with literal: [UInt8], _ letterCase: Route.LetterCase) -> Bool {
    text.count >= literal.count && areEqual(text.prefix(literal.count), literal, letterCase)
}
