package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The storage of tenants and their settings. Every write is one transaction together with its audit row.
package protocol SettingsStore: RevisionReader {
    /// Returns every tenant that is not removed, ordered by id.
    func tenants() async throws -> [TenantSummary]
    /// Archives a tenant: it answers no links, and changes of it throw ``InactiveTenant``. Its hosts stay its own. Does
    /// nothing if the tenant is archived already.
    func archive(_ tenant: TenantID, change: AuditContext) async throws
    /// Makes an archived tenant active again.
    func unarchive(_ tenant: TenantID, change: AuditContext) async throws
    /// Deletes an archived tenant's tables, drafts, suites and earlier settings, and releases its hosts and schemes. Its
    /// name stays reserved, and its events stay until retention drops them. Throws ``TenantNotArchived`` for an active
    /// tenant.
    func remove(_ tenant: TenantID, change: AuditContext) async throws
    /// Returns the removed tenants, whose content in other stores may still have to be deleted.
    func removedTenants() async throws -> [TenantID]

    /// Returns the revision of the live settings without reading them; nil for an unknown tenant.
    func settingsRevision(of tenant: TenantID) async throws -> Int64?
    /// Returns the versions before a revision, newest first.
    func settingsHistory(of tenant: TenantID, before: Int64?, limit: Int) async throws -> [SettingsVersion]
    /// Writes the next settings and the domains and schemes in them. Creates the tenant if it is new. Stores
    /// `installKey` if it is given and the tenant has none yet.
    ///
    /// - Throws: ``OwnershipConflict`` when another tenant owns one of the domains or schemes or, depending on
    ///   `claims`, a host that overlaps; ``StaleWrite`` when `expected` is not the current revision;
    ///   ``ConcurrentModification`` when other tables than those in `checked` are live.
    func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        installKey: Data?,
        expected: Int64?,
        checked: [EnvironmentID: Revision],
        claims: HostClaims.Rule,
        change: AuditContext
    ) async throws -> StoredSettings
    /// Returns the key under which installs are recorded; nil for a tenant that never recorded installs.
    func installKey(of tenant: TenantID) async throws -> Data?
}

extension SettingsStore {
    package func settings(of tenant: TenantID) async throws -> StoredSettings? {
        try await settings(of: tenant, revision: nil)
    }
}
