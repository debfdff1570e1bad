package import LinkRouting
import LinkStorage

/// What the copy of a node's log holds.
package struct LogCopyReport: Sendable, Hashable {
    package let node: String
    package let log: String
    package let lastSequence: Int64
    /// Rows that were shipped, and those of them that are gone.
    package let shipped: Int64
    package let erased: Int64
    package let dropped: Int64
    /// When the node last said that it had shipped everything until then.
    package let through: Timestamp
}

extension LogCopy {
    /// Proves for each log that its days follow each other without a gap, that each day has the rows that were shipped and
    /// neither erased nor dropped since, that no event is there twice, and that the counts are those of the rows. Reads
    /// all rows.
    ///
    /// - Returns: What each log holds, and what is wrong.
    package func verify() async throws -> (logs: [LogCopyReport], faults: [String]) {
        try await store.longRead { db in
            let logs = try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT node, id, shipped_log.last_seq, last_at, coalesce(sum(rows), 0) AS shipped, coalesce(sum(erased), 0) AS erased,
                        coalesce(sum(dropped), 0) AS dropped
                    FROM shipped_log LEFT JOIN shipped_day ON log = number GROUP BY number ORDER BY node, number
                    """
            ).map { row in
                LogCopyReport(
                    node: try row["node"],
                    log: try row["id"],
                    lastSequence: try row["last_seq"],
                    shipped: try row["shipped"],
                    erased: try row["erased"],
                    dropped: try row["dropped"],
                    through: Timestamp(milliseconds: try row["last_at"])
                )
            }
            return (logs, try Self.checks.flatMap { try String.fetchAll(db, sql: $0) })
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
        SELECT 'the event ' || id || ' is there ' || count(*) || ' times: ' || string_agg(node || ' ' || seq, ', ' ORDER BY node, seq)
        FROM event GROUP BY tenant, id HAVING count(*) > 1 LIMIT 10
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
