import GRDB
package import LinkEvents
package import LinkRouting

/// Retention: removes rows from the log for good. The ledger records the drop first, so that a crash in between is
/// completed later and no export reads half-removed rows.
extension EventLog {
    package func retainedRows() async throws -> [RetainedRows] {
        try await ledger.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT day, tenant, rows, last_seq,
                        CASE WHEN EXISTS (SELECT 1 FROM export_window WHERE export_window.tenant = day_tenant.tenant)
                            THEN edge END,
                        EXISTS (
                            SELECT 1 FROM export_window AS pending
                            WHERE pending.tenant = day_tenant.tenant AND exported_at IS NULL
                                AND pending.first_seq <= day_tenant.last_seq
                                AND pending.last_seq >= day_tenant.first_seq
                        )
                    FROM day_tenant LEFT JOIN export_cursor USING (tenant)
                    WHERE dropped_at IS NULL ORDER BY day, tenant
                    """
            ).map { row in
                RetainedRows(
                    day: CivilDay(daysSince1970: row[0]),
                    tenant: try Self.tenant(row[1]),
                    count: row[2],
                    lastSequence: row[3],
                    exportEdge: row[4],
                    hasPendingWindow: row[5]
                )
            }
        }
    }

    package func retentionClock() async throws -> RetentionClock? {
        try await ledger.read { db in
            if let row = try Row.fetchOne(db, sql: "SELECT last_pass, jumped_at FROM retention_clock") {
                return RetentionClock(
                    lastPass: Timestamp(milliseconds: row[0]),
                    jumpedAt: (row[1] as Int64?).map(Timestamp.init(milliseconds:))
                )
            }
            // Before the first pass, the newest day with rows is used instead.
            let day = try Int64.fetchOne(db, sql: "SELECT max(day) FROM day_tenant")
            return day.map { RetentionClock(lastPass: CivilDay(daysSince1970: $0).start) }
        }
    }

    package func note(_ clock: RetentionClock) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql: """
                    INSERT INTO retention_clock (id, last_pass, jumped_at) VALUES (1, ?, ?)
                    ON CONFLICT DO UPDATE SET last_pass = excluded.last_pass, jumped_at = excluded.jumped_at
                    """,
                arguments: [clock.lastPass.milliseconds, clock.jumpedAt?.milliseconds]
            )
        }
    }

    package func drop(_ rows: [RetainedRows], at now: Timestamp) async throws {
        try await onCheckpointQueue { log in
            try log.ledger.storing { db in
                for rows in rows {
                    try db.execute(
                        sql: "UPDATE day_tenant SET dropped_at = ? WHERE tenant = ? AND day = ? AND dropped_at IS NULL",
                        arguments: [now.milliseconds, rows.tenant.rawValue, rows.day.daysSince1970]
                    )
                }
                try db.execute(
                    sql: """
                        UPDATE day SET dropped_at = ? WHERE dropped_at IS NULL AND NOT EXISTS (
                            SELECT 1 FROM day_tenant WHERE day_tenant.day = day.day AND dropped_at IS NULL
                        )
                        """,
                    arguments: [now.milliseconds]
                )
            }
            try log.removeDroppedRows(at: now)
        }
    }

    /// Removes rows that the ledger marks as dropped and that may still be in the files.
    func removeDroppedRows(at now: Timestamp) throws {
        let (days, rows) = try ledger.read { db in
            (
                Set(try Int64.fetchAll(db, sql: "SELECT day FROM day WHERE dropped_at IS NOT NULL")),
                try Row.fetchAll(
                    db,
                    sql: "SELECT day, tenant FROM day_tenant WHERE dropped_at IS NOT NULL AND emptied_at IS NULL"
                )
            )
        }
        for day in finishedDays() where days.contains(day.daysSince1970) { try removeFile(of: day) }
        let left = Dictionary(grouping: rows) { CivilDay(daysSince1970: $0[0]) }
        try forEachSound(left.keys.sorted()) { day in
            for row in left[day] ?? [] {
                if !days.contains(day.daysSince1970) { try deleteRows(of: try Self.tenant(row[1]), on: day) }
                try ledger.storing { db in
                    try db.execute(
                        sql: "UPDATE day_tenant SET emptied_at = ? WHERE day = ? AND tenant = ?",
                        arguments: [now.milliseconds, day.daysSince1970, row[1] as String]
                    )
                }
            }
        }
    }

    /// Bounds a transaction, so that it ends quickly and its WAL stays small.
    private static let rowsAtOnce = 2_000
    private static let pagesAtOnce = 1_000

    private func deleteRows(of tenant: TenantID, on day: CivilDay) throws {
        guard finishedDays().contains(day) else { return }
        let database = try file(of: day).database
        guard
            let number = try database.read({ db in
                try Int64.fetchOne(db, sql: "SELECT id FROM text WHERE value = ?", arguments: [tenant.rawValue])
            })
        else { return }
        while try database.storing({ db in
            try db.execute(
                sql: "DELETE FROM event WHERE seq IN (\(EventRow.sequencesSQL(.oldestFirst)))",
                arguments: ["tenant": number, "low": 1, "high": Int64.max, "limit": Self.rowsAtOnce]
            )
            return db.changesCount > 0
        }) {}
        try removeUnusedTexts(of: day)
        while try database.working({ db in
            let before = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            try db.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesAtOnce))")
            let after = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            return after > 0 && after < before
        }) {}
        try database.checkpoint()
    }

    static func tenant(_ text: String) throws -> TenantID {
        guard let tenant = TenantID(logged: text) else {
            throw StorageError.corrupt(file: "events/ledger.db", detail: "a tenant's name cannot be read")
        }
        return tenant
    }
}
