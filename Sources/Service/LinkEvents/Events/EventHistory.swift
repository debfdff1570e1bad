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
}
