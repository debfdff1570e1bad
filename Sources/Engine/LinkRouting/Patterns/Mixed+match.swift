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

    /// Whether the segment matches.
    ///
    /// - Parameter kinds: Those of the text; nil if it has not been read.
    func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase, _ kinds: TextKinds? = nil) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            guard hasEnds(of: bytes, letterCase) else { return false }
            var search = Search(mixed: self, text: bytes, letterCase: letterCase, kinds: kinds)
            return search.matches(0, from: prefix.count)
        }
    }

    /// Whether the kinds of a text can help to compare it.
    var hasKinds: Bool {
        pieces.contains { piece in piece.parameter.type.kind.map { $0 != .string } ?? false }
    }

    /// The maximum length of a text in which a parameter without a ``ParameterType/kind`` is searched, in bytes.
    static let longestSearched = 1_024

    /// Whether such a parameter may begin at many positions: between two others, of which the first may be long.
    var isSearched: Bool {
        guard pieces.count > 2, pieces[0].parameter.type.kind != nil else { return false }
        return pieces[1...].dropLast().contains { $0.parameter.type.kind == nil }
    }

    /// The length of texts around a parameter up to which the kinds of the whole text are used.
    static let mostOutside = 96

    /// Whether the text begins with the first literal and ends with the last one, with a byte between them.
    private func hasEnds(of text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard let last = pieces.last, text.count > prefix.count + last.literal.count,
            text.count <= Self.longestSearched || !isSearched
        else { return false }
        return text.has(prefix, at: 0, letterCase)
            && text.has(last.literal, at: text.count - last.literal.count, letterCase)
    }

    /// The search for one text. Whether the rest of the pattern matches from a position does not depend on how the search
    /// came there, so that each end of a parameter is tried once.
    private struct Search {
        let mixed: RoutePattern.Mixed
        let text: UnsafeBufferPointer<UInt8>
        let letterCase: LetterCase
        let kinds: TextKinds?
        private let last: Int
        /// The ends of the parameters of a match.
        private(set) var ends = SIMD8<Int32>()
        /// The first position from which each parameter and the rest may reach the end of the text.
        private var earliest = SIMD8<Int32>()
        /// 1 for a parameter of a type without a `kind`.
        private var isShort = SIMD8<UInt8>()
        /// Positions from which each parameter and the rest do not match.
        private var failures = Spans()
        /// Positions that are no end of each parameter, because the rest does not match behind them.
        private var noEnds = Spans()
        /// Bytes that each parameter may hold in this order.
        private var held = Spans()
        /// Further failures, for parameters behind one of few lengths: a bit for each parameter and position.
        private var otherFailures: [UInt64] = []

        init(
            mixed: RoutePattern.Mixed,
            text: UnsafeBufferPointer<UInt8>,
            letterCase: LetterCase,
            kinds: TextKinds? = nil
        ) {
            self.kinds = kinds
            self.mixed = mixed
            self.text = text
            self.letterCase = letterCase
            last = mixed.pieces.count - 1
            let lastEnd = text.count - mixed.pieces[last].literal.count
            ends[last] = Int32(lastEnd)
            var position = lastEnd
            for index in mixed.pieces.indices.reversed() {
                let type = mixed.pieces[index].parameter.type
                if type.kind == nil { isShort[index] = 1 }
                position -= min(position, type.maximumLength ?? .max)
                earliest[index] = Int32(position)
                if index > 0 { position -= min(position, mixed.pieces[index - 1].literal.count) }
            }
            let type = mixed.pieces[last].parameter.type
            guard last > 0, let kind = type.kind, kind != .string else { return }
            var run = TextRun(kind, text, from: lastEnd)
            run.extend(backTo: Int(earliest[last]))
            earliest[last] = Int32(run.start)
        }

        /// Whether a parameter and the rest of the pattern match from a position. Sets ``ends`` if so.
        mutating func matches(_ index: Int, from start: Int) -> Bool {
            guard index < last else { return acceptsLast(from: start) }
            guard start < text.count, start >= Int(earliest[index]), !failures.contains(start, of: index) else {
                return false
            }
            let type = mixed.pieces[index].parameter.type
            if let kind = type.kind { return matchesRun(index, type, kind, mixed.pieces[index].literal, from: start) }
            let literal = mixed.pieces[index].literal
            // Only behind such a parameter, the positions do not ascend.
            guard index > 0, isShort[index - 1] == 1 else { return matchesShort(index, type, literal, from: start) }
            let bit = index * text.count + start
            if otherFailures.isEmpty {
                otherFailures = Array(repeating: 0, count: (last + 1) * text.count / 64 + 1)
            } else if otherFailures[bit / 64] >> UInt64(bit % 64) & 1 == 1 {
                return false
            }
            if matchesShort(index, type, literal, from: start) { return true }
            otherFailures[bit / 64] |= 1 << UInt64(bit % 64)
            return false
        }

        /// Whether the last parameter accepts the text from a position to its literal. There may be as many positions as
        /// bytes.
        private func acceptsLast(from start: Int) -> Bool {
            let (end, type) = (Int(ends[last]), mixed.pieces[last].parameter.type)
            guard start < end, start >= Int(earliest[last]) else { return false }
            if last == 0, let kind = type.kind {
                let isFew = start + text.count - end <= RoutePattern.Mixed.mostOutside
                return type.accepts(start..<end, of: text, kind, isFew ? kinds : nil)
            }
            guard type.isRun else { return type.accepts(slice(start, end), letterCase) }
            return type.mayHold(text[start], after: nil) && type.acceptsRun(length: end - start, last: text[end - 1])
        }

        private func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(rebasing: text[start..<end])
        }

        /// A parameter whose bytes and length suffice to validate it.
        private mutating func matchesRun(
            _ index: Int,
            _ type: ParameterType,
            _ kind: TextKinds.Kind,
            _ literal: [UInt8],
            from start: Int
        ) -> Bool {
            guard kind != .slug || text[start] != UInt8(ascii: "-") else { return false }
            let limit = min(text.count - literal.count, start + min(type.maximumLength ?? .max, text.count))
            let first = max(
                start + min(max(1, type.minimumLength), text.count),
                Int(earliest[index + 1]) - literal.count
            )
            let next = index + 1 == last ? ParameterType.plain : mixed.pieces[index + 1].parameter.type
            var run = TextRun(kind, text, from: start)
            var end = first
            while end <= limit {
                end = noEnds.contains(end, of: index) ? Int(noEnds.last[index]) + 1 : end
                guard end <= limit else { break }
                end = text.firstIndex(of: literal, in: end...limit, letterCase) { next.mayBegin(in: text, at: $0) }
                guard !noEnds.contains(end, of: index) else { continue }
                guard extend(&run, index, to: min(end, limit)) else {
                    noEnds.join(first, run.end, of: index)
                    // The other positions of this run have the same ends.
                    failures.join(start, run.end, of: index)
                    return false
                }
                guard end <= limit else { break }
                if type.mayEnd(with: text[end - 1]), matches(index + 1, from: end + literal.count) {
                    ends[index] = Int32(end)
                    return true
                }
                if failures.contains(end + literal.count, of: index + 1) {
                    end = Int(failures.last[index + 1]) - literal.count
                }
                end += 1
            }
            noEnds.join(first, limit, of: index)
            // Without a longest length, the limit is the end of the text, and a later position has no other ends.
            failures.join(start, type.maximumLength == nil ? text.count : start, of: index)
            return false
        }

        /// Reads a run up to a position. Bytes that each position reads again would make the work quadratic.
        private mutating func extend(_ run: inout TextRun, _ index: Int, to position: Int) -> Bool {
            if held.contains(run.end, of: index) { run.skip(to: Int(held.last[index])) }
            guard run.end < position else { return true }
            let isHeld =
                run.extend(to: min(position, max(run.end, Int(held.first[index]))), kinds)
                && {
                    if held.contains(run.end, of: index) { run.skip(to: Int(held.last[index])) }
                    return run.extend(to: position, kinds)
                }()
            held.join(run.start, run.end, of: index)
            return isHeld
        }

        private mutating func matchesListed(
            _ index: Int,
            _ values: ListedValues,
            _ literal: [UInt8],
            from start: Int
        ) -> Bool {
            for length in values.lengths {
                let end = start + length
                guard end <= text.count - literal.count else { return false }
                guard text.has(literal, at: end, letterCase), values.contains(slice(start, end), letterCase),
                    matches(index + 1, from: end + literal.count)
                else { continue }
                ends[index] = Int32(end)
                return true
            }
            return false
        }

        /// A parameter with few lengths.
        private mutating func matchesShort(
            _ index: Int,
            _ type: ParameterType,
            _ literal: [UInt8],
            from start: Int
        ) -> Bool {
            guard type.mayBegin(in: text, at: start) else { return false }
            if case .oneOf(let values) = type { return matchesListed(index, values, literal, from: start) }
            let limit = min(text.count - literal.count, start + (type.maximumLength ?? 0))
            let shortest = max(start + type.minimumLength, Int(earliest[index + 1]) - literal.count)
            let first = letterCase == .ignored ? folded(literal[0]) : literal[0]
            var end = start + 1
            while end <= limit {
                let byte = text[end]
                if letterCase == .ignored ? folded(byte) == first : byte == first, end >= shortest,
                    text.has(literal, at: end, letterCase), type.accepts(slice(start, end), letterCase),
                    matches(index + 1, from: end + literal.count)
                {
                    ends[index] = Int32(end)
                    return true
                }
                guard type.mayContain(byte) else { return false }
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

    /// Returns the first position of a literal, which is not empty, among positions, if the position behind it may be of
    /// use; the one behind all positions if there is none.
    @inline(__always)
    fileprivate func firstIndex(
        of literal: [UInt8],
        in positions: ClosedRange<Int>,
        _ letterCase: LetterCase,
        where mayBeOfUse: (Int) -> Bool
    ) -> Int {
        let bytes = UnsafeRawBufferPointer(self)
        let ignoresCase = letterCase == .ignored
        let first = repeating(ignoresCase ? folded(literal[0]) : literal[0])
        let second = literal.count > 1 ? repeating(ignoresCase ? folded(literal[1]) : literal[1]) : nil
        let lastOffset = literal.count - 1
        let last = repeating(ignoresCase ? folded(literal[lastOffset]) : literal[lastOffset])
        var position = positions.lowerBound
        let end = positions.upperBound
        while position <= end {
            guard position + lastOffset + 9 <= count else {
                if has(literal, at: position, letterCase), mayBeOfUse(position + literal.count) { return position }
                position += 1
                continue
            }
            // Eight positions at a time (SWAR): the highest bit of a byte is set if it may be the first one.
            func found(_ wanted: UInt64, at offset: Int) -> UInt64 {
                let word = bytes.loadUnaligned(fromByteOffset: position + offset, as: UInt64.self)
                return Self.zeros((ignoresCase ? folded(word) : word) ^ wanted)
            }
            var candidates = found(first, at: 0)
            if let second, candidates != 0 { candidates &= found(second, at: 1) }
            if lastOffset > 1, candidates != 0 { candidates &= found(last, at: lastOffset) }
            while candidates != 0 {
                let candidate = position + UInt64(littleEndian: candidates).trailingZeroBitCount / 8
                guard candidate <= end else { return end + 1 }
                if has(literal, at: candidate, letterCase), mayBeOfUse(candidate + literal.count) { return candidate }
                candidates &= candidates &- 1
            }
            position += 8
        }
        return end + 1
    }

    /// Returns the highest bit of each byte that is zero, and sometimes of one behind it.
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- repeating(1)) & ~word & repeating(0x80) }
}

