package import LinkRouting

/// The log, read from its end.
package protocol EventHistory: Sendable {
    /// A tenant's events below a sequence, newest first, at most `limit`.
    ///
    /// Only files of `day` and later days are opened. They hold every event that was recorded since that day began, and may
    /// hold older ones: an event lies in the file of the day of its commit, or in a later one where the clock stepped back.
    func events(
        of tenant: TenantID,
        before sequence: Int64,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent]
}
