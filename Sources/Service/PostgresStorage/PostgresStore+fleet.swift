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

    package init(name: String, seenAt: Timestamp, version: String, catalog: Int64, links: Int64) {
        self.name = name
        self.seenAt = seenAt
        self.version = version
        self.catalog = catalog
        self.links = links
    }
}

/// What nodes tell each other through the database.
extension PostgresStore {
    package func report(_ node: FleetNode) async throws {
        try await storing { db in
            try db.execute(
                sql: """
                    INSERT INTO node (name, seen_at, version, catalog, links) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, version = excluded.version,
                        catalog = excluded.catalog, links = excluded.links
                    """,
                arguments: [node.name, node.seenAt.milliseconds, node.version, node.catalog, node.links]
            )
        }
    }

    /// The nodes by name, each with what is wrong with it; nil if nothing is.
    package func fleet(at now: Timestamp) async throws -> [(node: FleetNode, problem: String?)] {
        try await read { db in
            let head = try Int64.fetchOne(db, sql: "SELECT id FROM audit_head") ?? 0
            return try SQLRow.fetchAll(db, sql: "SELECT * FROM node ORDER BY name").map { row in
                let node = FleetNode(
                    name: try row["name"],
                    seenAt: Timestamp(milliseconds: try row["seen_at"]),
                    version: try row["version"],
                    catalog: try row["catalog"],
                    links: try row["links"]
                )
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
                    } else {
                        nil
                    }
                return (node, problem)
            }
        }
    }

    /// Removes a node that is gone for good. Returns false if there is none with this name.
    package func forget(_ node: String) async throws -> Bool {
        try await storing { db in
            try String.fetchOne(db, sql: "DELETE FROM node WHERE name = ? RETURNING name", arguments: [node]) != nil
        }
    }

    /// Lets nodes follow a history that lacks changes which they have, once for each node.
    package func acceptHistory() async throws {
        try await storing { db in
            try db.execute(
                sql: """
                    INSERT INTO accepted_history (number, id)
                    SELECT coalesce(max(number), 0) + 1, gen_random_uuid() FROM accepted_history
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