/// A closed range of positions for each parameter.
private struct Spans {
    private(set) var first = SIMD8<Int32>(repeating: .max)
    private(set) var last = SIMD8<Int32>(repeating: -1)

    func contains(_ position: Int, of index: Int) -> Bool {
        position >= Int(first[index]) && position <= Int(last[index])
    }

    /// Adds a range. If it does not touch the known one, that is forgotten.
    mutating func join(_ lower: Int, _ upper: Int, of index: Int) {
        guard lower <= upper else { return }
        let (lower, upper) = (Int32(lower), Int32(upper))
        guard lower <= last[index], upper >= first[index] else {
            (first[index], last[index]) = (lower, upper)
            return
        }
        (first[index], last[index]) = (min(first[index], lower), max(last[index], upper))
    }
}

/// The bytes around a position that a kind of text may contain.
private struct TextRun {
    private let kind: TextKinds.Kind
    private let text: UnsafeBufferPointer<UInt8>
    /// The range of the bytes that have been read.
    private(set) var start: Int
    private(set) var end: Int

    init(_ kind: TextKinds.Kind, _ text: UnsafeBufferPointer<UInt8>, from start: Int) {
        (self.kind, self.text, self.start, self.end) = (kind, text, start, start)
    }

    /// Leaves out bytes that are known to follow.
    mutating func skip(to position: Int) { end = max(end, position) }

    /// Reads up to a position. Returns false if there is a byte before it that the text may not contain.
    ///
    /// - Parameter kinds: Those of the whole text, if it has been read.
    mutating func extend(to position: Int, _ kinds: TextKinds?) -> Bool {
        guard kind != .string, end < position else {
            end = max(end, position)
            return true
        }
        let hyphen = UInt8(ascii: "-")
        if let kinds, end + text.count - position <= RoutePattern.Mixed.mostOutside, text[end] != hyphen,
            kinds.isOnly(kind, in: end..<position, of: text)
        {
            end = position
            return true
        }
        var previous = end > start ? text[end - 1] : 0
        while end < position, kind.mayContain(text[end]), text[end] != hyphen || previous != hyphen {
            previous = text[end]
            end += 1
        }
        return end >= position
    }

    /// Reads backwards to a position, up to a byte that the text may not contain.
    mutating func extend(backTo position: Int) {
        let hyphen = UInt8(ascii: "-")
        var next: UInt8 = 0
        while start > position, kind.mayContain(text[start - 1]), text[start - 1] != hyphen || next != hyphen {
            start -= 1
            next = text[start]
        }
    }
}
