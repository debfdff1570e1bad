import LinkEvents
package import LinkRouting
import LinkStorage

/// What the copy of a node's log holds.
package struct LogCopyReport: Sendable, Hashable {
    package let node: String
    package let log: String
    /// What it has in common with an earlier log ends there, and is in that one.
    package let begunSequence: Int64
    package let lastSequence: Int64
    /// Sequences between whose rows were gone before they were shipped.
    package let absent: Int64
    /// Rows that were shipped, and those of them that are gone.
    package let shipped: Int64
    package let erased: Int64
    package let dropped: Int64
    /// When the node last said that it had shipped everything until then.
    package let through: Timestamp
}

extension LogCopy {
    /// Proves for each log that its days follow each other without a gap, that each day has the rows that were shipped and
    /// neither erased nor dropped since, that no event is there twice, and that every row is counted. While no row of a log
    /// is erased or dropped, its counts are exactly those of its rows. Reads all rows.
    ///
    /// - Returns: What each log holds, and what is wrong.
    package func verify() async throws -> (logs: [LogCopyReport], faults: [String]) {
        try await store.longRead { db in
            let logs = try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT number, node, id, begun_seq, shipped_log.last_seq, last_at, coalesce(sum(absent), 0) AS absent,
                        coalesce(sum(rows), 0) AS shipped, coalesce(sum(erased), 0) AS erased, coalesce(sum(dropped), 0) AS dropped
                    FROM shipped_log LEFT JOIN shipped_day ON log = number GROUP BY number ORDER BY node, number
                    """
            ).map { row in
                let report = LogCopyReport(
                    node: try row["node"],
                    log: try row["id"],
                    begunSequence: try row["begun_seq"],
                    lastSequence: try row["last_seq"],
                    absent: try row["absent"],
                    shipped: try row["shipped"],
                    erased: try row["erased"],
                    dropped: try row["dropped"],
                    through: Timestamp(milliseconds: try row["last_at"])
                )
                return (number: try row["number"] as Int64, report: report)
            }
            let faults = try Self.checks.flatMap { try String.fetchAll(db, sql: $0) }
            let counts = try logs.flatMap { try Self.countFaults(of: $1, number: $0, db) }
            return (logs.map(\.report), faults + counts)
        }
    }

    private static func countFaults(of log: LogCopyReport, number: Int64, _ db: any SQLDatabase) throws -> [String] {
        let days = try Int64.fetchAll(
            db,
            sql:
                "SELECT recorded_at / 86400000 FROM event WHERE log = ? UNION SELECT day FROM count_day WHERE log = ? ORDER BY 1",
            arguments: [number, number]
        )
        return try days.flatMap { day in
            var (counts, events) = (RangeCounts(), [Event]())
            let sql = "\(CopiedRows.selectSQL) WHERE log = ? AND recorded_at BETWEEN ? AND ? AND NOT duplicate"
            // A time that somebody has written may be any number.
            let (last, overflows) = (day * 86_400_000).addingReportingOverflow(86_399_999)
            try db.forEachRow(sql, [number, day * 86_400_000, overflows ? Int64.max : last]) { row in
                events.append(try CopiedRows.event(row).event)
                guard events.count == 1_024 else { return }
                counts.add(events)
                events = []
            }
            counts.add(events)
            return try counts.faults(in: db, log: number, on: day, isWhole: log.erased + log.dropped == 0)
                .map { "\(log.node): \($0)" }
        }
    }

    /// Each selects descriptions of faults.
    private static let checks = [
        """
        SELECT node || ': the days ' || before || ' and ' || day || ' have a gap: ' || ended || ' is followed by '
            || first_seq
        FROM (SELECT node, day, first_seq, lag(day) OVER logs AS before, lag(shipped_day.last_seq) OVER logs AS ended
            FROM shipped_day JOIN shipped_log ON number = log WINDOW logs AS (PARTITION BY log ORDER BY day)) AS days
        WHERE first_seq != ended + 1
        """,
        """
        SELECT node || ': the log ends at ' || shipped_log.last_seq || ', but its days end at ' || coalesce(max(shipped_day.last_seq), 0)
        FROM shipped_log LEFT JOIN shipped_day ON log = number GROUP BY number
        HAVING shipped_log.last_seq != coalesce(max(shipped_day.last_seq), shipped_log.last_seq)
        """,
        """
        SELECT shipped_log.node || ': the log ends with the event ' || last_event || ', but the row ' || last_seq || ' is ' || event.id
        FROM shipped_log JOIN event ON event.log = number AND event.seq = last_seq WHERE event.id != last_event
        """,
        """
        SELECT node || ': ' || day || ' has ' || stored || ' rows, but ' || rows || ' were shipped, '
            || erased || ' erased and ' || dropped || ' dropped'
        FROM shipped_day JOIN shipped_log ON number = shipped_day.log CROSS JOIN LATERAL (
            SELECT count(*) AS stored FROM event WHERE event.day = shipped_day.day AND event.log = shipped_day.log) AS counted
        WHERE stored != rows - erased - dropped
        """,
        """
        SELECT node || ': ' || day || ' has the sequences ' || first_seq || ' to ' || shipped_day.last_seq || ', but '
            || rows || ' rows were shipped and ' || absent || ' were gone before'
        FROM shipped_day JOIN shipped_log ON number = log WHERE shipped_day.last_seq - first_seq + 1 != rows + absent
        """,
        """
        SELECT 'a day has rows of an unknown log: ' || log || ', ' || day FROM event
        WHERE NOT EXISTS (SELECT 1 FROM shipped_day WHERE shipped_day.log = event.log AND shipped_day.day = event.day)
        GROUP BY log, day
        """,
        """
        WITH doubled AS (
            SELECT event.id, count(*) AS copies,
                string_agg(shipped_log.node || ' log ' || shipped_log.id || ' seq ' || seq, ', ' ORDER BY log, seq) AS places
            FROM event LEFT JOIN shipped_log ON number = log GROUP BY tenant, event.id HAVING count(*) > 1)
        (SELECT 'the event ' || id || ' is there ' || copies || ' times: ' || places FROM doubled LIMIT 10)
        UNION ALL SELECT count(*) || ' events are there more than once' FROM doubled HAVING count(*) > 10
        """,
        """
        SELECT node || ': ' || shipped || ' rows were counted, but the counts by the ' || unit || ' add up to ' || sum
        FROM (SELECT number, node, coalesce(sum(rows - duplicates), 0) AS shipped
                FROM shipped_log LEFT JOIN shipped_day ON log = number GROUP BY number) AS logs
            CROSS JOIN LATERAL (
                SELECT 'day' AS unit, coalesce(sum(count), 0) AS sum FROM count_day WHERE log = number
                UNION ALL SELECT 'quarter-hour', coalesce(sum(count), 0) FROM count_quarter WHERE log = number) AS counts
        WHERE shipped != sum
        """,
    ]
}
