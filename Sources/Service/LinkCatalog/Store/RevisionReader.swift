package import LinkRouting

/// Reads tables and settings by their revisions.
package protocol RevisionReader: Sendable {
    /// Returns one revision of the settings, the live one for a nil `revision`. Nil for an unknown tenant or revision.
    func settings(of tenant: TenantID, revision: Int64?) async throws -> StoredSettings?
    /// Returns the metadata of a revision; nil when it does not exist.
    func revision(_ revision: Revision, of tenant: TenantID) async throws -> PublishedRevision?
    /// Returns the table of a revision; nil when it does not exist.
    func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode?
}
