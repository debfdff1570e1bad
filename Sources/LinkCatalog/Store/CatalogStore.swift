package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where tenants, settings, drafts, revisions, suites and keys are kept. Every write is one transaction with its audit row.
package protocol CatalogStore: Sendable {
    /// Every tenant with its live settings and tables, without the text of those that are known.
    func snapshot(without known: Set<TableVersion>) async throws -> CatalogSnapshot
    /// Every tenant, by id.
    func tenants() async throws -> [TenantSummary]

    // MARK: Settings

    /// Of the live settings, without reading them; nil for a tenant that is not there.
    func settingsRevision(of tenant: TenantID) async throws -> Int64?
    /// Nil for a tenant that is not there; `revision` nil is the live one.
    func settings(of tenant: TenantID, revision: Int64?) async throws -> SettingsRow?
    /// Newest first, those before a revision.
    func settingsHistory(of tenant: TenantID, before: Int64?, limit: Int) async throws -> [SettingsVersion]
    /// Writes the next settings and the domains and schemes that come with them; makes the tenant if it is new. With an
    /// `installKey` the tenant has it from then on, unless it has one already.
    ///
    /// Throws `OwnershipConflict` when another tenant owns one of them or, by `claims`, a host that overlaps, `StaleWrite` when `expected` is not the current
    /// revision, `ConcurrentModification` when other tables than those of `checked` are live.
    func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        installKey: Data?,
        expected: Int64?,
        checked: [EnvironmentID: Revision],
        claims: HostClaims.Rule,
        change: AuditContext
    ) async throws -> SettingsRow
    /// Nil for a tenant that never recorded installs.
    func installKey(of tenant: TenantID) async throws -> Data?

    // MARK: Drafts

    func drafts(of tenant: TenantID, in environment: EnvironmentID) async throws -> [DraftSummary]
    func draft(_ name: String, of tenant: TenantID, in environment: EnvironmentID) async throws -> DraftRow?
    /// Throws `StaleWrite` when `expected` is not the draft's current version, `ConcurrentModification` when there is no revision `base`.
    /// Throws `TooManyDrafts` when there is no room.
    func saveDraft(
        _ content: JSONNode,
        name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        base: DraftBase,
        expected: DraftVersion?,
        within room: DraftRoom,
        change: AuditContext
    ) async throws -> DraftRow
    /// False when there was none. Throws `ForeignDraft` when `author` is given and somebody else has written the draft.
    func removeDraft(
        _ name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: DraftVersion?,
        ofOnly author: String?,
        change: AuditContext
    ) async throws -> Bool

    // MARK: Revisions

    func live(of tenant: TenantID) async throws -> [EnvironmentID: Revision]
    /// Stores a table as the next revision, makes it live, and removes the draft that it came from.
    ///
    /// Throws `ConcurrentModification` when what the publication was checked against is no longer so.
    func publish(_ publication: Publication, change: AuditContext) async throws -> RevisionRow
    /// Newest first, those before a revision; of every environment for nil.
    func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID?,
        before: Revision?,
        limit: Int
    ) async throws -> [RevisionRow]
    func revision(_ revision: Revision, of tenant: TenantID) async throws -> RevisionRow?
    func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode?
    /// Forgets revisions that are older than the newest `keep` and than `before`; never one that is live anywhere or that a
    /// draft is based on. Those that went.
    func prune(_ tenant: TenantID, keep: Int, before: Timestamp, change: AuditContext) async throws -> [Revision]

    // MARK: Suites

    func suites(of tenant: TenantID) async throws -> [SuiteRow]
    /// Throws `TooManySuites` when there is no room.
    func saveSuite(
        _ content: String,
        name: String,
        of tenant: TenantID,
        expected: Int64?,
        change: AuditContext
    ) async throws -> SuiteRow
    /// False when there was none.
    func removeSuite(_ name: String, of tenant: TenantID, expected: Int64?, change: AuditContext) async throws -> Bool

    // MARK: Keys

    /// Throws `MakerHasEnded` when the key that makes it has ended, `TooManyKeys` when there is no room.
    func saveKey(_ grant: KeyGrant, change: AuditContext) async throws
    /// Every key, by id.
    func keyGrants() async throws -> [KeyGrant]
    /// Those of the keys that are there.
    func keyGrants(_ ids: [String]) async throws -> [KeyGrant]
    /// Of the tenant's keys, of all keys for nil.
    func keyIDs(of tenant: TenantID?) async throws -> [String]
    /// Makes the key end at a time that is not later than it ends already; nil when there is none of this id.
    func endKey(_ id: String, at end: Timestamp, as action: KeyEnd, change: AuditContext) async throws -> EndedKey?
    func noteUse(ofKey id: String, at hour: Timestamp) async throws
    /// The continuation keys, newest first; makes one from `random` when there is none or the newest is older than `age` ms.
    func continuationKeys(random: Data, at now: Timestamp, age: Int64) async throws -> [Data]

    // MARK: Audit

    /// Adds a row about something that was done outside the catalog.
    func note(_ deed: AuditAction, change: AuditContext) async throws
    /// Newest first, those before an id; of every tenant for nil.
    func audit(of tenant: TenantID?, before: Int64?, limit: Int) async throws -> [AuditRow]
    /// Reads the whole audit and computes its hashes again.
    func verifyAudit() async throws -> AuditVerdict

    // MARK: Repeated requests

    /// What is known of a request with an `Idempotency-Key` since `oldest`. Writes nothing.
    func known(_ request: IdempotentRequest, since oldest: Timestamp) async throws -> KnownRequest
    /// Keeps the answer of a change that is done. Forgets those before `oldest`, and the oldest of the actor and of the tenant
    /// where they take more than they may.
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

    package func settings(of tenant: TenantID) async throws -> SettingsRow? {
        try await settings(of: tenant, revision: nil)
    }
}

/// Who changes the catalog, when, and with which request.
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

/// What somebody did that no other row of the catalog tells of.
package struct AuditAction: Sendable {
    package let kind: Kind
    package let tenant: TenantID
    package let facts: JSONNode

    /// As the audit's `action` says it.
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

/// Somebody else wrote first; read again and repeat.
package struct StaleWrite: Error, Hashable, Sendable {
    /// As its ETag says it, without quotes.
    package let current: String
    package init(current: String) { self.current = current }
}

/// What a change was checked against is no longer so; check again and repeat.
package struct ConcurrentModification: Error, Hashable, Sendable {
    package init() {}
}
