package import LinkRouting

extension ShortLinkStore {
    /// Deletes the links of removed tenants, and those of apps that expired more than 30 days ago. The next call
    /// completes what was interrupted.
    package func deleteOldLinks(of store: any SettingsStore, at now: Timestamp) async throws {
        for tenant in try await store.removedTenants() {
            guard try await count(of: tenant) > 0 else { continue }
            _ = try await deleteLinks(of: tenant)
        }
        let time = Timestamp(milliseconds: now.milliseconds - 30 * Timestamp.millisecondsPerDay)
        _ = try await deleteAppLinks(expiredBefore: time)
    }
}
