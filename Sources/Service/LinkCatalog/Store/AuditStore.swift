package import LinkRouting

/// The audit log of all changes.
package protocol AuditStore: Sendable {
    /// Adds an audit row for an action outside the catalog.
    func note(_ action: AuditAction, change: AuditContext) async throws
    /// Returns the audit rows before an id, newest first; of every tenant for nil.
    func audit(of tenant: TenantID?, before: Int64?, limit: Int) async throws -> [AuditEntry]
    /// Reads the whole audit log and recomputes its hash chain.
    func verifyAudit() async throws -> AuditVerdict
}
