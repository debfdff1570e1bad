/// The paths of a table as one trie in flat arrays, so that the cost of a lookup does not depend on the number of
/// routes.
///
/// Routes are identified by their rank: their position in the order of precedence (``PatternKey``). A walk visits the
/// children of a node in that order as well. It keeps the smallest matching rank and prunes every subtree whose
/// smallest rank is not smaller. The result is the minimum over all candidates by construction; the order of the walk
/// only makes it fast.
///
/// Invariants of the arrays that the walk relies on:
/// - A node comes after its parent, with only its siblings and their subtrees in between. A path that is not shared
///   with others is therefore contiguous in memory.
/// - A child is either found by its text in `literals`, or is on the linked list that starts at `firstChild` and
///   continues with `nextSibling`. Each child on the list is entered through its `matcher`; the list is in order of
///   precedence.
/// - The ranks of a node form two linked lists in ascending order. They start at `firstEnd` and `firstRest` and
///   continue with `nextRank`. A rank is on one list only, since a pattern has one end.
struct RouteIndex: Sendable {
    var nodes: [Node] = []
    /// The position of the route in its table, by rank.
    var order: [Int32] = []
    /// The next rank of the same list, by rank; ``none`` at its end.
    var nextRank: [Int32] = []
    /// Whether the path alone decides about the route, by rank.
    var isDecidedByPath: [Bool] = []
    /// Index in `captures` of the captures of the route's path, by rank.
    var captureNumbers: [Int32] = []
    /// The distinct lists of captures; most routes share theirs with others.
    var captures: [[RoutePattern.Capture]] = []
    var literals = LiteralTable()
    /// Matchers below ``firstConditional`` accept every segment.
    var matchers: [SegmentMatcher] = [.any, .plain]

    /// Roots by both forms of each host.
    var exactHosts: [String: Int32] = [:]
    /// Roots by both forms of the host after its first dot.
    var hostSuffixes: [String: Int32] = [:]
    var anyHost: Int32?

    /// The routes among which the caller's languages decide, by the rank of each.
    var languageGroups: [Int32: LanguageGroup] = [:]

    /// Marks a missing node or rank; larger than any.
    static let none = Int32.max
    static let firstConditional: Int32 = 2

    struct Node: Sendable {
        /// The smallest rank of the whole subtree.
        var smallestRank = RouteIndex.none
        /// Head of the list of routes whose pattern ends here.
        var firstEnd = RouteIndex.none
        /// Head of the list of routes that match the rest of the path.
        var firstRest = RouteIndex.none
        var firstChild = RouteIndex.none
        var nextSibling = RouteIndex.none
        /// Index in `matchers`, for a child that is not a literal.
        var matcher: Int32 = 0
        var hasExactLiterals = false
        var hasFoldedLiterals = false
        /// Whether the path alone decides about `firstEnd`, so that a lookup need not read its route.
        var isEndDecidedByPath = false
        /// The same for `firstRest`.
        var isRestDecidedByPath = false
        /// Makes a node 32 bytes long: a shift then gives its offset, instead of three additions at every step of a walk.
        private let padding: Int32 = 0
    }

    enum SegmentMatcher: Sendable, Hashable {
        /// `*` and an untyped parameter accept every segment that is not empty. They differ in their precedence.
        case any, plain
        case parameter(ParameterType, LetterCase)
        case mixed(RoutePattern.Mixed, LetterCase)
    }

    /// Selects the routes that a walk calls `holds` for, among those whose path matches.
    enum Visit {
        case all
        /// Routes that the path alone decides about are taken as matching without a call.
        case undecided
    }

    /// Returns the smallest rank whose path matches the link and that `holds`; nil when there is none.
    ///
    /// The link and `caller` are passed to `holds` as arguments: captured by the closure they would be copied
    /// repeatedly during the walk, which costs more than the walk itself. Nothing is allocated unless `holds` allocates, or
    /// a long segment is compared with a type.
    func smallestRank<Caller>(
        for link: DeepLink,
        _ caller: Caller,
        visiting visit: Visit = .all,
        _ parts: inout LinkParts,
        where holds: (_ rank: Int, DeepLink, Caller, inout LinkParts) -> Bool
    ) -> Int? {
        var best = Self.none
        if !exactHosts.isEmpty || !hostSuffixes.isEmpty, let host = link.host {
            if let root = exactHosts[host] { walk(root, 0, link, caller, &best, visit, &parts, holds) }
            // The dot is searched as a byte: as part of a `Character`, it may be combined with a preceding letter.
            if !hostSuffixes.isEmpty, let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")),
                let root = hostSuffixes[String(host[host.utf8.index(after: dot)...])]
            {
                walk(root, 0, link, caller, &best, visit, &parts, holds)
            }
        }
        if let anyHost { walk(anyHost, 0, link, caller, &best, visit, &parts, holds) }
        return best == Self.none ? nil : Int(best)
    }

