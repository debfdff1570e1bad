import Foundation
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    /// Limits for the stored responses of one actor, and of all actors of a tenant.
    private static let maximumAnswersOfActor = 1_000
    private static let maximumBytesOfActor = 16 << 20
    private static let maximumAnswersOfTenant = 4_000
    private static let maximumBytesOfTenant = 64 << 20

    package func claim(
        _ request: IdempotentRequest,
        at now: Timestamp,
        since oldest: Timestamp
    ) async throws -> KnownRequest {
        guard let replica else { return try await pool.read { try Self.known(request, since: oldest, $0) } }
        return try await pool.storing { db in
            let known = try Self.known(request, since: oldest, db)
            guard known == .new else { return known }
            // By the store's clock, because those of nodes differ.
            let time = "CAST(1000 * extract(epoch FROM clock_timestamp()) AS BIGINT)"
            let claimed = try Int.fetchOne(
                db,
                sql: """
                    INSERT INTO repeated_request (actor, key, request_hash, created_at, owner, lease)
                    VALUES (?, ?, ?, ?, ?, \(time) + 600000)
                    ON CONFLICT (actor, key) DO UPDATE SET request_hash = excluded.request_hash,
                        created_at = excluded.created_at, owner = excluded.owner, lease = excluded.lease,
                        status = NULL, headers = NULL, body = NULL, tenant = NULL
                        WHERE repeated_request.status IS NOT NULL OR repeated_request.lease <= \(time)
                    RETURNING 1
                    """,
                arguments: [request.actor, request.key, request.hash, now.milliseconds, replica.node]
            )
            return claimed == nil ? .working : .new
        }
    }

    package func release(_ request: IdempotentRequest) async throws {
        guard let replica else { return }
        try await pool.storing { db in
            try db.execute(
                sql: "DELETE FROM repeated_request WHERE actor = ? AND key = ? AND owner = ? AND status IS NULL",
                arguments: [request.actor, request.key, replica.node]
            )
        }
    }

    /// Releases what this node had begun before its process ended.
    package func releaseRequests() async throws {
        guard let replica else { return }
        try await pool.storing { db in
            try db.execute(
                sql: "DELETE FROM repeated_request WHERE owner = ? AND status IS NULL",
                arguments: [replica.node]
            )
        }
    }

    private static func known(
        _ request: IdempotentRequest,
        since oldest: Timestamp,
        _ db: any SQLDatabase
    ) throws -> KnownRequest {
        let known = try SQLRow.fetchOne(
            db,
            sql: """
                SELECT request_hash, status, headers, body FROM repeated_request
                WHERE actor = ? AND key = ? AND created_at >= ?
                """,
            arguments: [request.actor, request.key, oldest.milliseconds]
        )
        guard let known, let status = try known["status"] as Int? else { return .new }
        guard try known["request_hash"] as Data == request.hash else { return .other }
        let headers = try Self.content(try known["headers"] ?? "{}").members ?? []
        return try .answered(
            StoredResponse(
                status: status,
                headers: Dictionary(headers.map { ($0.key, $0.value.text ?? "") }) { first, _ in first },
                body: known["body"] ?? Data()
            )
        )
    }

    package func keep(
        _ answer: StoredResponse,
        to request: IdempotentRequest,
        of tenant: TenantID?,
        at now: Timestamp,
        since oldest: Timestamp
    ) async throws {
        let headers = answer.headers.sorted { $0.key < $1.key }.map { JSONNode.Member($0.key, .string($0.value)) }
        try await pool.storing { db in
            try db.execute(
                sql: "DELETE FROM repeated_request WHERE created_at < ?",
                arguments: [oldest.milliseconds]
            )
            try db.execute(
                sql: """
                    INSERT INTO repeated_request
                        (actor, key, request_hash, created_at, status, headers, body, tenant)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (actor, key) DO UPDATE SET request_hash = excluded.request_hash,
                        created_at = excluded.created_at, status = excluded.status, headers = excluded.headers,
                        body = excluded.body, tenant = excluded.tenant
                    """,
                arguments: [
                    request.actor, request.key, request.hash, now.milliseconds, answer.status,
                    JSONNode(.object(headers)).json(), answer.body, tenant?.rawValue,
                ]
            )
            try Self.forgetOldest(
                of: "actor",
                request.actor,
                Self.maximumAnswersOfActor,
                bytes: Self.maximumBytesOfActor,
                db
            )
            guard let tenant else { return }
            try Self.forgetOldest(
                of: "tenant",
                tenant.rawValue,
                Self.maximumAnswersOfTenant,
                bytes: Self.maximumBytesOfTenant,
                db
            )
        }
    }

    /// Deletes the oldest stored responses that exceed a limit.
    ///
    /// - Parameter column: The column that identifies the owner of the responses.
    private static func forgetOldest(
        of column: StaticString,
        _ value: String,
        _ count: Int,
        bytes: Int,
        _ db: any SQLDatabase
    ) throws {
        try db.execute(
            sql: """
                DELETE FROM repeated_request WHERE (actor, key) IN (
                    SELECT actor, key FROM (
                        SELECT actor, key, row_number() OVER newest AS position, sum(length(body)) OVER newest AS bytes
                        FROM repeated_request WHERE \(column) = :value AND status IS NOT NULL
                        WINDOW newest AS (ORDER BY created_at DESC, key DESC ROWS UNBOUNDED PRECEDING)) AS kept
                    WHERE position > :count OR bytes > :bytes)
                """,
            arguments: ["value": value, "count": count, "bytes": bytes]
        )
    }
}
