extension RouteIndex {
    init(_ routes: [Route]) { self.init(count: routes.count) { Entry(routes[$0]) } }

    /// - Parameter entry: Returns what the index needs of the route at a position of the table.
    init<Failure>(count: Int, _ entry: (_ position: Int) throws(Failure) -> Entry) throws(Failure) {
        var builder = Builder(routeCount: count)
        for position in (0..<count).reversed() { builder.insert(try entry(position), position: Int32(position)) }
        self = builder.finish()
    }

    /// The parts of a route that the index needs.
    struct Entry {
        let host: HostPattern?
        let segments: [RoutePattern.Segment]
        let letterCase: LetterCase
        /// False is correct for every route, and makes a lookup read the route.
        let isDecidedByPath: Bool
        /// Nil for a route without a condition on the caller's languages.
        var languages: LanguageVariant?
    }

    /// The maximum number of steps of finding the routes of any link, and of evaluating them; see
    /// ``Router/maximumSteps``.
    ///
    /// - Parameters:
    ///   - matcherSteps: Returns the steps of comparing a text with a mixed segment.
    ///   - routeSteps: Returns the steps of evaluating the route of a rank.
    func worstCase(
        _ matcherSteps: (RoutePattern.Mixed) -> Int = \.steps,
        _ routeSteps: (_ rank: Int) -> Int
    ) -> Int {
        let literalSteps = literals.steps
        let matcherSteps = matchers.map { matcher in
            switch matcher {
            case .any, .plain: 1
            case .parameter(let type, _): 1 + type.steps
            case .mixed(let mixed, _): 1 + matcherSteps(mixed)
            }
        }
        var costs = Array(repeating: 0, count: nodes.count)
        var costliestLiterals = Array(repeating: (exact: 0, folded: 0), count: nodes.count)
        var parents = Array(repeating: (node: Self.none, letterCase: LetterCase.sensitive), count: nodes.count)
        for (child, parent, letterCase) in literals.children { parents[Int(child)] = (parent, letterCase) }
        // Children follow their parents in the array, so a reverse pass visits them first.
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let literal = costliestLiterals[index]
            var cost = 1.clampedSum(steps(of: node.firstEnd, routeSteps)).clampedSum(
                steps(of: node.firstRest, routeSteps)
            )
            cost = cost.clampedSum(
                (node.hasExactLiterals ? literalSteps : 0) + (node.hasFoldedLiterals ? literalSteps : 0)
            )
            cost = cost.clampedSum(literal.exact).clampedSum(literal.folded)
            var child = node.firstChild
            while child != Self.none {
                let node = nodes[Int(child)]
                cost = cost.clampedSum(costs[Int(child)]).clampedSum(matcherSteps[Int(node.matcher)])
                child = node.nextSibling
            }
            costs[index] = cost
            let (parent, letterCase) = parents[index]
            guard parent != Self.none else { continue }
            switch letterCase {
            case .sensitive: costliestLiterals[Int(parent)].exact = max(costliestLiterals[Int(parent)].exact, cost)
            case .ignored: costliestLiterals[Int(parent)].folded = max(costliestLiterals[Int(parent)].folded, cost)
            }
        }
        func cost(_ root: Int32?) -> Int { root.map { costs[Int($0)] } ?? 0 }
        return cost(anyHost)
            .clampedSum(exactHosts.values.map { cost($0) }.max() ?? 0)
            .clampedSum(hostSuffixes.values.map { cost($0) }.max() ?? 0)
    }

    private func steps(of first: Int32, _ steps: (_ rank: Int) -> Int) -> Int {
        var sum = 0
        var rank = first
        while rank != Self.none {
            sum = sum.clampedSum(steps(Int(rank)))
            rank = nextRank[Int(rank)]
        }
        return sum
    }

    /// Inserts routes from the last to the first, identified by their position in the table until all are inserted.
    ///
    /// The routes of one node have equal keys. The sort order of its lists is therefore the order of the table, and
    /// each route is inserted before those that are there already.
    private struct Builder {
        private var index = RouteIndex()
        private var parents: [Int32] = []
        private var matcherNumbers: [SegmentMatcher: Int32] = [.any: 0, .plain: 1]
        /// The children that are not literals, by their parent and the number of their matcher.
        private var children: [UInt64: Int32] = [:]
        private var captureNumbers: [[RoutePattern.Capture]: Int32] = [:]
        /// The distinct keys. They are few even among a million routes, so only they are sorted.
        private var keys: [PatternKey] = []
        private var keyNumbers: [PatternKey: Int32] = [:]
        /// Key number by position of the route.
        private var keyOfRoute: [Int32]
        /// The positions of the routes that differ only in their languages, in reverse order.
        private var languageVariants: [LanguageVariant.Others: [(position: Int32, tags: [LanguageTag])]] = [:]

        init(routeCount: Int) {
            index.nextRank = Array(repeating: RouteIndex.none, count: routeCount)
            index.captureNumbers = Array(repeating: 0, count: routeCount)
            index.isDecidedByPath = Array(repeating: false, count: routeCount)
            keyOfRoute = Array(repeating: 0, count: routeCount)
        }

        mutating func insert(_ route: Entry, position: Int32) {
            let segments = route.segments
            keyOfRoute[Int(position)] = Self.number(of: PatternKey(route.host, segments), in: &keyNumbers, &keys)
            index.captureNumbers[Int(position)] = Self.number(
                of: RoutePattern.captures(of: segments),
                in: &captureNumbers,
                &index.captures
            )
            index.isDecidedByPath[Int(position)] = route.isDecidedByPath
            if let languages = route.languages {
                languageVariants[languages.others, default: []].append((position, languages.tags))
            }
            var node = root(for: route.host)
            for segment in segments {
                switch segment {
                case .rest:
                    index.nextRank[Int(position)] = index.nodes[Int(node)].firstRest
                    index.nodes[Int(node)].firstRest = position
                    return
                case .literal(let literal): node = child(of: node, literal: literal, route.letterCase)
                case .parameter(let parameter): node = child(of: node, matcher(parameter.type, route.letterCase))
                case .mixed(let mixed): node = child(of: node, .mixed(mixed.unnamed, route.letterCase))
                case .any: node = child(of: node, .any)
                }
            }
            index.nextRank[Int(position)] = index.nodes[Int(node)].firstEnd
            index.nodes[Int(node)].firstEnd = position
        }

        /// Interns a value and returns its number.
        private static func number<Value: Hashable>(
            of value: Value,
            in numbers: inout [Value: Int32],
            _ values: inout [Value]
        ) -> Int32 {
            if let number = numbers[value] { return number }
            let number = Int32(values.count)
            numbers[value] = number
            values.append(value)
            return number
        }

        /// Returns the matcher of a parameter. Letter case matters for sets only, so that other types share one child.
        private func matcher(_ type: ParameterType, _ letterCase: LetterCase) -> SegmentMatcher {
            switch type {
            case .string(nil): .plain
            case .oneOf: .parameter(type, letterCase)
            default: .parameter(type, .sensitive)
            }
        }

        private mutating func root(for host: HostPattern?) -> Int32 {
            switch host {
            case .exact(let host):
                let root = index.exactHosts[host.ascii] ?? newNode(under: RouteIndex.none)
                index.exactHosts[host.ascii] = root
                index.exactHosts[host.unicode] = root
                return root
            case .label(_, let suffix):
                let root = index.hostSuffixes[suffix.ascii] ?? newNode(under: RouteIndex.none)
                index.hostSuffixes[suffix.ascii] = root
                index.hostSuffixes[suffix.unicode] = root
                return root
            case nil:
                let root = index.anyHost ?? newNode(under: RouteIndex.none)
                index.anyHost = root
                return root
            }
        }

        private mutating func newNode(under parent: Int32) -> Int32 {
            index.nodes.append(Node())
            parents.append(parent)
            return Int32(index.nodes.count - 1)
        }

        private mutating func child(of node: Int32, literal: [UInt8], _ letterCase: LetterCase) -> Int32 {
            switch letterCase {
            case .sensitive: index.nodes[Int(node)].hasExactLiterals = true
            case .ignored: index.nodes[Int(node)].hasFoldedLiterals = true
            }
            let next = Int32(index.nodes.count)
            let text = literal[...]
            let child = index.literals.child(of: node, text.span, letterCase, orInsert: next)
            return child == next ? newNode(under: node) : child
        }

        private mutating func child(of node: Int32, _ matcher: SegmentMatcher) -> Int32 {
            let number = Self.number(of: matcher, in: &matcherNumbers, &index.matchers)
            let key = UInt64(UInt32(bitPattern: node)) << 32 | UInt64(UInt32(bitPattern: number))
            if let child = children[key] { return child }
            let child = newNode(under: node)
            children[key] = child
            index.nodes[Int(child)].matcher = number
            index.nodes[Int(child)].nextSibling = index.nodes[Int(node)].firstChild
            index.nodes[Int(node)].firstChild = child
            return child
        }

        consuming func finish() -> RouteIndex {
            index.literals.compact()
            rankRoutes()
            // Children follow their parents in the array, so a reverse pass has seen a whole subtree when it reaches
            // its root.
            for node in index.nodes.indices.reversed() {
                let smallest = min(
                    index.nodes[node].smallestRank,
                    min(index.nodes[node].firstEnd, index.nodes[node].firstRest)
                )
                index.nodes[node].smallestRank = smallest
                sortChildren(of: node)
                guard parents[node] != RouteIndex.none else { continue }
                let parent = Int(parents[node])
                index.nodes[parent].smallestRank = min(index.nodes[parent].smallestRank, smallest)
            }
            return index
        }

        /// Replaces positions by ranks.
        private mutating func rankRoutes() {
            var starts = Array(repeating: 0, count: keys.count)
            for key in keyOfRoute { starts[Int(key)] += 1 }
            var next = 0
            for key in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
                let count = starts[key]
                starts[key] = next
                next += count
            }
            var ranks = keyOfRoute
            index.order = keyOfRoute
            for (position, key) in keyOfRoute.enumerated() {
                ranks[position] = Int32(starts[Int(key)])
                index.order[starts[Int(key)]] = Int32(position)
                starts[Int(key)] += 1
            }
            func rank(_ position: Int32) -> Int32 { position == RouteIndex.none ? position : ranks[Int(position)] }
            index.nextRank = index.order.map { rank(index.nextRank[Int($0)]) }
            index.captureNumbers = index.order.map { index.captureNumbers[Int($0)] }
            index.isDecidedByPath = index.order.map { index.isDecidedByPath[Int($0)] }
            for variants in languageVariants.values where variants.count > 1 {
                let group = LanguageGroup(members: variants.reversed().map { (ranks[Int($0.position)], $0.tags) })
                for member in group.members { index.languageGroups[member.rank] = group }
            }
            func isDecidedByPath(_ rank: Int32) -> Bool {
                rank != RouteIndex.none && index.isDecidedByPath[Int(rank)]
            }
            for node in index.nodes.indices {
                let end = rank(index.nodes[node].firstEnd)
                let rest = rank(index.nodes[node].firstRest)
                index.nodes[node].firstEnd = end
                index.nodes[node].isEndDecidedByPath = isDecidedByPath(end)
                index.nodes[node].firstRest = rest
                index.nodes[node].isRestDecidedByPath = isDecidedByPath(rest)
            }
        }

        /// Sorts a node's children by their smallest ranks.
        private mutating func sortChildren(of node: Int) {
            var children: [Int32] = []
            var child = index.nodes[node].firstChild
            guard child != RouteIndex.none, index.nodes[Int(child)].nextSibling != RouteIndex.none else { return }
            while child != RouteIndex.none {
                children.append(child)
                child = index.nodes[Int(child)].nextSibling
            }
            children.sort { index.nodes[Int($0)].smallestRank > index.nodes[Int($1)].smallestRank }
            var next = RouteIndex.none
            for child in children {
                index.nodes[Int(child)].nextSibling = next
                next = child
            }
            index.nodes[node].firstChild = next
        }
    }
}

extension RouteIndex.Entry {
    init(_ route: Route) {
        self.init(
            host: route.host,
            segments: route.path.segments,
            letterCase: route.letterCase,
            isDecidedByPath: route.isDecidedByPath,
            languages: LanguageVariant(route)
        )
    }
}

extension RoutePattern.Mixed {
    /// The segment without the parameters' names, which do not distinguish segments.
    fileprivate var unnamed: RoutePattern.Mixed {
        RoutePattern.Mixed(
            prefix: prefix,
            pieces: pieces.map {
                Piece(parameter: RoutePattern.Parameter(name: "", type: $0.parameter.type), literal: $0.literal)
            }
        )
    }
}

extension Int {
    func clampedSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
