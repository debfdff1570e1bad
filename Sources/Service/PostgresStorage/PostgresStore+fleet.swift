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

    package init(name: String, seenAt: Timestamp, version: String, catalog: Int64) {
        self.name = name
        self.seenAt = seenAt
        self.version = version
        self.catalog = catalog
    }
}

/// What nodes tell each other through the database.
extension PostgresStore {
    package func report(_ node: FleetNode) async throws {
        try await storing { db in
            try db.execute(
                sql: """
                    INSERT INTO node (name, seen_at, version, catalog) VALUES (?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, version = excluded.version,
                        catalog = excluded.catalog
                    """,
                arguments: [node.name, node.seenAt.milliseconds, node.version, node.catalog]
            )
        }
    }

    /// The nodes by name, and the number of the last change of the catalog.
    package func fleet() async throws -> (nodes: [FleetNode], catalog: Int64) {
        try await read { db in
            let nodes = try SQLRow.fetchAll(db, sql: "SELECT * FROM node ORDER BY name").map { row in
                FleetNode(
                    name: try row["name"],
                    seenAt: Timestamp(milliseconds: try row["seen_at"]),
                    version: try row["version"],
                    catalog: try row["catalog"]
                )
            }
            return (nodes, try Int64.fetchOne(db, sql: "SELECT id FROM audit_head") ?? 0)
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
