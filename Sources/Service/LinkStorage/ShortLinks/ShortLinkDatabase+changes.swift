import GRDB
package import LinkCatalog
package import LinkRouting

extension ShortLinkDatabase {
    /// The most random codes that are tried for a link.
    private static let attempts = 8

    package func create(_ links: [NewShortLink], of tenant: TenantID) async throws -> [ShortLinkCreation] {
        var results: [ShortLinkCreation] = []
        results.reserveCapacity(links.count)
        for start in stride(from: 0, to: links.count, by: chunk) {
            let part = links[start..<min(start + chunk, links.count)]
            results += try await commits.storing(weight: part.count) { [self] db in
                try Self.add(tenant, db)
                return try part.map { try create($0, of: tenant, db) }
            }
        }
        return results
    }

    static func add(_ tenant: TenantID, _ db: any SQLDatabase) throws {
        try db.execute(
            sql: """
                INSERT INTO link_tenant (id, name) SELECT coalesce(max(id), 0) + 1, CAST(? AS TEXT) FROM link_tenant
                WHERE TRUE ON CONFLICT (name) DO NOTHING
                """,
            arguments: [tenant.rawValue]
        )
    }

    private func create(_ new: NewShortLink, of tenant: TenantID, _ db: any SQLDatabase) throws -> ShortLinkCreation {
        if let link = try Self.reusable(new, of: tenant, db) { return .reused(link) }
        var code = new.code ?? ShortCode(random: random)
        var taken = try Self.row(code, of: tenant, db)
        for _ in 1..<Self.attempts where new.code == nil && taken != nil {
            code = ShortCode(random: random)
            taken = try Self.row(code, of: tenant, db)
        }
        if let taken { return .taken(try ShortLink(taken)) }
        let (links, appLinks) = try Self.counts(of: tenant, db)
        guard links < limits.links else { return .full(ofApps: false) }
        guard !new.isFromApp || appLinks < limits.appLinks else { return .full(ofApps: true) }
        let link = new.link(code)
        let fixed: ShortLink.Columns = [
            "tenant": tenant.rawValue, "code": code.rawValue, "created_at": link.createdAt.milliseconds,
            "from_app": new.isFromApp,
        ]
        try db.execute(
            sql: """
                INSERT INTO short_link (tenant, code, content, expires, status, block_reason, created_at, updated_at,
                    actor_kind, actor_id, actor_name, version, install, from_app, reuse)
                VALUES (\(Self.tenantSQL), :code, :content, :expires, :status, :block_reason, :created_at, :updated_at,
                    :actor_kind, :actor_id, :actor_name, :version, :install, :from_app, :reuse)
                """,
            arguments: Self.arguments(fixed, link.columns, new.createdBy.columns)
        )
        return .created(link)
    }

    package func reusable(_ link: NewShortLink, of tenant: TenantID) async throws -> ShortLink? {
        try await local.read { db in try Self.reusable(link, of: tenant, db) }
    }

    /// Returns the oldest link that has the same target, campaign and install, and can be followed; for an archived link,
    /// an archived one. Of links that have ended, only one with the same end is the same, so that repeated imports add none.
    private static func reusable(_ new: NewShortLink, of tenant: TenantID, _ db: any SQLDatabase) throws -> ShortLink? {
        // Whether apps without an install are the same, nobody knows.
        guard new.isReused, !new.isFromApp || new.install != nil else { return nil }
        let rows = try SQLRow.fetchAll(
            db,
            // The limit bounds the work if many links have expired.
            sql: """
                SELECT * FROM short_link
                WHERE tenant = \(tenantSQL) AND reuse = :reuse AND from_app = :fromApp AND status = :status
                ORDER BY id LIMIT 100
                """,
            arguments: [
                "tenant": tenant.rawValue, "reuse": ShortLink.reuseHash(new.content, new.install),
                "fromApp": new.isFromApp, "status": new.isArchived ? "archived" : "active",
            ]
        )
        for row in rows {
            let link = try ShortLink(row)
            if link.content.target.isExactly(new.content.target), link.content.campaign == new.content.campaign,
                link.install == new.install,
                !link.hasExpired(at: new.createdAt) || link.content.expires == new.content.expires
            {
                return link
            }
        }
        return nil
    }

    private static func counts(of tenant: TenantID, _ db: any SQLDatabase) throws -> (links: Int, appLinks: Int) {
        let row = try SQLRow.fetchOne(
            db,
            sql: "SELECT links, app_links FROM link_tenant WHERE name = ?",
            arguments: [tenant.rawValue]
        )
        guard let row else { return (0, 0) }
        return (try row["links"], try row["app_links"])
    }

    package func update(
        _ code: ShortCode,
        of tenant: TenantID,
        by actor: Actor,
        at now: Timestamp,
        _ change: @escaping @Sendable (ShortLink) throws -> ShortLink
    ) async throws -> ShortLink? {
        try await commits.storing { db in
            guard let row = try Self.row(code, of: tenant, db) else { return nil }
            let stored = try ShortLink(row)
            return try Self.save(try change(stored), over: stored, id: try row["id"], by: actor, at: now, db)
        }
    }

