import Foundation
import GRDB
package import LinkEvents
package import LinkRouting

/// Erasures: the rows of one install leave the log, and the ledger keeps their sequences, so that a gap is never a loss.
extension EventLog {
    package func beginErasure(
        of install: String,
        tenant: TenantID,
        requestID: String,
        at now: Timestamp
    ) async throws -> Erasure {
        let last = try await lastSequence()
        return try await ledger.storing { db in
            try db.execute(
                sql: "INSERT INTO erasure (tenant, install, requested_at, request_id, last_seq) VALUES (?, ?, ?, ?, ?)",
                arguments: [tenant.rawValue, Self.stored(install), now.milliseconds, requestID, last]
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
        try await onSettlingThread { log in
            // A row that is erased stays counted.
            try log.writeCounts()
            try log.forEachSound(log.allDays()) { try log.deleteRows(of: erasure, on: $0) }
            // It is not done while rows may be left: it is ended once their file can be read, or was taken out.
            if let damage = try log.damage(hiding: erasure) { throw damage }
            return try log.ledger.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM erased WHERE erasure = ?", arguments: [erasure.id]) ?? 0
            }
        }
    }

    /// Sequences that are looked through in one read transaction.
    private static let span: Int64 = 50_000

    private func deleteRows(of erasure: Erasure, on day: CivilDay) throws {
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
                try Int64.fetchAll(
                    db,
                    sql: "SELECT seq FROM event WHERE tenant = ? AND seq BETWEEN ? AND ? AND install = ?",
                    arguments: [tenant, start, end, Self.stored(erasure.install)]
                )
            }
            start = end + 1
            guard !found.isEmpty else { continue }
            // The gaps are known before there are any; an erasure that is run again finds what is left.
            try ledger.storing { db in
                for sequence in found {
                    try db.execute(
                        sql: "INSERT INTO erased (seq, erasure) VALUES (?, ?) ON CONFLICT DO NOTHING",
                        arguments: [sequence, erasure.id]
                    )
                }
            }
            try database.storing { db in
                for sequence in found { try db.execute(sql: "DELETE FROM event WHERE seq = ?", arguments: [sequence]) }
            }
        }
        // Also where the rows went before a crash: their texts may still be there.
        let isChanged = try ledger.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM erased WHERE erasure = ? AND seq BETWEEN ? AND ?)",
                arguments: [erasure.id, first, last]
            )
        }
        if isChanged == true { try removeUnusedTexts(of: day) }
    }

    package func finish(_ erasure: Erasure, at now: Timestamp) async throws {
        try await ledger.storing { db in
            try db.execute(
                sql: "UPDATE erasure SET finished_at = ?, install = x'' WHERE id = ?",
                arguments: [now.milliseconds, erasure.id]
            )
        }
        // The install has left the file, and leaves the WAL with this.
        try await onSettlingThread { try $0.ledger.checkpoint() }
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
                Erasure(
                    id: row["id"],
                    tenant: try Self.tenant(row["tenant"]),
                    install: Hex.text(Array(row["install"] as Data)),
                    requestedAt: Timestamp(milliseconds: row["requested_at"]),
                    requestID: row["request_id"],
                    lastSequence: row["last_seq"],
                    finishedAt: (row["finished_at"] as Int64?).map(Timestamp.init(milliseconds:)),
                    rows: row["rows"]
                )
            }
        }
    }

    private static func stored(_ install: String) -> Data? { Hex.bytes(of: install).map { Data($0) } }
}
