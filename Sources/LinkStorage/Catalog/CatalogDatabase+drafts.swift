import GRDB
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func drafts(of tenant: TenantID, in environment: EnvironmentID) async throws -> [DraftRow] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM draft WHERE tenant = ? AND environment = ? ORDER BY name",
                arguments: [tenant.rawValue, environment.rawValue]
            ).map(Self.draft)
        }
    }

    package func draft(
        _ name: String,
        of tenant: TenantID,
        in environment: EnvironmentID
    ) async throws -> DraftRow? {
        try await pool.read { try Self.draft(name, tenant, environment, $0) }
    }

    private static func draft(
        _ name: String,
        _ tenant: TenantID,
        _ environment: EnvironmentID,
        _ db: Database
    ) throws -> DraftRow? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
            arguments: [tenant.rawValue, environment.rawValue, name]
        ).map(draft)
    }

    private static func draft(_ row: Row) throws -> DraftRow {
        DraftRow(
            name: row["name"],
            base: (row["base_revision"] as Int64?).map(Revision.init(rawValue:)),
            version: .written(row["version"]),
            content: try content(row["content"]),
            actor: actor(row),
            writtenAt: Timestamp(milliseconds: row["updated_at"])
        )
    }

    package func saveDraft(
        _ content: JSONNode,
        name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        base: Revision?,
        expected: DraftVersion?,
        change: Change
    ) async throws -> DraftRow {
        try await pool.write { db in
            let current = try Self.draft(name, tenant, environment, db)
            let live = try Self.live(of: tenant, in: environment, db)
            try Self.require(expected, current?.version ?? .live(live))
            let version = try Self.nextVersion(of: tenant, db)
            let base = current == nil ? base ?? live : current?.base
            let text = content.json()
            try db.execute(
                sql: """
                    INSERT INTO draft (tenant, environment, name, base_revision, version, content, updated_at,
                        actor_kind, actor_id, actor_name)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET version = excluded.version, content = excluded.content,
                        updated_at = excluded.updated_at, actor_kind = excluded.actor_kind,
                        actor_id = excluded.actor_id, actor_name = excluded.actor_name
                    """,
                arguments: [
                    tenant.rawValue, environment.rawValue, name, base?.rawValue, version, text,
                    change.at.milliseconds, change.actor.kind.rawValue, change.actor.id, change.actor.name,
                ]
            )
            try Self.audit(
                Audited(
                    "draft.write",
                    tenant,
                    environment,
                    subject: name,
                    before: current.map { Self.mark($0.version, $0.content.json()) },
                    after: Self.mark(version, text)
                ),
                change,
                db
            )
            return DraftRow(
                name: name,
                base: base,
                version: .written(version),
                content: content,
                actor: change.actor,
                writtenAt: change.at
            )
        }
    }

    package func removeDraft(
        _ name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: DraftVersion?,
        change: Change
    ) async throws -> Bool {
        try await pool.write { db in
            guard let current = try Self.draft(name, tenant, environment, db) else { return false }
            try Self.require(expected, current.version)
            try Self.removeDraft(name, tenant, environment, db)
            try Self.audit(
                Audited(
                    "draft.remove",
                    tenant,
                    environment,
                    subject: name,
                    before: Self.mark(current.version, current.content.json())
                ),
                change,
                db
            )
            return true
        }
    }

    static func removeDraft(
        _ name: String,
        _ tenant: TenantID,
        _ environment: EnvironmentID,
        _ db: Database
    ) throws {
        try db.execute(
            sql: "DELETE FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
            arguments: [tenant.rawValue, environment.rawValue, name]
        )
    }

    private static func require(_ expected: DraftVersion?, _ current: DraftVersion) throws {
        guard expected == nil || expected == current else { throw StaleWrite(current: "\(current)") }
    }
}
