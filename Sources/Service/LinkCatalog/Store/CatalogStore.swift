package import LinkRouting

/// The storage of the catalog. Code that needs only a part of it takes the protocol of that part.
package protocol CatalogStore: SettingsStore, DraftStore, RevisionStore, SuiteStore, KeyStore, AuditStore,
    IdempotencyStore, SessionStore
{
    /// Brings what ``snapshot(without:)`` reads up to date, where that is a copy. Returns false if nothing has changed.
    func follow() async throws -> Bool
    /// Returns every tenant with its live settings and tables. Tables in `known` come without their text.
    func snapshot(without known: Set<TableVersion>) async throws -> CatalogSnapshot
    /// Stores settings, a publication and suites in one transaction. Creates the tenant if it is new.
    ///
    /// - Throws: The errors of ``SettingsStore/saveSettings``, ``RevisionStore/publish(_:change:)`` and
    ///   ``SuiteStore/saveSuite``. Nothing is stored if it throws.
    func apply(_ tenantChange: TenantChange, to tenant: TenantID, change: AuditContext) async throws
        -> TenantChange.Stored
}

extension CatalogStore {
    package func snapshot() async throws -> CatalogSnapshot { try await snapshot(without: []) }
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

/// Whether a tenant is archived, and whether its content is deleted.
package enum Archival: Sendable, Hashable { case archived, removed }

/// A change of an archived or removed tenant.
package struct InactiveTenant: Error, Hashable, Sendable {
    package let tenant: TenantID
    package let archival: Archival

    package init(tenant: TenantID, archival: Archival) {
        self.tenant = tenant
        self.archival = archival
    }
}

/// The removal of a tenant that is not archived.
package struct TenantNotArchived: Error, Hashable, Sendable {
    package let tenant: TenantID
    package init(tenant: TenantID) { self.tenant = tenant }
}
