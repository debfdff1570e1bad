import LinkRouting

/// Approximates the most frequent values in bounded memory (Misra and Gries, "Finding repeated elements", 1982).
/// Every value that makes up more than one in `capacity + 1` of all additions is guaranteed to be kept.
struct FrequentValues {
    private let capacity: Int
    /// A lower bound of how often each value was added.
    private(set) var counts: [ExactText: Int64] = [:]

    /// - Parameter capacity: The maximum number of values kept.
    init(capacity: Int) { self.capacity = capacity }

    mutating func add(_ value: ExactText, count: Int64) {
        if let known = counts[value] {
            counts[value] = known + count
        } else if counts.count < capacity {
            counts[value] = count
        } else {
            // Subtracts the same amount from all counters and from the new value. At least one of them becomes zero, so
            // an addition takes amortized constant time.
            let lost = min(count, counts.values.min() ?? 0)
            counts = counts.compactMapValues { $0 > lost ? $0 - lost : nil }
            if count > lost { counts[value] = count - lost }
        }
    }

    /// The values that were added more than once, the most frequent first. Ties are ordered by the values' bytes.
    var repeated: [ExactText] {
        counts.filter { $0.value > 1 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map(\.key)
    }
}
