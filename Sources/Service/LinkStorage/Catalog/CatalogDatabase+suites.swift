package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func suites(of tenant: TenantID) async throws -> [StoredSuite] {
        try await pool.read { db in
            try SQLRow.fetchAll(
                db,
                sql: "SELECT name, version, content FROM suite WHERE tenant = ? ORDER BY name",
                arguments: [tenant.rawValue]
            ).map {
                try StoredSuite(
                    name: Self.name($0["name"], SuiteName.self),
                    version: $0["version"],
                    content: $0["content"]
                )
            }
        }
    }

    package func saveSuite(
        _ content: String,
        name: SuiteName,
        of tenant: TenantID,
        expected: Int64?,
        change: AuditContext
    ) async throws -> StoredSuite {
        try await pool.storing { db in
            try Self.save(content, name, of: tenant, expected: expected, change, db)
        }
    }

    static func save(
        _ content: String,
        _ name: SuiteName,
        of tenant: TenantID,
        expected: Int64?,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws -> StoredSuite {
        try Self.requireActive(tenant, db)
        let current = try Self.version(name, tenant, db)
        if let expected, expected != current ?? 0 { throw StaleWrite(current: "\(current ?? 0)") }
        try Self.requireRoom(forSuite: name, content.utf8.count, tenant, db)
        let version = try Self.nextVersion(of: tenant, db)
        try db.execute(
            sql: """
                INSERT INTO suite (tenant, name, version, content, bytes, updated_at) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (tenant, name) DO UPDATE SET version = excluded.version, content = excluded.content,
                    bytes = excluded.bytes, updated_at = excluded.updated_at
                """,
            arguments: [
                tenant.rawValue, name.rawValue, version, content, content.utf8.count, change.at.milliseconds,
            ]
        )
        try Self.audit(
            Audited(
                "suite.write",
                tenant,
                subject: name.rawValue,
                before: current.map { .object(["version": .int($0)]) },
                after: Self.mark(version, content)
            ),
            change,
            db
        )
        return StoredSuite(name: name, version: version, content: content)
    }

    package func removeSuite(
        _ name: SuiteName,
        of tenant: TenantID,
        expected: Int64?,
        change: AuditContext
    ) async throws -> Bool {
        try await pool.storing { db in
            guard let current = try Self.version(name, tenant, db) else { return false }
            if let expected, expected != current { throw StaleWrite(current: "\(current)") }
            try db.execute(
                sql: "DELETE FROM suite WHERE tenant = ? AND name = ?",
                arguments: [tenant.rawValue, name.rawValue]
            )
            // Invalidates publications that were checked with this suite.
            _ = try Self.nextVersion(of: tenant, db)
            try Self.audit(
                Audited("suite.remove", tenant, subject: name.rawValue, before: .object(["version": .int(current)])),
                change,
                db
            )
            return true
        }
    }

    private static func requireRoom(forSuite name: SuiteName, _ bytes: Int, _ tenant: TenantID, _ db: any SQLDatabase)
        throws
    {
        let others = try SQLRow.fetchOne(
            db,
            sql: """
                SELECT count(*) AS suites, coalesce(sum(bytes), 0) AS bytes
                FROM suite WHERE tenant = ? AND name != ?
                """,
            arguments: [tenant.rawValue, name.rawValue]
        )
        guard let others else { return }
        guard try (others["suites"] as Int) < TooManySuites.maximumCount else { throw TooManySuites.count }
        guard try (others["bytes"] as Int) + bytes <= TooManySuites.maximumBytes else { throw TooManySuites.bytes }
    }

    private static func version(_ name: SuiteName, _ tenant: TenantID, _ db: any SQLDatabase) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT version FROM suite WHERE tenant = ? AND name = ?",
            arguments: [tenant.rawValue, name.rawValue]
        )
    }

    static func newestSuite(of tenant: TenantID, _ db: any SQLDatabase) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(version) FROM suite WHERE tenant = ?", arguments: [tenant.rawValue])
            ?? 0
    }
}
