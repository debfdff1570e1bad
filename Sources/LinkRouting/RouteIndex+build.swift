extension RouteIndex {
    /// - Parameter order: The places of all routes in the written order.
    init(_ routes: [Route], in order: [Int32]) {
        var builder = Builder(routeCount: routes.count)
        for rank in order.indices.reversed() { builder.insert(routes[Int(order[rank])], rank: Int32(rank)) }
        self = builder.finish()
    }

    /// The most nodes and candidates that one look-up may visit, over all links. See DESIGN "Order": a table whose worst
    /// case exceeds 4,096 is refused.
    var worstCase: Int {
        var costs = Array(repeating: 0, count: nodes.count)
        var dearestLiterals = Array(repeating: (exact: 0, folded: 0), count: nodes.count)
        var parents = Array(repeating: (node: Self.none, letterCase: Route.LetterCase.sensitive), count: nodes.count)
        for (child, parent, letterCase) in literals.children { parents[Int(child)] = (parent, letterCase) }
        // Children stand behind their parents, so one walk from the end meets them first.
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let literal = dearestLiterals[index]
            var cost = 1 + rankCount(from: node.firstEnd) + rankCount(from: node.firstRest)
            cost = cost.clampedSum(literal.exact).clampedSum(literal.folded)
            var child = node.firstChild
            while child != Self.none {
                cost = cost.clampedSum(costs[Int(child)]).clampedSum(1)
                child = nodes[Int(child)].nextSibling
            }
            costs[index] = cost
            let (parent, letterCase) = parents[index]
            guard parent != Self.none else { continue }
            switch letterCase {
            case .sensitive: dearestLiterals[Int(parent)].exact = max(dearestLiterals[Int(parent)].exact, cost)
            case .ignored: dearestLiterals[Int(parent)].folded = max(dearestLiterals[Int(parent)].folded, cost)
            }
        }
        func cost(_ root: Int32?) -> Int { root.map { costs[Int($0)] } ?? 0 }
        return cost(anyHost)
            .clampedSum(exactHosts.values.map { cost($0) }.max() ?? 0)
            .clampedSum(hostSuffixes.values.map { cost($0) }.max() ?? 0)
    }

    private func rankCount(from first: Int32) -> Int {
        var count = 0
        var rank = first
        while rank != Self.none {
            count += 1
            rank = nextRank[Int(rank)]
        }
        return count
    }

    /// Takes routes from the last rank to the first, so that each stands in front of those in its node's lists.
    private struct Builder {
        private(set) var index = RouteIndex()
        private var matcherNumbers: [SegmentMatcher: Int32] = [:]

        init(routeCount: Int) { index.nextRank = Array(repeating: RouteIndex.none, count: routeCount) }

        mutating func insert(_ route: Route, rank: Int32) {
            var node = root(for: route.host)
            index.nodes[Int(node)].smallestRank = rank
            for segment in route.path.segments {
                switch segment {
                case .rest:
                    index.nextRank[Int(rank)] = index.nodes[Int(node)].firstRest
                    index.nodes[Int(node)].firstRest = rank
                    return
                case .literal(let literal): node = child(of: node, literal: literal, route.letterCase)
                case .parameter(let parameter): node = child(of: node, matcher(parameter.type, route.letterCase))
                case .mixed(let mixed): node = child(of: node, .mixed(mixed.unnamed, route.letterCase))
                case .any: node = child(of: node, .any)
                }
                index.nodes[Int(node)].smallestRank = rank
            }
            index.nextRank[Int(rank)] = index.nodes[Int(node)].firstEnd
            index.nodes[Int(node)].firstEnd = rank
        }

        /// Only sets compare letters; other types then share one child.
        private func matcher(_ type: ParameterType, _ letterCase: Route.LetterCase) -> SegmentMatcher {
            switch type {
            case .string(nil): .any
            case .oneOf: .parameter(type, letterCase)
            default: .parameter(type, .sensitive)
            }
        }

        private mutating func root(for host: HostPattern?) -> Int32 {
            switch host {
            case .exact(let host):
                let root = index.exactHosts[host.ascii] ?? newNode()
                index.exactHosts[host.ascii] = root
                index.exactHosts[host.unicode] = root
                return root
            case .label(_, let suffix):
                let root = index.hostSuffixes[suffix.ascii] ?? newNode()
                index.hostSuffixes[suffix.ascii] = root
                index.hostSuffixes[suffix.unicode] = root
                return root
            case nil:
                let root = index.anyHost ?? newNode()
                index.anyHost = root
                return root
            }
        }

        private mutating func newNode() -> Int32 {
            index.nodes.append(Node())
            return Int32(index.nodes.count - 1)
        }

        private mutating func child(of node: Int32, literal: [UInt8], _ letterCase: Route.LetterCase) -> Int32 {
            switch letterCase {
            case .sensitive: index.nodes[Int(node)].hasExactLiterals = true
            case .ignored: index.nodes[Int(node)].hasFoldedLiterals = true
            }
            let next = Int32(index.nodes.count)
            let child = index.literals.child(of: node, literal.span, letterCase, orInsert: next)
            if child == next { index.nodes.append(Node()) }
            return child
        }

        private mutating func child(of node: Int32, _ matcher: SegmentMatcher) -> Int32 {
            let number = matcherNumbers[matcher] ?? Int32(index.matchers.count)
            if number == index.matchers.count {
                index.matchers.append(matcher)
                matcherNumbers[matcher] = number
            }
            let first = index.nodes[Int(node)].firstChild
            var child = first
            while child != RouteIndex.none {
                if index.nodes[Int(child)].matcher == number { return child }
                child = index.nodes[Int(child)].nextSibling
            }
            child = newNode()
            index.nodes[Int(child)].matcher = number
            index.nodes[Int(child)].nextSibling = first
            index.nodes[Int(node)].firstChild = child
            return child
        }

        consuming func finish() -> RouteIndex {
            index.literals.compact()
            return index
        }
    }
}

extension Pattern.Mixed {
    /// Without the parameters' names, which do not tell two segments apart.
    fileprivate var unnamed: Pattern.Mixed {
        Pattern.Mixed(
            prefix: prefix,
            pieces: pieces.map {
                Piece(parameter: Pattern.Parameter(name: "", type: $0.parameter.type), literal: $0.literal)
            }
        )
    }
}

extension Int {
    fileprivate func clampedSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
