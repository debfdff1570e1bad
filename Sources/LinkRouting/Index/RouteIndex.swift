/// The paths of a table as one trie in flat arrays, so that finding a route does not depend on how many there are.
///
/// Routes are named by their rank: their place in the written order (``PatternKey``). A walk tries the children of a node in
/// that order too, keeps the smallest rank that holds, and leaves out every subtree whose smallest rank is not smaller.
/// So the answer is the minimum over all candidates by construction; the order of the walk only makes it quick.
///
/// What holds of the arrays, and what the walk relies on:
/// - A node stands behind its parent and behind no more than its siblings and their subtrees, so that a path which nothing
///   else shares lies in one place of memory.
/// - A child is either found by its text, in `literals`, or is one of the list that starts at `firstChild` and goes on with
///   `nextSibling`, each entered through its `matcher`; the list is in the written order.
/// - The ranks of a node are two lists as well, in rising order: `firstEnd` and `firstRest`, going on in `nextRank`. A rank
///   is in one list only, since a pattern has one end.
struct RouteIndex: Sendable {
    var nodes: [Node] = []
    /// By rank: the place of the route in its table.
    var order: [Int32] = []
    /// By rank.
    var nextRank: [Int32] = []
    /// By rank: whether nothing but the path decides.
    var isDecidedByPath: [Bool] = []
    /// By rank: which of `captures` are those of the route's path.
    var captureNumbers: [Int32] = []
    /// Each list once: most routes share theirs with others.
    var captures: [[Pattern.Capture]] = []
    var literals = LiteralTable()
    /// Those below ``firstAsked`` take every segment.
    var matchers: [SegmentMatcher] = [.any, .plain]

    /// By both forms of each host.
    var exactHosts: [String: Int32] = [:]
    /// By both forms of what follows the first dot.
    var hostSuffixes: [String: Int32] = [:]
    var anyHost: Int32?

    /// What stands for no node and no rank: larger than each.
    static let none = Int32.max
    static let firstAsked: Int32 = 2

    struct Node: Sendable {
        /// Of the whole subtree.
        var smallestRank = RouteIndex.none
        /// Routes whose pattern ends here.
        var firstEnd = RouteIndex.none
        /// Routes that take the rest of the path.
        var firstRest = RouteIndex.none
        var firstChild = RouteIndex.none
        var nextSibling = RouteIndex.none
        /// Of a child that is no literal.
        var matcher: Int32 = 0
        var hasExactLiterals = false
        var hasFoldedLiterals = false
        /// Whether nothing but the path decides about `firstEnd`, so that a look-up need not read its route.
        var isEndDecidedByPath = false
        /// The same of `firstRest`.
        var isRestDecidedByPath = false
    }

    enum SegmentMatcher: Sendable, Hashable {
        /// `*` and a parameter of any text take every segment but an empty one; they differ in their place in the order.
        case any, plain
        case parameter(ParameterType, LetterCase)
        case mixed(Pattern.Mixed, LetterCase)
    }

    /// Which of the routes whose path fits are asked about.
    enum Visit {
        case all
        /// A route about which its path decides alone holds without a question.
        case undecided
    }

    /// The smallest rank whose path fits the link and which `holds`; nil when there is none.
    ///
    /// `holds` is handed the link and whatever else it asks about. Captured they would be copied again and again on the way,
    /// which costs more than the walk. Nothing is allocated unless `holds` does, or a parameter between others in one segment.
    func smallestRank<Caller>(
        for link: Link,
        _ caller: Caller,
        asking asked: Visit = .all,
        where holds: (_ rank: Int, Link, Caller) -> Bool
    ) -> Int? {
        var best = Self.none
        if !exactHosts.isEmpty || !hostSuffixes.isEmpty, let host = link.host {
            if let root = exactHosts[host] { walk(root, 0, link, caller, &best, asked, holds) }
            // Found as a byte: as a Character the dot may be one with a letter before it.
            if !hostSuffixes.isEmpty, let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")),
                let root = hostSuffixes[String(host[host.utf8.index(after: dot)...])]
            {
                walk(root, 0, link, caller, &best, asked, holds)
            }
        }
        if let anyHost { walk(anyHost, 0, link, caller, &best, asked, holds) }
        return best == Self.none ? nil : Int(best)
    }

