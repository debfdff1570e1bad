package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A consistent snapshot of the store.
package struct CatalogSnapshot: Sendable {
    package struct Tenant: Sendable {
        package let id: TenantID
        package let settingsRevision: Int64
        /// The stored JSON.
        package let settings: String
        package let live: [Live]

        package init(_ id: TenantID, settingsRevision: Int64, settings: String, live: [Live]) {
            self.id = id
            self.settingsRevision = settingsRevision
            self.settings = settings
            self.live = live
        }
    }

    /// A tenant's live table in one environment.
    package struct Live: Sendable {
        package let environment: EnvironmentID
        package let revision: Revision
        /// The stored JSON of the table; nil for a table that the reader of the snapshot has compiled already.
        package let text: String?

        package init(environment: EnvironmentID, revision: Revision, text: String?) {
            self.environment = environment
            self.revision = revision
            self.text = text
        }
    }

    /// Increases with every write.
    package let version: Int64
    package let tenants: [Tenant]
    /// The tenants that answer no links. Their settings still decide about exports and retention of their events.
    package let archived: Set<TenantID>
    /// The install keys of the tenants that record installs or did so earlier.
    package let installKeys: [TenantID: Data]

    package init(
        version: Int64,
        tenants: [Tenant],
        archived: Set<TenantID> = [],
        installKeys: [TenantID: Data] = [:]
    ) {
        self.version = version
        self.tenants = tenants
        self.archived = archived
        self.installKeys = installKeys
    }

    /// Compiles the snapshot. Tables that `earlier` has in the same version are reused.
    ///
    /// A table that cannot be read is taken from `earlier` and listed in `unreadable`, so that it affects its own
    /// tenant only. A tenant without a readable production table gets no tables at all, because the table of another
    /// environment would answer for its hosts.
    package func catalog(reusing earlier: Catalog = Catalog()) -> Catalog {
        let compiled = Dictionary(earlier.tables.map { (TableVersion($0), $0) }) { first, _ in first }
        var tables: [PublishedTable] = []
        var unreadable: [UnreadableTenant] = []
        for tenant in tenants {
            var own: [PublishedTable] = []
            let hasProduction = tenant.live.contains { $0.environment == .production }
            for live in tenant.live.map(Optional.some) + (hasProduction ? [] : [nil]) {
                let environment = live?.environment ?? .production
                do {
                    own.append(try compiled[tenant.version(of: live)] ?? compile(live, of: tenant))
                } catch {
                    unreadable.append(UnreadableTenant(tenant: tenant.id, environment: environment, error))
                    if let last = earlier.table(of: tenant.id, in: environment) { own.append(last) }
                }
            }
            if own.contains(where: { $0.environment == .production }) { tables += own }
        }
        return Catalog(tables, archived: archived, unreadable: unreadable)
    }

    /// Compiles a tenant's table in one environment; its empty production table for nil.
    private func compile(_ live: Live?, of tenant: Tenant) throws -> PublishedTable {
        var table = RouteTable()
        if let live {
            guard let text = live.text else { throw UnreadableDocument(.revision(live.revision), "it was not loaded") }
            table = try RouteTable(DocumentField(try Document.readStored(text), path: "table"))
        }
        return PublishedTable(
            tenant: tenant.id,
            environment: live?.environment ?? .production,
            revision: live?.revision,
            settingsRevision: tenant.settingsRevision,
            settings: try Settings(stored: try Document.readStored(tenant.settings)),
            installKey: installKeys[tenant.id],
            table: table
        )
    }
}

extension CatalogSnapshot.Tenant {
    fileprivate func version(of live: CatalogSnapshot.Live?) -> TableVersion {
        TableVersion(
            tenant: id,
            environment: live?.environment ?? .production,
            revision: live?.revision,
            settingsRevision: settingsRevision
        )
    }
}

/// A table that cannot be read, because it or its tenant's settings are unreadable. The last readable table since the
/// start, if any, stays live.
package struct UnreadableTenant: Sendable, Hashable {
    package let tenant: TenantID
    package let environment: EnvironmentID
    package let reason: String

    package init(tenant: TenantID, environment: EnvironmentID, _ error: any Error) {
        self.tenant = tenant
        self.environment = environment
        reason = String("\(error)".prefix(300))
    }
}

/// The inputs of a compiled table. Equal versions compile to equal tables.
package struct TableVersion: Sendable, Hashable {
    package let tenant: TenantID
    package let environment: EnvironmentID
    package let revision: Revision?
    package let settingsRevision: Int64

    package init(tenant: TenantID, environment: EnvironmentID, revision: Revision?, settingsRevision: Int64) {
        self.tenant = tenant
        self.environment = environment
        self.revision = revision
        self.settingsRevision = settingsRevision
    }

    package init(_ table: PublishedTable) {
        self.init(
            tenant: table.tenant,
            environment: table.environment,
            revision: table.revision,
            settingsRevision: table.settingsRevision
        )
    }
}
