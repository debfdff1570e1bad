import LinkRouting

/// A regular set of byte strings, such as the paths that a rule of an association file takes.
///
/// It exists to decide questions about patterns rather than to sample links: whether one rule covers another, whether an
/// exclusion could refuse a link that a route opens. See ``Language/shortestText(in:outside:budget:_:)``.
indirect enum Language: Hashable, Sendable {
    /// Only the empty text.
    case empty
    case byte(ByteSet)
    case sequence([Language])
    /// Of no languages: nothing at all.
    case either([Language])
    /// Zero or more times.
    case repeated(Language)

    static let nothing = Language.either([])

    static func text(_ bytes: some Sequence<UInt8>) -> Language {
        .sequence(bytes.map { .byte(ByteSet(CollectionOfOne($0))) })
    }

    static func oneOrMore(_ language: Language) -> Language { .sequence([language, .repeated(language)]) }
    static func optional(_ language: Language) -> Language { .either([.empty, language]) }

    /// Without the texts that have other bytes.
    func restricted(to bytes: ByteSet) -> Language {
        switch self {
        case .empty: .empty
        case .byte(let set): .byte(set.intersection(bytes))
        case .sequence(let parts): .sequence(parts.map { $0.restricted(to: bytes) })
        case .either(let parts): .either(parts.map { $0.restricted(to: bytes) })
        case .repeated(let part): .repeated(part.restricted(to: bytes))
        }
    }
}

// MARK: Spelling

extension Language {
    /// One decoded byte as a URL may write it: as it is where it may stand, and as an escape in either case.
    static func spelled(_ byte: UInt8) -> Language { spelledBytes[Int(byte)] }

    private static let spelledBytes = (UInt8.min...UInt8.max).map { spelling(ByteSet(CollectionOfOne($0))) }

    /// The same of any one out of `bytes`.
    static func spelled(_ bytes: ByteSet) -> Language {
        bytes.only.map(spelled) ?? spelling(bytes)
    }

    private static func spelling(_ bytes: ByteSet) -> Language {
        var spellings: [Language] = []
        let plain = bytes.intersection(.plainInSegment)
        if !plain.isEmpty { spellings.append(.byte(plain)) }
        let all = bytes.bytes
        for high in UInt8(0)..<16 {
            let low = all.filter { $0 >> 4 == high }.map { $0 & 15 }
            guard !low.isEmpty else { continue }
            let digits = low.reduce(into: ByteSet()) { $0 = $0.union(hexDigit($1)) }
            spellings.append(.sequence([.byte(ByteSet("%")), .byte(hexDigit(high)), .byte(digits)]))
        }
        return .either(spellings)
    }

    /// Any decoded byte as a URL may write it inside a segment.
    static let anySpelled = Language.either([
        .byte(.plainInSegment), .sequence([.byte(ByteSet("%")), .byte(.hexDigits), .byte(.hexDigits)]),
    ])

    private static func hexDigit(_ value: UInt8) -> ByteSet {
        value < 10
            ? ByteSet(CollectionOfOne(UInt8(ascii: "0") + value))
            : ByteSet([UInt8(ascii: "A") + value - 10, UInt8(ascii: "a") + value - 10])
    }
}

// MARK: Questions

extension Language {
    enum Search: Hashable {
        /// There is no such text.
        case none
        /// A shortest one.
        case found([UInt8])
        /// The automata are too large to tell.
        case undecided
    }

    /// How many states of the product of all automata are looked at, unless told.
    static let defaultBudget = 20_000

    /// A shortest text that lies in every language of `inside` and in none of `outside`.
    ///
    /// Walks the product of the languages' automata breadth first, making their states as they are met; `budget` bounds the
    /// states, so that no pattern can make it slow, and `work` what all questions together may take.
    static func shortestText(
        in inside: [Language],
        outside: [Language] = [],
        budget: Int = defaultBudget,
        _ work: WorkBudget = .unlimited
    ) -> Search {
        guard !work.isUsedUp else { return .undecided }
        let alphabet = Alphabet(inside + outside)
        var automata = inside.map { Automaton($0, alphabet) }
        if !outside.isEmpty { automata.append(Automaton(.either(outside), alphabet)) }
        // Telling the bytes apart and building the graphs takes longer than most walks.
        let size = automata.reduce(0) { $0 + $1.graphSize }
        guard work.spend(alphabet.effort + 4 * size) else { return .undecided }
        var search = ProductSearch(
            automata: automata,
            insideCount: inside.count,
            alphabet: alphabet,
            budget: budget,
            work: work
        )
        return search.run()
    }

    /// Whether every text of this language that lies in `universe` lies in one of `languages`; nil when that is undecided.
    func isCovered(
        by languages: [Language],
        within universe: Language,
        _ work: WorkBudget = .unlimited
    ) -> Bool? {
        switch Self.shortestText(in: [self, universe], outside: languages, work) {
        case .none: true
        case .found: false
        case .undecided: nil
        }
    }

    /// Whether some text lies in both; true when that is undecided.
    func mayMeet(_ other: Language, _ work: WorkBudget = .unlimited) -> Bool {
        Self.shortestText(in: [self, other], work) != .none
    }
}

/// A breadth-first walk over tuples of states.
private struct ProductSearch {
    var automata: [Automaton]
    /// The first so many must accept, the one behind them must not.
    let insideCount: Int
    let alphabet: Alphabet
    let budget: Int
    let work: WorkBudget

    private struct Step {
        let states: [Int]
        let previous: Int
        let symbol: Int
    }

    mutating func run() -> Language.Search {
        var steps = [Step(states: automata.map { _ in Automaton.start }, previous: -1, symbol: 0)]
        var seen: Set<[Int]> = [steps[0].states]
        var next = 0
        while next < steps.count {
            let step = steps[next]
            let sizes = automata.reduce(0) { $0 + $1.size }
            if isAccepted(step.states) { return .found(text(to: next, steps)) }
            for symbol in alphabet.symbols.indices {
                var states: [Int] = []
                states.reserveCapacity(automata.count)
                for index in automata.indices { states.append(automata[index].step(step.states[index], symbol)) }
                let isDead = (0..<insideCount).contains { states[$0] == Automaton.dead }
                guard !isDead, seen.insert(states).inserted else { continue }
                guard steps.count < budget else { return .undecided }
                steps.append(Step(states: states, previous: next, symbol: symbol))
            }
            next += 1
            // States made anew take as long as they have nodes.
            let growth = automata.reduce(0) { $0 + $1.size } - sizes
            guard work.spend(alphabet.symbols.count + growth) else { return .undecided }
        }
        return .none
    }

    private func isAccepted(_ states: [Int]) -> Bool {
        for index in automata.indices
        where automata[index].accepts(states[index]) != (index < insideCount) { return false }
        return true
    }

    private func text(to last: Int, _ steps: [Step]) -> [UInt8] {
        var text: [UInt8] = []
        var index = last
        while steps[index].previous >= 0 {
            text.append(alphabet.symbols[steps[index].symbol])
            index = steps[index].previous
        }
        return text.reversed()
    }
}
