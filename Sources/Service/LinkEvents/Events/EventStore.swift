package import LinkRouting

/// The log: events in commit order, in one file per UTC day.
package protocol EventStore: Sendable {
    /// The last committed sequence; 0 for an empty log.
    func lastSequence() async throws -> Int64

    /// Appends the events in one transaction with one fsync, without those whose `reportHash` the log already has.
    /// Throws ``EventStoreError``.
    func append(_ events: [Event]) async throws -> Appended

    /// Returns a tenant's events in a range of sequences, in ascending order, at most `limit`.
    func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent]
}

/// The result of an append.
package struct Appended: Sendable, Hashable {
    /// The sequence of the first event that was stored. The others follow without gaps.
    package let first: Int64
    /// The indices of the events that were not stored, because the log already has them; ascending.
    package let duplicates: [Int]

    package init(first: Int64, duplicates: [Int] = []) {
        self.first = first
        self.duplicates = duplicates
    }
}

/// The reason why an append failed.
package enum EventStoreError: DiskError, Hashable {
    /// The disk is full: recording stops and everything else continues. Recording resumes once there is space.
    case full
    /// A write or fsync failed. The contents of the file are unknown, so the process must exit and read the file again.
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
