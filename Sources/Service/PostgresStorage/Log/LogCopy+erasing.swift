import Crypto
import Foundation
package import LinkEvents
package import LinkRouting
import LinkStorage

/// Erasures in several logs. An erasure is an order in PostgreSQL: its rows are deleted from the copies, each node carries it
/// out in its own log and exports and confirms that, and rows that are shipped later are not stored. It is finished when the
/// rows are deleted and every node has confirmed. The hash of the install stays, so that a log that joins later carries it out,
/// too.
extension LogCopy {
    /// An order that a node has not carried out yet.
    package struct ErasureOrder: Sendable, Hashable {
        package let id: Int64
        package let tenant: TenantID
        package let install: InstallID
        package let requestedAt: Timestamp
        /// By PostgreSQL's clock, which was this many milliseconds before it was read.
        package let age: Int64
        package let requestID: String
    }

    /// Orders an erasure of everything that was recorded until `now`.
    func order(_ install: InstallID, of tenant: TenantID, requestID: String, at now: Timestamp) async throws {
        try await store.storing { db in
            try db.execute(
                sql: "INSERT INTO erasure (tenant, install, hash, requested_at, request_id) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    tenant.rawValue, Data(install.bytes), Self.hash(install, of: tenant), now.milliseconds, requestID,
                ]
            )
        }
    }

    /// Deletes the rows of all orders from the copies. What is interrupted is repeated by the next call, of any node.
    package func deleteOrdered(at now: Timestamp) async throws {
        let orders = try await orders("deleted_at IS NULL", [])
        guard !orders.isEmpty else { return }
        // Waits for transactions that began before the orders were there. Later ones do not store the rows.
        let logs = try await store.shipping { db in
            try Int64.fetchAll(db, sql: "SELECT number FROM shipped_log ORDER BY number FOR UPDATE")
        }
        for order in orders {
            for log in logs { try await deleteRows(of: order, in: log) }
            try await store.storing { db in
                try db.execute(
                    sql: "UPDATE erasure SET deleted_at = ? WHERE id = ?",
                    arguments: [now.milliseconds, order.id]
                )
                try PostgresStore.finishErasures(at: now, db)
            }
        }
    }

    /// The number of sequences that are searched in one transaction.
    private static let span: Int64 = 100_000

    /// - Parameter fence: Rows up to this one are deleted whenever they were recorded.
    private func deleteRows(of order: ErasureOrder, in log: Int64, through fence: Int64 = 0) async throws {
        let days = try await store.read { db in
            try SQLRow.fetchAll(
                db,
                sql:
                    "SELECT day, first_seq, last_seq FROM shipped_day WHERE log = ? AND rows > erased + dropped ORDER BY day",
                arguments: [log]
            ).map { (try $0["day"], try $0["first_seq"], try $0["last_seq"]) as (String, Int64, Int64) }
        }
        for (day, first, last) in days {
            for start in stride(from: first, through: last, by: Int(Self.span)) {
                try await store.shipping { db in
                    // First, as retention does, so that neither waits for the other.
                    try db.execute(sql: "SELECT number FROM shipped_log WHERE number = ? FOR UPDATE", arguments: [log])
                    let deleted = try Int64.fetchAll(
                        db,
                        sql: """
                            DELETE FROM event WHERE day = ? AND log = ? AND tenant = ? AND seq BETWEEN ? AND ? AND install = ?
                                AND (recorded_at <= ? OR seq <= ?) RETURNING seq
                            """,
                        arguments: [
                            day, log, order.tenant.rawValue, start, start + Self.span - 1, "\(order.install)",
                            order.requestedAt.milliseconds, fence,
                        ]
                    ).count
                    guard deleted > 0 else { return }
                    try db.execute(
                        sql: "UPDATE shipped_day SET erased = erased + ? WHERE log = ? AND day = ?",
                        arguments: [deleted, log, day]
                    )
                    try db.execute(
                        sql: "UPDATE erasure SET rows = rows + ? WHERE id = ?",
                        arguments: [deleted, order.id]
                    )
                }
            }
        }
    }

    /// Identifies an install after its erasure.
    private static func hash(_ install: InstallID, of tenant: TenantID) -> Data {
        Data(SHA256.hash(data: Data("\(tenant.rawValue) \(install)".utf8)).prefix(16))
    }

    /// The orders that a node has to carry out, oldest first.
    package func orders(for node: String) async throws -> [ErasureOrder] {
        let confirmed = "SELECT 1 FROM erasure_confirmed WHERE erasure = id AND node = ?"
        return try await orders("NOT EXISTS (\(confirmed))", [.text(node)])
    }

    /// The finished orders that a node has not carried out, because it joined later, was forgotten or had another disk.
    package struct MissedErasures: Sendable {
        fileprivate let last: Int64
        fileprivate let requests: [Data: Timestamp]

        /// Returns until when an install's rows have to be erased.
        package func coverage(_ install: InstallID, of tenant: TenantID) -> Timestamp? {
            requests[LogCopy.hash(install, of: tenant)]
        }
    }

    /// Returns nil if there are none.
    package func missedErasures(of node: String) async throws -> MissedErasures? {
        let condition = """
            finished_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM erasure_confirmed WHERE erasure = id AND node = ?)
            """
        return try await store.read { db in
            let sql =
                "SELECT hash, max(requested_at) AS at, max(id) AS last FROM erasure WHERE \(condition) GROUP BY hash"
            var (last, requests) = (Int64(0), [Data: Timestamp]())
            try db.forEachRow(sql, [node]) { row in
                last = max(last, try row["last"])
                requests[try row["hash"]] = Timestamp(milliseconds: try row["at"])
            }
            return requests.isEmpty ? nil : MissedErasures(last: last, requests: requests)
        }
    }

    package func confirm(_ missed: MissedErasures, by node: String) async throws {
        try await store.storing { db in
            try db.execute(
                sql: """
                    INSERT INTO erasure_confirmed (erasure, node)
                    SELECT id, ? FROM erasure WHERE finished_at IS NOT NULL AND id <= ? ON CONFLICT DO NOTHING
                    """,
                arguments: [node, missed.last]
            )
        }
    }

    /// Lets a node carry out all erasures again, after its disk has become another one.
    func repeatErasures(of node: String) async throws {
        try await store.storing { db in
            try db.execute(sql: "DELETE FROM erasure_confirmed WHERE node = ?", arguments: [node])
        }
    }

    private func orders(_ condition: String, _ arguments: [SQLValue]) async throws -> [ErasureOrder] {
        try await store.read { db in
            let sql = """
                SELECT *, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ordered_at AS age
                FROM erasure WHERE finished_at IS NULL AND \(condition) ORDER BY id
                """
            var rows: [SQLRow] = []
            try db.forEachRow(sql, .list(arguments)) { rows.append($0) }
            return try rows.compactMap { row in
                guard let tenant = TenantID(try row["tenant"] as String),
                    let bytes = Bytes16(Array(try row["install"] as Data))
                else { return nil }
                return ErasureOrder(
                    id: try row["id"],
                    tenant: tenant,
                    install: InstallID(bytes),
                    requestedAt: Timestamp(milliseconds: try row["requested_at"]),
                    age: try row["age"],
                    requestID: try row["request_id"]
                )
            }
        }
    }

    /// Says that a node has carried out an order in its log up to a sequence. Its clock may be ahead of that of the node that
    /// ordered, so that rows up to there are deleted from the copy whenever they were recorded.
    package func confirm(
        _ order: ErasureOrder,
        by node: String,
        log: String?,
        through sequence: Int64,
        at now: Timestamp
    ) async throws {
        let number = try await store.read { db in
            try Int64.fetchOne(db, sql: "SELECT number FROM shipped_log WHERE id = ?", arguments: [log])
        }
        if let number { try await deleteRows(of: order, in: number, through: sequence) }
        _ = try await confirm("id = ?", [.integer(order.id)], by: node, at: now)
    }

    /// Confirms the order that an erasure of this node belongs to. Returns when all nodes had confirmed; nil before.
    func confirm(_ erasure: Erasure, by node: String, at now: Timestamp) async throws -> Timestamp? {
        let hash = erasure.install.map { SQLValue.bytes(Self.hash($0, of: erasure.tenant)) } ?? .null
        return try await confirm(
            "hash = ? AND request_id = ? AND requested_at = ?",
            [hash, .text(erasure.requestID), .integer(erasure.requestedAt.milliseconds)],
            by: node,
            at: now
        )
    }

    private func confirm(_ condition: String, _ arguments: [SQLValue], by node: String, at now: Timestamp) async throws
        -> Timestamp?
    {
        try await store.storing { db in
            let find = "SELECT id FROM erasure WHERE \(condition) ORDER BY id LIMIT 1"
            var order: Int64?
            try db.forEachRow(find, .list(arguments)) { order = try $0["id"] }
            guard let order else { throw MissingOrder() }
            try db.execute(
                sql: "INSERT INTO erasure_confirmed (erasure, node) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [order, node]
            )
            try PostgresStore.finishErasures(at: now, db)
            return try Int64.fetchOne(db, sql: "SELECT finished_at FROM erasure WHERE id = ?", arguments: [order])
                .map(Timestamp.init(milliseconds:))
        }
    }

    /// A failover has lost the order.
    struct MissingOrder: Error {}

    /// Returns a tenant's erasures, newest first.
    func erasures(of tenant: TenantID) async throws -> [Erasure] {
        try await store.read { db in
            let sql =
                "SELECT id, requested_at, request_id, rows, finished_at FROM erasure WHERE tenant = ? ORDER BY id DESC"
            return try SQLRow.fetchAll(db, sql: sql, arguments: [tenant.rawValue]).map { row in
                Erasure(
                    id: try row["id"],
                    tenant: tenant,
                    install: nil,
                    requestedAt: Timestamp(milliseconds: try row["requested_at"]),
                    requestID: try row["request_id"],
                    lastSequence: 0,
                    finishedAt: (try row["finished_at"] as Int64?).map(Timestamp.init(milliseconds:)),
                    rows: try row["rows"]
                )
            }
        }
    }

    func erasureCount(of tenant: TenantID, since instant: Timestamp) async throws -> Int {
        try await store.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM erasure WHERE tenant = ? AND requested_at >= ?",
                arguments: [tenant.rawValue, instant.milliseconds]
            ) ?? 0
        }
    }

    /// Returns the events without those that an order covers, which arrive after it.
    static func withoutErased(_ events: [StoredEvent], _ db: PostgresConnection) throws -> [StoredEvent] {
        let hashes = Set(events.compactMap { event in event.event.install.map { hash($0, of: event.event.tenant) } })
        guard !hashes.isEmpty else { return events }
        var orders: [Data: Int64] = [:]
        let list = hashes.map { "\\\\x\($0.map { String(format: "%02x", $0) }.joined())" }.joined(separator: ",")
        let sql = "SELECT hash, max(requested_at) AS until FROM erasure WHERE hash = ANY (?::bytea[]) GROUP BY hash"
        try db.forEachRow(sql, ["{\(list)}"]) { row in orders[try row["hash"]] = try row["until"] }
        guard !orders.isEmpty else { return events }
        return events.filter { stored in
            guard let install = stored.event.install, let until = orders[hash(install, of: stored.event.tenant)] else {
                return true
            }
            return stored.event.recordedAt.milliseconds > until
        }
    }
}

extension PostgresStore {
    /// Ends the erasures that every node has confirmed, and forgets whose they were.
    static func finishErasures(at now: Timestamp, _ db: any SQLDatabase) throws {
        try db.execute(
            sql: """
                UPDATE erasure SET finished_at = ?, install = ''
                WHERE finished_at IS NULL AND deleted_at IS NOT NULL AND EXISTS (
                    SELECT 1 FROM erasure_confirmed WHERE erasure = erasure.id
                ) AND NOT EXISTS (
                    SELECT 1 FROM node WHERE NOT EXISTS (
                        SELECT 1 FROM erasure_confirmed WHERE erasure = erasure.id AND erasure_confirmed.node = node.name))
                """,
            arguments: [now.milliseconds]
        )
    }
}
