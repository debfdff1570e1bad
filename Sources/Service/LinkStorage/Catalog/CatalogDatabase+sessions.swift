package import Foundation
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func saveSession(_ session: Session) async throws {
        try await pool.storing { db in
            try db.execute(
                sql: "DELETE FROM session WHERE ends_at <= :now OR used_at <= :idle",
                arguments: [
                    "now": session.createdAt.milliseconds, "idle": session.createdAt.milliseconds - Session.idle,
                ]
            )
            try db.execute(
                sql: """
                    INSERT INTO session (hash, key_id, sealed_key, is_link, created_at, used_at, ends_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    session.hash, session.key.rawValue, session.sealedKey, session.isLink,
                    session.createdAt.milliseconds, session.usedAt.milliseconds, session.endsAt.milliseconds,
                ]
            )
            try db.execute(
                sql: """
                    DELETE FROM session WHERE key_id = :key AND is_link = :isLink AND hash NOT IN (
                        SELECT hash FROM session WHERE key_id = :key AND is_link = :isLink
                        ORDER BY created_at DESC, hash LIMIT :most
                    )
                    """,
                arguments: [
                    "key": session.key.rawValue, "isLink": session.isLink, "most": Session.maximumOfKey,
                ]
            )
        }
    }

    package func session(_ hash: Data, at now: Timestamp) async throws -> Session? {
        try await pool.read { try Self.sessions($0, "hash = :hash", ["hash": hash], at: now).first }
    }

    package func noteUse(of session: Session, at now: Timestamp) async throws {
        try await pool.storing { db in
            try db.execute(
                sql: "UPDATE session SET used_at = ? WHERE hash = ?",
                arguments: [now.milliseconds, session.hash]
            )
        }
    }

    package func removeSession(_ hash: Data) async throws -> Bool {
        try await pool.storing { db in
            try Int.fetchOne(db, sql: "DELETE FROM session WHERE hash = ? RETURNING 1", arguments: [hash]) != nil
        }
    }

    package func sessions(of key: KeyID?, at now: Timestamp) async throws -> [Session] {
        let condition = "NOT is_link" + (key == nil ? "" : " AND key_id = :key")
        return try await pool.read { db in
            try Self.sessions(db, condition, key.map { ["key": $0.rawValue] } ?? [:], at: now)
        }
    }

    private static func sessions(
        _ db: any SQLDatabase,
        _ condition: String,
        _ values: [String: any SQLConvertible],
        at now: Timestamp
    ) throws -> [Session] {
        let times: [String: any SQLConvertible] = [
            "now": now.milliseconds, "idle": now.milliseconds - Session.idle,
        ]
        let rows = try SQLRow.fetchAll(
            db,
            sql: """
                SELECT hash, key_id, sealed_key, is_link, created_at, used_at, ends_at FROM session
                WHERE ends_at > :now AND used_at > :idle AND \(condition) ORDER BY created_at DESC, hash
                """,
            arguments: SQLArguments(values.merging(times) { first, _ in first })
        )
        return try rows.map { row in
            Session(
                hash: try row["hash"],
                key: KeyID(rawValue: try row["key_id"]),
                sealedKey: try row["sealed_key"],
                isLink: try row["is_link"],
                createdAt: Timestamp(milliseconds: try row["created_at"]),
                usedAt: Timestamp(milliseconds: try row["used_at"]),
                endsAt: Timestamp(milliseconds: try row["ends_at"])
            )
        }
    }
}
