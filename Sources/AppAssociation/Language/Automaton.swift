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

    private let graph: Graph
    private let symbols: [UInt8]
    /// By state: the nodes of the graph that it stands for, sorted.
    private var states: [[Int]]
    private var numbers: [[Int]: Int]
    /// By state and symbol; nil where it has not been walked.
    private var steps: [[Int?]]

    init(_ language: Language, _ alphabet: Alphabet) {
        graph = Graph(language)
        symbols = alphabet.symbols
        let first = graph.closure(of: [graph.first])
        states = [first]
        numbers = [first: 0]
        steps = [Array(repeating: nil, count: symbols.count)]
    }

    func accepts(_ state: Int) -> Bool { state != Self.dead && states[state].contains(graph.last) }

    mutating func step(_ state: Int, _ symbol: Int) -> Int {
        guard state != Self.dead else { return Self.dead }
        if let known = steps[state][symbol] { return known }
        let reached = graph.closure(of: graph.step(states[state], symbols[symbol]))
        let next: Int
        if reached.isEmpty {
            next = Self.dead
        } else if let number = numbers[reached] {
            next = number
        } else {
            next = states.count
            states.append(reached)
            numbers[reached] = next
            steps.append(Array(repeating: nil, count: symbols.count))
        }
        steps[state][symbol] = next
        return next
    }
}

/// Thompson's construction: a graph whose edges take one byte or none.
private struct Graph {
    private var byteEdges: [(set: ByteSet, target: Int)?] = []
    private var emptyEdges: [[Int]] = []
    private(set) var first = 0
    private(set) var last = 0

    init(_ language: Language) {
        last = node()
        first = add(language, before: last)
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

    func step(_ nodes: [Int], _ byte: UInt8) -> [Int] {
        nodes.compactMap { node in
            byteEdges[node].flatMap { $0.set.contains(byte) ? $0.target : nil }
        }
    }

    /// The nodes that are reached without taking a byte, sorted; of these only those that take one, or are the last.
    func closure(of nodes: [Int]) -> [Int] {
        var seen = Set(nodes)
        var waiting = nodes
        var closure: [Int] = []
        while let node = waiting.popLast() {
            if byteEdges[node] != nil || node == last { closure.append(node) }
            for target in emptyEdges[node] where seen.insert(target).inserted { waiting.append(target) }
        }
        return closure.sorted()
    }
}
