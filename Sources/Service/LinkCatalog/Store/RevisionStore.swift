package import LinkRouting

/// The storage of published tables. Every write is one transaction together with its audit row.
package protocol RevisionStore: RevisionReader {
    /// Returns the live revision of each environment.
    func live(of tenant: TenantID) async throws -> [EnvironmentID: Revision]
    /// Stores a table as the next revision, makes it live, and removes the draft that it came from. Makes no revision
    /// of a table that is live already. Deletes the oldest revisions beyond the publication's ``RevisionRoom``.
    ///
    /// - Throws: ``ConcurrentModification`` when the state that the publication was checked against has changed;
    ///   ``TooManyRevisions`` when there is no room.
    func publish(_ publication: Publication, change: AuditContext) async throws -> Publication.Outcome
    /// Returns the revisions before `before`, newest first; of every environment for a nil `environment`.
    func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID?,
        before: Revision?,
        limit: Int
    ) async throws -> [PublishedRevision]
    /// Deletes revisions that were published before `before` and are not among the newest `keep` of their environment.
    /// Keeps revisions that are live in any environment or that a draft is based on. Returns the deleted revisions.
    func prune(_ tenant: TenantID, keep: Int, before: Timestamp, change: AuditContext) async throws -> [Revision]
}

extension RevisionStore {
    package func live(of tenant: TenantID, in environment: EnvironmentID) async throws -> Revision? {
        try await live(of: tenant)[environment]
    }
}
