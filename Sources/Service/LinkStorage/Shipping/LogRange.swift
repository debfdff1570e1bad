package import LinkEvents
package import LinkRouting

/// A place in a log: a sequence and the id of its event, so that a place in another log is not taken for it.
package struct LogPosition: Sendable, Hashable {
    /// 0 before the first event.
    package let sequence: Int64
    package let event: String

    package static let start = LogPosition(sequence: 0, event: "")

    package init(sequence: Int64, event: String) {
        self.sequence = sequence
        self.event = event
    }
}

/// The events of a part of the log that are shipped at once, all of one day file.
package struct LogRange: Sendable {
    package let day: CivilDay
    /// The first sequence after the range before.
    package let first: Int64
    /// In ascending order, never empty. The range ends with the last one.
    package let events: [StoredEvent]
    /// The hashes of reported events, by their sequences.
    package let reports: [Int64: Bytes16]
    /// The sequences of the range that were erased.
    package let erased: Set<Int64>
    /// Whether there were more events when it was read.
    package let hasMore: Bool

    package init(
        day: CivilDay,
        first: Int64,
        events: [StoredEvent],
        reports: [Int64: Bytes16],
        erased: Set<Int64>,
        hasMore: Bool
    ) {
        self.day = day
        self.first = first
        self.events = events
        self.reports = reports
        self.erased = erased
        self.hasMore = hasMore
    }

    /// The position of the last event.
    package var end: LogPosition {
        guard let last = events.last else { return LogPosition(sequence: first - 1, event: "") }
        return LogPosition(sequence: last.sequence, event: "\(last.event.id)")
    }

    /// The sequences that were neither erased nor are stored, because retention has dropped them.
    package var dropped: [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        var next = first
        for event in events {
            var lost = next
            while lost < event.sequence {
                // Erased sequences are few, and dropped ones may be millions.
                let end = erased.lazy.filter { $0 >= lost && $0 < event.sequence }.min() ?? event.sequence
                if end > lost { ranges.append(lost...(end - 1)) }
                lost = end + 1
            }
            next = event.sequence + 1
        }
        return ranges
    }
}

/// Under which id a log is shipped.
package struct LogIdentity: Sendable, Hashable {
    /// A random id, which another log does not have.
    package let log: String
    /// The nonces of the processes that have shipped it, the current one last.
    package let nonces: [String]
    /// What was recorded until there was shipped under the id before.
    package let begun: LogPosition
    /// The same log's ids before, oldest first.
    package let earlier: [LogIdentity]

    package init(log: String, nonces: [String], begun: LogPosition = .start, earlier: [LogIdentity] = []) {
        self.log = log
        self.nonces = nonces
        self.begun = begun
        self.earlier = earlier
    }
}
