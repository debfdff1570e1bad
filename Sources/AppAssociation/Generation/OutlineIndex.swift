import LinkRouting

/// Finds the few patterns that may meet one, among very many: by how their paths begin, how they end, and by their segments,
/// whichever leaves the fewest.
struct OutlineIndex {
    private let outlines: [PathOutline]
    private let heads: PrefixIndex
    /// Of the tails read backwards.
    private let tails: PrefixIndex
    /// Those with so many segments and no more.
    private var byCount: [Int: Column] = [:]
    /// Those that may have others.
    private var ofAnyCount: [Int] = []

    /// The patterns with one number of segments, by what each segment is.
    private struct Column {
        var all: [Int] = []
        var places: [[[UInt8]?: [Int]]]

        init(segments: Int) { places = Array(repeating: [:], count: segments) }

        /// Changes the lists in place: a copy for each pattern would take time that grows with the square of their number.
        mutating func add(_ segments: [[UInt8]?], _ number: Int) {
            all.append(number)
            for (place, segment) in segments.enumerated() { places[place][segment, default: []].append(number) }
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

    /// The numbers, in rising order, of the patterns that may have a path in common with one; nil where looking them up takes
    /// more than the budget has.
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

    /// The same of the patterns that may take all that one takes.
    func takingAll(of outline: PathOutline, _ budget: WorkBudget) -> [Int]? {
        guard let head = outline.heads.first else { return [] }
        let byHead = heads.rangesBeginning(head)
        let byTail = tails.rangesBeginning(outline.tail.reversed())
        let counts = [byHead.reduce(0) { $0 + $1.count }, byTail.reduce(0) { $0 + $1.count }]
        guard budget.spend(1 + min(counts[0], counts[1])) else { return nil }
        let found = counts[0] <= counts[1] ? byHead.flatMap(heads.values) : byTail.flatMap(tails.values)
        return Set(found.lazy.filter { outlines[$0].mayTakeAll(of: outline) }).sorted()
    }

    /// By the segment that fewest have; nil where the pattern's own segments are not known.
    private func listsMeeting(_ outline: PathOutline) -> [[Int]]? {
        guard let segments = outline.segments else { return nil }
        var lists = [ofAnyCount]
        if outline.mayHaveMore { lists += byCount.filter { $0.key > segments.count }.map(\.value.all) }
        guard let column = byCount[segments.count] else { return lists }
        var best = [column.all]
        for (place, segment) in segments.enumerated() {
            guard let segment else { continue }
            let here = [column.places[place][segment] ?? [], column.places[place][nil] ?? []]
            if here[0].count + here[1].count < best.reduce(0, { $0 + $1.count }) { best = here }
        }
        return lists + best
    }
}
