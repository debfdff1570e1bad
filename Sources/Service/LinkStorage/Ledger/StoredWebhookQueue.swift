import GRDB
package import LinkEvents
package import LinkRouting

/// The queue of webhook deliveries in `ledger.db`.
package struct StoredWebhookQueue: WebhookQueue {
    private let ledger: StorageFile

    init(_ ledger: StorageFile) { self.ledger = ledger }

    package func add(_ delivery: WebhookDelivery) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql: """
                    INSERT INTO export_notice (id, tenant, payload, created_at, attempts, due_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET payload = excluded.payload WHERE due_at = excluded.due_at
                    """,
                arguments: [
                    delivery.id, delivery.tenant.rawValue, delivery.payload, delivery.createdAt.milliseconds,
                    delivery.attempts,
                    delivery.dueAt.milliseconds,
                ]
            )
        }
    }

    package func deliveries(dueAt now: Timestamp, limit: Int) async throws -> [WebhookDelivery] {
        try await deliveries(
            "due_at <= ?",
            [min(now.milliseconds, WebhookDelivery.held.milliseconds - 1)],
            limit: limit
        )
    }

    package func heldDeliveries(limit: Int) async throws -> [WebhookDelivery] {
        try await deliveries("due_at = ?", [WebhookDelivery.held.milliseconds], limit: limit)
    }

    package func release(_ id: String, at now: Timestamp) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql: "UPDATE export_notice SET due_at = ? WHERE id = ? AND due_at = ?",
                arguments: [now.milliseconds, id, WebhookDelivery.held.milliseconds]
            )
        }
    }

    private func deliveries(
        _ condition: String,
        _ arguments: StatementArguments,
        limit: Int
    ) async throws -> [WebhookDelivery] {
        try await ledger.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM export_notice WHERE \(condition) ORDER BY due_at, id LIMIT ?",
                arguments: arguments + [limit]
            ).map { row in
                guard let tenant = TenantID(row["tenant"] as String) else {
                    throw StorageError.corrupt(file: "events/ledger.db", detail: "a notice has no readable tenant")
                }
                return WebhookDelivery(
                    id: row["id"],
                    tenant: tenant,
                    payload: row["payload"],
                    createdAt: Timestamp(milliseconds: row["created_at"]),
                    attempts: row["attempts"],
                    dueAt: Timestamp(milliseconds: row["due_at"])
                )
            }
        }
    }

    package func nextDelivery() async throws -> Timestamp? {
        try await ledger.read { db in
            try Int64.fetchOne(
                db,
                sql: "SELECT min(due_at) FROM export_notice WHERE due_at < ?",
                arguments: [WebhookDelivery.held.milliseconds]
            )
        }.map(Timestamp.init(milliseconds:))
    }

    package func postpone(_ delivery: WebhookDelivery, to instant: Timestamp) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql: "UPDATE export_notice SET attempts = attempts + 1, due_at = ? WHERE id = ?",
                arguments: [instant.milliseconds, delivery.id]
            )
        }
    }

    package func complete(_ delivery: WebhookDelivery) async throws {
        try await ledger.storing { db in
            try db.execute(sql: "DELETE FROM export_notice WHERE id = ?", arguments: [delivery.id])
        }
    }
}
