package import LinkRouting

/// Reads recorded events in pages, from either end: those of this process's log, or those of all nodes' logs.
package protocol EventHistory: Sendable {
    /// The place after the last events.
    func end() async throws -> LogCursor

    /// A place after all events in the files of a day and all earlier days; nil if neither the day nor a later one is closed.
    func end(of day: CivilDay) async throws -> LogCursor?

    /// Returns a tenant's events after a place, at most `limit`; those of each log in their order.
    func events(of tenant: TenantID, after cursor: LogCursor, limit: Int) async throws -> [StoredEvent]

    /// Returns a tenant's events before a place, newest first, at most `limit`.
    ///
    /// Reads only files of `day` and later days. They hold every event recorded since that day began, and possibly
    /// older ones: an event is in the file of its commit day, or in a later one if the clock stepped back.
    func events(
        of tenant: TenantID,
        before cursor: LogCursor,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent]

    /// Returns a tenant's event with this id, which is a UUIDv7; nil if there is none.
    ///
    /// Searches the rows that were written around the time in the id. So it does not find an event that was written
    /// while the clock stepped back by more than those rows.
    func event(_ id: RecordedID, of tenant: TenantID) async throws -> StoredEvent?

    /// Returns a tenant's event with this sequence; nil if there is none, or if there are several logs.
    func event(at sequence: Int64, of tenant: TenantID) async throws -> StoredEvent?

    /// The nodes whose events there are, and up to which time; empty for the log of this process.
    func nodes() async throws -> [ShippedNode]
}

/// How far a node has shipped its events.
package struct ShippedNode: Sendable, Hashable {
    package let name: String
    /// The last sequence.
    package let sequence: Int64
    /// When the last of its events was recorded; nil without any.
    package let through: Timestamp?

    package init(name: String, sequence: Int64, through: Timestamp?) {
        self.name = name
        self.sequence = sequence
        self.through = through
    }
}

/// A place between events: a sequence of each log, written `120` for the log of this process, and `2.120-7.44` for the logs 2
/// and 7.
package struct LogCursor: Sendable, Hashable, CustomStringConvertible {
    /// The last event that was read of each log. A log that is missing is at its beginning, or at its end when read backwards.
    private var sequences: [Int64: Int64]

    /// The number of this process's log.
    package static let ownLog: Int64 = 0
    /// No log has been read.
    package static let unread = LogCursor([:])
    /// Bounds what a caller sends.
    private static let mostLogs = 1_000

    package init(_ sequences: [Int64: Int64]) { self.sequences = sequences }
    package init(_ sequence: Int64) { sequences = [Self.ownLog: sequence] }

    /// Nil unless the text is a cursor.
    package init?(_ text: String) {
        if let sequence = Int64(text), sequence >= 0 {
            self.init(sequence)
            return
        }
        var sequences: [Int64: Int64] = [:]
        for part in text.split(separator: "-", omittingEmptySubsequences: false) {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
            guard numbers.count == 2, numbers[0] > 0, numbers[1] >= 0, sequences.count < Self.mostLogs else {
                return nil
            }
            sequences[numbers[0]] = numbers[1]
        }
        self.init(sequences)
    }

    package var description: String {
        if sequences.isEmpty { return "0" }
        if sequences.count == 1, let own = sequences[Self.ownLog] { return "\(own)" }
        return sequences.sorted { $0.key < $1.key }.map { "\($0.key).\($0.value)" }.joined(separator: "-")
    }

    package subscript(log: Int64) -> Int64? { sequences[log] }
    package var logs: [Int64] { sequences.keys.sorted() }

    package mutating func pass(_ event: StoredEvent) { sequences[event.log] = event.sequence }

    /// Whether there are events between this place and a later one.
    package func isBehind(_ end: LogCursor) -> Bool {
        end.sequences.contains { sequences[$0] ?? 0 < $1 }
    }

    /// Moves on to a place, in each log that is behind it.
    package mutating func advance(to end: LogCursor) { sequences.merge(end.sequences) { max($0, $1) } }

    /// This place, or the end of a log that ends before it, as one that was restored from a backup.
    package func limited(to end: LogCursor) -> LogCursor {
        LogCursor(Dictionary(uniqueKeysWithValues: end.sequences.map { ($0, min(sequences[$0] ?? 0, $1)) }))
    }
}
