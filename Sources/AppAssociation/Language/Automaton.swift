/// The bytes that a few languages tell apart: one symbol stands for all bytes that none of them does.
struct Alphabet {
    /// One byte for each symbol, the most readable of its kind, in the order in which examples prefer them.
    let symbols: [UInt8]

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

/// A language's deterministic automaton, made state by state as it is walked.
struct Automaton {
    static let start = 0
    /// The state from which nothing is accepted any more; states are numbered from 0.
    static let dead = -1
    private static let unknown = -2

    private let graph: Graph
    private let symbols: [UInt8]
    /// By state: the nodes of the graph that it stands for.
    private var states: [NodeSet]
    private var numbers: [NodeSet: Int]
    /// By state and symbol.
    private var steps: [Int]

    init(_ language: Language, _ alphabet: Alphabet) {
        graph = Graph(language)
        symbols = alphabet.symbols
        states = [graph.closures[graph.first]]
        numbers = [states[0]: 0]
        steps = Array(repeating: Self.unknown, count: symbols.count)
    }

    func accepts(_ state: Int) -> Bool { state != Self.dead && states[state].contains(graph.last) }

    mutating func step(_ state: Int, _ symbol: Int) -> Int {
        guard state != Self.dead else { return Self.dead }
        let place = state * symbols.count + symbol
        if steps[place] == Self.unknown { steps[place] = number(of: graph.step(states[state], symbols[symbol])) }
        return steps[place]
    }

    private mutating func number(of nodes: NodeSet) -> Int {
        guard !nodes.isEmpty else { return Self.dead }
        if let number = numbers[nodes] { return number }
        let number = states.count
        states.append(nodes)
        numbers[nodes] = number
        steps += repeatElement(Self.unknown, count: symbols.count)
        return number
    }
}

/// A set of a graph's nodes, as bits.
private struct NodeSet: Hashable {
    private var words: [UInt64]

    init(of count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    func contains(_ node: Int) -> Bool { words[node >> 6] & (1 << UInt64(node & 63)) != 0 }

    mutating func insert(_ node: Int) { words[node >> 6] |= 1 << UInt64(node & 63) }

    mutating func formUnion(_ other: NodeSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    func forEach(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}

/// Thompson's construction: a graph whose nodes take one byte and go on, or go on without.
private struct Graph {
    private var byteEdges: [(set: ByteSet, target: Int)?] = []
    private var emptyEdges: [[Int]] = []
    private(set) var first = 0
    private(set) var last = 0
    /// By node: those that take a byte, or are the last, and are reached from it without taking one.
    private(set) var closures: [NodeSet] = []

    init(_ language: Language) {
        last = node()
        first = add(language, before: last)
        closures = emptyEdges.indices.map(closure)
    }

    private mutating func node() -> Int {
        byteEdges.append(nil)
        emptyEdges.append([])
        return emptyEdges.count - 1
    }

    /// Adds what takes `language` and goes on at `next`; where it begins.
    private mutating func add(_ language: Language, before next: Int) -> Int {
        switch language {
        case .empty:
            return next
        case .byte(let set):
            let begin = node()
            byteEdges[begin] = (set, next)
            return begin
        case .sequence(let parts):
            return parts.reversed().reduce(next) { next, part in add(part, before: next) }
        case .either(let parts):
            let begin = node()
            for part in parts { emptyEdges[begin].append(add(part, before: next)) }
            return begin
        case .repeated(let part):
            let begin = node()
            emptyEdges[begin] = [add(part, before: begin), next]
            return begin
        }
    }

    private func closure(of node: Int) -> NodeSet {
        var closure = NodeSet(of: emptyEdges.count)
        guard !emptyEdges[node].isEmpty else {
            if byteEdges[node] != nil || node == last { closure.insert(node) }
            return closure
        }
        var seen: Set = [node]
        var waiting = [node]
        while let node = waiting.popLast() {
            if byteEdges[node] != nil || node == last { closure.insert(node) }
            for target in emptyEdges[node] where seen.insert(target).inserted { waiting.append(target) }
        }
        return closure
    }

    func step(_ nodes: NodeSet, _ byte: UInt8) -> NodeSet {
        var reached = NodeSet(of: emptyEdges.count)
        nodes.forEach { node in
            if let edge = byteEdges[node], edge.set.contains(byte) { reached.formUnion(closures[edge.target]) }
        }
        return reached
    }
}
