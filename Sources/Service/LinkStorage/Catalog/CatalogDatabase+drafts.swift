package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func drafts(of tenant: TenantID, in environment: EnvironmentID) async throws -> [DraftSummary] {
        try await pool.read { db in
            try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT name, base_revision, version, updated_at, actor_kind, actor_id, actor_name, route_count
                    FROM draft WHERE tenant = ? AND environment = ? ORDER BY name
                    """,
                arguments: [tenant.rawValue, environment.rawValue]
            ).map { row in
                try DraftSummary(
                    name: Self.name(row["name"], DraftName.self),
                    base: (row["base_revision"] as Int64?).map(Revision.init(rawValue:)),
                    version: .written(row["version"]),
                    routeCount: row["route_count"],
                    actor: Actor(row),
                    writtenAt: Timestamp(milliseconds: row["updated_at"])
                )
            }
        }
    }

    package func draft(
        _ name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID
    ) async throws -> (draft: Draft?, live: Revision?) {
        let key: SQLArguments = [tenant.rawValue, environment.rawValue, name.rawValue]
        let (size, live) = try await pool.read { db in
            let size = try Int.fetchOne(
                db,
                sql: "SELECT content_bytes FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
                arguments: key
            )
            return (size, try Self.live(of: tenant, in: environment, db))
        }
        guard let size else { return (nil, live) }
        try await DocumentMemory.wait(toDecode: size)
        // A publication may have removed the draft meanwhile. Then the live table has changed too.
        return try await pool.read { db in
            let draft = try SQLRow.fetchOne(
                db,
                sql: "SELECT * FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
                arguments: key
            ).map { row in
                try Draft(
                    name: name,
                    base: (row["base_revision"] as Int64?).map(Revision.init(rawValue:)),
                    version: .written(row["version"]),
                    content: Self.content(row["content"], of: .draft(name)),
                    actor: Actor(row),
                    writtenAt: Timestamp(milliseconds: row["updated_at"])
                )
            }
            return (draft, try Self.live(of: tenant, in: environment, db))
        }
    }

    /// The metadata needed to replace or remove a draft. Works even if the content is unreadable.
    private struct Stored {
        let version: DraftVersion
        let base: Revision?
        let onlyAuthor: String?
        /// The SHA-256 of the content.
        let hash: String
        let bytes: Int

        var mark: JSONNode { CatalogDatabase.mark(version, hash: hash) }
    }

    private static func stored(
        _ name: DraftName,
        _ tenant: TenantID,
        _ environment: EnvironmentID,
        _ db: any SQLDatabase
    ) throws -> Stored? {
        let key: SQLArguments = [tenant.rawValue, environment.rawValue, name.rawValue]
        let row = try SQLRow.fetchOne(
            db,
            sql: """
                SELECT version, base_revision, only_author, content_hash, content_bytes FROM draft
                WHERE tenant = ? AND environment = ? AND name = ?
                """,
            arguments: key
        )
        guard let row else { return nil }
        return try Stored(
            version: .written(row["version"]),
            base: (row["base_revision"] as Int64?).map(Revision.init(rawValue:)),
            onlyAuthor: row["only_author"],
            hash: row["content_hash"],
            bytes: row["content_bytes"]
        )
    }

    package func saveDraft(
        _ content: JSONNode,
        name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID,
        base: DraftBase,
        expected: DraftVersion?,
        within room: DraftRoom,
        change: AuditContext
    ) async throws -> Draft {
        try await pool.storing { db in
            try Self.requireActive(tenant, db)
            let current = try Self.stored(name, tenant, environment, db)
            let live = try Self.live(of: tenant, in: environment, db)
            try Self.require(expected, current?.version ?? .live(live))
            let version = try Self.nextVersion(of: tenant, db)
            let base = try Self.revision(base, of: tenant, unchanged: current == nil ? live : current?.base, db)
            let text = content.json()
            try Self.require(room, for: current, text.utf8.count, tenant, change.actor, db)
            let hash = Self.contentHash(text)
            try db.execute(
                sql: """
                    INSERT INTO draft (tenant, environment, name, base_revision, version, content, updated_at,
                        actor_kind, actor_id, actor_name, route_count, content_hash, content_bytes, only_author)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (tenant, environment, name) DO UPDATE SET
                        base_revision = excluded.base_revision, version = excluded.version,
                        content = excluded.content, updated_at = excluded.updated_at, actor_kind = excluded.actor_kind,
                        actor_id = excluded.actor_id, actor_name = excluded.actor_name,
                        route_count = excluded.route_count, content_hash = excluded.content_hash,
                        content_bytes = excluded.content_bytes,
                        only_author = nullif(draft.only_author, nullif(draft.only_author, excluded.only_author))
                    """,
                arguments: [
                    tenant.rawValue, environment.rawValue, name.rawValue, base?.rawValue, version, text,
                    change.at.milliseconds, change.actor.kind.rawValue, change.actor.id, change.actor.name,
                    content["routes"]?.elements?.count ?? 0, hash, text.utf8.count, change.actor.id,
                ]
            )
            try Self.audit(
                Audited(
                    "draft.write",
                    tenant,
                    environment,
                    subject: name.rawValue,
                    before: current?.mark,
                    after: Self.mark(version, hash: hash)
                ),
                change,
                db
            )
            return Draft(
                name: name,
                base: base,
                version: .written(version),
                content: content,
                actor: change.actor,
                writtenAt: change.at
            )
        }
    }

    /// Returns the base revision. Throws if it does not exist, because such a draft could never be published.
    private static func revision(
        _ base: DraftBase,
        of tenant: TenantID,
        unchanged: Revision?,
        _ db: any SQLDatabase
    ) throws -> Revision? {
        switch base {
        case .kept: return unchanged
        case .nothing: return nil
        case .revision(let revision):
            let sql = "SELECT EXISTS (SELECT 1 FROM revision WHERE tenant = ? AND number = ?)"
            let isThere = try Bool.fetchOne(db, sql: sql, arguments: [tenant.rawValue, revision.rawValue])
            guard isThere == true else { throw ConcurrentModification() }
            return revision
        }
    }

    package func removeDraft(
        _ name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: DraftVersion?,
        ofOnly author: String?,
        change: AuditContext
    ) async throws -> Bool {
        try await pool.storing { db in
            guard let current = try Self.stored(name, tenant, environment, db) else { return false }
            try Self.require(expected, current.version)
            guard author == nil || author == current.onlyAuthor else { throw ForeignDraft(name: name) }
            return try Self.removeDraft(name, of: tenant, in: environment, change, db)
        }
    }

    /// Removes a draft with its audit row. Returns false when there is none.
    static func removeDraft(
        _ name: DraftName,
        of tenant: TenantID,
        in environment: EnvironmentID,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws -> Bool {
        guard let current = try stored(name, tenant, environment, db) else { return false }
        try delete(draft: name, tenant, environment, db)
        try audit(
            Audited("draft.remove", tenant, environment, subject: name.rawValue, before: current.mark),
            change,
            db
        )
        return true
    }

    static func delete(
        draft name: DraftName,
        _ tenant: TenantID,
        _ environment: EnvironmentID,
        _ db: any SQLDatabase
    ) throws {
        try db.execute(
            sql: "DELETE FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
            arguments: [tenant.rawValue, environment.rawValue, name.rawValue]
        )
    }

    /// Throws `TooManyDrafts` if the draft would exceed the limits of the tenant, which span all environments.
    private static func require(
        _ room: DraftRoom,
        for current: Stored?,
        _ bytes: Int,
        _ tenant: TenantID,
        _ actor: Actor,
        _ db: any SQLDatabase
    ) throws {
        let taken = try SQLRow.fetchOne(
            db,
            sql: """
                SELECT count(*) AS drafts, coalesce(sum(CASE WHEN only_author = ? THEN 1 ELSE 0 END), 0) AS own,
                    coalesce(sum(content_bytes), 0) AS bytes
                FROM draft WHERE tenant = ?
                """,
            arguments: [actor.id, tenant.rawValue]
        )
        guard let taken else { return }
        let before = current?.bytes ?? 0
        if current == nil, try (taken["drafts"] as Int) >= room.drafts {
            throw TooManyDrafts.ofTenant(maximum: room.drafts)
        }
        if current == nil, try (taken["own"] as Int) >= room.draftsOfOne {
            throw TooManyDrafts.ofOne(maximum: room.draftsOfOne)
        }
        if bytes > before, try (taken["bytes"] as Int) - before + bytes > room.bytes {
            throw TooManyDrafts.bytes(maximum: room.bytes)
        }
    }

    private static func require(_ expected: DraftVersion?, _ current: DraftVersion) throws {
        guard expected == nil || expected == current else { throw StaleWrite(current: "\(current)") }
    }
}
