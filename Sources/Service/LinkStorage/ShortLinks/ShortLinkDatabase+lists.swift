import GRDB
package import LinkCatalog
package import LinkRouting

extension ShortLinkDatabase {
    /// A text, and links that have expired or have not, are searched in the next ``Limits/searched`` links only.
    package func list(_ query: ShortLinkQuery, of tenant: TenantID) async throws -> ShortLinkPage {
        try await atLength { [file, limits] in
            try file.read { db in try Self.list(query, of: tenant, searched: limits.searched, db, file.path) }
        }
    }

    private static func list(
        _ query: ShortLinkQuery,
        of tenant: TenantID,
        searched: Int,
        _ db: Database,
        _ path: String
    ) throws -> ShortLinkPage {
        let status = query.status.map(StoredStatus.init)
        var arguments: ShortLink.Columns = [
            "tenant": tenant.rawValue, "text": query.text, "searched": searched, "expired": status?.hasExpired,
            "now": status?.now?.milliseconds,
        ]
        // The table whose index has the order, and its column with the id of the link.
        let (tables, entry, id) =
            query.tag == nil
            ? ("short_link AS link", "link", "link.id")
            : ("short_link_tag AS entry CROSS JOIN short_link AS link ON link.id = entry.link", "entry", "entry.link")
        var conditions = ["\(entry).tenant = \(tenantSQL)"]
        if let tag = query.tag {
            conditions.append("entry.tag = :tag")
            arguments.updateValue(tag, forKey: "tag")
        }
        if let status {
            conditions.append("link.status = :status")
            arguments.updateValue(status.name, forKey: "status")
        }
        if let isFromApp = query.isFromApp {
            conditions.append("link.from_app = :fromApp")
            arguments.updateValue(isFromApp, forKey: "fromApp")
        }
        if let after = query.after {
            guard let row = try Self.row(after, of: tenant, SQLiteDatabase(db, path)) else {
                return ShortLinkPage(links: [])
            }
            conditions.append("(\(entry).created_at, \(id)) < (:at, :after)")
            arguments.updateValue(try row["created_at"] as Int64, forKey: "at")
            arguments.updateValue(try row["id"] as Int64, forKey: "after")
        }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT link.*, (:text IS NULL OR instr(
                    lower(link.code || char(10) || json_extract(link.content, '$.target') || char(10)
                        || ifnull(json_extract(link.content, '$.title'), '')),
                    lower(:text)
                ) > 0) AND (:expired IS NULL OR ifnull(link.expires <= :now, 0) = :expired) AS is_match
                FROM \(tables) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY \(entry).created_at DESC, \(id) DESC LIMIT :searched
                """,
            arguments: SQLArguments(arguments).ofSQLite
        )
        var page = ShortLinkPage(links: [])
        var count = 0
        while page.links.count < query.limit, let row = try rows.next() {
            count += 1
            if row["is_match"] as Bool { page.links.append(try ShortLink(SQLRow(row))) }
            if count == searched, page.links.count < query.limit {
                page.searchedUntil = try ShortLink(SQLRow(row)).code
            }
        }
        return page
    }
}

/// The columns of links with a status.
private struct StoredStatus {
    let name: String
    /// Nil for both.
    var hasExpired: Bool?
    var now: Timestamp?

    init(_ status: ShortLinkQuery.Status) {
        switch status {
        case .active(let time), .expired(let time):
            name = "active"
            hasExpired = status == .expired(at: time)
            now = time
        case .archived: name = "archived"
        case .blocked: name = "blocked"
        }
    }
}
