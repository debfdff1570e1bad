package import LinkEvents
package import LinkRouting
import LinkStorage

/// The events of all nodes. Each log is read in its own order, and the events of several are merged by their times.
extension LogCopy: EventHistory {
    package func end() async throws -> LogCursor {
        try await store.read { db in try Self.cursor(db, "SELECT number, last_seq FROM shipped_log") }
    }

    package func end(of day: CivilDay) async throws -> LogCursor? {
        try await store.read { db in
            try Self.cursor(
                db,
                // Rows of a later day may have been recorded before, so they count if there are none of the day.
                """
                SELECT log AS number, coalesce(max(last_seq) FILTER (WHERE day <= ?), min(first_seq) - 1) + 1 AS last_seq
                FROM shipped_day GROUP BY log
                """,
                ["\(day)"]
            )
        }
    }

    private static func cursor(_ db: any SQLDatabase, _ sql: String, _ arguments: SQLArguments = []) throws -> LogCursor
    {
        let rows = try SQLRow.fetchAll(db, sql: sql, arguments: arguments)
        return LogCursor(Dictionary(try rows.map { (try $0["number"], try $0["last_seq"]) }) { first, _ in first })
    }

    package func nodes() async throws -> [ShippedNode] {
        try await store.read { db in
            try SQLRow.fetchAll(
                db,
                sql: "SELECT DISTINCT ON (node) node, last_seq, last_at FROM shipped_log ORDER BY node, number DESC"
            ).map { row in
                let through: Int64 = try row["last_at"]
                return ShippedNode(
                    name: try row["node"],
                    sequence: try row["last_seq"],
                    through: through > 0 ? Timestamp(milliseconds: through) : nil
                )
            }
        }
    }

    package func events(of tenant: TenantID, after cursor: LogCursor, limit: Int) async throws -> [StoredEvent] {
        try await merged(limit, by: { $0 < $1 }) { db, log in
            let after = cursor[log] ?? 0
            return try SQLRow.fetchAll(
                db,
                sql: """
                    \(CopiedRows.selectSQL) WHERE tenant = ? AND log = ? AND seq > ?
                        AND day >= (SELECT min(day) FROM shipped_day WHERE log = ? AND last_seq > ?)
                    ORDER BY seq LIMIT ?
                    """,
                arguments: [tenant.rawValue, log, after, log, after, limit]
            )
        }
    }

    package func events(
        of tenant: TenantID,
        before cursor: LogCursor,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent] {
        try await merged(limit, by: { $0 > $1 }) { db, log in
            try SQLRow.fetchAll(
                db,
                sql: """
                    \(CopiedRows.selectSQL) WHERE tenant = ? AND log = ? AND seq < ? AND day >= ?
                    ORDER BY seq DESC LIMIT ?
                    """,
                arguments: [tenant.rawValue, log, cursor[log] ?? .max, "\(day)", limit]
            )
        }
    }

    /// Reads a page of each log, and returns the first events of all.
    private func merged(
        _ limit: Int,
        by isBefore: @escaping @Sendable (Timestamp, Timestamp) -> Bool,
        _ page: @escaping @Sendable (any SQLDatabase, Int64) throws -> [SQLRow]
    ) async throws -> [StoredEvent] {
        try await store.read { db in
            let logs = try Int64.fetchAll(db, sql: "SELECT number FROM shipped_log ORDER BY number")
            var pages = try logs.map { log in try page(db, log).map(CopiedRows.event)[...] }
            var events: [StoredEvent] = []
            while events.count < limit {
                let first = pages.indices.filter { !pages[$0].isEmpty }
                    .min { isBefore(pages[$0].time, pages[$1].time) }
                guard let first, let event = pages[first].popFirst() else { break }
                events.append(event)
            }
            return events
        }
    }

    /// The most milliseconds between the time in an id and that of its event.
    private static let idDelay: Int64 = 5_000

    package func event(_ id: RecordedID, of tenant: TenantID) async throws -> StoredEvent? {
        guard let time = id.timed?.time else { return nil }
        let days = [-1, 1].map { CivilDay(daysSince1970: time.day.daysSince1970 + $0) }
        return try await store.read { db in
            try SQLRow.fetchOne(
                db,
                sql: """
                    \(CopiedRows.selectSQL) WHERE day BETWEEN ? AND ? AND recorded_at BETWEEN ? AND ? AND tenant = ? AND id = ?
                    LIMIT 1
                    """,
                arguments: [
                    "\(days[0])", "\(days[1])", time.milliseconds - Self.idDelay, time.milliseconds + Self.idDelay,
                    tenant.rawValue, "\(id)",
                ]
            ).map(CopiedRows.event)
        }
    }

    package func event(at sequence: Int64, of tenant: TenantID) async throws -> StoredEvent? {
        try await store.read { db in
            let found = try SQLRow.fetchAll(
                db,
                sql:
                    "\(CopiedRows.selectSQL) WHERE tenant = ? AND log IN (SELECT number FROM shipped_log) AND seq = ? LIMIT 2",
                arguments: [tenant.rawValue, sequence]
            )
            return found.count == 1 ? try found.first.map(CopiedRows.event) : nil
        }
    }
}

extension ArraySlice<StoredEvent> {
    fileprivate var time: Timestamp { first?.event.recordedAt ?? Timestamp(milliseconds: .max) }
}
