/// The equivalence classes of bytes that a list of languages distinguishes. Each symbol stands for all bytes of a
/// class.
struct Alphabet {
    /// One representative byte for each class, its most readable one. Examples prefer the symbols in this order.
    let symbols: [UInt8]
    /// The cost of computing the classes, in steps of a `WorkBudget`.
    let effort: Int

    private static let readable: [UInt8] =
        Array("x1abcdefghijklmnopqrstuvwyz023456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~/".utf8)
    private static let order: [UInt8] = readable + ByteSet.all.subtracting(ByteSet(readable)).bytes

    init(_ languages: [Language]) {
        var sets: Set<ByteSet> = []
        for language in languages { language.collectSets(into: &sets) }
        var classes: [ByteSet] = [.all]
        for set in sets {
            classes = classes.flatMap { [$0.intersection(set), $0.subtracting(set)].filter { !$0.isEmpty } }
        }
        var found = Set(0..<classes.count)
        var symbols: [UInt8] = []
        for byte in Self.order {
            guard let index = found.first(where: { classes[$0].contains(byte) }) else { continue }
            found.remove(index)
            symbols.append(byte)
        }
        self.symbols = symbols
        effort = sets.count * classes.count + Self.order.count
    }
}

extension Language {
    fileprivate func collectSets(into sets: inout Set<ByteSet>) {
        switch self {
        case .empty: return
        case .byte(let set): sets.insert(set)
        case .sequence(let parts), .either(let parts): for part in parts { part.collectSets(into: &sets) }
        case .repeated(let part): part.collectSets(into: &sets)
        }
    }
}

/// The deterministic automaton of one or several languages. Determinization is lazy: a state is built when it is
/// reached.
struct Automaton {
    static let start = 0
    /// The state from which no text is accepted. The other states are numbered from 0.
    static let dead = -1
    private static let unknown = -2

    private var graph: NodeGraph
    private let symbols: [UInt8]
    /// By state: the set of graph nodes that it represents.
    private var states: [NodeSet]
    private var numbers: [NodeSet: Int]
    /// The transition table, by state and symbol.
    private var steps: [Int]
    /// By state: the groups that accept there, as far as they were computed.
    private var accepting: [[Int]?] = [nil]

    /// Creates the automaton of several groups of languages. ``accepted(at:)`` returns the groups all of whose
    /// languages contain the text.
    ///
    /// - Parameters:
    ///   - precedence: Which groups matter; nil if all of them always do.
    ///   - effort: If it is limited, the automaton may not be whole, and must then not be used.
    init(
        _ groups: [[Language]],
        _ alphabet: Alphabet,
        _ precedence: Precedence? = nil,
        effort: NodeGraph.Effort = .unlimited
    ) {
        graph = NodeGraph(groups, precedence, effort)
        symbols = alphabet.symbols
        states = [graph.start]
        numbers = [states[0]: 0]
        steps = Array(repeating: Self.unknown, count: symbols.count)
        size = graph.start.nodes.count
    }

    /// The total number of nodes in all states built so far, a measure of their memory.
    private(set) var size: Int
    /// The number of nodes of the graph.
    var graphSize: Int { graph.size }
    var isWhole: Bool { graph.isWhole }
    /// The number of states built so far.
    var stateCount: Int { states.count }

    /// Returns whether at least one group accepts the text that led to `state`.
    mutating func accepts(_ state: Int) -> Bool { !accepted(at: state).isEmpty }

    /// Returns the indices of the groups that accept the text that led to `state`, in ascending order.
    mutating func accepted(at state: Int) -> [Int] {
        guard state != Self.dead else { return [] }
        if let known = accepting[state] { return known }
        let groups = graph.accepted(by: states[state])
        accepting[state] = groups
        return groups
    }

    /// Returns the state that follows `state` after `symbol`, an index into the alphabet's symbols.
    mutating func step(_ state: Int, _ symbol: Int) -> Int {
        guard state != Self.dead else { return Self.dead }
        let place = state * symbols.count + symbol
        if steps[place] == Self.unknown { steps[place] = number(of: graph.step(states[state], symbols[symbol])) }
        return steps[place]
    }

    private mutating func number(of nodes: NodeSet) -> Int {
        guard !nodes.nodes.isEmpty else { return Self.dead }
        let next = states.count
        let number = numbers[nodes, default: next]
        guard number == next else { return number }
        numbers[nodes] = number
        states.append(nodes)
        accepting.append(nil)
        size += nodes.nodes.count
        steps += repeatElement(Self.unknown, count: symbols.count)
        return number
    }
}
