package import LinkEvents
package import LinkRouting
import LinkStorage

/// One log as PostgreSQL has it, for the exports of a node that is gone. Nothing is appended to it.
package struct CopiedLog: EventStore {
    private let copy: LogCopy
    /// The log's number in PostgreSQL.
    package let number: Int64

    init(_ copy: LogCopy, number: Int64) {
        self.copy = copy
        self.number = number
    }

    package func lastSequence() async throws -> Int64 {
        try await copy.store.read { [number] db in
            try Int64.fetchOne(db, sql: "SELECT last_seq FROM shipped_log WHERE number = ?", arguments: [number]) ?? 0
        }
    }

    package func append(_ events: [Event]) async throws -> Appended {
        throw EventStoreError.refused("a copy of a log takes no events")
    }

    package func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        try await copy.store.longRead { [number] db in
            try SQLRow.fetchAll(
                db,
                sql: """
                    \(CopiedRows.selectSQL) WHERE tenant = ? AND log = ? AND seq BETWEEN ? AND ?
                        AND day >= (SELECT min(day) FROM shipped_day WHERE log = ? AND last_seq >= ?) ORDER BY seq LIMIT ?
                    """,
                arguments: [
                    tenant.rawValue, number, range.lowerBound, range.upperBound, number, range.lowerBound, limit,
                ]
            ).map(CopiedRows.event)
        }
    }

    /// How far the node had exported each tenant.
    package func exported() async throws -> [TenantID: ExportCursor] {
        try await copy.store.read { [number] db in
            let sql = "SELECT tenant, last_end, edge FROM shipped_export WHERE log = ?"
            var cursors: [TenantID: ExportCursor] = [:]
            try db.forEachRow(sql, [number]) { row in
                guard let tenant = TenantID(try row["tenant"] as String) else { return }
                let end = Timestamp(milliseconds: try row["last_end"])
                cursors[tenant] = ExportCursor(lastEnd: end, edge: try row["edge"])
            }
            return cursors
        }
    }
}

extension LogCopy {
    /// The logs of a node, oldest first.
    package func logs(of node: String) async throws -> [CopiedLog] {
        try await store.read { [self] db in
            let sql = "SELECT number FROM shipped_log WHERE node = ? ORDER BY number"
            return try Int64.fetchAll(db, sql: sql, arguments: [node]).map { CopiedLog(self, number: $0) }
        }
    }

    func note(_ exports: [TenantID: ExportCursor], of log: LogIdentity) async throws {
        try await store.shipping { db in
            for (tenant, cursor) in exports {
                try db.execute(
                    sql: """
                        INSERT INTO shipped_export (log, tenant, last_end, edge)
                        SELECT number, ?, ?, ? FROM shipped_log WHERE id = ? AND nonce = ?
                        ON CONFLICT (log, tenant) DO UPDATE SET last_end = excluded.last_end, edge = excluded.edge
                        """,
                    arguments: [tenant.rawValue, cursor.lastEnd.milliseconds, cursor.edge, log.log, log.nonces.last]
                )
            }
        }
    }
}
