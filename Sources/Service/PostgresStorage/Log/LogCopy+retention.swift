package import LinkEvents
package import LinkRouting
import LinkStorage

/// Retention of the copies. Every node does it, one at a time.
extension LogCopy {
    /// Bounds a transaction.
    private static let rowsAtOnce = 5_000

    /// Drops what is older than its tenant keeps: a whole day at once if no tenant keeps any of it, else rows in batches. Then
    /// forgets reports that are older than ``RetentionService/reportDays``.
    package func dropExpired(by rules: [TenantID: RetentionRule], today: CivilDay) async throws {
        let today = try await store.read { db in
            let text = try String.fetchOne(db, sql: "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')")
            let server = text.flatMap { CivilDay($0) } ?? today
            guard abs(server.daysSince1970 - today.daysSince1970) <= 1 else {
                throw WrongClock(server: server, own: today)
            }
            return min(server, today)
        }
        let days = try await store.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT DISTINCT day FROM shipped_day WHERE rows > erased + dropped AND day < ? ORDER BY day",
                arguments: ["\(today)"]
            ).compactMap { CivilDay($0) }
        }
        for day in days {
            let isExpired = { @Sendable (name: String) in
                let tenant = TenantID(name) ?? .none
                let rule = tenant == .none ? .unowned : rules[tenant]
                return rule.map { today.daysSince1970 - day.daysSince1970 > Int64($0.days) } ?? false
            }
            let tenants = try await store.read { try Self.tenants(of: day, $0) }
            if tenants.allSatisfy(isExpired) {
                try await dropDay(day, if: isExpired)
            } else {
                for tenant in tenants.filter(isExpired) { while try await deleteRows(of: tenant, on: day) {} }
            }
        }
        try await forgetReports(before: CivilDay(daysSince1970: today.daysSince1970 - RetentionService.reportDays))
    }

    /// The tenants with rows on a day, found one after another in the index.
    private static func tenants(of day: CivilDay, _ db: any SQLDatabase) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                WITH RECURSIVE found (tenant) AS (
                    (SELECT tenant FROM event WHERE day = ? ORDER BY tenant LIMIT 1)
                    UNION ALL
                    SELECT (SELECT event.tenant FROM event WHERE day = ? AND event.tenant > found.tenant
                        ORDER BY event.tenant LIMIT 1) FROM found WHERE found.tenant IS NOT NULL)
                SELECT tenant FROM found WHERE tenant IS NOT NULL
                """,
            arguments: ["\(day)", "\(day)"]
        )
    }

    /// This machine's day is not that of PostgreSQL, so that nothing is dropped.
    package struct WrongClock: Error, CustomStringConvertible {
        let server: CivilDay
        let own: CivilDay

        package var description: String {
            "it is \(own) here and \(server) in PostgreSQL, so that nothing is dropped there: correct the clock."
        }
    }

    /// Only one node drops at a time; the others find nothing to do.
    private static let turn = "SELECT pg_try_advisory_xact_lock(hashtext('fingerpost retention'))"

    /// Waits for no reader of events, because all later ones would wait meanwhile: the next pass tries again.
    private func dropDay(_ day: CivilDay, if isExpired: @escaping @Sendable (String) -> Bool) async throws {
        try await store.shipping { db in
            guard try Bool.fetchOne(db, sql: Self.turn) == true else { return }
            try db.execute(sql: "SET LOCAL lock_timeout = '200ms'")
            // No log adds rows of this day meanwhile. One may have done so since.
            try db.execute(sql: "SELECT number FROM shipped_log ORDER BY number FOR UPDATE")
            guard try Self.tenants(of: day, db).allSatisfy(isExpired) else { return }
            try db.execute(sql: "UPDATE shipped_day SET dropped = rows - erased WHERE day = ?", arguments: ["\(day)"])
            try db.execute(sql: "SELECT drop_event_day(?)", arguments: ["\(day)"])
        }
        forget()
    }

    /// Returns whether there may be more.
    private func deleteRows(of tenant: String, on day: CivilDay) async throws -> Bool {
        try await store.shipping { db in
            guard try Bool.fetchOne(db, sql: Self.turn) == true else { return false }
            let rows = try SQLRow.fetchAll(
                db,
                sql: """
                    WITH gone AS (
                        DELETE FROM event WHERE day = ? AND tenant = ? AND (log, seq) IN (
                            SELECT log, seq FROM event WHERE day = ? AND tenant = ? ORDER BY log, seq LIMIT ?)
                        RETURNING log)
                    UPDATE shipped_day SET dropped = dropped + counted.rows
                    FROM (SELECT log, count(*) AS rows FROM gone GROUP BY log) AS counted
                    WHERE shipped_day.day = ? AND shipped_day.log = counted.log RETURNING counted.rows AS rows
                    """,
                arguments: ["\(day)", tenant, "\(day)", tenant, Self.rowsAtOnce, "\(day)"]
            )
            return try rows.reduce(0) { $0 + (try $1["rows"] as Int64) } == Self.rowsAtOnce
        }
    }

    private func forgetReports(before day: CivilDay) async throws {
        let sql = """
            DELETE FROM reported_event WHERE hash IN (SELECT hash FROM reported_event WHERE day < ? LIMIT ?) RETURNING 1 AS gone
            """
        while try await store.shipping({ db in
            try Int64.fetchAll(db, sql: sql, arguments: ["\(day)", Self.rowsAtOnce]).count == Self.rowsAtOnce
        }) {}
    }
}
