extension RoutePattern.Mixed {
    /// Returns the ranges of the parameters in `text`; nil when the segment does not match.
    ///
    /// Each parameter takes as little as possible, leftmost first, so that the whole text matches: `{name}.{ext}` on
    /// `a.b.c` gives `a` and `b.c`; `{title}-{id:int}` on `a-b-7` gives `a-b` and `7`. The work for each parameter is
    /// linear in the text, and at most ``steps`` in all.
    func match(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> [Range<Int>]? {
        text.withUnsafeBufferPointer { bytes in
            guard hasEnds(of: bytes, letterCase) else { return nil }
            var search = Search(mixed: self, text: bytes, letterCase: letterCase)
            guard search.matches(0, from: prefix.count) else { return nil }
            var start = text.startIndex + prefix.count
            return pieces.indices.map { index in
                let end = text.startIndex + Int(search.ends[index])
                defer { start = end + pieces[index].literal.count }
                return start..<end
            }
        }
    }

    /// Whether the segment matches. Does not allocate.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            guard hasEnds(of: bytes, letterCase) else { return false }
            var search = Search(mixed: self, text: bytes, letterCase: letterCase)
            return search.matches(0, from: prefix.count)
        }
    }

    /// Whether the text begins with the first literal and ends with the last one, with a byte between them.
    private func hasEnds(of text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard let last = pieces.last, text.count > prefix.count + last.literal.count else { return false }
        return text.has(prefix, at: 0, letterCase)
            && text.has(last.literal, at: text.count - last.literal.count, letterCase)
    }

    /// The search for one text. Whether the rest of the pattern matches from a position does not depend on how the search
    /// came there, and the positions from which a parameter is tried ascend. So each end of a parameter is tried once.
    private struct Search {
        let mixed: RoutePattern.Mixed
        let text: UnsafeBufferPointer<UInt8>
        let letterCase: LetterCase
        private let last: Int
        /// The ends of the parameters of a match.
        private(set) var ends = SIMD8<Int32>()
        /// The first position from which each parameter and the rest may reach the end of the text.
        private var earliest = SIMD8<Int32>()
        /// Up to where the ends of each parameter have been tried. From its last start to there, it may hold all bytes.
        private var tried = SIMD8<Int32>()
        /// Up to here, each parameter and the rest match from no position.
        private var failed = SIMD8<Int32>(repeating: -1)

        init(mixed: RoutePattern.Mixed, text: UnsafeBufferPointer<UInt8>, letterCase: LetterCase) {
            self.mixed = mixed
            self.text = text
            self.letterCase = letterCase
            last = mixed.pieces.count - 1
            let lastEnd = text.count - mixed.pieces[last].literal.count
            ends[last] = Int32(lastEnd)
            var position = lastEnd
            for index in mixed.pieces.indices.reversed() {
                let type = mixed.pieces[index].parameter.type
                position -= min(position, type.maximumLength ?? .max)
                earliest[index] = Int32(position)
                if index > 0 { position -= min(position, mixed.pieces[index - 1].literal.count) }
            }
            let type = mixed.pieces[last].parameter.type
            guard last > 0, let kind = type.kind, kind != .string else { return }
            var start = lastEnd - 1
            while start > Int(earliest[last]), type.mayHold(text[start], after: text[start - 1]) { start -= 1 }
            earliest[last] = Int32(start)
        }

        /// Whether a parameter and the rest of the pattern match from a position. Sets ``ends`` if so.
        mutating func matches(_ index: Int, from start: Int) -> Bool {
            guard index < last else { return acceptsLast(from: start) }
            let type = mixed.pieces[index].parameter.type
            let literal = mixed.pieces[index].literal
            guard let kind = type.kind else { return matchesShort(index, type, literal, from: start) }
            return matchesRun(index, type, kind, literal, from: start)
        }

        /// Whether the last parameter accepts the text from a position to its literal. There may be as many positions as
        /// bytes.
        private func acceptsLast(from start: Int) -> Bool {
            let (end, type) = (Int(ends[last]), mixed.pieces[last].parameter.type)
            guard start < end, start >= Int(earliest[last]) else { return false }
            guard last > 0, type.isRun else { return type.accepts(slice(start, end), letterCase) }
            return type.mayHold(text[start], after: nil) && type.acceptsRun(length: end - start, last: text[end - 1])
        }

        private func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(rebasing: text[start..<end])
        }

        /// A parameter whose bytes and length suffice to validate it.
        private mutating func matchesRun(
            _ index: Int,
            _ type: ParameterType,
            _ kind: TextKinds,
            _ literal: [UInt8],
            from start: Int
        ) -> Bool {
            guard start < text.count, start > Int(failed[index]), kind != .slug || text[start] != UInt8(ascii: "-") else {
                return false
            }
            var run = TextRun(kind, text, from: start, to: max(start, Int(tried[index])))
            let limit = min(text.count - literal.count, start + min(type.maximumLength ?? .max, text.count))
            var end = max(run.end + 1, start + min(type.minimumLength, text.count), firstStart(after: index) - literal.count)
            while end <= limit {
                end = text.firstIndex(of: literal, in: end...limit, letterCase)
                // Bytes that each start reads again would make the work quadratic.
                guard run.extend(to: min(end, limit)) else {
                    // The other positions of this run have the same ends.
                    failed[index] = Int32(run.end)
                    return false
                }
                guard end <= limit else { break }
                guard type.mayEnd(with: text[end - 1]), matches(index + 1, from: end + literal.count) else {
                    end = max(end, Int(failed[index + 1]) - literal.count) + 1
                    continue
                }
                ends[index] = Int32(end)
                return true
            }
            tried[index] = Int32(run.end)
            // Without a longest length, the limit is the end of the text, and a later start has no other ends.
            failed[index] = type.maximumLength == nil ? Int32(text.count) : Int32(start)
            return false
        }

        private func firstStart(after index: Int) -> Int { Int(earliest[index + 1]) }

        /// A parameter with few lengths.
        private mutating func matchesShort(
            _ index: Int,
            _ type: ParameterType,
            _ literal: [UInt8],
            from start: Int
        ) -> Bool {
            guard start >= Int(earliest[index]), start < text.count, type.mayBegin(with: text[start]) else {
                return false
            }
            let limit = min(text.count - literal.count, start + (type.maximumLength ?? 0))
            let shortest = max(start + type.minimumLength, firstStart(after: index) - literal.count)
            var read = start + 1
            var end = shortest
            while end <= limit {
                end = text.firstIndex(of: literal, in: end...limit, letterCase)
                while read < min(end, limit) {
                    guard type.mayContain(text[read]) else { return false }
                    read += 1
                }
                guard end <= limit else { return false }
                if type.accepts(slice(start, end), letterCase), matches(index + 1, from: end + literal.count) {
                    ends[index] = Int32(end)
                    return true
                }
                end += 1
            }
            return false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a literal is at a position. The text may end before it.
    func has(_ literal: [UInt8], at position: Int, _ letterCase: LetterCase) -> Bool {
        guard literal.count <= count - position else { return false }
        for offset in literal.indices {
            let (byte, other) = (self[position + offset], literal[offset])
            guard byte == other || letterCase == .ignored && folded(byte) == folded(other) else { return false }
        }
        return true
    }

    /// Returns the first position of a literal, which is not empty, among positions; the one behind them if there is none.
    fileprivate func firstIndex(of literal: [UInt8], in positions: ClosedRange<Int>, _ letterCase: LetterCase) -> Int {
        let bytes = UnsafeRawBufferPointer(self)
        let ignoresCase = letterCase == .ignored
        let first = repeating(ignoresCase ? folded(literal[0]) : literal[0])
        let second = literal.count > 1 ? repeating(ignoresCase ? folded(literal[1]) : literal[1]) : nil
        var position = positions.lowerBound
        let end = positions.upperBound
        while position <= end {
            // Eight positions at a time (SWAR): the highest bit of a byte is set if it may be the first one.
            if position + 9 <= count {
                let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                var found = Self.zeros((ignoresCase ? folded(word) : word) ^ first)
                if let second, found != 0 {
                    let next = bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
                    found &= Self.zeros((ignoresCase ? folded(next) : next) ^ second)
                }
                guard found != 0 else {
                    position += 8
                    continue
                }
                position += UInt64(littleEndian: found).trailingZeroBitCount / 8
                guard position <= end else { break }
            }
            if has(literal, at: position, letterCase) { return position }
            position += 1
        }
        return end + 1
    }
    /// Returns the highest bit of each byte that is zero, and sometimes of one behind it.
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- repeating(1)) & ~word & repeating(0x80) }
}

/// The bytes from a position that a type may hold.
private struct TextRun {
    private let kind: UInt8
    private let text: UnsafeBufferPointer<UInt8>
    private let start: Int
    /// The end of the bytes that have been read.
    private(set) var end: Int

    init(_ kind: TextKinds, _ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        (self.kind, self.text, self.start, self.end) = (kind.rawValue, text, start, end)
    }

    /// Reads up to a position. Returns false if there is a byte before it that the type may not hold.
    mutating func extend(to position: Int) -> Bool {
        guard kind != TextKinds.string.rawValue else {
            end = max(end, position)
            return true
        }
        guard kind != TextKinds.slug.rawValue || text[start] != UInt8(ascii: "-") else { return false }
        let (from, kind, text) = (end, kind, text)
        end = TextKinds.byByte.withUnsafeBufferPointer { kinds in
            var index = from
            var previous = index > start ? text[index - 1] : 0
            while index < position, kinds[Int(text[index])] & kind != 0 {
                let byte = text[index]
                if byte == UInt8(ascii: "-"), previous == byte { break }
                previous = byte
                index += 1
            }
            return index
        }
        return end >= position
    }
}
