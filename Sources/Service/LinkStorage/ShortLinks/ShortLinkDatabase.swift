import Dispatch
import GRDB
package import LinkCatalog
package import LinkRouting
import Migrations

/// The short links of all tenants, and the history of each link, in `links.db` or in another store. With another store,
/// `links.db` is this node's copy of the links; clicks and lists read it.
package final class ShortLinkDatabase: ShortLinkStore {
    /// `links.db`.
    let local: SQLiteStore
    /// Where links are created and changed.
    let store: any SQLStore
    /// Nil if `links.db` is that store.
    let replica: ShortLinkReplica?
    let commits: GroupCommit
    let limits: Limits
    let random: @Sendable (Int) -> Int
    /// The most rows of one change. Changes of others are written between two of them.
    let chunk: Int
    private static let localChunk = 500
    /// Each row takes some round trips, and the transactions of all nodes wait for each other.
    private static let remoteChunk = 100
    /// Callers of lists wait for each other on this serial queue, so that they take one connection at most.
    private let longWork = DispatchQueue(label: "fingerpost.links.longWork")

    static let schema = SQLiteSchema(applicationID: 0x4650_4C4B, migrations: Migrations.links)

    /// Two connections read codes. Besides them, lists take one, and a backup or a check of the file takes one.
    private static let readers = 4

    package struct Limits: Sendable {
        /// The most links of a tenant.
        package let links: Int
        /// Of those, the most that apps created.
        package let appLinks: Int
        /// The most links that one search for a text reads, which takes a fraction of a second.
        package let searched: Int

        package init(links: Int = ShortLink.mostOfTenant, appLinks: Int = ShortLink.mostOfApps, searched: Int = 100_000)
        {
            self.links = links
            self.appLinks = appLinks
            self.searched = searched
        }
    }

    /// Opens or creates the file and migrates it. Throws `StorageError`.
    ///
    /// - Parameters:
    ///   - source: The store of the links; nil if that is the file.
    ///   - checkFirst: Whether to check the whole file before opening, as required after an unclean stop.
    ///   - random: Returns a random number below its argument, for random codes.
    package init(
        _ path: String,
        copyOf source: (any SQLStore)? = nil,
        checkFirst: CatalogDatabase.CheckFirst = .no,
        limits: Limits = Limits(),
        random: @escaping @Sendable (Int) -> Int
    ) throws {
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, Self.schema) }
        local = try SQLiteStore(path, Self.schema, readers: Self.readers)
        if let source {
            let replica = ShortLinkReplica(of: source, in: local)
            self.replica = replica
            store = source
            // The copy has a new link when its creation is answered, unless copying takes longer than a second.
            commits = GroupCommit(source, most: Self.remoteChunk, ending: replica.note) {
                await replica.followBriefly()
            }
            chunk = Self.remoteChunk
        } else {
            replica = nil
            store = local
            commits = GroupCommit(local, most: Self.localChunk)
            chunk = Self.localChunk
        }
        self.limits = limits
        self.random = random
    }

    /// The store is closed by its owner.
    package func close() throws { try local.close() }

    /// Brings this node's copy up to date, and tells the store which links were clicked here.
    ///
    /// - Parameter progress: Called with the number of rows that were copied so far.
    package func follow(telling progress: (Int) -> Void = { _ in }) async throws {
        try await replica?.follow(telling: progress)
        try await replica?.sendEnds(by: commits)
    }

    /// Whether this node's copy has ever had all links.
    package var hasFollowed: Bool { get throws { try replica?.isComplete ?? false } }

    /// The number of the last change that this node's copy has.
    package var lastChange: Int64 { get throws { try replica?.number ?? 0 } }

    /// Lets apps' links that end soon live on while the report of a node is missing, which may have seen clicks.
    package func holdAppLinks(at now: Timestamp) async throws { try await replica?.hold(by: commits, at: now) }

    /// Opens or creates a file with the tables of short links.
    package static func makeStore(_ path: String) throws -> any SQLStore { try SQLiteStore(path, schema) }

    var file: StorageFile { local.file }

    package func link(_ code: ShortCode, of tenant: TenantID, ignoringCase: Bool) async throws -> ShortLink? {
        try await local.read { db in
            if let row = try Self.row(code, of: tenant, db) { return try ShortLink(row) }
            guard ignoringCase else { return nil }
            return try SQLRow.fetchOne(
                db,
                sql: Self.foldedSQL,
                arguments: ["tenant": tenant.rawValue, "code": code.rawValue]
            ).map { try ShortLink($0) }
        }
    }

    /// The oldest link whose code differs in letter case only.
    private static let foldedSQL = """
        SELECT * FROM short_link WHERE id = (SELECT min(id) FROM (
            SELECT id FROM short_link WHERE tenant = \(tenantSQL) AND code = lower(:code)
            UNION ALL
            SELECT id FROM (
                SELECT id FROM short_link
                WHERE tenant = \(tenantSQL) AND code = :code COLLATE NOCASE AND code GLOB '*[A-Z]*'
                ORDER BY id LIMIT 1
            )
        ))
        """

    package func history(of code: ShortCode, of tenant: TenantID) async throws -> [ShortLinkChange] {
        try await store.read { db in
            guard let row = try Self.row(code, of: tenant, db) else { return [] }
            let changes = try SQLRow.fetchAll(
                db,
                sql: "SELECT * FROM short_link_change WHERE link = ? ORDER BY version DESC LIMIT ?",
                arguments: [try row["id"] as Int64, ShortLinkChange.kept]
            ).map { row in
                ShortLinkChange(
                    at: Timestamp(milliseconds: try row["at"]),
                    actor: try Actor(row),
                    version: try row["version"],
                    link: try Document.readStored(try row["content"])
                )
            }
            guard changes.isEmpty else { return changes }
            let link = try ShortLink(row)
            return [
                ShortLinkChange(
                    at: link.createdAt,
                    actor: link.createdBy,
                    version: link.version,
                    link: link.changeable
                )
            ]
        }
    }

    package func count(of tenant: TenantID) async throws -> Int {
        try await local.read { db in
            try Int.fetchOne(db, sql: "SELECT links FROM link_tenant WHERE name = ?", arguments: [tenant.rawValue]) ?? 0
        }
    }

    package func count(
        of tenant: TenantID,
        by install: ShortLink.InstallHash,
        since start: Timestamp
    ) async throws -> Int {
        try await local.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM short_link
                    WHERE tenant = \(Self.tenantSQL) AND install = :install AND created_at >= :start
                    """,
                arguments: ["tenant": tenant.rawValue, "install": install, "start": start.milliseconds]
            ) ?? 0
        }
    }

    /// Reads every page, and compares the counts of links with the rows. Returns what is damaged, for operators.
    func faults() async -> [String] {
        do {
            return try await file.read { [file] db in
                try StorageFile.checkPages(db)
                return try Row.fetchAll(
                    db,
                    sql: """
                        SELECT name, links, (SELECT count(*) FROM short_link WHERE tenant = tenant.id) AS rows
                        FROM link_tenant AS tenant WHERE links != rows
                        """
                ).map { row in
                    "\(file.path): \(row["name"] as String) has \(row["rows"] as Int) links, but "
                        + "\(row["links"] as Int) are counted"
                }
            }
        } catch let damage as StorageError {
            return [damage.description]
        } catch {
            return ["\(file.path): \(error)"]
        }
    }

    // MARK: Shared

    /// The id of the tenant `:tenant`.
    static let tenantSQL = "(SELECT id FROM link_tenant WHERE name = :tenant)"

    static func row(_ code: ShortCode, of tenant: TenantID, _ db: any SQLDatabase) throws -> SQLRow? {
        try SQLRow.fetchOne(
            db,
            sql: "SELECT * FROM short_link WHERE tenant = \(tenantSQL) AND code = :code",
            arguments: ["tenant": tenant.rawValue, "code": code.rawValue]
        )
    }

    /// Runs work that may read many rows, after all work of this kind that was begun before.
    func atLength<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            longWork.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
