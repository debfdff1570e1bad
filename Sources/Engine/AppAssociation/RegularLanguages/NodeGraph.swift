/// A set of a graph's nodes, in ascending order. It is a list because only few of the nodes are active at a time.
struct NodeSet: Hashable {
    let nodes: [UInt32]

    func hash(into hasher: inout Hasher) { nodes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// The nondeterministic automaton of Thompson's construction. A node consumes one byte or has empty edges.
///
/// Its methods use marks instead of sets, because they run for every symbol of every state.
struct NodeGraph {
    private var byteEdges: [(set: ByteSet, target: Int)?] = []
    private var emptyEdges: [[Int]] = []
    var size: Int { byteEdges.count }
    /// The nodes in which a walk begins.
    private(set) var start = NodeSet(nodes: [])
    /// The closures of all nodes under empty edges, one after the other, reduced to the nodes that consume a byte or are
    /// final. By node: where its closure begins; one more entry is the end of the last.
    private var closures: [UInt32] = []
    private var closureStarts: [Int] = []
    /// The number of empty edges that were followed to compute the closures.
    private var followedEdges = 0
    /// Whether all closures were computed.
    private(set) var isWhole = true

    /// How many empty edges are followed to compute the closures.
    enum Effort {
        case unlimited
        /// In proportion to the size. A chain of stars or of empty values needs a number that grows with its square.
        case limited

        fileprivate func mostEdges(_ size: Int) -> Int {
            switch self {
            case .unlimited: .max
            case .limited: 4_096 + 16 * size
            }
        }
    }

    /// By node: the index of its language, counted across all groups, and whether it is that language's final node.
    private var languages: [Int] = []
    private var isLast: [Bool] = []
    /// By language: the index of its group. By group: its number of languages.
    private var groups: [Int] = []
    private let languageCounts: [Int]
    /// The groups that matter; nil if all do.
    private var settling: GroupSettling?

    /// By node and by language: the last step that reached it. By group: the number of languages reached, and in which
    /// step.
    private var nodeMarks: [Int] = []
    private var languageMarks: [Int] = []
    private var groupMarks: [(step: Int, count: Int)]
    private var mark = 0

    init(_ groups: [[Language]], _ precedence: Precedence? = nil, _ effort: Effort = .unlimited) {
        languageCounts = groups.map(\.count)
        groupMarks = Array(repeating: (0, 0), count: groups.count)
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
        let mostEdges = effort.mostEdges(size)
        for node in emptyEdges.indices {
            closureStarts.append(closures.count)
            guard followedEdges <= mostEdges else {
                isWhole = false
                continue
            }
            closures += closure(of: node).map(UInt32.init)
        }
        closureStarts.append(closures.count)
        nodeMarks = Array(repeating: 0, count: size)
        languageMarks = Array(repeating: 0, count: self.groups.count)
        if let precedence { settling = GroupSettling(precedence, endless: endlessNodes(precedence.anything)) }
        mark += 1
        var reached: [UInt32] = []
        for first in firsts { reach(first, &reached) }
        start = set(of: reached)
    }

    // MARK: Walking

    mutating func step(_ nodes: NodeSet, _ byte: UInt8) -> NodeSet {
        mark += 1
        var reached: [UInt32] = []
        for node in nodes.nodes {
            guard let edge = byteEdges[Int(node)], edge.set.contains(byte) else { continue }
            reach(edge.target, &reached)
        }
        return set(of: reached)
    }

    /// Adds the nodes of a closure that this step has not reached yet.
    private mutating func reach(_ node: Int, _ reached: inout [UInt32]) {
        for index in closureStarts[node]..<closureStarts[node + 1] {
            let node = closures[index]
            guard nodeMarks[Int(node)] != mark else { continue }
            nodeMarks[Int(node)] = mark
            reached.append(node)
        }
    }

    /// The set without the groups in which at least one language has no node left, and without those that do not matter.
    private mutating func set(of reached: [UInt32]) -> NodeSet {
        var remaining = reached
        if groups.count > languageCounts.count {
            count(remaining)
            remaining = remaining.filter { isWhole(groups[languages[Int($0)]]) }
        }
        if var settling {
            settling.settle(&remaining) { groups[languages[Int($0)]] }
            self.settling = settling
        }
        remaining.sort()
        return NodeSet(nodes: remaining)
    }

    /// Returns the indices, in ascending order, of the groups all of whose languages have a final node in `nodes`.
    mutating func accepted(by nodes: NodeSet) -> [Int] {
        mark += 1
        let last = nodes.nodes.filter { isLast[Int($0)] }
        count(last)
        // A language has one final node, so each of its groups occurs as often as it has languages.
        var accepted = last.map { groups[languages[Int($0)]] }.filter(isWhole)
        accepted.sort()
        return accepted.indices.filter { $0 == 0 || accepted[$0] != accepted[$0 - 1] }.map { accepted[$0] }
    }

    /// Counts the languages of each group that have a node in `nodes`.
    private mutating func count(_ nodes: [UInt32]) {
        for node in nodes {
            let language = languages[Int(node)]
            guard languageMarks[language] != mark else { continue }
            languageMarks[language] = mark
            let group = groups[language]
            groupMarks[group] = (mark, groupMarks[group].step == mark ? groupMarks[group].count + 1 : 1)
        }
    }

    private func isWhole(_ group: Int) -> Bool {
        groupMarks[group].step == mark && groupMarks[group].count == languageCounts[group]
    }

    // MARK: Building

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

    private mutating func closure(of node: Int) -> [Int] {
        func isKept(_ node: Int) -> Bool { byteEdges[node] != nil || isLast[node] }
        guard !emptyEdges[node].isEmpty else { return isKept(node) ? [node] : [] }
        var closure: [Int] = []
        var seen: Set = [node]
        var waiting = [node]
        while let node = waiting.popLast() {
            if isKept(node) { closure.append(node) }
            followedEdges += emptyEdges[node].count
            for target in emptyEdges[node] where seen.insert(target).inserted { waiting.append(target) }
        }
        return closure
    }

    /// Finds the loops from which a group accepts every text of a link that may follow: any path, query and fragment.
    /// Only groups of one language have such loops.
    private func endlessNodes(_ anything: Precedence.Anything) -> [Endless] {
        var endless = Array(repeating: Endless.not, count: size)
        for begin in emptyEdges.indices where languageCounts[groups[languages[begin]]] == 1 {
            guard let loop = endlessLoop(begin, anything, depth: 0) else { continue }
            for node in closure(at: begin) where endless[Int(node)] == .not { endless[Int(node)] = .behindLoop }
            endless[Int(loop)] = .loop
        }
        return endless
    }

    private func closure(at node: Int) -> ArraySlice<UInt32> { closures[closureStarts[node]..<closureStarts[node + 1]] }

    /// Returns the node that loops over all bytes of `anything` at `begin`, if the text may end there, and if each
    /// delimiter is in the loop too or leads to another such loop.
    private func endlessLoop(_ begin: Int, _ anything: Precedence.Anything, depth: Int) -> UInt32? {
        let closure = closure(at: begin)
        guard depth <= anything.delimiters.count, closure.contains(where: { isLast[Int($0)] }) else { return nil }
        for node in closure {
            guard let edge = byteEdges[Int(node)], edge.target == begin,
                anything.bytes.subtracting(edge.set).isEmpty
            else { continue }
            let isEndless = anything.delimiters.allSatisfy { delimiter in
                edge.set.contains(delimiter)
                    || closure.contains { node in
                        guard let exit = byteEdges[Int(node)], exit.set.contains(delimiter) else { return false }
                        return endlessLoop(exit.target, anything, depth: depth + 1) != nil
                    }
            }
            if isEndless { return node }
        }
        return nil
    }

    /// The place of a node in an endless loop.
    enum Endless {
        case not, loop
        /// Reached with the loop: what may follow it.
        case behindLoop
    }
}
