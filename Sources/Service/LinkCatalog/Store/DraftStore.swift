package import LinkRouting

/// The storage of drafts. Every write is one transaction together with its audit row.
package protocol DraftStore: Sendable {
    func drafts(of tenant: TenantID, in environment: EnvironmentID) async throws -> [DraftSummary]
    /// Returns a draft, nil when there is none, and the live revision of its environment.
    func draft(
        _ name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID
    ) async throws -> (draft: Draft?, live: Revision?)
    /// Writes a draft.
    ///
    /// - Throws: ``StaleWrite`` when `expected` is not the draft's current version; ``ConcurrentModification`` when the
    ///   revision of `base` does not exist; ``TooManyDrafts`` when `room` is exhausted.
    func saveDraft(
        _ content: JSONNode,
        name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID,
        base: DraftBase,
        expected: DraftVersion?,
        within room: DraftRoom,
        change: AuditContext
    ) async throws -> Draft
    /// Removes a draft. Returns false when there was none.
    ///
    /// - Throws: ``ForeignDraft`` when `author` is given and another actor has written the draft.
    func removeDraft(
        _ name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: DraftVersion?,
        ofOnly author: String?,
        change: AuditContext
    ) async throws -> Bool
}
