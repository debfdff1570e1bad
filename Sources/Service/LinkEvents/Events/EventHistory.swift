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
