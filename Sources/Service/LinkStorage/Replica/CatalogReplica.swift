import Foundation

/// Keeps a copy of the catalog on this node's disk: what the public port needs to answer and to start when the catalog's
/// store is away. A copy is a `catalog.db`, whose changes are transactions, so it is never a mixture of two states.
///
/// The head of the audit log says which state a copy has. A store whose log does not contain that head has lost or
/// replaced changes, and is not followed until an operator accepts its history.
package struct CatalogReplica: Sendable {
    private let source: any SQLStore
    private let copy: SQLiteStore

    init(of source: any SQLStore, in copy: SQLiteStore) {
        self.source = source
        self.copy = copy
    }

    /// The newest change that a store has.
    struct Head: Hashable {
        let id: Int64
        let hash: Data?

        init(_ db: any SQLDatabase) throws {
            let row = try SQLRow.fetchOne(db, sql: "SELECT id, hash FROM audit_head")
            id = try row?["id"] ?? 0
            hash = try row?["hash"]
        }
    }

    /// Copies what has changed. Returns false if nothing has.
    ///
    /// - Throws: ``ForeignHistory``, or what the stores throw; the copy is then as before.
    package func follow() async throws -> Bool {
        while true {
            do {
                return try await follow(from: try await copy.read { try Head($0) })
            } catch is Overtaken {
                try Task.checkCancellation()
            }
        }
    }

    /// Another call has brought the copy up to date meanwhile. Its state may be newer than what was read.
    private struct Overtaken: Error {}

    private func follow(from known: Head) async throws -> Bool {
        return try await source.longRead { [copy, name = source.name] source in
            let head = try Head(source)
            let keys = try SQLRow.fetchAll(source, sql: "SELECT * FROM sealing_key ORDER BY id")
            let knownKeys = try copy.reading { try SQLRow.fetchAll($0, sql: "SELECT * FROM sealing_key ORDER BY id") }
            let columns = ["id", "ring", "key", "created_at"]
            let isSame =
                keys.map { row in columns.map { row[value: $0] } }
                == knownKeys.map { row in
                    columns.map { row[value: $0] }
                }
            guard head != known || !isSame else { return false }
            try Self.require(known, in: source, head)
            let tenants = try Self.changed(since: known, in: source)
            try copy.changing { copy in
                guard try Head(copy) == known else { throw Overtaken() }
                try Self.copyTenants(tenants, from: source, to: copy)
                try copy.execute(sql: "DELETE FROM sealing_key")
                for row in keys {
                    try copy.execute(
                        sql: "INSERT INTO sealing_key (id, ring, key, created_at) VALUES (?, ?, ?, ?)",
                        arguments: .list(columns.map { row[value: $0] })
                    )
                }
                try copy.execute(sql: "UPDATE audit_head SET id = ?, hash = ?", arguments: [head.id, head.hash])
                try copy.execute(sql: "DELETE FROM copy_of")
                try copy.execute(sql: "INSERT INTO copy_of (source) VALUES (?)", arguments: [name])
            }
            return true
        }
    }

    private static func require(_ known: Head, in source: any SQLDatabase, _ head: Head) throws {
        guard known.id > 0 else { return }
        let hash = try Data.fetchOne(source, sql: "SELECT hash FROM audit WHERE id = ?", arguments: [known.id])
        guard head.id >= known.id, hash == known.hash else {
            throw ForeignHistory(known: known.id, found: head.id)
        }
    }

    /// The tenants with changes; nil is that of the keys for all tenants.
    private static func changed(since known: Head, in source: any SQLDatabase) throws -> [String?] {
        guard known.id > 0 else {
            return try String.fetchAll(source, sql: "SELECT id FROM tenant ORDER BY id").map(Optional.some) + [nil]
        }
        return try SQLRow.fetchAll(
            source,
            sql: "SELECT DISTINCT tenant FROM audit WHERE id > ?",
            arguments: [known.id]
        ).map { try $0["tenant"] }
    }

    private static func copyTenants(_ tenants: [String?], from source: any SQLDatabase, to copy: any SQLDatabase) throws
    {
        // Hosts may have moved from one tenant to another, so all are removed before any is added. In this order, since
        // `live` refers to revisions.
        for table in CopiedTable.ofReplica.reversed() {
            for tenant in tenants { try table.remove(tenant, keeping: source, in: copy) }
        }
        for table in CopiedTable.ofReplica {
            let columns = try CopiedTable.columns(in: copy, of: table.name)
            for tenant in tenants { try table.add(tenant, from: source, to: copy, columns) }
        }
    }
}

/// The catalog's store has not the history that this node has followed: changes were lost or replaced, as by a restored
/// backup or a failover to a standby that lagged.
package struct ForeignHistory: Error, Hashable, CustomStringConvertible {
    /// The newest change that this node has.
    package let known: Int64
    /// The newest change of the store.
    package let found: Int64

    package var description: String {
        "the catalog's history is not the one that this node has followed (change \(known) is missing or another; the newest "
            + "is \(found)). Nothing was copied: follow deploy/runbooks/catalog-away.md."
    }
}
