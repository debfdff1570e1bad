extension RoutePattern.Mixed {
    /// Returns the ranges of the parameters in `text`; nil when the segment does not match.
    ///
    /// Each parameter takes as little as possible, leftmost first, so that the whole text matches: `{name}.{ext}` on
    /// `a.b.c` gives `a` and `b.c`; `{title}-{id:int}` on `a-b-7` gives `a-b` and `7`. The text is read about once.
    func match(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> [Range<Int>]? {
        text.withUnsafeBufferPointer { bytes in
            guard hasEnds(of: bytes, letterCase) else { return nil }
            var split = Split(mixed: self, text: bytes, letterCase: letterCase, kinds: nil)
            guard split.exists() else { return nil }
            var start = text.startIndex + prefix.count
            return pieces.indices.map { index in
                let end = text.startIndex + Int(split.ends[index])
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
            var split = Split(mixed: self, text: bytes, letterCase: letterCase, kinds: kinds)
            return split.exists()
        }
    }

    /// Whether the kinds of a text can help to compare it.
    var hasKinds: Bool {
        pieces.contains { piece in piece.parameter.type.kind.map { $0 != .string } ?? false }
    }

    /// The maximum length of the texts behind an open parameter that is not the last but one, and of the texts around a
    /// parameter that is compared by the kinds of the whole text.
    static let longestRest = 128
    /// The maximum length of a text between two parameters, in bytes.
    static let longestBetween = 64

    /// Whether the text begins with the first literal and ends with the last one, with a byte between them.
    private func hasEnds(of text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard let last = pieces.last, text.count > prefix.count + last.literal.count else { return false }
        return text.has(prefix, at: 0, letterCase)
            && text.has(last.literal, at: text.count - last.literal.count, letterCase)
    }

    /// The search for the ends of the parameters in one text.
    ///
    /// Each parameter has one possible end from a position, or its first end is the only one that matters. Only that of index
    /// ``openParameter`` is tried with several ends: behind it is the last parameter, or at most ``longestRest``.
    private struct Split {
        let mixed: RoutePattern.Mixed
        let text: UnsafeBufferPointer<UInt8>
        let letterCase: LetterCase
        let kinds: TextKinds?
        private let last: Int
        /// The end of the last parameter.
        private let lastEnd: Int
        /// The ends of the parameters.
        private(set) var ends = SIMD8<Int32>()

        init(mixed: RoutePattern.Mixed, text: UnsafeBufferPointer<UInt8>, letterCase: LetterCase, kinds: TextKinds?) {
            (self.mixed, self.text, self.letterCase, self.kinds) = (mixed, text, letterCase, kinds)
            last = mixed.pieces.count - 1
            lastEnd = text.count - mixed.pieces[last].literal.count
            ends[last] = Int32(lastEnd)
        }

        private func type(_ index: Int) -> ParameterType { mixed.pieces[index].parameter.type }
        private func literal(_ index: Int) -> [UInt8] { mixed.pieces[index].literal }

        /// Whether the whole text matches. Sets ``ends`` if so.
        mutating func exists() -> Bool {
            let open = mixed.openParameter ?? last
            guard let start = follow(0..<open, from: mixed.prefix.count), start < lastEnd else { return false }
            guard open < last else { return acceptsLast(from: start) }
            let behind = literal(open).count
            guard let rests = startsOfRest(open + 1) else { return false }
            var run = Run(type(open), text, from: start)
            var least = max(start + min(type(open).minimumLength, text.count), rests.lowerBound - behind)
            while let end = end(of: open, from: start, notBefore: least, &run), end + behind <= rests.upperBound {
                if open + 1 == last, let kind = type(last).kind {
                    // The bytes from the first of these positions on have been read.
                    ends[open] = Int32(end)
                    if kind != .slug || text[end + behind] != UInt8(ascii: "-") { return true }
                } else if let rest = follow(open + 1..<last, from: end + behind), acceptsLast(from: rest) {
                    ends[open] = Int32(end)
                    return true
                }
                least = end + 1
            }
            return false
        }

        /// The first and the last position from which parameters may reach the end of the text, according to their lengths,
        /// and to the bytes of the last one if it is the only one; nil if there is none.
        private func startsOfRest(_ first: Int) -> ClosedRange<Int>? {
            var (lower, upper) = (lastEnd, lastEnd)
            for index in (first...last).reversed() {
                let behind = index == last ? 0 : literal(index).count
                lower -= min(lower, behind + min(type(index).maximumLength ?? text.count, text.count))
                upper -= min(upper, behind + min(type(index).minimumLength, text.count))
            }
            if first == last, let kind = type(last).kind, kind != .string {
                guard type(last).mayEnd(with: text[lastEnd - 1]) else { return nil }
                lower = max(lower, kind.startOfRun(in: text, from: lower, to: lastEnd))
            }
            return lower <= upper ? lower...upper : nil
        }

        /// Finds the ends of parameters from a position. Returns where the next one starts; nil if they do not match.
        private mutating func follow(_ indices: Range<Int>, from start: Int) -> Int? {
            var start = start
            for index in indices {
                guard start < lastEnd else { return nil }
                var run = Run(type(index), text, from: start)
                let least = start + min(type(index).minimumLength, text.count)
                guard let end = end(of: index, from: start, notBefore: least, &run) else { return nil }
                ends[index] = Int32(end)
                start = end + literal(index).count
            }
            return start
        }

        /// Whether the last parameter accepts the text from a position to its literal.
        private func acceptsLast(from start: Int) -> Bool {
            guard start < lastEnd else { return false }
            guard let kind = type(last).kind else { return type(last).accepts(slice(start, lastEnd), letterCase) }
            let isWhole = last == 0 || start + text.count - lastEnd <= RoutePattern.Mixed.longestRest
            return type(last).accepts(start..<lastEnd, of: text, kind, isWhole ? kinds : nil)
        }

        private func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(rebasing: text[start..<end])
        }

        /// Returns the first end of a parameter at or behind a position, where its literal begins.
        private func end(of index: Int, from start: Int, notBefore least: Int, _ run: inout Run) -> Int? {
            let (type, literal) = (type(index), literal(index))
            // At least one byte is left for the next parameter.
            let limit = min(lastEnd - literal.count - 1, start + min(type.maximumLength ?? text.count, text.count))
            guard least <= limit else { return nil }
            if type.kind != nil {
                var end = least
                while end <= limit {
                    end = text.firstIndex(of: literal, in: end...limit, letterCase)
                    guard end <= limit, run.extend(to: end, index == 0 ? kinds : nil) else { return nil }
                    if type.mayEnd(with: text[end - 1]) { return end }
                    end += 1
                }
                return nil
            }
            if case .oneOf(let values) = type {
                for length in values.lengths where start + length >= least {
                    let end = start + length
                    guard end <= limit else { return nil }
                    if text.has(literal, at: end, letterCase), values.contains(slice(start, end), letterCase) {
                        return end
                    }
                }
                return nil
            }
            var end = start + 1
            while end <= limit {
                if end >= least, text.has(literal, at: end, letterCase), type.accepts(slice(start, end), letterCase) {
                    return end
                }
                guard type.mayContain(text[end]) else { return nil }
                end += 1
            }
            return nil
        }
    }

    /// The bytes from a position that a type may contain, as far as they have been read.
    private struct Run {
        private let kind: TextKinds.Kind
        private let text: UnsafeBufferPointer<UInt8>
        private let start: Int
        private var end: Int

        init(_ type: ParameterType, _ text: UnsafeBufferPointer<UInt8>, from start: Int) {
            (kind, self.text, self.start, end) = (type.kind ?? .string, text, start, start)
        }

        /// Reads up to a position, which is behind the first one. Returns false if there is a byte before it that the type
        /// may not contain.
        ///
        /// - Parameter kinds: Those of the whole text; nil to read the bytes.
        mutating func extend(to position: Int, _ kinds: TextKinds?) -> Bool {
            let hyphen = UInt8(ascii: "-")
            guard kind != .string else { return true }
            guard kind != .slug || text[start] != hyphen else { return false }
            if end == start, let kinds, start + text.count - position <= RoutePattern.Mixed.longestRest {
                guard kinds.isOnly(kind, in: start..<position, of: text) else { return false }
                end = position
            }
            var previous = end > start ? text[end - 1] : 0
            while end < position, kind.mayContain(text[end]), text[end] != hyphen || previous != hyphen {
                previous = text[end]
                end += 1
            }
            return end >= position
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
        let lastOffset = literal.count - 1
        let last = repeating(ignoresCase ? folded(literal[lastOffset]) : literal[lastOffset])
        var position = positions.lowerBound
        let end = positions.upperBound
        while position <= end {
            guard position + lastOffset + 9 <= count else {
                if has(literal, at: position, letterCase) { return position }
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
                if has(literal, at: candidate, letterCase) { return candidate }
                candidates &= candidates &- 1
            }
            position += 8
        }
        return end + 1
    }

    /// Returns the highest bit of each byte that is zero, and sometimes of one behind it.
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- repeating(1)) & ~word & repeating(0x80) }
}
