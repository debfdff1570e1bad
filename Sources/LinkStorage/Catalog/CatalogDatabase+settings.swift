package import Foundation
import GRDB
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func settings(of tenant: TenantID, revision: Int64?) async throws -> SettingsRow? {
        try await pool.read { try Self.settings(of: tenant, revision, $0) }
    }

    package func settingsHistory(of tenant: TenantID, before: Int64?, limit: Int) async throws -> [SettingsRow] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM settings WHERE tenant = ? AND revision < ? ORDER BY revision DESC LIMIT ?",
                arguments: [tenant.rawValue, before ?? .max, limit]
            ).map { try Self.settings($0, of: tenant) }
        }
    }

    static func settings(of tenant: TenantID, _ revision: Int64?, _ db: Database) throws -> SettingsRow? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM settings WHERE tenant = ? AND revision <= ? ORDER BY revision DESC LIMIT 1",
            arguments: [tenant.rawValue, revision ?? .max]
        ).map { try Self.settings($0, of: tenant) }.flatMap { row in
            revision == nil || revision == row.revision ? row : nil
        }
    }

    private static func settings(_ row: Row, of tenant: TenantID) throws -> SettingsRow {
        SettingsRow(
            tenant: tenant,
            revision: row["revision"],
            content: try content(row["content"]),
            actor: actor(row),
            writtenAt: Timestamp(milliseconds: row["created_at"])
        )
    }

    package func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        installKey: Data?,
        expected: Int64?,
        checked: [EnvironmentID: Revision],
        change: Change
    ) async throws -> SettingsRow {
        try await pool.write { db in
            let current = try Self.settings(of: tenant, nil, db)
            let number = current?.revision ?? 0
            if let expected, expected != number { throw StaleWrite(current: "\(number)") }
            guard try Self.liveRevisions(of: tenant, db) == checked else { throw CatalogMoved() }
            try db.execute(
                sql: "INSERT INTO tenant (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [tenant.rawValue, change.at.milliseconds]
            )
            let text = content.json()
            try db.execute(
                sql: """
                    INSERT INTO settings (tenant, revision, content, actor_kind, actor_id, actor_name, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    tenant.rawValue, number + 1, text, change.actor.kind.rawValue, change.actor.id,
                    change.actor.name, change.at.milliseconds,
                ]
            )
            try Self.own(identity, tenant, db)
            if let installKey {
                try db.execute(
                    sql: "INSERT INTO install_key (tenant, key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [tenant.rawValue, installKey, change.at.milliseconds]
                )
            }
            try Self.audit(
                Audited(
                    "settings.write",
                    tenant,
                    subject: "settings \(number + 1)",
                    before: current.map { Self.mark($0.revision, $0.content.json()) },
                    after: Self.mark(number + 1, text)
                ),
                change,
                db
            )
            return SettingsRow(
                tenant: tenant,
                revision: number + 1,
                content: content,
                actor: change.actor,
                writtenAt: change.at
            )
        }
    }

    package func installKey(of tenant: TenantID) async throws -> Data? {
        try await pool.read { db in
            try Data.fetchOne(
                db,
                sql: "SELECT key FROM install_key WHERE tenant = ?",
                arguments: [tenant.rawValue]
            )
        }
    }

    static func installKeys(_ db: Database) throws -> [TenantID: Data] {
        var keys: [TenantID: Data] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT tenant, key FROM install_key") {
            if let tenant = TenantID(row["tenant"] as String) { keys[tenant] = row["key"] }
        }
        return keys
    }

    private static func liveRevisions(of tenant: TenantID, _ db: Database) throws -> [EnvironmentID: Revision] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT environment, number FROM live WHERE tenant = ?",
            arguments: [tenant.rawValue]
        )
        return Dictionary(
            try rows.map { (try environment($0["environment"]), Revision(rawValue: $0["number"])) }
        ) { first, _ in first }
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
}
