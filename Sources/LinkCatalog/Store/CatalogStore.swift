package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The storage of tenants, settings, drafts, revisions, suites and keys. Every write is one transaction together with
/// its audit row.
package protocol CatalogStore: Sendable {
    /// Returns every tenant with its live settings and tables. Tables in `known` come without their text.
    func snapshot(without known: Set<TableVersion>) async throws -> CatalogSnapshot
    /// Returns every tenant, ordered by id.
    func tenants() async throws -> [TenantSummary]

    // MARK: Settings

    /// Returns the revision of the live settings without reading them; nil for an unknown tenant.
    func settingsRevision(of tenant: TenantID) async throws -> Int64?
    /// Returns one revision of the settings, the live one for a nil `revision`. Nil for an unknown tenant or revision.
    func settings(of tenant: TenantID, revision: Int64?) async throws -> StoredSettings?
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

    // MARK: Drafts

    func drafts(of tenant: TenantID, in environment: EnvironmentID) async throws -> [DraftSummary]
    /// Returns a draft; nil when there is none.
    func draft(_ name: DraftName, of tenant: TenantID, in environment: EnvironmentID) async throws -> Draft?
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

    // MARK: Revisions

    /// Returns the live revision of each environment.
    func live(of tenant: TenantID) async throws -> [EnvironmentID: Revision]
    /// Stores a table as the next revision, makes it live, and removes the draft that it came from.
    ///
    /// - Throws: ``ConcurrentModification`` when the state that the publication was checked against has changed.
    func publish(_ publication: Publication, change: AuditContext) async throws -> PublishedRevision
    /// Returns the revisions before `before`, newest first; of every environment for a nil `environment`.
    func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID?,
        before: Revision?,
        limit: Int
    ) async throws -> [PublishedRevision]
    /// Returns the metadata of a revision; nil when it does not exist.
    func revision(_ revision: Revision, of tenant: TenantID) async throws -> PublishedRevision?
    /// Returns the table of a revision; nil when it does not exist.
    func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode?
    /// Deletes revisions that were published before `before` and are not among the newest `keep` of their environment.
    /// Keeps revisions that are live in any environment or that a draft is based on. Returns the deleted revisions.
    func prune(_ tenant: TenantID, keep: Int, before: Timestamp, change: AuditContext) async throws -> [Revision]

    // MARK: Suites

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

    // MARK: Keys

    /// Stores a new key. Throws ``MakerHasEnded`` when the key that creates it has ended, ``TooManyKeys`` when the
    /// limit is reached.
    func saveKey(_ grant: KeyGrant, change: AuditContext) async throws
    /// Returns every key, ordered by id.
    func keyGrants() async throws -> [KeyGrant]
    /// Returns the existing keys among `ids`.
    func keyGrants(_ ids: [KeyID]) async throws -> [KeyGrant]
    /// Returns the ids of the tenant's keys; of all keys for nil.
    func keyIDs(of tenant: TenantID?) async throws -> [KeyID]
    /// Makes a key end at `end`, or earlier if it ends earlier already. Returns nil for an unknown id.
    func endKey(_ id: KeyID, at end: Timestamp, as action: KeyEnd, change: AuditContext) async throws -> EndedKey?
    /// Records the last use of a key, rounded to the hour.
    func noteUse(ofKey id: KeyID, at hour: Timestamp) async throws
    /// Returns the continuation keys, newest first. Creates one from `random` when there is none or the newest is older
    /// than `age` milliseconds.
    func continuationKeys(random: Data, at now: Timestamp, age: Int64) async throws -> [Data]

    // MARK: Audit

    /// Adds an audit row for an action outside the catalog.
    func note(_ deed: AuditAction, change: AuditContext) async throws
    /// Returns the audit rows before an id, newest first; of every tenant for nil.
    func audit(of tenant: TenantID?, before: Int64?, limit: Int) async throws -> [AuditEntry]
    /// Reads the whole audit log and recomputes its hash chain.
    func verifyAudit() async throws -> AuditVerdict

    // MARK: Repeated requests

    /// Looks up a request with an `Idempotency-Key` that was answered since `oldest`. Read-only.
    func known(_ request: IdempotentRequest, since oldest: Timestamp) async throws -> KnownRequest
    /// Stores the answer to a completed change. Evicts answers older than `oldest`, and the oldest answers of the actor
    /// and of the tenant where they exceed their quota.
    func keep(
        _ answer: StoredResponse,
        to request: IdempotentRequest,
        of tenant: TenantID?,
        at now: Timestamp,
        since oldest: Timestamp
    ) async throws
}

extension CatalogStore {
    package func snapshot() async throws -> CatalogSnapshot { try await snapshot(without: []) }

    package func live(of tenant: TenantID, in environment: EnvironmentID) async throws -> Revision? {
        try await live(of: tenant)[environment]
    }

    package func settings(of tenant: TenantID) async throws -> StoredSettings? {
        try await settings(of: tenant, revision: nil)
    }
}

/// The actor, time and request id of a change to the catalog, for its audit row.
package struct AuditContext: Sendable {
    package let actor: Actor
    package let at: Timestamp
    package let requestID: String

    package init(actor: Actor, at: Timestamp, requestID: String) {
        self.actor = actor
        self.at = at
        self.requestID = requestID
    }
}

/// An audited action that changes nothing in the catalog itself.
package struct AuditAction: Sendable {
    package let kind: Kind
    package let tenant: TenantID
    package let facts: JSONNode

    /// The raw value is the audit row's `action`.
    package enum Kind: String, Sendable {
        case eraseInstall = "erase_install"
        case forceRetention = "force_retention"
    }

    package init(_ kind: Kind, of tenant: TenantID, _ facts: JSONNode) {
        self.kind = kind
        self.tenant = tenant
        self.facts = facts
    }
}

/// Another tenant owns a domain or scheme.
package struct OwnershipConflict: Error, Hashable, Sendable {
    package enum Kind: String, Sendable { case domain, scheme }
    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// The document was changed concurrently. The caller must read it again and repeat the change.
package struct StaleWrite: Error, Hashable, Sendable {
    /// The current version as in its ETag, without quotes.
    package let current: String
    package init(current: String) { self.current = current }
}

/// The state that a change was checked against has changed. The check must be repeated.
package struct ConcurrentModification: Error, Hashable, Sendable {
    package init() {}
}
