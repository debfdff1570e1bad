/// The paths of a table as one trie in flat arrays, so that finding a route does not depend on how many there are.
///
/// Routes are named by their rank: their place in the written order (``PatternKey``). A walk tries the edges of a node in
/// that order too, keeps the smallest rank that holds, and leaves out every subtree whose smallest rank is not smaller.
/// So the answer is the minimum over all candidates by construction; the order of the walk only makes it quick.
struct RouteIndex: Sendable {
    var nodes: [Node] = []
    /// By node, sorted by rank.
    var edges: [Edge] = []
    /// Ranks by node: first those whose pattern ends there, then those that take the rest.
    var ranks: [Int32] = []
    var literals = LiteralTable()
    var matchers: [SegmentMatcher] = []

    /// By both forms of each host.
    var exactHosts: [String: Int32] = [:]
    /// By both forms of what follows the first dot.
    var hostSuffixes: [String: Int32] = [:]
    var anyHost: Int32?

    struct Node: Sendable {
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0
        var firstRank: Int32 = 0
        var endCount: Int32 = 0
        var restCount: Int32 = 0
        /// Of the whole subtree.
        var smallestRank = Int32.max
        var hasExactLiterals = false
        var hasFoldedLiterals = false
    }

    struct Edge: Sendable {
        var matcher: Int32
        var child: Int32
    }

    enum SegmentMatcher: Sendable, Hashable {
        case parameter(ParameterType, Route.LetterCase)
        case mixed(Pattern.Mixed, Route.LetterCase)
        case any

        func accepts(_ segment: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .parameter(let type, let letterCase): type.accepts(segment, letterCase)
            case .mixed(let mixed, let letterCase): mixed.match(segment, letterCase) != nil
            case .any: true
            }
        }
    }

    /// The smallest rank whose path fits the link and which `holds`; nil when there is none.
    func smallestRank(for link: Link, where holds: (Int) -> Bool) -> Int? {
        var best = Int32.max
        if !exactHosts.isEmpty || !hostSuffixes.isEmpty, let host = link.host {
            if let root = exactHosts[host] { walk(root, link, 0, &best, holds) }
            // Found as a byte: as a Character the dot may be one with a letter before it.
            if !hostSuffixes.isEmpty, let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")),
                let root = hostSuffixes[String(host[host.utf8.index(after: dot)...])]
            {
                walk(root, link, 0, &best, holds)
            }
        }
        if let anyHost { walk(anyHost, link, 0, &best, holds) }
        return best == .max ? nil : Int(best)
    }

    private func walk(_ index: Int32, _ link: Link, _ depth: Int, _ best: inout Int32, _ holds: (Int) -> Bool) {
        let node = nodes[Int(index)]
        guard node.smallestRank < best else { return }
        if depth < link.segments.count {
            let segment = link.pathBytes[link.segments[depth].range]
            if !segment.isEmpty {
                if node.hasExactLiterals, let child = literals.child(of: index, segment, .sensitive) {
                    walk(child, link, depth + 1, &best, holds)
                }
                if node.hasFoldedLiterals, let child = literals.child(of: index, segment, .ignored) {
                    walk(child, link, depth + 1, &best, holds)
                }
                for edge in edges[Int(node.firstEdge)..<Int(node.firstEdge + node.edgeCount)]
                where nodes[Int(edge.child)].smallestRank < best && matchers[Int(edge.matcher)].accepts(segment) {
                    walk(edge.child, link, depth + 1, &best, holds)
                }
            }
        } else {
            take(Int(node.firstRank)..<Int(node.firstRank + node.endCount), &best, holds)
        }
        let rests = Int(node.firstRank + node.endCount)
        take(rests..<(rests + Int(node.restCount)), &best, holds)
    }

    private func take(_ range: Range<Int>, _ best: inout Int32, _ holds: (Int) -> Bool) {
        for rank in ranks[range] {
            guard rank < best else { return }
            if holds(Int(rank)) {
                best = rank
                return
            }
        }
    }
}

/// Children by (node, literal): open addressing over flat arrays.
struct LiteralTable: Sendable {
    private var slots: [Int32] = []
    fileprivate(set) var entries: [Entry] = []
    private var bytes: [UInt8] = []

    struct Entry: Sendable {
        var parent: Int32
        var child: Int32
        var start: Int32
        var length: Int32
        var letterCase: Route.LetterCase
    }

    /// `literals` are folded already where the case is ignored.
    init(_ literals: [(parent: Int32, literal: [UInt8], letterCase: Route.LetterCase, child: Int32)] = []) {
        guard !literals.isEmpty else { return }
        var size = 1
        while size < literals.count * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        entries.reserveCapacity(literals.count)
        for (parent, literal, letterCase, child) in literals {
            let entry = Entry(
                parent: parent,
                child: child,
                start: Int32(bytes.count),
                length: Int32(literal.count),
                letterCase: letterCase
            )
            bytes.append(contentsOf: literal)
            var slot = hash(parent, literal[...], letterCase)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(entries.count)
            entries.append(entry)
        }
    }

    func child(of parent: Int32, _ segment: ArraySlice<UInt8>, _ letterCase: Route.LetterCase) -> Int32? {
        var slot = hash(parent, segment, letterCase)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.parent == parent, entry.letterCase == letterCase, Int(entry.length) == segment.count,
                areEqual(segment, bytes[Int(entry.start)..<Int(entry.start + entry.length)], letterCase)
            {
                return entry.child
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func hash(_ parent: Int32, _ literal: ArraySlice<UInt8>, _ letterCase: Route.LetterCase) -> Int {
        var hash = 0xcbf2_9ce4_8422_2325 ^ UInt64(UInt32(bitPattern: parent)) &* 0x9E37_79B9_7F4A_7C15
        switch letterCase {
        case .sensitive: for byte in literal { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        case .ignored: for byte in literal { hash = (hash ^ UInt64(folded(byte))) &* 0x100_0000_01b3 }
        }
        hash ^= hash >> 32
        return Int(truncatingIfNeeded: hash & UInt64(slots.count - 1))
    }
}
