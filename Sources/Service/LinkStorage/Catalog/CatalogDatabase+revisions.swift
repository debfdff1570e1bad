import Foundation
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func live(of tenant: TenantID) async throws -> [EnvironmentID: Revision] {
        try await pool.read { try Self.live(of: tenant, $0) }
    }

    package func publish(_ publication: Publication, change: AuditContext) async throws -> Publication.Outcome {
        let text = publication.content.json()
        let hash = Self.contentHash(text)
        return try await pool.storing { db in
            try Self.require(publication, db)
            return try Self.publish(publication, text, hash: hash, change, db)
        }
    }

    package func apply(_ tenantChange: TenantChange, to tenant: TenantID, change: AuditContext) async throws
        -> TenantChange.Stored
    {
        let text = tenantChange.publication?.content.json() ?? ""
        let hash = Self.contentHash(text)
        return try await pool.storing { db in
            // Before the settings, whose revision it compares.
            if let publication = tenantChange.publication { try Self.require(publication, db) }
            let settings = try tenantChange.settings.map { try Self.save($0, of: tenant, change, db) }
            let revision = try tenantChange.publication.map { try Self.publish($0, text, hash: hash, change, db) }
            for (name, content) in tenantChange.suites.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                _ = try Self.save(content, name, of: tenant, expected: nil, change, db)
            }
            return TenantChange.Stored(settings: settings, revision: revision?.new)
        }
    }

    /// Stores a publication that ``require(_:_:)`` has checked in the same transaction. A table that is live already
    /// makes no revision; only its draft is removed.
    private static func publish(
        _ publication: Publication,
        _ text: String,
        hash: String,
        _ change: AuditContext,
        _ db: any SQLDatabase
    ) throws -> Publication.Outcome {
        let (tenant, environment) = (publication.tenant, publication.environment)
        let parent = try Self.live(of: tenant, in: environment, db)
        if let parent, let row = try Self.revision(parent, of: tenant, db), row.contentHash == hash,
            // The stored text may be damaged.
            try Self.text(of: parent, tenant: tenant, db).map(Self.contentHash) == hash
        {
            if case .draft(let name, _) = publication.origin {
                _ = try Self.removeDraft(name, of: tenant, in: environment, change, db)
            }
            return .alreadyLive(row)
        }
        try Self.requireQuota(of: tenant, change, db)
        let number = try Int64.fetchOne(
            db,
            // The newest revision is never removed, so no number is used again.
            sql: "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE tenant = ?",
            arguments: [tenant.rawValue]
        )
        let row = PublishedRevision(
            revision: Revision(rawValue: number ?? 1),
            environment: environment,
            parent: parent,
            contentHash: hash,
            message: publication.message,
            actor: change.actor,
            publishedAt: change.at,
            routeCount: publication.content["routes"]?.elements?.count ?? 0,
            origin: publication.origin.published,
            approvals: publication.approvals,
            overrideReason: publication.overrideReason
        )
        try Self.insert(row, text, tenant, db)
        try db.execute(
            sql: """
                INSERT INTO live (tenant, environment, number) VALUES (?, ?, ?)
                ON CONFLICT (tenant, environment) DO UPDATE SET number = excluded.number
                """,
            arguments: [tenant.rawValue, environment.rawValue, row.revision.rawValue]
        )
        if case .draft(let name, _) = publication.origin { try Self.delete(draft: name, tenant, environment, db) }
        try Self.audit(
            Audited(
                "table.publish",
                tenant,
                environment,
                subject: "\(row.revision)",
                before: parent.map { .object(["revision": .int($0.rawValue)]) },
                after: .object([
                    "revision": .int(row.revision.rawValue), "contentHash": .string(hash),
                    "origin": .string(row.origin.name),
                    "originRevision": row.origin.revision.map { .int($0.rawValue) },
                    "message": .string(row.message), "approvals": .array(row.approvals.map(JSONNode.string)),
                    "approvalsClaimedBy": row.approvals.isEmpty ? nil : .string(row.actor.id),
                    "overrideReason": row.overrideReason.map(JSONNode.string),
                ])
            ),
            change,
            db
        )
        try Self.makeRoom(for: row, of: tenant, within: publication.room, change, db)
        return .published(row)
    }

    /// Throws ``DailyQuotaReached`` if the tenant's keys have published too much today.
    private static func requireQuota(of tenant: TenantID, _ change: AuditContext, _ db: any SQLDatabase) throws {
        guard change.share != .unlimited else { return }
        let today = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM revision WHERE tenant = ? AND published_at >= ?",
            arguments: [tenant.rawValue, change.at.day.start.milliseconds]
        )
        guard today ?? 0 < DailyQuota.publications.maximum(for: change.share) else {
            throw DailyQuotaReached(.publications, for: change.share, at: change.at)
        }
    }

    /// Throws `ConcurrentModification` if anything has changed since the publication was checked.
    private static func require(_ publication: Publication, _ db: any SQLDatabase) throws {
        let tenant = publication.tenant
        try requireActive(tenant, db)
        let live = try Self.live(of: tenant, in: publication.environment, db)
        let settings = try Self.settingsRevision(of: tenant, db) ?? 0
        let suites = try newestSuite(of: tenant, db)
        guard publication.checked == Publication.Checked(live: live, settings: settings, suites: suites) else {
            throw ConcurrentModification()
        }
        guard case .draft(let name, .written(let version)) = publication.origin else { return }
        let current = try Int64.fetchOne(
            db,
            sql: "SELECT version FROM draft WHERE tenant = ? AND environment = ? AND name = ?",
            arguments: [tenant.rawValue, publication.environment.rawValue, name.rawValue]
        )
        guard current == version else { throw ConcurrentModification() }
    }

    private static func insert(_ row: PublishedRevision, _ text: String, _ tenant: TenantID, _ db: any SQLDatabase)
        throws
    {
        try db.execute(
            sql: """
                INSERT INTO revision_content (tenant, hash, bytes, content) VALUES (?, ?, ?, ?)
                ON CONFLICT (tenant, hash) DO UPDATE SET content = excluded.content
                    WHERE revision_content.content <> excluded.content
                """,
            arguments: [tenant.rawValue, row.contentHash, text.utf8.count, text]
        )
        try db.execute(
            sql: """
                INSERT INTO revision (tenant, number, environment, parent, content_hash, route_count, message,
                    actor_kind, actor_id, actor_name, published_at, origin, origin_number, approvals, override_reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                tenant.rawValue, row.revision.rawValue, row.environment.rawValue, row.parent?.rawValue,
                row.contentHash, row.routeCount, row.message, row.actor.kind.rawValue, row.actor.id, row.actor.name,
                row.publishedAt.milliseconds, row.origin.name, row.origin.revision?.rawValue,
                JSONNode.array(row.approvals.map(JSONNode.string)).json(), row.overrideReason,
            ]
        )
    }

    package func revisions(
        of tenant: TenantID,
        in environment: EnvironmentID?,
        before: Revision?,
        limit: Int
    ) async throws -> [PublishedRevision] {
        try await pool.read { db in
            try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT \(Self.columns) FROM revision
                    WHERE tenant = :tenant AND number < :before AND (environment = :environment OR :environment IS NULL)
                    ORDER BY number DESC LIMIT :limit
                    """,
                arguments: [
                    "tenant": tenant.rawValue, "before": before?.rawValue ?? .max,
                    "environment": environment?.rawValue, "limit": limit,
                ]
            ).map(Self.revision)
        }
    }

    package func revision(_ revision: Revision, of tenant: TenantID) async throws -> PublishedRevision? {
        try await pool.read { try Self.revision(revision, of: tenant, $0) }
    }

    private static func revision(
        _ revision: Revision,
        of tenant: TenantID,
        _ db: any SQLDatabase
    ) throws -> PublishedRevision? {
        try SQLRow.fetchOne(
            db,
            sql: "SELECT \(columns) FROM revision WHERE tenant = ? AND number = ?",
            arguments: [tenant.rawValue, revision.rawValue]
        ).map(Self.revision)
    }

    /// All columns except the table itself.
    private static let columns = """
        number, environment, parent, content_hash, route_count, message, actor_kind, actor_id, actor_name, published_at, \
        origin, origin_number, approvals, override_reason
        """

    private static func revision(_ row: SQLRow) throws -> PublishedRevision {
        try PublishedRevision(
            revision: Revision(rawValue: row["number"]),
            environment: environment(row["environment"]),
            parent: (row["parent"] as Int64?).map(Revision.init(rawValue:)),
            contentHash: row["content_hash"],
            message: row["message"],
            actor: Actor(row),
            publishedAt: Timestamp(milliseconds: row["published_at"]),
            routeCount: row["route_count"],
            origin: origin(row["origin"], of: (row["origin_number"] as Int64?).map(Revision.init(rawValue:))),
            approvals: (content(row["approvals"]).elements ?? []).compactMap(\.text),
            overrideReason: row["override_reason"]
        )
    }

    private static func origin(_ name: String, of revision: Revision?) throws -> PublishedRevision.Origin {
        guard let origin = PublishedRevision.Origin(name, of: revision) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "'\(name)' is not the origin of a revision")
        }
        return origin
    }

    package func content(of revision: Revision, tenant: TenantID) async throws -> JSONNode? {
        let bytes = try await pool.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT bytes FROM \(Self.contents)",
                arguments: [tenant.rawValue, revision.rawValue]
            )
        }
        guard let bytes else { return nil }
        try await DocumentMemory.wait(toDecode: bytes)
        return try await pool.read { db in
            try Self.text(of: revision, tenant: tenant, db).map { try Self.content($0, of: .revision(revision)) }
        }
    }

    static func text(of revision: Revision, tenant: TenantID, _ db: any SQLDatabase) throws -> String? {
        try String.fetchOne(
            db,
            sql: "SELECT content FROM \(contents)",
            arguments: [tenant.rawValue, revision.rawValue]
        )
    }

    /// The content of a revision; the arguments are the tenant and the number.
    private static let contents = """
        revision JOIN revision_content ON revision_content.tenant = revision.tenant AND hash = content_hash \
        WHERE revision.tenant = ? AND number = ?
        """
}
