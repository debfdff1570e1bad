package import LinkRouting

/// The storage of suites. Every write is one transaction together with its audit row.
package protocol SuiteStore: Sendable {
    func suites(of tenant: TenantID) async throws -> [StoredSuite]
    /// Writes a suite. Throws ``TooManySuites`` when the tenant's limits are reached.
    func saveSuite(
        _ content: String,
        name: SuiteName,
        of tenant: TenantID,
        expected: Int64?,
        change: AuditContext
    ) async throws -> StoredSuite
    /// Removes a suite. Returns false when there was none.
    func removeSuite(_ name: SuiteName, of tenant: TenantID, expected: Int64?, change: AuditContext) async throws
        -> Bool
}
