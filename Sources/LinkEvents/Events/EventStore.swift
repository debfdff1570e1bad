package import LinkRouting

/// The log: events in the order of their commits, in files by UTC day.
package protocol EventStore: Sendable {
    /// The last committed sequence; 0 for an empty log.
    func lastSequence() async throws -> Int64

    /// Appends the events in one transaction with one fsync; the sequence of the first. Throws ``EventStoreError``.
    func append(_ events: [Event]) async throws -> Int64

    /// A tenant's events of a range of sequences, in their order, at most `limit`.
    func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent]
}

/// How an append fails.
package enum EventStoreError: DiskError, Hashable {
    /// The disk is full: recording stops, everything else goes on, and it heals by itself.
    case full
    /// A write or fsync failed; what the file holds is no longer known, so the process must end and read again.
    case io(String)
    /// One of the events cannot be stored.
    case refused(String)

    package var isDiskFull: Bool { self == .full }

    package var description: String {
        switch self {
        case .full: "the disk is full"
        case .io(let detail), .refused(let detail): detail
        }
    }
}
