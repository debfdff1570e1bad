/// Matches patterns against one URL component: `*` is any text, `?` one character, `$(name)` one of a variable's
/// values.
///
/// It simulates a nondeterministic automaton. It tracks all reachable positions in the text at once, as a bit set. The
/// time is the length of the pattern, including the values of its variables, times the length of the text, divided by
/// 64. No pattern causes backtracking.
struct PatternMatcher {
    private let text: PatternText
    private let variables: PatternVariables
    private var positions: [UInt64]

    /// Returns whether `pattern` matches the whole text. Letter case is ignored if `text` folds case.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    static func matches(
        _ pattern: String,
        _ text: PatternText,
        _ variables: PatternVariables,
        _ budget: inout StepBudget
    ) throws(StepBudget.Exhausted) -> Bool {
        var matcher = PatternMatcher(text: text, variables: variables, positions: text.start)
        try matcher.follow(pattern, .pattern, &budget)
        return text.endIsAmong(matcher.positions)
    }

    private enum Level {
        case pattern
        /// A variable's value, which may contain wildcards but no variables.
        case value
    }

    /// Replaces each position with the positions where `pattern` can end if it starts there.
    private mutating func follow(
        _ pattern: String,
        _ level: Level,
        _ budget: inout StepBudget
    ) throws(StepBudget.Exhausted) {
        var rest = pattern.utf8[...]
        while let byte = rest.popFirst() {
            try budget.spend(text.wordCount)
            switch byte {
            case UInt8(ascii: "*"): skipAny()
            case UInt8(ascii: "?"): skipOne()
            case UInt8(ascii: "$") where level == .pattern && rest.first == UInt8(ascii: "("):
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return removeAll() }
                let name = String(Substring(rest[rest.index(after: rest.startIndex)..<end]))
                rest = rest[rest.index(after: end)...]
                try follow(variables[name], &budget)
            default: skip(text.foldsCase ? byte.lowercasedASCII : byte)
            }
            guard positions.contains(where: { $0 != 0 }) else { return }
        }
    }

    private mutating func follow(
        _ meaning: PatternVariables.Meaning,
        _ budget: inout StepBudget
    ) throws(StepBudget.Exhausted) {
        let start = positions
        removeAll()
        switch meaning {
        case .unknown: break
        case .character(let set):
            for byte in text.contents(in: text.foldsCase ? set.foldingCase : set) {
                try budget.spend(text.wordCount)
                try unite(with: start, &budget) { (matcher, _) throws(StepBudget.Exhausted) in matcher.skip(byte) }
            }
        case .values(let values):
            for value in values {
                try budget.spend(text.wordCount)
                try unite(with: start, &budget) { (matcher, budget) throws(StepBudget.Exhausted) in
                    try matcher.follow(value, .value, &budget)
                }
            }
        }
    }

    /// Adds the positions that `step` reaches from `start`.
    private mutating func unite(
        with start: [UInt64],
        _ budget: inout StepBudget,
        _ step: (inout PatternMatcher, inout StepBudget) throws(StepBudget.Exhausted) -> Void
    ) throws(StepBudget.Exhausted) {
        let reached = positions
        positions = start
        try step(&self, &budget)
        for word in reached.indices { positions[word] |= reached[word] }
    }

    private mutating func removeAll() {
        for word in positions.indices { positions[word] = 0 }
    }

    // MARK: Steps

    private mutating func skip(_ byte: UInt8) {
        guard let mask = text.positions(of: byte) else { return removeAll() }
        for (word, bits) in zip(positions.indices, mask) { positions[word] &= bits }
        moveOn()
    }

    /// Advances by one character, whatever its number of bytes.
    private mutating func skipOne() {
        removeEnd()
        moveOn()
        guard !text.continuations.isEmpty else { return }
        while true {
            var inside = PatternMatcher(text: text, variables: variables, positions: positions)
            for word in positions.indices {
                inside.positions[word] &= text.continuations[word]
                positions[word] &= ~text.continuations[word]
            }
            guard inside.positions.contains(where: { $0 != 0 }) else { return }
            inside.moveOn()
            for word in positions.indices { positions[word] |= inside.positions[word] }
        }
    }

    /// Adds every position after the first one, except those inside a character.
    private mutating func skipAny() {
        guard let first = positions.firstIndex(where: { $0 != 0 }) else { return }
        positions[first] = ~(positions[first] & (~positions[first] &+ 1)) &+ 1
        for word in positions.indices where word > first { positions[word] = .max }
        let used = text.bytes.count % UInt64.bitWidth + 1
        if used < UInt64.bitWidth { positions[positions.count - 1] &= (1 << UInt64(used)) - 1 }
        for (word, bits) in zip(positions.indices, text.continuations) { positions[word] &= ~bits }
    }

    private mutating func removeEnd() {
        positions[positions.count - 1] &= ~(1 << UInt64(text.bytes.count % UInt64.bitWidth))
    }

    /// Advances by one byte.
    private mutating func moveOn() {
        var carry: UInt64 = 0
        for word in positions.indices {
            let moved = positions[word] << 1 | carry
            carry = positions[word] >> 63
            positions[word] = moved
        }
    }
}
