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
                sql: """
                    SELECT DISTINCT ON (node) node, shipped_log.last_seq, last_at
                    FROM shipped_log JOIN node ON node.name = shipped_log.node ORDER BY node, number DESC
                    """
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
        try await merged(limit, by: { $0 < $1 }) { db, log, days in
            let after = cursor[log] ?? 0
            let read = days.filter { $0.last > after }.map(\.day)
            return try Self.page(of: read, limit) { days, left in
                try SQLRow.fetchAll(
                    db,
                    sql: """
                        \(CopiedRows.selectSQL) WHERE tenant = ? AND log = ? AND seq > ? AND day = ANY (?::date[])
                        ORDER BY seq LIMIT ?
                        """,
                    arguments: [tenant.rawValue, log, after, days, left]
                )
            }
        }
    }

    package func events(
        of tenant: TenantID,
        before cursor: LogCursor,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent] {
        try await merged(limit, by: { $0 > $1 }) { db, log, days in
            let before = cursor[log] ?? .max
            let read = days.filter { $0.first < before && $0.day >= "\(day)" }.map(\.day).reversed()
            return try Self.page(of: Array(read), limit) { days, left in
                try SQLRow.fetchAll(
                    db,
                    sql: """
                        \(CopiedRows.selectSQL) WHERE tenant = ? AND log = ? AND seq < ? AND day = ANY (?::date[])
                        ORDER BY seq DESC LIMIT ?
                        """,
                    arguments: [tenant.rawValue, log, before, days, left]
                )
            }
        }
    }

    /// A day of a log that has rows.
    private struct LogDay {
        /// As in a statement; texts of days are in their order.
        let day: String
        let first: Int64
        let last: Int64
    }

    /// Reads a few days at once, and more of them the longer it takes to fill the page. A statement that names its days uses
    /// their partitions only.
    private static func page(
        of days: [String],
        _ limit: Int,
        _ rows: (_ days: String, _ left: Int) throws -> [SQLRow]
    ) throws -> [SQLRow] {
        var (page, rest, count) = ([SQLRow](), days[...], 1)
        while page.count < limit, !rest.isEmpty {
            page += try rows("{\(rest.prefix(count).joined(separator: ","))}", limit - page.count)
            rest = rest.dropFirst(count)
            count = min(2 * count, 32)
        }
        return page
    }

    /// Reads a page of each log, and returns the first events of all.
    private func merged(
        _ limit: Int,
        by isBefore: @escaping @Sendable (Timestamp, Timestamp) -> Bool,
        _ page: @escaping @Sendable (any SQLDatabase, _ log: Int64, [LogDay]) throws -> [SQLRow]
    ) async throws -> [StoredEvent] {
        try await store.read { db in
            var days: [Int64: [LogDay]] = [:]
            let sql =
                "SELECT log, day, first_seq, last_seq FROM shipped_day WHERE rows > erased + dropped ORDER BY log, day"
            try db.forEachRow(sql, []) { row in
                let day = LogDay(day: try row["day"], first: try row["first_seq"], last: try row["last_seq"])
                days[try row["log"], default: []].append(day)
            }
            var pages = try days.sorted { $0.key < $1.key }.map { log, days in
                try page(db, log, days).map(CopiedRows.event)[...]
            }
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
