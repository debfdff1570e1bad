/// The bytes that a few languages tell apart: one symbol stands for all bytes that none of them does.
struct Alphabet {
    /// One byte for each symbol, the most readable of its kind, in the order in which examples prefer them.
    let symbols: [UInt8]
    /// What it took to find them.
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

/// The deterministic automaton of one language or several, made state by state as it is walked.
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

    init(_ language: Language, _ alphabet: Alphabet) { self.init([[language]], alphabet) }

    /// Of several groups of languages at once; ``accepted(at:)`` tells which groups have the text in all of their languages.
    init(_ groups: [[Language]], _ alphabet: Alphabet) {
        graph = Graph(groups)
        symbols = alphabet.symbols
        states = [graph.start]
        numbers = [states[0]: 0]
        steps = Array(repeating: Self.unknown, count: symbols.count)
        size = graph.start.nodes.count
    }

    /// How many nodes all states made so far have together, a measure of the memory they take.
    private(set) var size: Int
    /// How many nodes the graph has.
    var graphSize: Int { graph.size }

    /// Whether a group has the text that led to the state.
    func accepts(_ state: Int) -> Bool { !accepted(at: state).isEmpty }

    /// The groups, by their place among those given, that have the text that led to the state.
    func accepted(at state: Int) -> [Int] { state == Self.dead ? [] : graph.accepted(by: states[state]) }

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

/// A set of a graph's nodes, in rising order: of many nodes few are alive at a time.
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

/// Thompson's construction: a graph whose nodes take one byte and go on, or go on without.
private struct Graph {
    private var byteEdges: [(set: ByteSet, target: Int)?] = []
    private var emptyEdges: [[Int]] = []
    var size: Int { byteEdges.count }
    /// Where a walk begins.
    private(set) var start = NodeSet([])
    /// By node: those that take a byte, or are a last one, and are reached from it without taking one.
    private var closures: [[Int]] = []
    /// By node: its language, counted through all groups, and whether it ends that.
    private var languages: [Int] = []
    private var isLast: [Bool] = []
    /// By language: its group; by group: how many languages it has.
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

    /// The groups, in order, all of whose languages end here.
    func accepted(by nodes: NodeSet) -> [Int] {
        whole(Set(nodes.nodes.lazy.filter { isLast[$0] }.map { languages[$0] })).sorted()
    }

    /// The groups that have all of their languages among these.
    private func whole(_ alive: Set<Int>) -> Set<Int> {
        var counts: [Int: Int] = [:]
        for language in alive { counts[groups[language], default: 0] += 1 }
        return Set(counts.lazy.filter { $0.value == languageCounts[$0.key] }.map(\.key))
    }

    /// Without the groups of which one language has no text any more.
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
