package import LinkRouting

/// Reads the log backwards from its end.
package protocol EventHistory: Sendable {
    /// Returns a tenant's events below a sequence, newest first, at most `limit`.
    ///
    /// Opens only files of `day` and later days. They hold every event recorded since that day began, and possibly
    /// older ones: an event is in the file of its commit day, or in a later one if the clock stepped back.
    func events(
        of tenant: TenantID,
        before sequence: Int64,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent]

    /// Returns a tenant's event with this id, which is a UUIDv7; nil if there is none.
    ///
    /// Searches the rows that were written around the time in the id. So it does not find an event that was written
    /// while the clock stepped back by more than those rows.
    func event(_ id: RecordedID, of tenant: TenantID) async throws -> StoredEvent?
}
