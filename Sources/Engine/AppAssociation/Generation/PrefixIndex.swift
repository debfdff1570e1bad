import LinkRouting

/// An index of patterns by the literal prefixes of their paths, the heads. Among very many patterns it finds the few
/// that may overlap a given one.
struct PrefixIndex {
    /// The patterns, sorted by head.
    private let entries: [(head: [UInt8], value: Int)]
    /// The range in `entries` of each head.
    private let ranges: [[UInt8]: Range<Int>]
    /// The distinct lengths of the heads, in ascending order.
    private let lengths: [Int]

    init(_ heads: [[UInt8]]) { self.init(heads.enumerated().map { ($1, $0) }) }

    /// Creates an index in which a pattern may have several heads.
    init(_ heads: [(head: [UInt8], value: Int)]) {
        let entries = heads.sorted { $0.head.precedes($1.head) }
        var ranges: [[UInt8]: Range<Int>] = [:]
        for (index, entry) in entries.enumerated() {
            ranges[entry.head] = (ranges[entry.head]?.lowerBound ?? index)..<(index + 1)
        }
        self.entries = entries
        self.ranges = ranges
        lengths = Set(ranges.keys.lazy.map(\.count)).sorted()
    }

    /// Returns the numbers of the patterns whose head is a prefix of `head`. Only these can cover a pattern with that
    /// head.
    func beginning(_ head: [UInt8]) -> [Int] { rangesBeginning(head).flatMap(values) }

    /// Returns the numbers of the patterns whose head is a prefix of `head`, or has `head` as its prefix.
    func meeting(_ head: [UInt8]) -> [Int] { rangesMeeting(head).flatMap(values) }

    func values(_ range: Range<Int>) -> [Int] { entries[range].map(\.value) }

    func rangesBeginning(_ head: [UInt8]) -> [Range<Int>] {
        lengths.prefix { $0 <= head.count }.compactMap { ranges[Array(head.prefix($0))] }
    }

    func rangesMeeting(_ head: [UInt8]) -> [Range<Int>] {
        let first = firstIndex(from: 0) { !$0.precedes(head) }
        let longer = firstIndex(from: first) { $0 != head }
        return rangesBeginning(head) + [longer..<firstIndex(from: longer) { !$0.starts(with: head) }]
    }

    /// Returns the index of the first entry, from `start` on, whose head satisfies the condition. All entries after it
    /// must satisfy the condition, and none before it.
    private func firstIndex(from start: Int, where holds: ([UInt8]) -> Bool) -> Int {
        var range = start..<entries.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = holds(entries[middle].head) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }
}

extension PrefixIndex {
    init(_ rules: [AssociationRule]) {
        self.init(rules.enumerated().flatMap { number, rule in PathOutline(rule).heads.map { ($0, number) } })
    }
}

extension [UInt8] {
    fileprivate func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

extension DeepLink {
    /// The decoded path with a trailing slash and with ASCII letters in lower case.
    var head: [UInt8] {
        let path =
            (0..<segmentCount).flatMap { [UInt8(ascii: "/")] + pathBytes[segmentRange($0)] } + [UInt8(ascii: "/")]
        return path.map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 }
    }
}
