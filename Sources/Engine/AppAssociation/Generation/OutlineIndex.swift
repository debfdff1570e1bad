import LinkRouting

/// An index of path outlines. Among very many patterns it finds the few that may overlap a given one. It looks them up
/// by head, by tail, or by segments, depending on which gives the fewest candidates.
struct OutlineIndex {
    private let outlines: [PathOutline]
    private let heads: PrefixIndex
    /// The index of the reversed tails.
    private let tails: PrefixIndex
    /// The patterns with a fixed number of segments, by that number.
    private var byCount: [Int: Column] = [:]
    /// The patterns without a fixed number of segments.
    private var ofAnyCount: [Int] = []

    /// The patterns with one number of segments, by the text of each segment.
    private struct Column {
        var all: [Int] = []
        var bySegment: [[[UInt8]?: [Int]]]

        init(segments: Int) { bySegment = Array(repeating: [:], count: segments) }

        /// Adds a pattern. It changes the lists in place: a copy for each pattern would take quadratic time.
        mutating func add(_ segments: [[UInt8]?], _ number: Int) {
            all.append(number)
            for (depth, segment) in segments.enumerated() { bySegment[depth][segment, default: []].append(number) }
        }
    }

    init(_ outlines: [PathOutline]) {
        self.outlines = outlines
        heads = PrefixIndex(outlines.enumerated().flatMap { number, one in one.heads.map { ($0, number) } })
        tails = PrefixIndex(outlines.enumerated().map { number, one in (one.tail.reversed(), number) })
        for (number, outline) in outlines.enumerated() {
            guard let segments = outline.segments, !outline.mayHaveMore else {
                ofAnyCount.append(number)
                continue
            }
            byCount[segments.count, default: Column(segments: segments.count)].add(segments, number)
        }
    }

    /// Returns the numbers, in ascending order, of the patterns that may have a path in common with `outline`; nil if
    /// the lookup exceeds the budget.
    func meeting(_ outline: PathOutline, _ budget: WorkBudget) -> [Int]? {
        let byHead = outline.heads.flatMap(heads.rangesMeeting)
        let byTail = tails.rangesMeeting(outline.tail.reversed())
        let bySegments = listsMeeting(outline)
        let counts = [byHead.reduce(0) { $0 + $1.count }, byTail.reduce(0) { $0 + $1.count }]
        let count = bySegments?.reduce(0) { $0 + $1.count } ?? .max
        guard budget.spend(1 + min(counts[0], counts[1], count)) else { return nil }
        let found: [Int]
        if let bySegments, count <= counts[0], count <= counts[1] {
            found = bySegments.flatMap(\.self)
        } else if counts[0] <= counts[1] {
            found = byHead.flatMap(heads.values)
        } else {
            found = byTail.flatMap(tails.values)
        }
        return Set(found.lazy.filter { outlines[$0].mayMeet(outline) }).sorted()
    }

    /// Returns the numbers, in ascending order, of the patterns that may cover `outline`; nil if the lookup exceeds the
    /// budget.
    func takingAll(of outline: PathOutline, _ budget: WorkBudget) -> [Int]? {
        guard let head = outline.heads.first else { return [] }
        let byHead = heads.rangesBeginning(head)
        let byTail = tails.rangesBeginning(outline.tail.reversed())
        let counts = [byHead.reduce(0) { $0 + $1.count }, byTail.reduce(0) { $0 + $1.count }]
        guard budget.spend(1 + min(counts[0], counts[1])) else { return nil }
        let found = counts[0] <= counts[1] ? byHead.flatMap(heads.values) : byTail.flatMap(tails.values)
        return Set(found.lazy.filter { outlines[$0].mayTakeAll(of: outline) }).sorted()
    }

    /// Returns the candidates by the most selective segment; nil if the segments of `outline` are not known.
    private func listsMeeting(_ outline: PathOutline) -> [[Int]]? {
        guard let segments = outline.segments else { return nil }
        var lists = [ofAnyCount]
        if outline.mayHaveMore { lists += byCount.filter { $0.key > segments.count }.map(\.value.all) }
        guard let column = byCount[segments.count] else { return lists }
        var best = [column.all]
        for (depth, segment) in segments.enumerated() {
            guard let segment else { continue }
            let here = [column.bySegment[depth][segment] ?? [], column.bySegment[depth][nil] ?? []]
            if here[0].count + here[1].count < best.reduce(0, { $0 + $1.count }) { best = here }
        }
        return lists + best
    }
}
