package import LinkCatalog
package import LinkRouting

/// The removal of old revisions, on request and where a publication would exceed the tenant's ``RevisionRoom``.
extension CatalogDatabase {
    package func prune(
        _ tenant: TenantID,
        keep: Int,
        before: Timestamp,
        change: AuditContext
    ) async throws -> [Revision] {
        try await pool.storing { db in
            let numbers = try Self.removable(of: tenant, keep: keep, before: before, db)
            for number in numbers { try Self.remove(number, of: tenant, db) }
            try Self.noteRemoval(of: numbers, of: tenant, change, db)
            return numbers.map(Revision.init(rawValue:))
        }
    }

    /// The size of all revisions of a tenant.
    struct RevisionSize {
        let revisions: Int
        /// The bytes of their distinct tables.
        let bytes: Int
    }

    static func size(of tenant: TenantID, _ db: any SQLDatabase) throws -> RevisionSize {
        let row = try SQLRow.fetchOne(
            db,
            sql: """
                SELECT (SELECT count(*) FROM revision WHERE tenant = :tenant) AS revisions,
                    (SELECT coalesce(sum(bytes), 0) FROM revision_content WHERE tenant = :tenant) AS bytes
                """,
            arguments: ["tenant": tenant.rawValue]
        )
        return try RevisionSize(revisions: row?["revisions"] ?? 0, bytes: row?["bytes"] ?? 0)
    }

    /// Removes the oldest revisions that may go, until the tenant is within its room.
    ///
    /// - Throws: ``TooManyRevisions`` if too few revisions may go. The publication is then rolled back.
    static func makeRoom(
        for revision: PublishedRevision,
        of tenant: TenantID,
        within room: RevisionRoom,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws {
        var size = try size(of: tenant, db)
        guard size.revisions > room.revisions || size.bytes > room.bytes else { return }
        let removable = try removable(
            of: tenant,
            keep: RevisionRoom.kept,
            before: nil,
            first: revision.environment,
            db
        )
        var removed: [Int64] = []
        for number in removable where size.revisions > room.revisions || size.bytes > room.bytes {
            try remove(number, of: tenant, db)
            removed.append(number)
            size = try Self.size(of: tenant, db)
        }
        guard size.revisions <= room.revisions, size.bytes <= room.bytes else {
            throw TooManyRevisions(tenant: tenant, room: room)
        }
        try noteRemoval(of: removed, madeRoomFor: revision.revision, of: tenant, change, db)
    }

    /// The rule for what may go: returns the revisions, oldest first, that are neither live in an environment (whose
    /// live table is what a promotion takes), nor the base of a draft, nor among the newest `keep` of their environment.
    ///
    /// - Parameter environment: Its revisions go before those of others.
    private static func removable(
        of tenant: TenantID,
        keep: Int,
        before: Timestamp?,
        first environment: EnvironmentID? = nil,
        _ db: any SQLDatabase
    ) throws -> [Int64] {
        try Int64.fetchAll(
            db,
            sql: """
                SELECT number FROM revision WHERE tenant = :tenant AND (published_at < :before OR :before IS NULL)
                    AND number NOT IN (SELECT number FROM live WHERE tenant = :tenant)
                    AND number NOT IN (
                        SELECT base_revision FROM draft WHERE tenant = :tenant AND base_revision IS NOT NULL)
                    AND number NOT IN (
                        SELECT number FROM (
                            SELECT number, row_number() OVER (PARTITION BY environment ORDER BY number DESC) AS position
                            FROM revision WHERE tenant = :tenant) AS newest
                        WHERE position <= :keep)
                ORDER BY CASE WHEN environment = :environment THEN 0 ELSE 1 END, number
                """,
            arguments: [
                "tenant": tenant.rawValue, "before": before?.milliseconds, "keep": keep,
                "environment": environment?.rawValue,
            ]
        )
    }

    private static func remove(_ number: Int64, of tenant: TenantID, _ db: any SQLDatabase) throws {
        try db.execute(
            sql: "DELETE FROM revision WHERE tenant = ? AND number = ?",
            arguments: [tenant.rawValue, number]
        )
    }

    private static func noteRemoval(
        of numbers: [Int64],
        madeRoomFor revision: Revision? = nil,
        of tenant: TenantID,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws {
        guard let first = numbers.min(), let last = numbers.max() else { return }
        try audit(
            Audited(
                "revision.prune",
                tenant,
                subject: "\(first)-\(last)",
                before: .object(["revisions": .array(numbers.map { .int($0) })]),
                after: revision.map { .object(["madeRoomFor": .int($0.rawValue)]) }
            ),
            change,
            db
        )
    }
}
