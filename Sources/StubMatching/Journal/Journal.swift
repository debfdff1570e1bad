/// The requests that a server received, newest first. The oldest are dropped when there are too many or they take too
/// much memory.
package struct Journal: Sendable {
    /// Oldest first; `start` is the first that is kept.
    private var stored: [ServeEvent] = []
    private var start = 0
    private var bytes = 0
    private let maximumCount: Int
    private let maximumBytes: Int
    /// How many requests were dropped because of the limits.
    package private(set) var droppedCount = 0

    /// How many requests were ever logged.
    package private(set) var appendedCount = 0

    package static let defaultMaximumCount = 10_000
    package static let defaultMaximumBytes = 64 << 20

    /// A journal of 0 entries is disabled.
    package init(maximumCount: Int = defaultMaximumCount, maximumBytes: Int = defaultMaximumBytes) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

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
        bytes += event.byteCount
        while count > maximumCount || (bytes > maximumBytes && count > 1) {
            bytes -= stored[start].byteCount
            start += 1
            droppedCount += 1
        }
        compact()
    }

    /// Removes the dropped events from memory once they are the larger part.
    private mutating func compact() {
        guard start > 32, start * 2 > stored.count else { return }
        stored.removeFirst(start)
        start = 0
    }

    /// Removes events and returns them.
    package mutating func remove(where isRemoved: (ServeEvent) throws -> Bool) rethrows -> [ServeEvent] {
        var removed: [ServeEvent] = []
        var kept: [ServeEvent] = []
        for event in stored[start...] {
            if try isRemoved(event) { removed.append(event) } else { kept.append(event) }
        }
        stored = kept
        start = 0
        bytes = kept.reduce(0) { $0 + $1.byteCount }
        return removed
    }

    package mutating func removeAll() {
        stored = []
        start = 0
        bytes = 0
    }
}
