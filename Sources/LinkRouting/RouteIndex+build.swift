extension RouteIndex {
    /// Indexes routes that stand in the written order.
    init(_ routes: [Route]) {
        var builder = Builder()
        for (rank, route) in routes.enumerated() { builder.insert(route, rank: Int32(rank)) }
        self = builder.finish()
    }

    /// The most nodes and candidates that one look-up may visit, over all links. See DESIGN "Order": a table whose worst
    /// case exceeds 4,096 is refused.
    var worstCase: Int {
        var costs = Array(repeating: 0, count: nodes.count)
        var dearestLiteral: [Int32: (exact: Int, folded: Int)] = [:]
        let children = literals.children
        // Children stand behind their parents, so one walk from the end meets them first.
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let literal = dearestLiteral[Int32(index)] ?? (0, 0)
            var cost = 1 + Int(node.endCount) + Int(node.restCount) + literal.exact + literal.folded
            for edge in edges[Int(node.firstEdge)..<Int(node.firstEdge + node.edgeCount)] {
                cost = cost.clampedSum(costs[Int(edge.child)] + 1)
            }
            costs[index] = cost
            if let (parent, letterCase) = children[Int32(index)] {
                var dearest = dearestLiteral[parent] ?? (0, 0)
                switch letterCase {
                case .sensitive: dearest.exact = max(dearest.exact, cost)
                case .ignored: dearest.folded = max(dearest.folded, cost)
                }
                dearestLiteral[parent] = dearest
            }
        }
        func cost(_ root: Int32?) -> Int { root.map { costs[Int($0)] } ?? 0 }
        return cost(anyHost)
            .clampedSum(exactHosts.values.map { cost($0) }.max() ?? 0)
            .clampedSum(hostSuffixes.values.map { cost($0) }.max() ?? 0)
    }

    private struct Builder {
        private var nodes: [BuildNode] = [BuildNode()]
        private var index = RouteIndex()
        private var matcherNumbers: [SegmentMatcher: Int32] = [:]

        private struct BuildNode {
            var exact: [[UInt8]: Int32] = [:]
            var folded: [[UInt8]: Int32] = [:]
            var edges: [(rank: UInt32, matcher: Int32, child: Int32)] = []
            var ends: [Int32] = []
            var rests: [Int32] = []
            var smallestRank = Int32.max
        }

        mutating func insert(_ route: Route, rank: Int32) {
            var node = root(for: route.host)
            note(rank, at: node)
            for segment in route.path.segments {
                switch segment {
                case .rest:
                    nodes[Int(node)].rests.append(rank)
                    return
                case .literal(let literal):
                    node = child(of: node, literal: literal, route.letterCase)
                case .parameter(let parameter):
                    node = child(
                        of: node,
                        .parameter(parameter.type, letterCase(of: parameter.type, route)),
                        segment.rank
                    )
                case .mixed(let mixed):
                    node = child(of: node, .mixed(mixed.unnamed, route.letterCase), segment.rank)
                case .any:
                    node = child(of: node, .any, segment.rank)
                }
                note(rank, at: node)
            }
            nodes[Int(node)].ends.append(rank)
        }

        /// Only sets compare letters; other types then share one edge.
        private func letterCase(of type: ParameterType, _ route: Route) -> Route.LetterCase {
            if case .oneOf = type { route.letterCase } else { .sensitive }
        }

        private mutating func note(_ rank: Int32, at node: Int32) {
            nodes[Int(node)].smallestRank = min(nodes[Int(node)].smallestRank, rank)
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
                index.anyHost = 0
                return 0
            }
        }

        private mutating func newNode() -> Int32 {
            nodes.append(BuildNode())
            return Int32(nodes.count - 1)
        }

        private mutating func child(of node: Int32, literal: [UInt8], _ letterCase: Route.LetterCase) -> Int32 {
            switch letterCase {
            case .sensitive:
                if let child = nodes[Int(node)].exact[literal] { return child }
                let child = newNode()
                nodes[Int(node)].exact[literal] = child
                return child
            case .ignored:
                let literal = literal.map(folded)
                if let child = nodes[Int(node)].folded[literal] { return child }
                let child = newNode()
                nodes[Int(node)].folded[literal] = child
                return child
            }
        }

        private mutating func child(of node: Int32, _ matcher: SegmentMatcher, _ rank: UInt32) -> Int32 {
            let number = matcherNumbers[matcher] ?? Int32(index.matchers.count)
            if number == index.matchers.count {
                index.matchers.append(matcher)
                matcherNumbers[matcher] = number
            }
            if let edge = nodes[Int(node)].edges.first(where: { $0.matcher == number }) { return edge.child }
            let child = newNode()
            nodes[Int(node)].edges.append((rank, number, child))
            return child
        }

        consuming func finish() -> RouteIndex {
            var literals: [(parent: Int32, literal: [UInt8], letterCase: Route.LetterCase, child: Int32)] = []
            for (number, node) in nodes.enumerated() {
                var flat = Node()
                flat.firstEdge = Int32(index.edges.count)
                flat.edgeCount = Int32(node.edges.count)
                index.edges += node.edges.sorted { $0.rank < $1.rank }.map {
                    Edge(matcher: $0.matcher, child: $0.child)
                }
                flat.firstRank = Int32(index.ranks.count)
                flat.endCount = Int32(node.ends.count)
                flat.restCount = Int32(node.rests.count)
                index.ranks += node.ends + node.rests
                flat.smallestRank = node.smallestRank
                flat.hasExactLiterals = !node.exact.isEmpty
                flat.hasFoldedLiterals = !node.folded.isEmpty
                index.nodes.append(flat)
                for (literal, child) in node.exact { literals.append((Int32(number), literal, .sensitive, child)) }
                for (literal, child) in node.folded { literals.append((Int32(number), literal, .ignored, child)) }
            }
            index.literals = LiteralTable(literals)
            return index
        }
    }
}

extension LiteralTable {
    /// Parent and case by child.
    fileprivate var children: [Int32: (parent: Int32, letterCase: Route.LetterCase)] {
        Dictionary(uniqueKeysWithValues: entries.map { ($0.child, ($0.parent, $0.letterCase)) })
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
