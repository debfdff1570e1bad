package import LinkCatalog
import LinkEvents
package import LinkRouting

extension CatalogStore {
    /// What stands in a tenant's events for the install of this `stickyKey`, also when the settings no longer ask for
    /// installs; nil for a tenant that never recorded any.
    package func install(of stickyKey: String, tenant: TenantID) async throws -> String? {
        try await installKey(of: tenant).map { Redaction.install(stickyKey, key: $0) }
    }
}
