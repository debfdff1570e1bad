import Foundation
import GRDB
package import LinkEvents
package import LinkRouting

/// Erasures: deletes the rows of one install. The ledger keeps their sequences, so that a gap is never taken for a
/// loss.
extension EventLog {
    package func beginErasure(
        of install: InstallID,
        tenant: TenantID,
        through last: Int64 = .max,
        requestID: String,
        at now: Timestamp
    ) async throws -> Erasure {
        let last = min(try await lastSequence(), last)
        return try await ledger.storing { db in
            try db.execute(
                sql: "INSERT INTO erasure (tenant, install, requested_at, request_id, last_seq) VALUES (?, ?, ?, ?, ?)",
                arguments: [tenant.rawValue, Data(install.bytes), now.milliseconds, requestID, last]
            )
            return Erasure(
                id: db.lastInsertedRowID,
                tenant: tenant,
                install: install,
                requestedAt: now,
                requestID: requestID,
                lastSequence: last,
                finishedAt: nil,
                rows: 0
            )
        }
    }

    package func deleteRows(of erasure: Erasure) async throws -> Int {
        try await onCheckpointQueue { log in
            guard let install = erasure.install else { return erasure.rows }
            // Erased rows stay counted, so they must be counted before they are deleted.
            try log.writeCounts()
            try log.forEachSound(log.allDays()) { try log.deleteRows(of: install, erasure, on: $0) }
            // The erasure stays unfinished while rows may be left in a damaged file. It completes once the file can be
            // read or was removed.
            if let damage = try log.damage(hiding: erasure) { throw damage }
            return try log.ledger.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM erased WHERE erasure = ?", arguments: [erasure.id]) ?? 0
            }
        }
    }

    /// The number of sequences searched in one read transaction.
    private static let span: Int64 = 50_000

    private func deleteRows(of install: InstallID, _ erasure: Erasure, on day: CivilDay) throws {
        let database = try file(of: day).database
        guard
            let row = try database.read({ db in
                try Row.fetchOne(
                    db,
                    sql: """
                        SELECT text.id, first_seq, last_seq FROM tenant_rows JOIN text ON text.value = tenant
                        WHERE tenant = ? ORDER BY text.id LIMIT 1
                        """,
                    arguments: [erasure.tenant.rawValue]
                )
            })
        else { return }
        let (tenant, last) = (row[0] as Int64, min(row[2] as Int64, erasure.lastSequence))
        let first = row[1] as Int64
        var start = first
        while start <= last {
            let end = min(last, start + Self.span - 1)
            let found = try database.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT seq, id FROM event
                        WHERE seq IN (\(EventRow.sequencesSQL(.oldestFirst))) AND install = :install
                        """,
                    arguments: [
                        "tenant": tenant, "low": start, "high": end, "limit": Self.span,
                        "install": Data(install.bytes),
                    ]
                )
            }
            start = end + 1
            guard !found.isEmpty else { continue }
            // The ledger lists the sequences before they are deleted; a repeated erasure finds the remaining rows.
            try ledger.storing { db in
                for row in found {
                    try db.execute(
                        sql: "INSERT INTO erased (seq, erasure, event) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        arguments: [row["seq"] as Int64, erasure.id, row["id"] as DatabaseValue]
                    )
                }
            }
            try database.storing { db in
                for row in found {
                    try db.execute(sql: "DELETE FROM event WHERE seq = ?", arguments: [row["seq"] as Int64])
                }
            }
        }
        // Also runs if the rows were deleted before a crash, because their texts may still be there.
        let isChanged = try ledger.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM erased WHERE erasure = ? AND seq BETWEEN ? AND ?)",
                arguments: [erasure.id, first, last]
            )
        }
        if isChanged == true { try removeUnusedTexts(of: day) }
    }

    package func finish(_ erasure: Erasure, at now: Timestamp) async throws -> Timestamp? {
        try await ledger.storing { db in
            try db.execute(
                sql: "UPDATE erasure SET finished_at = ?, install = x'' WHERE id = ?",
                arguments: [now.milliseconds, erasure.id]
            )
        }
        // The update removed the install from the file; the checkpoint removes it from the WAL.
        try await onCheckpointQueue { try $0.ledger.checkpoint() }
        return now
    }

    package func erasures(of tenant: TenantID?) async throws -> [Erasure] {
        try await ledger.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT *, (SELECT count(*) FROM erased WHERE erasure = id) AS rows FROM erasure
                    WHERE ? IS NULL OR tenant = ? ORDER BY id DESC
                    """,
                arguments: [tenant?.rawValue, tenant?.rawValue]
            ).map { row in
                let finishedAt = (row["finished_at"] as Int64?).map(Timestamp.init(milliseconds:))
                return Erasure(
                    id: row["id"],
                    tenant: try Self.tenant(row["tenant"]),
                    install: finishedAt == nil ? try Self.install(row["install"]) : nil,
                    requestedAt: Timestamp(milliseconds: row["requested_at"]),
                    requestID: row["request_id"],
                    lastSequence: row["last_seq"],
                    finishedAt: finishedAt,
                    rows: row["rows"]
                )
            }
        }
    }

    package func erasureCount(of tenant: TenantID, since instant: Timestamp) async throws -> Int {
        try await ledger.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM erasure WHERE tenant = ? AND requested_at >= ?",
                arguments: [tenant.rawValue, instant.milliseconds]
            ) ?? 0
        }
    }

    /// Returns the last sequence that was recorded until an instant, or the one before the first row if all are later.
    package func lastSequence(recordedUntil instant: Timestamp) async throws -> Int64 {
        var first: Int64?
        for day in allDays().reversed() {
            guard let file = try heldFile(of: day) else { continue }
            let (found, start) = try await file.database.read { db in
                let sql = "SELECT seq FROM event WHERE recorded_at <= ? ORDER BY seq DESC LIMIT 1"
                let found = try Int64.fetchOne(db, sql: sql, arguments: [instant.milliseconds])
                return (found, try Int64.fetchOne(db, sql: "SELECT min(seq) FROM event"))
            }
            if let found { return found }
            first = start ?? first
        }
        return if let first { first - 1 } else { try await lastSequence() }
    }

    /// An install, and its last row that an earlier erasure covers.
    package struct CoveredInstall: Sendable {
        package let install: InstallID
        package let tenant: TenantID
        package let lastSequence: Int64
    }

    /// Returns the installs with rows that erasures cover. Reads all rows.
    ///
    /// - Parameter coverage: Returns until when an install's rows are covered; nil if they are not.
    package func installs(
        covered coverage: @escaping @Sendable (InstallID, TenantID) -> Timestamp?
    ) async throws -> [CoveredInstall] {
        var found: [CoveredInstall] = []
        for day in allDays() {
            guard let file = try heldFile(of: day) else { continue }
            found += try await file.database.read { db in
                let sql =
                    "SELECT DISTINCT value, tenant, install FROM event JOIN text ON text.id = tenant WHERE install IS NOT NULL"
                return try Row.fetchAll(db, sql: sql).compactMap { row in
                    let (tenant, install) = (try Self.tenant(row["value"]), try Self.install(row["install"]))
                    guard let until = coverage(install, tenant) else { return nil }
                    let last = try Int64.fetchOne(
                        db,
                        sql: "SELECT max(seq) FROM event WHERE tenant = ? AND install = ? AND recorded_at <= ?",
                        arguments: [row["tenant"] as Int64, Data(install.bytes), until.milliseconds]
                    )
                    return last.map { CoveredInstall(install: install, tenant: tenant, lastSequence: $0) }
                }
            }
        }
        return found
    }

    private static func install(_ data: Data) throws -> InstallID {
        guard let bytes = Bytes16(Array(data)) else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "the install id of an erasure does not have 16 bytes"
            )
        }
        return InstallID(bytes)
    }
}
