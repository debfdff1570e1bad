import LinkRouting

/// Finds the few patterns that may overlap one, among very many: those whose literal beginnings agree.
struct PrefixIndex {
    /// Sorted by head.
    private let entries: [(head: [UInt8], value: Int)]
    /// Where the entries of each head stand.
    private let places: [[UInt8]: Range<Int>]
    /// The lengths that heads have, rising.
    private let lengths: [Int]

    init(_ heads: [[UInt8]]) { self.init(heads.enumerated().map { ($1, $0) }) }

    /// A pattern may have several beginnings.
    init(_ heads: [(head: [UInt8], value: Int)]) {
        let entries = heads.sorted { $0.head.precedes($1.head) }
        var places: [[UInt8]: Range<Int>] = [:]
        for (index, entry) in entries.enumerated() {
            places[entry.head] = (places[entry.head]?.lowerBound ?? index)..<(index + 1)
        }
        self.entries = entries
        self.places = places
        lengths = Set(places.keys.lazy.map(\.count)).sorted()
    }

    /// The numbers of the patterns whose head begins `head`: only those can take all that it takes.
    func beginning(_ head: [UInt8]) -> [Int] { rangesBeginning(head).flatMap(values) }

    /// The numbers of the patterns whose head begins `head` or is begun by it.
    func meeting(_ head: [UInt8]) -> [Int] { rangesMeeting(head).flatMap(values) }

    func values(_ range: Range<Int>) -> [Int] { entries[range].map(\.value) }

    func rangesBeginning(_ head: [UInt8]) -> [Range<Int>] {
        lengths.prefix { $0 <= head.count }.compactMap { places[Array(head.prefix($0))] }
    }

    func rangesMeeting(_ head: [UInt8]) -> [Range<Int>] {
        let first = firstIndex(from: 0) { !$0.precedes(head) }
        let longer = firstIndex(from: first) { $0 != head }
        return rangesBeginning(head) + [longer..<firstIndex(from: longer) { !$0.starts(with: head) }]
    }

    /// The first entry from which on all heads satisfy the condition, which none before does.
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

extension Link {
    /// The path, decoded and with a slash at its end; ASCII letters small.
    var head: [UInt8] {
        let path =
            (0..<segmentCount).flatMap { [UInt8(ascii: "/")] + pathBytes[segmentRange($0)] } + [UInt8(ascii: "/")]
        return path.map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 }
    }
}
