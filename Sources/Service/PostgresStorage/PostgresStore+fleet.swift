package import Foundation
package import LinkRouting
import LinkStorage

/// A node's last report.
package struct FleetNode: Sendable, Hashable {
    /// The `node` of its configuration, which no other node has.
    package let name: String
    package let seenAt: Timestamp
    package let version: String
    /// The number of the last change of the catalog that it has.
    package let catalog: Int64
    /// The number of the last change of short links that it has.
    package let links: Int64
    /// The last sequence of its log.
    package let lastSequence: Int64
    /// The last sequence of its log in PostgreSQL, when it was read; nil for a report.
    package var shipped: Int64?
    /// When it had shipped everything that was recorded until then; nil if it never did.
    package var shippedUntil: Timestamp?

    package init(
        name: String,
        seenAt: Timestamp,
        version: String,
        catalog: Int64,
        links: Int64,
        lastSequence: Int64
    ) {
        self.name = name
        self.seenAt = seenAt
        self.version = version
        self.catalog = catalog
        self.links = links
        self.lastSequence = lastSequence
    }
}

/// What nodes tell each other through the database.
extension PostgresStore {
    package func report(_ node: FleetNode) async throws {
        try await storing { db in
            try db.execute(
                sql: """
                    INSERT INTO node (name, seen_at, version, catalog, links, last_seq) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, version = excluded.version,
                        catalog = excluded.catalog, links = excluded.links, last_seq = excluded.last_seq
                    """,
                arguments: [
                    node.name, node.seenAt.milliseconds, node.version, node.catalog, node.links, node.lastSequence,
                ]
            )
        }
    }

    /// The nodes by name, each with what is wrong with it; nil if nothing is.
    package func fleet(at now: Timestamp) async throws -> [(node: FleetNode, problem: String?)] {
        try await read { db in
            let head = try Int64.fetchOne(db, sql: "SELECT id FROM audit_head") ?? 0
            let sql = """
                SELECT node.*, shipped.last_seq AS shipped, last_at, (
                    SELECT count(*) FROM shipped_log WHERE node = name AND last_at > ?
                ) AS shipping FROM node LEFT JOIN LATERAL (
                    SELECT last_seq, last_at FROM shipped_log WHERE node = name ORDER BY number DESC LIMIT 1
                ) AS shipped ON TRUE ORDER BY name
                """
            // Each process says every five seconds how far it is.
            return try SQLRow.fetchAll(db, sql: sql, arguments: [now.milliseconds - 12_000]).map { row in
                var node = FleetNode(
                    name: try row["name"],
                    seenAt: Timestamp(milliseconds: try row["seen_at"]),
                    version: try row["version"],
                    catalog: try row["catalog"],
                    links: try row["links"],
                    lastSequence: try row["last_seq"]
                )
                node.shipped = try row["shipped"]
                node.shippedUntil = (try row["last_at"] as Int64?).map(Timestamp.init(milliseconds:))
                // What was made ten seconds before a report must be in it.
                let missing = try [
                    "SELECT at FROM audit WHERE id = ?", "SELECT min(at) FROM link_commit WHERE number >= ?",
                ]
                .enumerated().compactMap { place, sql in
                    try Int64.fetchOne(db, sql: sql, arguments: [(place == 0 ? node.catalog : node.links) + 1])
                }
                let problem: String? =
                    if now.milliseconds - node.seenAt.milliseconds > 120_000 {
                        "has not reported"
                    } else if node.catalog > head {
                        "has changes that the catalog lacks"
                    } else if missing.contains(where: { $0 < node.seenAt.milliseconds - 10_000 }) {
                        "does not follow"
                    } else if now.milliseconds - (node.shippedUntil?.milliseconds ?? 0) > 120_000,
                        node.shippedUntil != nil || node.lastSequence > 0
                    {
                        "does not ship its log"
                    } else if try row["shipping"] as Int64 > 1 {
                        "two logs are shipped under its name"
                    } else {
                        nil
                    }
                return (node, problem)
            }
        }
    }

    /// Removes a node that is gone for good. Returns false if there is none with this name.
    package func forget(_ node: String, at now: Timestamp) async throws -> Bool {
        try await storing { db in
            let sql = "DELETE FROM node WHERE name = ? RETURNING name"
            guard try String.fetchOne(db, sql: sql, arguments: [node]) != nil else { return false }
            try Self.finishErasures(at: now, db)
            return true
        }
    }

    /// Lets nodes follow a history that lacks changes which they have, once for each node.
    package func acceptHistory() async throws {
        try await storing { db in
            try db.execute(
                sql: """
                    INSERT INTO accepted_history (number, id)
                    SELECT coalesce(max(number), 0) + 1,
                        to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z "') || gen_random_uuid()
                    FROM accepted_history
                    """
            )
        }
    }

    /// Returns the stored form of a day's key, which is `proposal` unless another node was first. Removes the keys of days
    /// that have ended an hour ago.
    package func addressKey(of day: CivilDay, proposal: Data) async throws -> Data {
        try await storing { db in
            try db.execute(
                sql:
                    "DELETE FROM address_key WHERE day < to_char(now() AT TIME ZONE 'UTC' - interval '1 hour', 'YYYY-MM-DD')"
            )
            try db.execute(
                sql: "INSERT INTO address_key (day, sealed) VALUES (?, ?) ON CONFLICT (day) DO NOTHING",
                arguments: [day.description, proposal]
            )
            let stored = try Data.fetchOne(
                db,
                sql: "SELECT sealed FROM address_key WHERE day = ?",
                arguments: [day.description]
            )
            return stored ?? proposal
        }
    }
}
