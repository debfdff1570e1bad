package import LinkCatalog
package import LinkEvents
package import LinkRouting

extension SettingsStore {
    /// Returns the value that a tenant's events record for the install with this `stickyKey`, even if the settings no
    /// longer ask for installs; nil for a tenant that never recorded any.
    package func install(of stickyKey: String, tenant: TenantID) async throws -> InstallID? {
        try await installKey(of: tenant).map { Redaction.install(stickyKey, key: $0) }
    }
}
