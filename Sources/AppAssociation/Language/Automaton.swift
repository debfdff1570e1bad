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

    private let graph: Graph
    private let symbols: [UInt8]
    /// By state: the set of graph nodes that it represents.
    private var states: [NodeSet]
    private var numbers: [NodeSet: Int]
    /// The transition table, by state and symbol.
    private var steps: [Int]

    init(_ language: Language, _ alphabet: Alphabet) { self.init([[language]], alphabet) }

    /// Creates the automaton of several groups of languages. ``accepted(at:)`` returns the groups all of whose
    /// languages contain the text.
    init(_ groups: [[Language]], _ alphabet: Alphabet) {
        graph = Graph(groups)
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

    /// Returns whether at least one group accepts the text that led to `state`.
    func accepts(_ state: Int) -> Bool { !accepted(at: state).isEmpty }

    /// Returns the indices of the groups that accept the text that led to `state`.
    func accepted(at state: Int) -> [Int] { state == Self.dead ? [] : graph.accepted(by: states[state]) }

    /// Returns the state that follows `state` after `symbol`, an index into the alphabet's symbols.
    mutating func step(_ state: Int, _ symbol: Int) -> Int {
        guard state != Self.dead else { return Self.dead }
        let place = state * symbols.count + symbol
        if steps[place] == Self.unknown { steps[place] = number(of: graph.step(states[state], symbols[symbol])) }
        return steps[place]
    }

    private mutating func number(of nodes: NodeSet) -> Int {
        guard !nodes.nodes.isEmpty else { return Self.dead }
        if let number = numbers[nodes] { return number }
        let number = states.count
        states.append(nodes)
        numbers[nodes] = number
        size += nodes.nodes.count
        steps += repeatElement(Self.unknown, count: symbols.count)
        return number
    }
}

/// A set of a graph's nodes, in ascending order. It is a list because only few of the nodes are active at a time.
private struct NodeSet: Hashable {
    let nodes: [Int]

    init(_ nodes: [Int]) {
        var sorted = nodes.sorted()
        var count = 0
        for node in sorted where count == 0 || node != sorted[count - 1] {
            sorted[count] = node
            count += 1
        }
        sorted.removeLast(sorted.count - count)
        self.nodes = sorted
    }
}

/// The nondeterministic automaton of Thompson's construction. A node consumes one byte or has empty edges.
private struct Graph {
    private var byteEdges: [(set: ByteSet, target: Int)?] = []
    private var emptyEdges: [[Int]] = []
    var size: Int { byteEdges.count }
    /// The nodes in which a walk begins.
    private(set) var start = NodeSet([])
    /// By node: its closure under empty edges, reduced to the nodes that consume a byte or are final.
    private var closures: [[Int]] = []
    /// By node: the index of its language, counted across all groups, and whether it is that language's final node.
    private var languages: [Int] = []
    private var isLast: [Bool] = []
    /// By language: the index of its group. By group: its number of languages.
    private var groups: [Int] = []
    private let languageCounts: [Int]

    init(_ groups: [[Language]]) {
        languageCounts = groups.map(\.count)
        var firsts: [Int] = []
        for (number, group) in groups.enumerated() {
            for language in group {
                let last = node()
                firsts.append(add(language, before: last))
                isLast += repeatElement(false, count: emptyEdges.count - isLast.count)
                isLast[last] = true
                languages += repeatElement(self.groups.count, count: emptyEdges.count - languages.count)
                self.groups.append(number)
            }
        }
        closures = emptyEdges.indices.map(closure)
        start = NodeSet(firsts.flatMap { closures[$0] })
    }

    /// Returns the indices, in ascending order, of the groups all of whose languages have a final node in `nodes`.
    func accepted(by nodes: NodeSet) -> [Int] {
        whole(Set(nodes.nodes.lazy.filter { isLast[$0] }.map { languages[$0] })).sorted()
    }

    /// Returns the groups all of whose languages are in `alive`.
    private func whole(_ alive: Set<Int>) -> Set<Int> {
        var counts: [Int: Int] = [:]
        for language in alive { counts[groups[language], default: 0] += 1 }
        return Set(counts.lazy.filter { $0.value == languageCounts[$0.key] }.map(\.key))
    }

    /// Returns `nodes` without the groups in which at least one language has no node left.
    private func pruned(_ nodes: NodeSet) -> NodeSet {
        guard groups.count > languageCounts.count else { return nodes }
        let alive = whole(Set(nodes.nodes.lazy.map { languages[$0] }))
        return NodeSet(nodes.nodes.filter { alive.contains(groups[languages[$0]]) })
    }

    private mutating func node() -> Int {
        byteEdges.append(nil)
        emptyEdges.append([])
        return emptyEdges.count - 1
    }

    /// Adds the nodes that accept `language` and continue at `next`. Returns the first of them.
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

    private func closure(of node: Int) -> [Int] {
        func isKept(_ node: Int) -> Bool { byteEdges[node] != nil || isLast[node] }
        guard !emptyEdges[node].isEmpty else { return isKept(node) ? [node] : [] }
        var closure: [Int] = []
        var seen: Set = [node]
        var waiting = [node]
        while let node = waiting.popLast() {
            if isKept(node) { closure.append(node) }
            for target in emptyEdges[node] where seen.insert(target).inserted { waiting.append(target) }
        }
        return closure
    }

    func step(_ nodes: NodeSet, _ byte: UInt8) -> NodeSet {
        var reached: [Int] = []
        for node in nodes.nodes {
            if let edge = byteEdges[node], edge.set.contains(byte) { reached += closures[edge.target] }
        }
        return pruned(NodeSet(reached))
    }
}