    func captures(of rank: Int) -> [Pattern.Capture] { captures[Int(captureNumbers[rank])] }

    /// Goes on in the loop where a node has one way left, as most have: a call at each step costs as much as the step.
    private func walk<Caller>(
        _ root: Int32,
        _ start: Int,
        _ link: Link,
        _ caller: Caller,
        _ best: inout Int32,
        _ asked: Visit,
        _ holds: (Int, Link, Caller) -> Bool
    ) {
        var index = root
        var depth = start
        steps: while true {
            let node = nodes[Int(index)]
            guard node.smallestRank < best else { return }
            if depth == link.segments.count {
                take(node.firstEnd, node.isEndDecidedByPath, link, caller, &best, asked, holds)
            } else if !link.segments[depth].isEmpty {
                if node.hasExactLiterals, let child = literal(under: index, link, depth, .sensitive) {
                    if !node.hasFoldedLiterals, node.firstChild == Self.none, node.firstRest == Self.none {
                        (index, depth) = (child, depth + 1)
                        continue steps
                    }
                    walk(child, depth + 1, link, caller, &best, asked, holds)
                }
                if node.hasFoldedLiterals, let child = literal(under: index, link, depth, .ignored) {
                    walk(child, depth + 1, link, caller, &best, asked, holds)
                }
                var child = node.firstChild
                while child != Self.none {
                    let next = nodes[Int(child)]
                    if next.smallestRank < best, accepts(next.matcher, link, depth) {
                        if next.nextSibling == Self.none, node.firstRest == Self.none {
                            (index, depth) = (child, depth + 1)
                            continue steps
                        }
                        walk(child, depth + 1, link, caller, &best, asked, holds)
                    }
                    child = next.nextSibling
                }
            }
            take(node.firstRest, node.isRestDecidedByPath, link, caller, &best, asked, holds)
            return
        }
    }

    @inline(__always)
    private func take<Caller>(
        _ first: Int32,
        _ isDecidedByPath: Bool,
        _ link: Link,
        _ caller: Caller,
        _ best: inout Int32,
        _ asked: Visit,
        _ holds: (Int, Link, Caller) -> Bool
    ) {
        guard first < best else { return }
        guard !isDecidedByPath || asked == .all else {
            best = first
            return
        }
        ask(first, link, caller, &best, holds)
    }

    private func ask<Caller>(
        _ first: Int32,
        _ link: Link,
        _ caller: Caller,
        _ best: inout Int32,
        _ holds: (Int, Link, Caller) -> Bool
    ) {
        var rank = first
        while rank < best {
            if holds(Int(rank), link, caller) {
                best = rank
                return
            }
            rank = nextRank[Int(rank)]
        }
    }

    @inline(__always)
    private func literal(under node: Int32, _ link: Link, _ depth: Int, _ letterCase: LetterCase) -> Int32? {
        let segment = link.segment(depth)
        return literals.child(of: node, segment.span, letterCase)
    }

    private func accepts(_ matcher: Int32, _ link: Link, _ depth: Int) -> Bool {
        guard matcher >= Self.firstAsked else { return true }
        return switch matchers[Int(matcher)] {
        case .any, .plain: true
        case .parameter(let type, let letterCase): type.accepts(link.segment(depth), letterCase)
        case .mixed(let mixed, let letterCase): mixed.accepts(link.segment(depth), letterCase)
        }
    }
}

extension Link {
    fileprivate func segment(_ index: Int) -> ArraySlice<UInt8> { pathBytes[segments[index].range] }
}
