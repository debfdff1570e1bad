/// Selects the groups of an automaton that matter. The first rule that accepts a text decides, and so does the first
/// route. It also matters whether the rule of the deciding route and a route of the deciding rule accept the text.
struct Precedence {
    /// The number of rules, which are the first groups. The other groups are routes.
    let rules: Int
    /// By route: the rule from which it was made.
    let ruleOfRoute: [Int]
    let anything: Anything

    /// The items that may follow in a text: bytes, and delimiters, each once and in this order.
    struct Anything {
        let bytes: ByteSet
        let delimiters: [UInt8]
    }
}

/// Drops groups that can no longer matter, because an earlier one accepts every text that follows.
///
/// Without this, patterns such as `/*/a/*`, `/*/b/*` and `/*/c/*` have a state for each subset that a path has met.
struct GroupSettling {
    private let precedence: Precedence
    /// By node: its position in a loop over all bytes.
    private let endless: [NodeGraph.Endless]

    /// By group: the last call that found it alive and settled. By rule: the last call in which it matters.
    private var aliveMarks: [Int]
    private var settledMarks: [Int]
    private var neededMarks: [Int]
    private var mark = 0

    init(_ precedence: Precedence, endless: [NodeGraph.Endless]) {
        self.precedence = precedence
        self.endless = endless
        let count = precedence.rules + precedence.ruleOfRoute.count
        aliveMarks = Array(repeating: 0, count: count)
        settledMarks = Array(repeating: 0, count: count)
        neededMarks = Array(repeating: 0, count: precedence.rules)
    }

    /// - Parameter group: The group of a node.
    mutating func settle(_ nodes: inout [UInt32], group: (UInt32) -> Int) {
        mark += 1
        let rules = precedence.rules
        var (firstRule, firstRoute) = (Int.max, Int.max)
        for node in nodes where endless[Int(node)] == .loop {
            let group = group(node)
            settledMarks[group] = mark
            if group < rules { firstRule = min(firstRule, group) } else { firstRoute = min(firstRoute, group) }
        }
        guard firstRule < .max || firstRoute < .max else { return }
        for node in nodes {
            let group = group(node)
            guard aliveMarks[group] != mark else { continue }
            aliveMarks[group] = mark
            // A rule after the first settled one cannot decide, and no route after the first settled one.
            if group < rules {
                if group <= firstRule { neededMarks[group] = mark }
            } else if group <= firstRoute {
                neededMarks[precedence.ruleOfRoute[group - rules]] = mark
            }
        }
        nodes.removeAll { node in
            let group = group(node)
            // The other nodes of a settled group accept nothing that the loop does not.
            if settledMarks[group] == mark, endless[Int(node)] == .not { return true }
            let rule = group < rules ? group : precedence.ruleOfRoute[group - rules]
            return neededMarks[rule] != mark
        }
    }
}
