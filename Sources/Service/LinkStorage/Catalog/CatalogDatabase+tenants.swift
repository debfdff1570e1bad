package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func tenants() async throws -> [TenantSummary] {
        try await pool.read { db in
            let live = try Self.live(db)
            return try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT tenant.id, max(revision) AS revision, archived_at FROM settings JOIN tenant ON tenant.id = tenant
                    WHERE removed_at IS NULL GROUP BY tenant.id, archived_at ORDER BY tenant.id
                    """
            ).compactMap { row in
                guard let tenant = TenantID(try row["id"] as String) else { return nil }
                return try TenantSummary(
                    id: tenant,
                    settingsRevision: row["revision"],
                    live: live[tenant] ?? [:],
                    archivedAt: (row["archived_at"] as Int64?).map(Timestamp.init(milliseconds:))
                )
            }
        }
    }

    package func archive(_ tenant: TenantID, change: AuditContext) async throws {
        try await pool.storing { db in
            guard try Self.archival(of: tenant, db) == nil else { return }
            try db.execute(
                sql: "UPDATE tenant SET archived_at = ? WHERE id = ?",
                arguments: [change.at.milliseconds, tenant.rawValue]
            )
            try Self.audit(Audited("tenant.archive", tenant, subject: tenant.rawValue), change, db)
        }
    }

    package func unarchive(_ tenant: TenantID, change: AuditContext) async throws {
        try await pool.storing { db in
            guard let archival = try Self.archival(of: tenant, db) else { return }
            guard archival == .archived else { throw InactiveTenant(tenant: tenant, archival: archival) }
            try db.execute(sql: "UPDATE tenant SET archived_at = NULL WHERE id = ?", arguments: [tenant.rawValue])
            try Self.audit(Audited("tenant.unarchive", tenant, subject: tenant.rawValue), change, db)
        }
    }

    package func remove(_ tenant: TenantID, change: AuditContext) async throws {
        try await pool.storing { db in
            guard let archival = try Self.archival(of: tenant, db) else { throw TenantNotArchived(tenant: tenant) }
            guard archival == .archived else { return }
            try db.execute(
                sql: "UPDATE tenant SET removed_at = ? WHERE id = ?",
                arguments: [change.at.milliseconds, tenant.rawValue]
            )
            for table in ["live", "revision", "draft", "suite", "domain", "scheme", "repeated_request"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE tenant = ?", arguments: [tenant.rawValue])
            }
            // Retention and exports of the tenant's events still need the newest settings.
            try db.execute(
                sql: """
                    DELETE FROM settings WHERE tenant = :tenant
                        AND revision < (SELECT max(revision) FROM settings WHERE tenant = :tenant)
                    """,
                arguments: ["tenant": tenant.rawValue]
            )
            try Self.audit(Audited("tenant.remove", tenant, subject: tenant.rawValue), change, db)
        }
    }

    package func removedTenants() async throws -> [TenantID] {
        try await pool.read { db in
            try String.fetchAll(db, sql: "SELECT id FROM tenant WHERE removed_at IS NOT NULL ORDER BY id")
                .compactMap { TenantID($0) }
        }
    }

    /// Throws ``InactiveTenant`` for an archived or removed tenant. Every change of a tenant's content calls this in
    /// its transaction.
    static func requireActive(_ tenant: TenantID, _ db: any SQLDatabase) throws {
        guard let archival = try archival(of: tenant, db) else { return }
        throw InactiveTenant(tenant: tenant, archival: archival)
    }

    /// Nil for an active or unknown tenant.
    static func archival(of tenant: TenantID, _ db: any SQLDatabase) throws -> Archival? {
        try SQLRow.fetchOne(
            db,
            sql: "SELECT removed_at FROM tenant WHERE id = ? AND archived_at IS NOT NULL",
            arguments: [tenant.rawValue]
        ).map { row in try (row["removed_at"] as Int64?) == nil ? .archived : .removed }
    }

    /// Returns the archived and removed tenants.
    static func archivedTenants(_ db: any SQLDatabase) throws -> Set<TenantID> {
        Set(
            try String.fetchAll(db, sql: "SELECT id FROM tenant WHERE archived_at IS NOT NULL")
                .compactMap { TenantID($0) }
        )
    }
}
