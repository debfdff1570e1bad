import Crypto
package import Foundation
import GRDB
package import LinkCatalog
package import LinkRouting
import Migrations

/// `catalog.db`: tenants, settings, drafts, revisions, keys, audit. Every write is one transaction with its audit row.
package final class CatalogDatabase: CatalogStore {
    private let pool: DatabasePool

    /// Opens the file; after an unclean stop it is checked first.
    package init(_ path: String, checkFirst: CheckFirst = .no) throws {
        pool = try SQLiteFile.open(path, SQLiteSchema(applicationID: 0x4650_4341, migrations: Migrations.catalog))
        if checkFirst == .yes { try SQLiteFile.quickCheck(pool, file: path) }
    }

    package enum CheckFirst: Sendable { case yes, no }

    package func close() throws { try SQLiteFile.close(pool) }

    package func snapshot() async throws -> CatalogSnapshot {
        try await pool.read { db in
            var tenants: [(settings: SettingsRow, live: [CatalogSnapshot.Live])] = []
            for settings in try Self.liveSettings(db) {
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT live.environment, live.number, revision.content FROM live
                        JOIN revision USING (tenant, number) WHERE live.tenant = ? ORDER BY live.environment
                        """,
                    arguments: [settings.tenant.rawValue]
                )
                let live = try rows.map { row in
                    guard let environment = EnvironmentID(row["environment"] as String) else {
                        throw StorageError.corrupt(file: "catalog.db", detail: "live: an environment cannot be read")
                    }
                    return CatalogSnapshot.Live(
                        environment: environment,
                        revision: Revision(rawValue: row["number"]),
                        content: try Self.content(row["content"])
                    )
                }
                tenants.append((settings, live))
            }
            return CatalogSnapshot(tenants: tenants)
        }
    }

    // MARK: Settings

    package func settings(of tenant: TenantID) async throws -> SettingsRow? {
        try await pool.read { try Self.settings(of: tenant, $0) }
    }

    private static func liveSettings(_ db: Database) throws -> [SettingsRow] {
        try String.fetchAll(db, sql: "SELECT id FROM tenant ORDER BY id").compactMap { id in
            try TenantID(id).flatMap { try settings(of: $0, db) }
        }
    }

    private static func settings(of tenant: TenantID, _ db: Database) throws -> SettingsRow? {
        try Row.fetchOne(
            db,
            sql: "SELECT revision, content FROM settings WHERE tenant = ? ORDER BY revision DESC LIMIT 1",
            arguments: [tenant.rawValue]
        ).map { SettingsRow(tenant: tenant, revision: $0["revision"], content: try content($0["content"])) }
    }

    package func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        expected: Int64?,
        change: Change
    ) async throws -> SettingsRow {
        try await pool.write { db in
            let current = try Self.settings(of: tenant, db)?.revision ?? 0
            if let expected, expected != current { throw StaleWrite(current: current) }
            try db.execute(
                sql: "INSERT INTO tenant (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [tenant.rawValue, change.at.milliseconds]
            )
            try db.execute(
                sql: """
                    INSERT INTO settings (tenant, revision, content, actor_kind, actor_id, actor_name, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    tenant.rawValue, current + 1, content.json(), change.actor.kind.rawValue, change.actor.id,
                    change.actor.name, change.at.milliseconds,
                ]
            )
            try Self.own(identity, tenant, db)
            try Self.audit("settings.write", subject: "settings \(current + 1)", tenant: tenant, change, db)
            return SettingsRow(tenant: tenant, revision: current + 1, content: content)
        }
    }

    /// Replaces what the tenant owns; the tables' keys let no two tenants own the same.
    private static func own(_ identity: Identity, _ tenant: TenantID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM domain WHERE tenant = ?", arguments: [tenant.rawValue])
        try db.execute(sql: "DELETE FROM scheme WHERE tenant = ?", arguments: [tenant.rawValue])
        for domain in identity.domains {
            do {
                try db.execute(
                    sql: "INSERT INTO domain (host, port, covers_subdomains, tenant) VALUES (?, ?, ?, ?)",
                    arguments: [domain.host, Int(domain.port ?? 0), domain.coversSubdomains, tenant.rawValue]
                )
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw OwnershipConflict(kind: .domain, name: domain.host)
            }
        }
        for scheme in identity.schemes {
            do {
                try db.execute(
                    sql: "INSERT INTO scheme (name, tenant, environment) VALUES (?, ?, ?)",
                    arguments: [scheme.name, tenant.rawValue, EnvironmentID.production.rawValue]
                )
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw OwnershipConflict(kind: .scheme, name: scheme.name)
            }
        }
    }

    // MARK: Drafts

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
            sql: "SELECT base_revision, version, content FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
            arguments: [tenant.rawValue, environment.rawValue, name]
        ).map { row in
            DraftRow(
                name: name,
                base: (row["base_revision"] as Int64?).map(Revision.init(rawValue:)),
                version: row["version"],
                content: try content(row["content"])
            )
        }
    }

    package func saveDraft(
        _ content: JSONNode,
        name: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: Int64?,
        change: Change
    ) async throws -> DraftRow {
        try await pool.write { db in
            let current = try Self.draft(name, tenant, environment, db)
            let version = current?.version ?? 0
            if let expected, expected != version { throw StaleWrite(current: version) }
            let base = try current?.base ?? Self.liveRevision(of: tenant, in: environment, db)
            try db.execute(
                sql: """
                    INSERT INTO draft (tenant, environment, name, base_revision, version, content, updated_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET version = excluded.version, content = excluded.content,
                        updated_at = excluded.updated_at
                    """,
                arguments: [
                    tenant.rawValue, environment.rawValue, name, base?.rawValue, version + 1, content.json(),
                    change.at.milliseconds,
                ]
            )
            try Self.audit("draft.write", subject: "\(environment)/\(name) \(version + 1)", tenant: tenant, change, db)
            return DraftRow(name: name, base: base, version: version + 1, content: content)
        }
    }

    // MARK: Revisions

    private static func liveRevision(
        of tenant: TenantID,
        in environment: EnvironmentID,
        _ db: Database
    ) throws -> Revision? {
        try Int64.fetchOne(
            db,
            sql: "SELECT number FROM live WHERE tenant = ? AND environment = ?",
            arguments: [tenant.rawValue, environment.rawValue]
        ).map(Revision.init(rawValue:))
    }

    package func publish(
        _ content: JSONNode,
        of tenant: TenantID,
        in environment: EnvironmentID,
        message: String,
        change: Change
    ) async throws -> RevisionRow {
        let text = content.json()
        let hash = SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        return try await pool.write { db in
            let number = try Int64.fetchOne(
                db,
                sql: "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE tenant = ?",
                arguments: [tenant.rawValue]
            )
            let parent = try Self.liveRevision(of: tenant, in: environment, db)
            let row = RevisionRow(
                revision: Revision(rawValue: number ?? 1),
                environment: environment,
                parent: parent,
                contentHash: hash,
                message: message,
                actor: change.actor,
                publishedAt: change.at,
                routeCount: content["routes"]?.elements?.count ?? 0
            )
            try db.execute(
                sql: """
                    INSERT INTO revision (tenant, number, environment, parent, content, content_hash, route_count, message,
                        actor_kind, actor_id, actor_name, published_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    tenant.rawValue, row.revision.rawValue, environment.rawValue, parent?.rawValue, text, hash,
                    row.routeCount, message, change.actor.kind.rawValue, change.actor.id, change.actor.name,
                    change.at.milliseconds,
                ]
            )
            try db.execute(
                sql: """
                    INSERT INTO live (tenant, environment, number) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET number = excluded.number
                    """,
                arguments: [tenant.rawValue, environment.rawValue, row.revision.rawValue]
            )
            try db.execute(
                sql: "UPDATE draft SET base_revision = ? WHERE tenant = ? AND environment = ?",
                arguments: [row.revision.rawValue, tenant.rawValue, environment.rawValue]
            )
            try Self.audit("table.publish", subject: "\(environment)/\(row.revision)", tenant: tenant, change, db)
            return row
        }
    }

    package func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID,
        before: Revision?,
        limit: Int
    ) async throws -> [RevisionRow] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM revision WHERE tenant = ? AND environment = ? AND number < ?
                    ORDER BY number DESC LIMIT ?
                    """,
                arguments: [tenant.rawValue, environment.rawValue, before?.rawValue ?? .max, limit]
            ).map { row in
                RevisionRow(
                    revision: Revision(rawValue: row["number"]),
                    environment: environment,
                    parent: (row["parent"] as Int64?).map(Revision.init(rawValue:)),
                    contentHash: row["content_hash"],
                    message: row["message"],
                    actor: Actor(
                        kind: Actor.Kind(rawValue: row["actor_kind"]) ?? .system,
                        id: row["actor_id"],
                        name: row["actor_name"]
                    ),
                    publishedAt: Timestamp(milliseconds: row["published_at"]),
                    routeCount: row["route_count"]
                )
            }
        }
    }

    package func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode? {
        try await pool.read { db in
            try String.fetchOne(
                db,
                sql: "SELECT content FROM revision WHERE tenant = ? AND number = ?",
                arguments: [tenant.rawValue, revision.rawValue]
            ).map(Self.content)
        }
    }

    // MARK: Keys

    package func saveKey(_ grant: KeyGrant, change: Change) async throws {
        try await pool.write { db in
            let scopes = JSONNode.array(grant.scopes.map(\.rawValue).sorted().map { .string($0) }).json()
            try db.execute(
                sql: """
                    INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    grant.id, grant.secretHash, grant.tenant?.rawValue, scopes, grant.name,
                    grant.createdAt.milliseconds,
                    grant.expiresAt?.milliseconds,
                ]
            )
            try Self.audit("key.create", subject: grant.id, tenant: grant.tenant, change, db)
        }
    }

    package func keyGrants() async throws -> [KeyGrant] {
        try await pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM api_key").map { row in
                let scopes = try Self.content(row["scopes"]).elements ?? []
                return KeyGrant(
                    id: row["id"],
                    secretHash: row["secret_hash"],
                    tenant: (row["tenant"] as String?).flatMap { TenantID($0) },
                    scopes: Set(scopes.compactMap { $0.text.flatMap(KeyGrant.Scope.init(rawValue:)) }),
                    createdAt: Timestamp(milliseconds: row["created_at"]),
                    expiresAt: (row["expires_at"] as Int64?).map(Timestamp.init(milliseconds:)),
                    name: row["name"]
                )
            }
        }
    }

    package func continuationKeys(random: Data, at now: Timestamp, age: Int64) async throws -> [Data] {
        try await pool.write { db in
            let newest = try Int64.fetchOne(db, sql: "SELECT max(created_at) FROM continuation_key")
            if newest.map({ now.milliseconds - $0 > age }) ?? true {
                try db.execute(
                    sql: "INSERT INTO continuation_key (key, created_at) VALUES (?, ?)",
                    arguments: [random, now.milliseconds]
                )
                try db.execute(
                    sql: """
                        DELETE FROM continuation_key
                        WHERE id NOT IN (SELECT id FROM continuation_key ORDER BY id DESC LIMIT 2)
                        """
                )
            }
            return try Data.fetchAll(db, sql: "SELECT key FROM continuation_key ORDER BY id DESC")
        }
    }

    // MARK: Shared

    private static func content(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 64 << 20, maximumDepth: 64))
    }

    private static func audit(
        _ action: String,
        subject: String,
        tenant: TenantID?,
        _ change: Change,
        _ db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO audit (at, actor_kind, actor_id, actor_name, action, tenant, subject, request_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                change.at.milliseconds, change.actor.kind.rawValue, change.actor.id, change.actor.name, action,
                tenant?.rawValue, subject, change.requestID,
            ]
        )
    }
}
