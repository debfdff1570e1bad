import Dispatch
import GRDB
package import LinkCatalog
package import LinkRouting
import Migrations

/// `links.db`: the short links of all tenants, and the history of each link.
package final class ShortLinkDatabase: ShortLinkStore {
    let file: StorageFile
    let commits: GroupCommit
    let limits: Limits
    let random: @Sendable (Int) -> Int
    private let connections: DatabasePool
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
    ///   - checkFirst: Whether to check the whole file before opening, as required after an unclean stop.
    ///   - random: Returns a random number below its argument, for random codes.
    package init(
        _ path: String,
        checkFirst: CatalogDatabase.CheckFirst = .no,
        limits: Limits = Limits(),
        random: @escaping @Sendable (Int) -> Int
    ) throws {
        if checkFirst == .yes { try SQLiteFile.quickCheck(path, Self.schema) }
        connections = try SQLiteFile.open(path, Self.schema, readers: Self.readers)
        file = StorageFile(path, connections)
        commits = GroupCommit(file)
        self.limits = limits
        self.random = random
    }

    package func close() throws {
        commits.finish()
        try SQLiteFile.close(connections)
    }

    package func link(_ code: ShortCode, of tenant: TenantID, ignoringCase: Bool) async throws -> ShortLink? {
        try await file.read { db in
            if let row = try Self.row(code, of: tenant, db) { return try ShortLink(row) }
            guard ignoringCase else { return nil }
            return try Row.fetchOne(
                db.cachedStatement(sql: Self.foldedSQL),
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
        try await file.read { db in
            guard let row = try Self.row(code, of: tenant, db) else { return [] }
            let changes = try Row.fetchAll(
                db,
                sql: "SELECT * FROM short_link_change WHERE link = ? ORDER BY version DESC LIMIT ?",
                arguments: [row["id"] as Int64, ShortLinkChange.kept]
            ).map { row in
                ShortLinkChange(
                    at: Timestamp(milliseconds: row["at"]),
                    actor: Actor(row),
                    version: row["version"],
                    link: try Document.readStored(row["content"])
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
        try await file.read { db in
            try Int.fetchOne(db, sql: "SELECT links FROM tenant WHERE name = ?", arguments: [tenant.rawValue]) ?? 0
        }
    }

    package func count(
        of tenant: TenantID,
        by install: ShortLink.InstallHash,
        since start: Timestamp
    ) async throws -> Int {
        try await file.read { db in
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
                        FROM tenant WHERE links != rows
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
    static let tenantSQL = "(SELECT id FROM tenant WHERE name = :tenant)"

    static func row(_ code: ShortCode, of tenant: TenantID, _ db: Database) throws -> Row? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM short_link WHERE tenant = \(tenantSQL) AND code = :code"),
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
