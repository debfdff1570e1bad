package import Foundation
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func settings(of tenant: TenantID, revision: Int64?) async throws -> StoredSettings? {
        try await pool.read { db in
            guard try Self.archival(of: tenant, db) != .removed else { return nil }
            return try Self.settings(of: tenant, revision, db)
        }
    }

    package func settingsRevision(of tenant: TenantID) async throws -> Int64? {
        try await pool.read { db in
            guard try Self.archival(of: tenant, db) != .removed else { return nil }
            return try Self.settingsRevision(of: tenant, db)
        }
    }

    package func settingsHistory(
        of tenant: TenantID,
        before: Int64?,
        limit: Int
    ) async throws -> [SettingsVersion] {
        try await pool.read { db in
            try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT revision, actor_kind, actor_id, actor_name, created_at FROM settings
                    WHERE tenant = ? AND revision < ? ORDER BY revision DESC LIMIT ?
                    """,
                arguments: [tenant.rawValue, before ?? .max, limit]
            ).map { row in
                try SettingsVersion(
                    revision: row["revision"],
                    actor: Actor(row),
                    writtenAt: Timestamp(milliseconds: row["created_at"])
                )
            }
        }
    }

    static func settingsRevision(of tenant: TenantID, _ db: any SQLDatabase) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT max(revision) FROM settings WHERE tenant = ?",
            arguments: [tenant.rawValue]
        )
    }

    static func liveSettings(_ db: any SQLDatabase) throws -> [(tenant: TenantID, revision: Int64, text: String)] {
        try SQLRow.fetchAll(
            db,
            sql: """
                SELECT tenant, revision, content FROM settings WHERE (tenant, revision) IN (
                    SELECT tenant, max(revision) FROM settings GROUP BY tenant)
                ORDER BY tenant
                """
        ).compactMap { row in
            try TenantID(row["tenant"] as String).map { ($0, try row["revision"], try row["content"]) }
        }
    }

    private static func settings(of tenant: TenantID, _ revision: Int64?, _ db: any SQLDatabase) throws
        -> StoredSettings?
    {
        try SQLRow.fetchOne(
            db,
            sql: "SELECT * FROM settings WHERE tenant = ? AND revision <= ? ORDER BY revision DESC LIMIT 1",
            arguments: [tenant.rawValue, revision ?? .max]
        ).flatMap { row in
            guard try revision == nil || revision == row["revision"] as Int64 else { return nil }
            return try StoredSettings(
                tenant: tenant,
                revision: row["revision"],
                content: content(row["content"], of: .settings(tenant)),
                actor: Actor(row),
                writtenAt: Timestamp(milliseconds: row["created_at"])
            )
        }
    }

    /// Returns the hash of stored settings without parsing them.
    private static func settingsHash(_ revision: Int64, of tenant: TenantID, _ db: any SQLDatabase) throws -> String? {
        try contentHash(
            db,
            sql: "SELECT content FROM settings WHERE tenant = ? AND revision = ?",
            arguments: [tenant.rawValue, revision]
        )
    }

    package func saveSettings(
        _ content: JSONNode,
        identity: Identity,
        of tenant: TenantID,
        installKey: Data?,
        expected: Int64?,
        checked: [EnvironmentID: Revision],
        claims: HostClaims.Rule,
        change: AuditContext
    ) async throws -> StoredSettings {
        let settings = SettingsChange(
            content: content,
            identity: identity,
            installKey: installKey,
            expected: expected,
            checked: checked,
            claims: claims
        )
        return try await pool.storing { db in try Self.save(settings, of: tenant, change, db) }
    }

    static func save(
        _ settings: SettingsChange,
        of tenant: TenantID,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws -> StoredSettings {
        try Self.requireActive(tenant, db)
        let current = try Self.settingsRevision(of: tenant, db)
        let number = current ?? 0
        if let expected = settings.expected, expected != number { throw StaleWrite(current: "\(number)") }
        guard try Self.live(of: tenant, db) == settings.checked else { throw ConcurrentModification() }
        let before = try current.flatMap { try Self.settingsHash($0, of: tenant, db) }
        try db.execute(
            sql: "INSERT INTO tenant (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
            arguments: [tenant.rawValue, change.at.milliseconds]
        )
        let text = settings.content.json()
        try db.execute(
            sql: """
                INSERT INTO settings (tenant, revision, content, bytes, actor_kind, actor_id, actor_name, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                tenant.rawValue, number + 1, text, text.utf8.count, change.actor.kind.rawValue, change.actor.id,
                change.actor.name, change.at.milliseconds,
            ]
        )
        try Self.forgetOldSettings(of: tenant, db)
        if settings.claims == .exclusive { try Self.refuseOverlaps(of: settings.identity, tenant, db) }
        try Self.own(settings.identity, tenant, db)
        if let installKey = settings.installKey {
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
                before: before.map { Self.mark(number, hash: $0) },
                after: Self.mark(number + 1, text)
            ),
            change,
            db
        )
        return StoredSettings(
            tenant: tenant,
            revision: number + 1,
            content: settings.content,
            actor: change.actor,
            writtenAt: change.at
        )
    }

    /// The number and total bytes of settings revisions kept for a tenant. The live revision is always kept.
    static let keptSettings = (count: 100, bytes: 16 << 20)

    /// Deletes old settings beyond ``keptSettings``. Only the history refers to settings that are not live.
    private static func forgetOldSettings(of tenant: TenantID, _ db: any SQLDatabase) throws {
        try db.execute(
            sql: """
                DELETE FROM settings
                WHERE tenant = :tenant AND revision < (SELECT max(revision) FROM settings WHERE tenant = :tenant)
                    AND revision IN (
                        SELECT revision FROM (
                            SELECT revision, row_number() OVER newest AS position,
                                sum(bytes) OVER newest AS total
                            FROM settings WHERE tenant = :tenant WINDOW newest AS (ORDER BY revision DESC)) AS kept
                        WHERE position > :count OR total > :bytes)
                """,
            arguments: ["tenant": tenant.rawValue, "count": keptSettings.count, "bytes": keptSettings.bytes]
        )
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

    static func installKeys(_ db: any SQLDatabase) throws -> [TenantID: Data] {
        var keys: [TenantID: Data] = [:]
        for row in try SQLRow.fetchAll(db, sql: "SELECT tenant, key FROM install_key") {
            if let tenant = TenantID(try row["tenant"] as String) { keys[tenant] = try row["key"] }
        }
        return keys
    }

    /// Throws `OwnershipConflict` if a new domain overlaps with another tenant's. Domains that the tenant already has
    /// are not checked.
    private static func refuseOverlaps(of identity: Identity, _ tenant: TenantID, _ db: any SQLDatabase) throws {
        struct Claim: Hashable {
            let host: String
            let port: Int
            let coversSubdomains: Bool
        }
        var own: Set<Claim> = []
        let ofTenant = "SELECT host, port, covers_subdomains FROM domain WHERE tenant = ?"
        try db.forEachRow(ofTenant, [tenant.rawValue]) { row in
            try own.insert(Claim(host: row["host"], port: row["port"], coversSubdomains: row["covers_subdomains"]))
        }
        let new = identity.domains.filter { domain in
            !own.contains(
                Claim(host: domain.host, port: Int(domain.port ?? 0), coversSubdomains: domain.coversSubdomains)
            )
        }
        // Most writes claim nothing new and need not read the claims of all other tenants.
        guard !new.isEmpty else { return }
        var claims = HostClaims(parents: Set(new.filter(\.coversSubdomains).map(\.host)))
        let ofOthers = "SELECT host, covers_subdomains, tenant FROM domain WHERE tenant <> ?"
        try db.forEachRow(ofOthers, [tenant.rawValue]) { row in
            guard let owner = TenantID(try row["tenant"] as String) else { return }
            try claims.add(row["host"], coversSubdomains: row["covers_subdomains"], of: owner)
        }
        for domain in new where claims.overlap(domain.host, coversSubdomains: domain.coversSubdomains, of: tenant) {
            throw OwnershipConflict(kind: .domain, name: domain.written)
        }
    }

    /// Replaces the tenant's domains and schemes. Primary keys prevent two tenants from owning the same one.
    private static func own(_ identity: Identity, _ tenant: TenantID, _ db: any SQLDatabase) throws {
        try db.execute(sql: "DELETE FROM domain WHERE tenant = ?", arguments: [tenant.rawValue])
        try db.execute(sql: "DELETE FROM scheme WHERE tenant = ?", arguments: [tenant.rawValue])
        for domain in identity.domains {
            do {
                try db.execute(
                    sql: "INSERT INTO domain (host, port, covers_subdomains, tenant) VALUES (?, ?, ?, ?)",
                    arguments: [domain.host, Int(domain.port ?? 0), domain.coversSubdomains, tenant.rawValue]
                )
            } catch is SQLUniqueViolation {
                throw OwnershipConflict(kind: .domain, name: domain.written)
            }
        }
        for scheme in identity.schemes {
            do {
                try db.execute(
                    sql: "INSERT INTO scheme (name, tenant, environment) VALUES (?, ?, ?)",
                    arguments: [scheme.name, tenant.rawValue, EnvironmentID.production.rawValue]
                )
            } catch is SQLUniqueViolation {
                throw OwnershipConflict(kind: .scheme, name: scheme.name)
            }
        }
    }
}

extension Domain {
    /// The domain as written in settings. An international name may be spelled differently.
    fileprivate var written: String {
        (coversSubdomains ? "*." : "") + host + (port.map { ":\($0)" } ?? "")
    }
}
