import Foundation
import LinkCatalog

/// Keeps a copy of the catalog on this node's disk: what the public port needs to answer and to start when the catalog's
/// store is away. A copy is a `catalog.db`, whose changes are transactions, so it is never a mixture of two states.
///
/// The head of the audit log says which state a copy has. A store whose log does not contain that head has lost or
/// replaced changes, and is not followed until an operator accepts its history.
///
/// A migration of the copy adds columns that the store has had values for. So the next change copies all rows again.
package struct CatalogReplica: Sendable {
    private let source: any SQLStore
    private let copy: SQLiteStore
    /// The name of this node, which no other one has.
    let node: String

    init(of source: any SQLStore, in copy: SQLiteStore, node: String) {
        self.source = source
        self.copy = copy
        self.node = node
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
        try await source.longRead { [copy, name = source.name] source in
            let head = try Head(source)
            let keys = try Self.sealingKeys(source)
            let accepted = try AcceptedHistory.last(in: source)
            let isSame = try copy.reading { try keys == Self.sealingKeys($0) && !AcceptedHistory.isNew(accepted, $0) }
            let isMigrated = try copy.reading(Self.isMigrated)
            guard head != known || !isSame || isMigrated else { return false }
            let isAccepted = try Self.continues(known, in: source, head, orIs: accepted, in: copy)
            let tenants = try Self.changed(since: isAccepted || isMigrated ? 0 : known.id, in: source, copy)
            try copy.changing { copy in
                guard try Head(copy) == known else { throw Overtaken() }
                if isMigrated { try Self.removeAll(in: copy) }
                try Self.copyTenants(tenants, from: source, to: copy)
                try copy.execute(sql: "DELETE FROM sealing_key")
                for row in keys {
                    try copy.execute(
                        sql: "INSERT INTO sealing_key (id, ring, key, created_at) VALUES (?, ?, ?, ?)",
                        arguments: .list(row)
                    )
                }
                try copy.execute(sql: "UPDATE audit_head SET id = ?, hash = ?", arguments: [head.id, head.hash])
                try copy.execute(sql: "DELETE FROM copy_of")
                try copy.execute(
                    sql: """
                        INSERT INTO copy_of (source, accepted, schema) SELECT ?, ?, user_version FROM pragma_user_version
                        """,
                    arguments: [name, accepted]
                )
            }
            return true
        }
    }

    /// Whether the copy was migrated after its rows were copied.
    private static func isMigrated(_ copy: any SQLDatabase) throws -> Bool {
        let sql = "SELECT 1 FROM copy_of, pragma_user_version WHERE copy_of.schema <> user_version"
        return try Int.fetchOne(copy, sql: sql) != nil
    }

    /// Other tables refer to tenants, whose rows are replaced in place.
    private static func removeAll(in copy: any SQLDatabase) throws {
        for table in CopiedTable.ofReplica.reversed() where table.name != "tenant" {
            try copy.execute(sql: "DELETE FROM \(table.name)")
        }
    }

    private static func sealingKeys(_ db: any SQLDatabase) throws -> [[SQLValue]] {
        try SQLRow.fetchAll(db, sql: "SELECT * FROM sealing_key ORDER BY id").map { row in
            ["id", "ring", "key", "created_at"].map { row[value: $0] }
        }
    }

    /// Returns whether an operator has accepted another history since this node followed last. Throws ``ForeignHistory`` if
    /// it is another one that nobody has accepted.
    private static func continues(
        _ known: Head,
        in source: any SQLDatabase,
        _ head: Head,
        orIs accepted: String?,
        in copy: SQLiteStore
    ) throws -> Bool {
        guard try !Self.has(known, source, head) else { return false }
        guard try copy.reading({ try AcceptedHistory.isNew(accepted, $0) }) else {
            throw ForeignHistory(known: known.id, found: head.id)
        }
        return true
    }

    /// Whether a store has a change of a copy.
    private static func has(_ known: Head, _ source: any SQLDatabase, _ head: Head) throws -> Bool {
        guard known.id > 0, known != head else { return true }
        let hash = try Data.fetchOne(source, sql: "SELECT hash FROM audit WHERE id = ?", arguments: [known.id])
        return head.id > known.id && hash == known.hash
    }

    /// The catalog's store for changes by this node. It takes none while it lacks changes that this node has, since those may
    /// come back with another server.
    struct Writer: SQLStore {
        let replica: CatalogReplica

        var name: String { replica.source.name }

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
        ) async throws -> Value { try await replica.source.read(body) }

        func longRead<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
        ) async throws -> Value { try await replica.source.longRead(body) }

        func storing<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
        ) async throws -> Value {
            try await replica.source.storing { [copy = replica.copy] db in
                let (known, head) = (try copy.reading { try Head($0) }, try Head(db))
                guard try CatalogReplica.has(known, db, head) else {
                    throw CatalogUnavailable("\(ForeignHistory(known: known.id, found: head.id))")
                }
                if let source = try String.fetchOne(db, sql: "SELECT source FROM copy_of") {
                    throw CatalogUnavailable("'fingerpost store copy' fills the database from \(source)")
                }
                return try body(db)
            }
        }

        func close() throws { try replica.source.close() }
    }

    /// The tenants with changes; nil is that of the keys for all tenants.
    private static func changed(
        since known: Int64,
        in source: any SQLDatabase,
        _ copy: SQLiteStore
    ) throws -> [String?] {
        guard known > 0 else {
            let all = "SELECT id FROM tenant"
            let tenants = try Set(String.fetchAll(source, sql: all)).union(
                copy.reading { try String.fetchAll($0, sql: all) }
            )
            return tenants.sorted().map(Optional.some) + [nil]
        }
        return try SQLRow.fetchAll(
            source,
            sql: "SELECT DISTINCT tenant FROM audit WHERE id > ?",
            arguments: [known]
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

/// A history that an operator has accepted with `fingerpost fleet accept-history`. Each copy follows it once.
enum AcceptedHistory {
    static func last(in source: any SQLDatabase) throws -> String? {
        try String.fetchOne(source, sql: "SELECT id FROM accepted_history ORDER BY number DESC LIMIT 1")
    }

    /// Whether a copy has not followed it yet. A catalog of a directory's own is no copy, and never replaced.
    static func isNew(_ accepted: String?, _ copy: any SQLDatabase) throws -> Bool {
        guard let row = try SQLRow.fetchOne(copy, sql: "SELECT accepted FROM copy_of") else { return false }
        return isNew(accepted, after: try row["accepted"])
    }

    /// Whether a history was accepted after another one; their ids begin with the time. An empty store, or one that was
    /// restored from before, has none that is new.
    static func isNew(_ accepted: String?, after followed: String?) -> Bool {
        guard let accepted else { return false }
        return followed.map { $0 < accepted } ?? true
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
