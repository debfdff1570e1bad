import Foundation
package import LinkCatalog
import LinkRouting
import Migrations

/// Tenants, settings, drafts, revisions, suites, keys and audit log, in `catalog.db` or in another store. Every change is
/// one transaction with its audit row.
///
/// With another store, this node has a copy of what the public port needs. Links, keys and tables are read from it.
package final class CatalogDatabase: CatalogStore {
    let pool: any SQLStore
    /// `catalog.db`, or this node's copy.
    let local: SQLiteStore
    let replica: CatalogReplica?

    /// A change of the catalog reads and writes few pages, so a small cache suffices.
    static let schema = SQLiteSchema(
        applicationID: 0x4650_4341,
        migrations: Migrations.catalog,
        writerCache: 2_000
    )

    /// Opens or creates the file and migrates it. Throws `StorageError`.
    ///
    /// - Parameter checkFirst: Whether to check the whole file before opening, as required after an unclean stop.
    package init(_ path: String, checkFirst: CheckFirst = .no, copies: Copies = .refused) throws {
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, Self.schema) }
        local = try SQLiteStore(path, Self.schema)
        pool = local
        replica = nil
        if copies == .refused,
            let source = try local.reading({ try String.fetchOne($0, sql: "SELECT source FROM copy_of") })
        {
            try local.close()
            throw StorageError.copiedCatalog(file: path, source: source)
        }
    }

    /// Uses a store that has the tables of the catalog, and opens or creates this node's copy.
    ///
    /// - Parameter node: The name of this node, which no other one has.
    package init(_ store: any SQLStore, copy path: String, node: String, checkFirst: CheckFirst = .no) throws {
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, Self.schema) }
        local = try SQLiteStore(path, Self.schema)
        let replica = CatalogReplica(of: store, in: local, node: node)
        self.replica = replica
        pool = CatalogReplica.Writer(replica: replica)
    }

    private init(copy local: SQLiteStore) {
        self.local = local
        pool = local
        replica = nil
    }

    /// What the public port reads: this node's copy, or the catalog itself if it is in a file.
    package var served: CatalogDatabase { CatalogDatabase(copy: local) }

    /// The store for changes by this node.
    package var changes: any SQLStore { pool }

    /// Whether this node's file is a copy of another catalog.
    package var hasFollowed: Bool {
        get throws { try local.reading { try String.fetchOne($0, sql: "SELECT source FROM copy_of") } != nil }
    }

    /// The file of the catalog, or of this node's copy.
    var file: StorageFile { local.file }

    /// Opens or creates a file with the tables of the catalog.
    package static func makeStore(_ path: String) throws -> any SQLStore { try SQLiteStore(path, schema) }

    /// What to do with a file that is a node's copy.
    package enum Copies: Sendable { case refused, accepted }

    package enum CheckFirst: Sendable { case yes, no }

    package func close() throws {
        if replica != nil { try pool.close() }
        try local.close()
    }

    /// Brings this node's copy up to date. Returns false if nothing has changed, or if there is no copy.
    package func follow() async throws -> Bool { try await replica?.follow() ?? false }

    /// The version of what ``snapshot(without:)`` reads: each change of the catalog increases it.
    package func version() async throws -> Int64 {
        try await local.read { try Int64.fetchOne($0, sql: "SELECT id FROM audit_head") ?? 0 }
    }

    package func snapshot(without known: Set<TableVersion>) async throws -> CatalogSnapshot {
        try await local.read { db in
            let live = try Self.live(db)
            let tenants = try Self.liveSettings(db).map { row in
                CatalogSnapshot.Tenant(
                    row.tenant,
                    settingsRevision: row.revision,
                    settings: row.text,
                    live: try (live[row.tenant] ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        let version = TableVersion(
                            tenant: row.tenant,
                            environment: $0,
                            revision: $1,
                            settingsRevision: row.revision
                        )
                        let text = known.contains(version) ? nil : try Self.text(of: $1, tenant: row.tenant, db)
                        return CatalogSnapshot.Live(environment: $0, revision: $1, text: text)
                    }
                )
            }
            return CatalogSnapshot(
                // Every change adds an audit row.
                version: try Int64.fetchOne(db, sql: "SELECT id FROM audit_head") ?? 0,
                tenants: tenants,
                archived: try Self.archivedTenants(db),
                installKeys: try Self.installKeys(db)
            )
        }
    }

    // MARK: Shared

    /// Returns the live revisions of all tenants. Skips rows with damaged names.
    static func live(_ db: any SQLDatabase) throws -> [TenantID: [EnvironmentID: Revision]] {
        var live: [TenantID: [EnvironmentID: Revision]] = [:]
        for row in try SQLRow.fetchAll(db, sql: "SELECT tenant, environment, number FROM live") {
            guard let tenant = TenantID(try row["tenant"] as String),
                let environment = EnvironmentID(try row["environment"] as String)
            else { continue }
            live[tenant, default: [:]][environment] = Revision(rawValue: try row["number"])
        }
        return live
    }

    static func content(_ text: String) throws -> JSONNode { try Document.readStored(text) }

    /// Parses a stored document. Throws ``UnreadableDocument``, which names the document.
    static func content(_ text: String, of kind: UnreadableDocument.Kind) throws -> JSONNode {
        do {
            return try Document.readStored(text)
        } catch {
            throw UnreadableDocument(kind, error.description)
        }
    }

    static func environment(_ text: String) throws -> EnvironmentID {
        guard let environment = EnvironmentID(text) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(text)' is not an environment")
        }
        return environment
    }

    static func name<Name: Identifier>(_ text: String, _: Name.Type) throws -> Name {
        guard let name = Name(text) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(text)' is not a valid \(Name.self)")
        }
        return name
    }

    static func live(of tenant: TenantID, _ db: any SQLDatabase) throws -> [EnvironmentID: Revision] {
        let rows = try SQLRow.fetchAll(
            db,
            sql: "SELECT environment, number FROM live WHERE tenant = ?",
            arguments: [tenant.rawValue]
        )
        return Dictionary(
            try rows.map { (try environment($0["environment"]), Revision(rawValue: try $0["number"])) }
        ) { first, _ in first }
    }

    static func live(of tenant: TenantID, in environment: EnvironmentID, _ db: any SQLDatabase) throws -> Revision? {
        try Int64.fetchOne(
            db,
            sql: "SELECT number FROM live WHERE tenant = ? AND environment = ?",
            arguments: [tenant.rawValue, environment.rawValue]
        ).map(Revision.init(rawValue:))
    }

    /// Returns the next version number, which a tenant's drafts and suites share.
    static func nextVersion(of tenant: TenantID, _ db: any SQLDatabase) throws -> Int64 {
        try db.execute(
            sql: "UPDATE tenant SET counter = counter + 1 WHERE id = ?",
            arguments: [tenant.rawValue]
        )
        return try Int64.fetchOne(
            db,
            sql: "SELECT counter FROM tenant WHERE id = ?",
            arguments: [tenant.rawValue]
        ) ?? 0
    }
}
