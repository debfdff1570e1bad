/// The requests that a server or a session received, newest first. The oldest are dropped when there are too many or they
/// take too much memory.
///
/// Call `removeAll` before a journal goes away, so that its bytes return to the budget.
package struct Journal: Sendable {
    /// Oldest first; `start` is the first that is kept.
    private var stored: [ServeEvent] = []
    private var start = 0
    private var bytes = 0
    /// The bytes of dropped events that are still in memory.
    private var droppedBytes = 0
    private let maximumCount: Int
    private let budget: JournalBudget
    /// The number of requests that were dropped because of the limits.
    package private(set) var droppedCount = 0

    /// The number of all requests that were logged, including the dropped ones.
    package private(set) var appendedCount = 0

    package static let defaultMaximumCount = 10_000
    /// The maximum number of bytes of dropped events in memory.
    private static let largestDropped = 4 << 20

    /// A journal of 0 entries is disabled.
    package init(maximumCount: Int = defaultMaximumCount, budget: JournalBudget = JournalBudget()) {
        self.maximumCount = maximumCount
        self.budget = budget
    }

    /// The memory of the events, with those that are dropped and not yet released.
    package var memoryBytes: Int { bytes + droppedBytes }

    package var isDisabled: Bool { maximumCount == 0 }
    package var count: Int { stored.count - start }

    /// Newest first.
    package var events: some Sequence<ServeEvent> { stored[start...].reversed() }
    package var oldestFirst: ArraySlice<ServeEvent> { stored[start...] }

    package func event(_ id: String) -> ServeEvent? { stored[start...].first { $0.id == id } }

    package mutating func append(_ event: ServeEvent) {
        guard !isDisabled else { return }
        stored.append(event)
        appendedCount += 1
        use(event.byteCount)
        while count > maximumCount || (budget.isExceeded && bytes > JournalBudget.guaranteedBytes) {
            let dropped = stored[start].byteCount
            use(-dropped)
            droppedBytes += dropped
            start += 1
            droppedCount += 1
        }
        compact()
    }

    private mutating func use(_ bytes: Int) {
        self.bytes += bytes
        budget.add(bytes)
    }

    /// Removes the dropped events from memory once they are the larger part, or large.
    private mutating func compact() {
        guard droppedBytes > Self.largestDropped || (start > 32 && start * 2 > stored.count) else { return }
        forgetDropped(keeping: Array(stored[start...]))
    }

    private mutating func forgetDropped(keeping remaining: [ServeEvent]) {
        stored = remaining
        start = 0
        droppedBytes = 0
    }

    /// Removes events and returns them.
    package mutating func remove(where isRemoved: (ServeEvent) throws -> Bool) rethrows -> [ServeEvent] {
        var removed: [ServeEvent] = []
        var remaining: [ServeEvent] = []
        for event in stored[start...] {
            if try isRemoved(event) { removed.append(event) } else { remaining.append(event) }
        }
        forgetDropped(keeping: remaining)
        use(-removed.reduce(0) { $0 + $1.byteCount })
        return removed
    }

    package mutating func removeAll() {
        forgetDropped(keeping: [])
        use(-bytes)
    }
}