    package func prolong(
        _ code: ShortCode,
        of tenant: TenantID,
        from expires: Timestamp,
        to end: Timestamp
    ) async throws -> Bool {
        // The node's own copy is changed at once, since a click does not wait for another store.
        let isMoved: @Sendable (any SQLDatabase) throws -> Int64? = { db in
            try Int64.fetchOne(
                db,
                sql: """
                    UPDATE short_link SET expires = :end
                    WHERE tenant = \(Self.tenantSQL) AND code = :code AND expires = :expires AND from_app = 1
                        AND version = 1
                    RETURNING id
                    """,
                arguments: [
                    "tenant": tenant.rawValue, "code": code.rawValue, "expires": expires.milliseconds,
                    "end": end.milliseconds,
                ]
            )
        }
        guard let replica else { return try await commits.storing(isMoved) != nil }
        return try await replica.prolong(to: end, isMoved)
    }

    /// Stores a changed link and its history. An equal link stays as it is.
    private static func save(
        _ changed: ShortLink,
        over stored: ShortLink,
        id: Int64,
        by actor: Actor,
        at now: Timestamp,
        _ db: any SQLDatabase
    ) throws -> ShortLink {
        guard changed != stored else { return stored }
        var link = changed
        link.version = stored.version + 1
        link.updatedAt = now
        // Most links never change, so the history of a link begins with its first change.
        if stored.version == 1 { try note(stored, id: id, by: stored.createdBy, db) }
        try db.execute(
            sql: """
                UPDATE short_link SET content = :content, expires = :expires, status = :status,
                    block_reason = :block_reason, updated_at = :updated_at, version = :version, install = :install,
                    reuse = :reuse
                WHERE id = :id
                """,
            arguments: arguments(["id": id], link.columns)
        )
        try note(link, id: id, by: actor, db)
        try db.execute(
            sql: "DELETE FROM short_link_change WHERE link = ? AND version <= ?",
            arguments: [id, link.version - Int64(ShortLinkChange.kept)]
        )
        return link
    }

    private static func note(_ link: ShortLink, id: Int64, by actor: Actor, _ db: any SQLDatabase) throws {
        let values: ShortLink.Columns = [
            "link": id, "version": link.version, "at": link.updatedAt.milliseconds,
            "content": link.changeable.json(),
        ]
        try db.execute(
            sql: """
                INSERT INTO short_link_change (link, version, at, actor_kind, actor_id, actor_name, content)
                VALUES (:link, :version, :at, :actor_kind, :actor_id, :actor_name, :content)
                """,
            arguments: arguments(values, actor.columns)
        )
    }

    package func eraseInstall(
        _ install: ShortLink.InstallHash,
        of tenant: TenantID,
        at now: Timestamp
    ) async throws -> Int {
        let erase: @Sendable (any SQLDatabase) throws -> Int = { [chunk] db in
            let rows = try SQLRow.fetchAll(
                db,
                sql: "SELECT * FROM short_link WHERE tenant = \(Self.tenantSQL) AND install = :install LIMIT :limit",
                arguments: ["tenant": tenant.rawValue, "install": install, "limit": chunk]
            )
            for row in rows {
                let stored = try ShortLink(row)
                var link = stored
                link.install = nil
                if link.status == .active { link.status = .archived }
                _ = try Self.save(link, over: stored, id: try row["id"], by: .system, at: now, db)
            }
            return rows.count
        }
        let erased = try await inChunks { try await self.commits.storing(erase) }
        // The updates removed the hash from the file; the checkpoint removes it from the WAL.
        try await atLength { [file] in
            do {
                try file.checkpoint()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // A backup still reads the state before; a later checkpoint removes the hash.
            }
        }
        return erased
    }

    package func deleteLinks(of tenant: TenantID) async throws -> Int {
        try await delete("tenant = \(Self.tenantSQL)", ["tenant": tenant.rawValue])
    }

    package func deleteAppLinks(expiredBefore time: Timestamp) async throws -> Int {
        try await delete("from_app = 1 AND expires < :time", ["time": time.milliseconds])
    }

    /// A copy deletes the same rows itself: their number says only what was changed.
    private func delete(_ condition: String, _ arguments: [String: (any SQLConvertible)?]) async throws -> Int {
        let sql = """
            DELETE FROM short_link WHERE id IN (SELECT id FROM short_link WHERE \(condition) LIMIT :limit) RETURNING id
            """
        let values = Self.arguments(arguments, ["limit": chunk])
        let delete: @Sendable (any SQLDatabase) throws -> Int = { db in
            try Int64.fetchAll(db, sql: sql, arguments: values).count
        }
        let count = try await inChunks { try await self.commits.storing(delete) }
        if replica != nil { _ = try await inChunks { try await self.local.storing(delete) } }
        return count
    }

    /// Repeats a change of at most ``chunk`` links until it changes fewer. Returns the number of all.
    private func inChunks(_ change: () async throws -> Int) async throws -> Int {
        var count = try await change()
        var sum = count
        while count == chunk {
            try Task.checkCancellation()
            count = try await change()
            sum += count
        }
        return sum
    }

    private static func arguments(_ parts: ShortLink.Columns...) -> SQLArguments {
        SQLArguments(parts.reduce(into: [:]) { $0.merge($1) { first, _ in first } })
    }
}
