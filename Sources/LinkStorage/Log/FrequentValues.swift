import LinkRouting

/// Finds the frequent ones among more values than it remembers (Misra and Gries, "Finding repeated elements", 1982): each value that
/// makes up more than one in `capacity + 1` of what was added is among them, whatever was added besides.
struct FrequentValues {
    private let capacity: Int
    /// A lower bound of how often each was added.
    private(set) var counts: [ExactText: Int64] = [:]

    /// - Parameter capacity: How many values are remembered.
    init(capacity: Int) { self.capacity = capacity }

    mutating func add(_ value: ExactText, count: Int64) {
        if let known = counts[value] {
            counts[value] = known + count
        } else if counts.count < capacity {
            counts[value] = count
        } else {
            // Takes the same from all counters and from the new value. At least one of them becomes zero, so this takes constant time
            // for each addition on average.
            let lost = min(count, counts.values.min() ?? 0)
            counts = counts.compactMapValues { $0 > lost ? $0 - lost : nil }
            if count > lost { counts[value] = count - lost }
        }
    }

    /// Those that were added more than once, the most frequent first; of equal ones the smallest by its bytes.
    var repeated: [ExactText] {
        counts.filter { $0.value > 1 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map(\.key)
    }
}
