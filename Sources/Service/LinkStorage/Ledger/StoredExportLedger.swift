import GRDB
package import LinkEvents
package import LinkRouting

/// The export windows and cursors in `ledger.db`.
package struct StoredExportLedger: ExportLedger {
    private let ledger: StorageFile

    init(_ ledger: StorageFile) { self.ledger = ledger }

    package func cursor(of tenant: TenantID, since now: Timestamp) async throws -> ExportCursor {
        try await ledger.storing { db in
            try db.execute(
                sql: "INSERT INTO export_cursor (tenant, last_end, edge) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
                arguments: [tenant.rawValue, now.milliseconds]
            )
            return try Self.cursor(of: tenant, db)
        }
    }

    private static func cursor(of tenant: TenantID, _ db: Database) throws -> ExportCursor {
        guard
            let row = try Row.fetchOne(
                db,
                sql: "SELECT last_end, edge FROM export_cursor WHERE tenant = ?",
                arguments: [tenant.rawValue]
            )
        else { throw StorageError.corrupt(file: "events/ledger.db", detail: "tenant '\(tenant)' has no export cursor") }
        return ExportCursor(lastEnd: Timestamp(milliseconds: row["last_end"]), edge: row["edge"])
    }

    /// Returns how far each tenant's windows are exported.
    package func exported() async throws -> [TenantID: ExportCursor] {
        try await ledger.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT tenant, ifnull(min(window_start), last_end) AS last_end, ifnull(min(first_seq) - 1, edge) AS edge
                    FROM export_cursor LEFT JOIN export_window USING (tenant)
                    WHERE exported_at IS NULL GROUP BY tenant
                    UNION ALL
                    SELECT tenant, last_end, edge FROM export_cursor WHERE NOT EXISTS (
                        SELECT 1 FROM export_window AS pending
                        WHERE pending.tenant = export_cursor.tenant AND exported_at IS NULL)
                    """
            )
            var cursors: [TenantID: ExportCursor] = [:]
            for row in rows {
                guard let tenant = TenantID(row["tenant"] as String) else { continue }
                let end = Timestamp(milliseconds: row["last_end"])
                cursors[tenant] = ExportCursor(lastEnd: end, edge: row["edge"])
            }
            return cursors
        }
    }

    /// Continues the exports of another log, in a ledger without any.
    package func adopt(_ cursors: [TenantID: ExportCursor], software: String) async throws {
        try await ledger.storing { db in
            for (tenant, cursor) in cursors {
                let end = cursor.lastEnd.milliseconds
                try db.execute(
                    sql: "INSERT INTO export_cursor (tenant, last_end, edge) VALUES (?, ?, ?)",
                    arguments: [tenant.rawValue, end, cursor.edge]
                )
                // An empty window that ends there, so that the next one begins there.
                try db.execute(
                    sql: """
                        INSERT INTO export_window
                            (tenant, window_end, window_start, first_seq, last_seq, format, level, software, exported_at)
                        VALUES (?, ?, ?, ?, ?, 'ndjson', 6, ?, ?)
                        """,
                    arguments: [tenant.rawValue, end, end, cursor.edge + 1, cursor.edge, software, end]
                )
            }
        }
    }

    package func cut(
        _ tenant: TenantID,
        start: Timestamp? = nil,
        end: Timestamp,
        edge: Int64,
        format: String,
        level: Int,
        software: String
    ) async throws -> ExportWindow {
        try await ledger.storing { db in
            let cursor = try Self.cursor(of: tenant, db)
            var end = end
            while let stored = try Self.windows(
                db,
                "WHERE tenant = ? AND window_end = ?",
                [tenant.rawValue, end.milliseconds]
            ).first {
                // Either the window was cut before, or the cursor was rewound and this instant was cut before the
                // rewind.
                guard cursor.lastEnd < end else { return stored }
                end = Timestamp(milliseconds: end.milliseconds + 1)
            }
            // An edge never moves back; a window without new events is empty.
            let last = max(edge, cursor.edge)
            let start = min(start ?? cursor.lastEnd, cursor.lastEnd)
            try db.execute(
                sql: """
                    INSERT INTO export_window (tenant, window_end, window_start, first_seq, last_seq, format, level, software)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    tenant.rawValue, end.milliseconds, start.milliseconds, cursor.edge + 1, last, format, level,
                    software,
                ]
            )
            try db.execute(
                sql: "UPDATE export_cursor SET last_end = ?, edge = ? WHERE tenant = ?",
                arguments: [end.milliseconds, last, tenant.rawValue]
            )
            return ExportWindow(
                tenant: tenant,
                start: start,
                end: end,
                firstSequence: cursor.edge + 1,
                lastSequence: last,
                format: format,
                level: level,
                software: software
            )
        }
    }

    package func hasWindows(_ tenant: TenantID) async throws -> Bool {
        try await ledger.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM export_window WHERE tenant = ?)",
                arguments: [tenant.rawValue]
            ) ?? false
        }
    }

    package func rewind(_ tenant: TenantID, to instant: Timestamp) async throws -> ExportCursor {
        try await ledger.storing { db in
            try db.execute(
                sql: "UPDATE export_cursor SET last_end = ? WHERE tenant = ? AND last_end > ?",
                arguments: [instant.milliseconds, tenant.rawValue, instant.milliseconds]
            )
            return try Self.cursor(of: tenant, db)
        }
    }

    package func pending(_ tenant: TenantID) async throws -> [ExportWindow] {
        try await ledger.read { db in
            try Self.windows(db, "WHERE tenant = ? AND exported_at IS NULL ORDER BY window_end", [tenant.rawValue])
        }
    }

    package func markExported(_ window: ExportWindow, at now: Timestamp) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql:
                    "UPDATE export_window SET exported_at = ? WHERE tenant = ? AND window_end = ? AND exported_at IS NULL",
                arguments: [now.milliseconds, window.tenant.rawValue, window.end.milliseconds]
            )
        }
    }

    package func window(of tenant: TenantID, ending end: Timestamp) async throws -> ExportWindow? {
        try await ledger.read { db in
            try Self.windows(db, "WHERE tenant = ? AND window_end = ?", [tenant.rawValue, end.milliseconds]).first
        }
    }

    package func windows(of tenant: TenantID, endingAfter instant: Timestamp) async throws -> [ExportWindow] {
        try await ledger.read { db in
            try Self.windows(
                db,
                "WHERE tenant = ? AND window_end > ? ORDER BY first_seq, window_end",
                [tenant.rawValue, instant.milliseconds]
            )
        }
    }

    package func lastExports() async throws -> [TenantID: Timestamp] {
        try await ledger.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT tenant, max(exported_at) AS last FROM export_window WHERE exported_at IS NOT NULL
                    GROUP BY tenant
                    """
            )
            let exports = rows.compactMap { row in
                TenantID(row["tenant"] as String).map { ($0, Timestamp(milliseconds: row["last"])) }
            }
            return Dictionary(exports) { first, _ in first }
        }
    }

    package func isGone(_ window: ExportWindow) async throws -> Bool {
        try await ledger.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM day_tenant
                    WHERE tenant = ? AND dropped_at IS NOT NULL AND first_seq <= ? AND last_seq >= ?)
                    """,
                arguments: [window.tenant.rawValue, window.lastSequence, window.firstSequence]
            ) ?? false
        }
    }

    private static func windows(
        _ db: Database,
        _ condition: String,
        _ arguments: StatementArguments
    ) throws -> [ExportWindow] {
        try Row.fetchAll(db, sql: "SELECT * FROM export_window \(condition)", arguments: arguments).map { row in
            guard let tenant = TenantID(row["tenant"] as String) else {
                throw StorageError.corrupt(file: "events/ledger.db", detail: "a window has no readable tenant")
            }
            return ExportWindow(
                tenant: tenant,
                start: Timestamp(milliseconds: row["window_start"]),
                end: Timestamp(milliseconds: row["window_end"]),
                firstSequence: row["first_seq"],
                lastSequence: row["last_seq"],
                format: row["format"],
                level: row["level"],
                software: row["software"]
            )
        }
    }
}
