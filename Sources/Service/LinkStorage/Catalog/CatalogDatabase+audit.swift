import Crypto
import Foundation
package import LinkCatalog
package import LinkRouting

/// The content of an audit row, without the actor, time and request ID that ``AuditContext`` supplies.
struct Audited {
    let action: String
    let tenant: TenantID?
    let environment: EnvironmentID?
    let subject: String
    let before: JSONNode?
    let after: JSONNode?
    let room: Room

    /// Whether ``DailyQuota/auditBytes`` can refuse the change.
    enum Room { case limited, always }

    init(
        _ action: String,
        _ tenant: TenantID?,
        _ environment: EnvironmentID? = nil,
        subject: String,
        before: JSONNode? = nil,
        after: JSONNode? = nil,
        room: Room = .limited
    ) {
        self.action = action
        self.tenant = tenant
        self.environment = environment
        self.subject = subject
        self.before = before
        self.after = after
        self.room = room
    }
}

extension CatalogDatabase {
    /// Adds a row in the transaction of the change that it describes. Its hash covers every column and the previous
    /// row's hash. Throws ``DailyQuotaReached`` if the tenant's keys have used up their audit rows of the day.
    static func audit(_ audited: Audited, _ change: AuditContext, _ db: any SQLDatabase) throws {
        let last = try SQLRow.fetchOne(db, sql: "SELECT id, hash FROM audit_head")
        let previous: Data? = try last?["hash"]
        let row = AuditEntry(
            id: (try last?["id"] ?? 0) + 1,
            at: change.at,
            actor: change.actor,
            action: audited.action,
            tenant: audited.tenant,
            environment: audited.environment,
            subject: audited.subject,
            before: audited.before,
            after: audited.after,
            requestID: change.requestID,
            hash: nil
        )
        let hash = row.chainHash(after: previous)
        try db.execute(
            sql: """
                INSERT INTO audit (id, at, actor_kind, actor_id, actor_name, action, tenant, environment, subject, before,
                    after, request_id, hash)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                row.id, row.at.milliseconds, row.actor.kind.rawValue, row.actor.id, row.actor.name, row.action,
                row.tenant?.rawValue, row.environment?.rawValue, row.subject, row.before?.json(), row.after?.json(),
                row.requestID, hash,
            ]
        )
        try db.execute(sql: "UPDATE audit_head SET id = ?, hash = ?", arguments: [row.id, hash])
        if let tenant = change.share.tenant { try count(row, by: tenant, change.share, audited.room, db) }
    }

    private static func count(
        _ row: AuditEntry,
        by tenant: TenantID,
        _ share: QuotaShare,
        _ room: Audited.Room,
        _ db: any SQLDatabase
    ) throws {
        let day = row.at.day.daysSince1970
        try db.execute(
            sql: """
                UPDATE tenant SET audit_bytes = CASE WHEN audit_day = :day THEN audit_bytes ELSE 0 END + :bytes,
                    audit_day = :day
                WHERE id = :tenant
                """,
            arguments: ["day": day, "bytes": row.storedBytes, "tenant": tenant.rawValue]
        )
        let bytes = try Int.fetchOne(
            db,
            sql: "SELECT audit_bytes FROM tenant WHERE id = ?",
            arguments: [tenant.rawValue]
        )
        guard room == .always || bytes ?? 0 <= DailyQuota.auditBytes.maximum(for: share) else {
            throw DailyQuotaReached(.auditBytes, for: share, at: row.at)
        }
    }

    package func note(_ action: AuditAction, change: AuditContext) async throws {
        try await pool.storing { db in
            try Self.audit(
                Audited(
                    action.kind.rawValue,
                    action.tenant,
                    subject: action.tenant?.rawValue ?? "",
                    after: action.facts
                ),
                change,
                db
            )
        }
    }

    /// Returns a version and its content's SHA-256, which identify the content without storing it.
    static func mark(_ version: some CustomStringConvertible, _ text: String) -> JSONNode {
        mark(version, hash: contentHash(text))
    }

    static func mark(_ version: some CustomStringConvertible, hash: String) -> JSONNode {
        .object(["version": .string("\(version)"), "sha256": .string(hash)])
    }

    /// Returns the SHA-256 of the text in hexadecimal.
    package static func contentHash(_ text: String) -> String {
        var hash = SHA256()
        var text = text
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return Data(hash.finalize()).hexadecimal
    }

    /// Returns the SHA-256 of the one text that a statement selects, without parsing it; nil if it selects no row.
    static func contentHash(_ db: any SQLDatabase, sql: String, arguments: SQLArguments) throws -> String? {
        try String.fetchOne(db, sql: sql, arguments: arguments).map(contentHash)
    }

    package func audit(of tenant: TenantID?, before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try await pool.read { db in
            try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT * FROM audit WHERE id < :before AND (tenant = :tenant OR :tenant IS NULL)
                    ORDER BY id DESC LIMIT :limit
                    """,
                arguments: ["before": before ?? .max, "tenant": tenant?.rawValue, "limit": limit]
            ).map(Self.auditEntry)
        }
    }

    package func verifyAudit() async throws -> AuditVerdict {
        try await pool.longRead { db in
            var (count, head) = (0, Data?.none)
            var (previous, broken) = (Int64(0), Int64?.none)
            try db.forEachRow("SELECT * FROM audit ORDER BY id", []) { row in
                guard broken == nil else { return }
                let entry = try Self.auditEntry(row)
                let hash: Data? = try row["hash"]
                guard entry.id == previous + 1, hash == entry.chainHash(after: head) else {
                    return broken = entry.id
                }
                (count, head, previous) = (count + 1, hash, entry.id)
            }
            // The head keeps the last id even if its row was deleted.
            let last = try Int64.fetchOne(db, sql: "SELECT id FROM audit_head")
            if broken == nil, last != previous { broken = previous + 1 }
            return AuditVerdict(rows: count, head: head?.hexadecimal, brokenAt: broken)
        }
    }

    private static func auditEntry(_ row: SQLRow) throws -> AuditEntry {
        try AuditEntry(
            id: row["id"],
            at: Timestamp(milliseconds: row["at"]),
            actor: Actor(row),
            action: row["action"],
            tenant: (row["tenant"] as String?).flatMap { TenantID($0) },
            environment: (row["environment"] as String?).flatMap { EnvironmentID($0) },
            subject: row["subject"],
            before: (row["before"] as String?).map(content),
            after: (row["after"] as String?).map(content),
            requestID: row["request_id"],
            hash: (row["hash"] as Data?)?.hexadecimal
        )
    }
}

extension AuditEntry {
    /// Returns the SHA-256 of the previous hash and the row. The row is a JSON array in fixed order, so that no two
    /// different rows have the same encoding.
    fileprivate func chainHash(after previous: Data?) -> Data {
        var hash = SHA256()
        hash.update(data: previous ?? Data())
        hash.update(data: Data(fields.json().utf8))
        return Data(hash.finalize())
    }

    /// About the size of the row with its hash and its place in the index.
    fileprivate var storedBytes: Int { fields.json().utf8.count + 64 }

    private var fields: JSONNode {
        .array([
            .int(id), .int(at.milliseconds), .string(actor.kind.rawValue), .string(actor.id), .string(actor.name),
            .string(action), tenant.map { .string($0.rawValue) } ?? .null,
            environment.map { .string($0.rawValue) } ?? .null, .string(subject), before ?? .null, after ?? .null,
            .string(requestID),
        ])
    }
}
