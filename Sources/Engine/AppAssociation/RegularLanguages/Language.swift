import LinkRouting

/// A regular language of byte strings, such as the paths that a rule of an association file matches.
///
/// It serves to decide questions about patterns without sampling links: whether one rule covers another, or whether an
/// exclusion can refuse a link that a route opens. See ``Language/shortestText(in:outside:budget:_:)``.
indirect enum Language: Hashable, Sendable {
    /// Only the empty text.
    case empty
    case byte(ByteSet)
    case sequence([Language])
    /// A union. The union of no languages contains no text.
    case either([Language])
    /// Zero or more repetitions.
    case repeated(Language)

    static let nothing = Language.either([])

    static func text(_ bytes: some Sequence<UInt8>) -> Language {
        .sequence(bytes.map { .byte(ByteSet(CollectionOfOne($0))) })
    }

    static func oneOrMore(_ language: Language) -> Language { .sequence([language, .repeated(language)]) }
    static func optional(_ language: Language) -> Language { .either([.empty, language]) }

    /// Returns the language without the texts that contain other bytes.
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
    /// Returns the spellings of a decoded byte in a URL: the byte itself where it may occur unescaped, and its
    /// percent-encoding with hexadecimal digits of either case.
    static func spelled(_ byte: UInt8) -> Language { spelledBytes[Int(byte)] }

    private static let spelledBytes = (UInt8.min...UInt8.max).map { spelling(ByteSet(CollectionOfOne($0))) }

    /// Returns the spellings of any one of `bytes` in a URL.
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

    /// The spellings of any decoded byte inside a segment of a URL's path.
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
        /// No such text exists.
        case none
        /// A shortest such text.
        case found([UInt8])
        /// The automata are too large for a decision.
        case undecided
    }

    /// The default limit of states of the product automaton that a search visits.
    static let defaultBudget = 20_000
    /// The steps of a `WorkBudget` that a search spends at least for each node of its graphs.
    static let stepsPerNode = 4

    /// Returns a shortest text that is in every language of `inside` and in none of `outside`.
    ///
    /// Searches the product automaton of the languages breadth first and builds its states lazily. `budget` limits the
    /// number of states, so that no pattern can make the search slow. `work` limits the total cost of several searches.
    static func shortestText(
        in inside: [Language],
        outside: [Language] = [],
        budget: Int = defaultBudget,
        _ work: WorkBudget = .unlimited
    ) -> Search {
        guard !work.isUsedUp else { return .undecided }
        let alphabet = Alphabet(inside + outside)
        var automata = inside.map { Automaton([[$0]], alphabet, effort: .limited) }
        if !outside.isEmpty { automata.append(Automaton([[.either(outside)]], alphabet, effort: .limited)) }
        // The cost of computing the alphabet and building the graphs exceeds that of most searches.
        let size = automata.reduce(0) { $0 + $1.graphSize }
        guard work.spend(alphabet.effort + stepsPerNode * size), automata.allSatisfy(\.isWhole) else {
            return .undecided
        }
        var search = ProductSearch(
            automata: automata,
            insideCount: inside.count,
            alphabet: alphabet,
            budget: budget,
            work: work
        )
        return search.run()
    }

    /// Returns whether every text of this language that is in `universe` is also in one of `languages`; nil if
    /// undecided.
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

    /// Returns whether the two languages have a text in common; true if undecided.
    func mayMeet(_ other: Language, _ work: WorkBudget = .unlimited) -> Bool {
        Self.shortestText(in: [self, other], work) != .none
    }
}

/// A breadth-first search of the product automaton. Its states are tuples of the automata's states.
private struct ProductSearch {
    var automata: [Automaton]
    /// The first `insideCount` automata must accept the text; the one after them, if any, must not.
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
            // The cost of building a state is its number of nodes.
            let growth = automata.reduce(0) { $0 + $1.size } - sizes
            guard work.spend(alphabet.symbols.count + growth) else { return .undecided }
        }
        return .none
    }

    private mutating func isAccepted(_ states: [Int]) -> Bool {
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
