package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What the store holds at one moment.
package struct CatalogSnapshot: Sendable {
    package struct Live: Sendable {
        package let environment: EnvironmentID
        package let revision: Revision
        /// The table as it is stored: JSON.
        package let text: String

        package init(environment: EnvironmentID, revision: Revision, text: String) {
            self.environment = environment
            self.revision = revision
            self.text = text
        }
    }

    /// Grows with every write.
    package let version: Int64
    package let tenants: [(settings: SettingsRow, live: [Live])]
    /// Of the tenants that record installs, or once did.
    package let installKeys: [TenantID: Data]

    package init(
        version: Int64,
        tenants: [(settings: SettingsRow, live: [Live])],
        installKeys: [TenantID: Data] = [:]
    ) {
        self.version = version
        self.tenants = tenants
        self.installKeys = installKeys
    }

    /// The catalog that the rows say; tables that `earlier` has already are not compiled again. Rows were checked when they
    /// were written: one that cannot be read is a broken store.
    package func catalog(reusing earlier: Catalog = Catalog()) throws -> Catalog {
        let compiled = Dictionary(earlier.tables.map { (TableVersion($0), $0) }) { first, _ in first }
        var tables: [PublishedTable] = []
        for (row, live) in tenants {
            for table in live {
                let version = TableVersion(
                    tenant: row.tenant,
                    environment: table.environment,
                    revision: table.revision,
                    settingsRevision: row.revision
                )
                tables.append(try compiled[version] ?? compile(table, row))
            }
            if !live.contains(where: { $0.environment == .production }) { tables.append(try compile(nil, row)) }
        }
        return Catalog(tables)
    }

    /// A tenant's table in one environment, or its empty production table.
    private func compile(_ live: Live?, _ row: SettingsRow) throws -> PublishedTable {
        PublishedTable(
            tenant: row.tenant,
            environment: live?.environment ?? .production,
            revision: live?.revision,
            settingsRevision: row.revision,
            settings: try Settings(Field(row.content, path: "settings")),
            installKey: installKeys[row.tenant],
            table: try live.map { try RouteTable(Field(try Document.readJSON($0.text), path: "table")) } ?? RouteTable()
        )
    }
}

/// What a compiled table is made from: the same version is the same table.
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