    func captures(of rank: Int) -> [RoutePattern.Capture] { captures[Int(captureNumbers[rank])] }

    /// Walks the subtree of `root`. It continues in the loop when a node has a single branch left, as most have: a
    /// recursive call costs as much as a step.
    private func walk<Caller>(
        _ root: Int32,
        _ start: Int,
        _ link: DeepLink,
        _ caller: Caller,
        _ best: inout Int32,
        _ visit: Visit,
        _ parts: inout LinkParts,
        _ holds: (Int, DeepLink, Caller, inout LinkParts) -> Bool
    ) {
        var index = root
        var depth = start
        steps: while true {
            let node = nodes[Int(index)]
            guard node.smallestRank < best else { return }
            parts.comparisons &+= 1
            if depth == link.segments.count {
                take(node.firstEnd, node.isEndDecidedByPath, link, caller, &best, visit, &parts, holds)
            } else {
                if node.hasExactLiterals, let child = literal(under: index, link, depth, .sensitive) {
                    if !node.hasFoldedLiterals, node.firstChild == Self.none, node.firstRest == Self.none {
                        (index, depth) = (child, depth + 1)
                        continue steps
                    }
                    walk(child, depth + 1, link, caller, &best, visit, &parts, holds)
                }
                if node.hasFoldedLiterals, let child = literal(under: index, link, depth, .ignored) {
                    walk(child, depth + 1, link, caller, &best, visit, &parts, holds)
                }
                var child = node.firstChild
                while child != Self.none {
                    let next = nodes[Int(child)]
                    if next.smallestRank < best, accepts(next.matcher, link, depth, &parts) {
                        if next.nextSibling == Self.none, node.firstRest == Self.none {
                            (index, depth) = (child, depth + 1)
                            continue steps
                        }
                        walk(child, depth + 1, link, caller, &best, visit, &parts, holds)
                    }
                    child = next.nextSibling
                }
            }
            take(node.firstRest, node.isRestDecidedByPath, link, caller, &best, visit, &parts, holds)
            return
        }
    }

    @inline(__always)
    private func take<Caller>(
        _ first: Int32,
        _ isDecidedByPath: Bool,
        _ link: DeepLink,
        _ caller: Caller,
        _ best: inout Int32,
        _ visit: Visit,
        _ parts: inout LinkParts,
        _ holds: (Int, DeepLink, Caller, inout LinkParts) -> Bool
    ) {
        guard first < best else { return }
        guard !isDecidedByPath || visit == .all else {
            best = first
            return
        }
        findFirst(first, link, caller, &best, &parts, holds)
    }

    private func findFirst<Caller>(
        _ first: Int32,
        _ link: DeepLink,
        _ caller: Caller,
        _ best: inout Int32,
        _ parts: inout LinkParts,
        _ holds: (Int, DeepLink, Caller, inout LinkParts) -> Bool
    ) {
        var rank = first
        while rank < best {
            if holds(Int(rank), link, caller, &parts) {
                best = rank
                return
            }
            rank = nextRank[Int(rank)]
        }
    }

    @inline(__always)
    private func literal(under node: Int32, _ link: DeepLink, _ depth: Int, _ letterCase: LetterCase) -> Int32? {
        let segment = link.segment(depth)
        return literals.child(of: node, segment.span, letterCase)
    }

    private func accepts(_ matcher: Int32, _ link: DeepLink, _ depth: Int, _ parts: inout LinkParts) -> Bool {
        guard matcher >= Self.firstConditional else { return true }
        parts.comparisons &+= 1
        switch matchers[Int(matcher)] {
        case .any, .plain: return true
        case .parameter(let type, let letterCase): return parts.accepts(depth, of: link, type, letterCase)
        case .mixed(let mixed, let letterCase): return parts.accepts(depth, of: link, mixed, letterCase)
        }
    }
}
