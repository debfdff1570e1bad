import Crypto
import Foundation

/// Copies the catalog and the short links from one kind of store to the other, while no server uses them. An interrupted
/// copy is continued by the next call; until it is complete, no server starts with it.
package struct StoreCopy: Sendable {
    package typealias Store = (catalog: any SQLStore, links: any SQLStore)

    private let source: Store
    private let target: Store
    /// The name of the source in the target.
    private let name: String

    /// The most rows of one statement. Their parameters are fewer than both stores allow.
    private static let rows = 100
    /// The most rows of one transaction. Tables and drafts may have megabytes.
    private static func page(_ table: CopiedTable) -> Int {
        ["draft", "revision_content", "settings", "suite"].contains(table.name) ? 10 : 2_000
    }

    package init(from source: Store, named name: String, to target: Store) {
        self.source = source
        self.target = target
        self.name = name
    }

    package enum Failure: Error, Hashable, CustomStringConvertible {
        case targetNotEmpty(String)
        case difference(String)
        case changed(String)

        package var description: String {
            switch self {
            case .targetNotEmpty(let name):
                "\(name) is not empty, and does not hold an unfinished copy from there: name an empty database, or a new directory."
            case .changed(let name):
                "\(name) was changed meanwhile: end all servers that use it, and run the command again."
            case .difference(let table):
                "the rows of \(table) differ after the copy: end all servers that use either store, empty the target and "
                    + "copy again."
            }
        }
    }

    /// Copies everything, and compares the rows of both stores. Returns the number of rows of each table.
    ///
    /// - Parameter progress: Called with the table and the number of rows that the target has.
    /// - Throws: ``Failure``, or what the stores throw.
    package func run(telling progress: (String, Int) -> Void) async throws -> [(table: String, rows: Int)] {
        let start = try await state()
        try await begin()
        try await copyAll(CopiedTable.ofCatalog, from: source.catalog, to: target.catalog, progress)
        try await copyAll(CopiedTable.ofLinks, from: source.links, to: target.links, progress)
        var counts: [(String, Int)] = []
        for (table, from, to) in tables {
            progress("comparing \(table.name)", 0)
            try Task.checkCancellation()
            let columns = try await columns(of: table)
            let expected = try await digest(table, columns, in: from)
            guard try await digest(table, columns, in: to) == expected else { throw Failure.difference(table.name) }
            counts.append((table.name, expected.rows))
        }
        guard try await state() == start else { throw Failure.changed(source.catalog.name) }
        try await end(start)
        return counts
    }

    private struct State: Hashable {
        var head: CatalogReplica.Head
        var links: Int64
    }

    /// What each change of the source changes.
    private func state() async throws -> State {
        let isNumbered = isNumbered(source.links)
        return State(
            head: try await source.catalog.read { try CatalogReplica.Head($0) },
            links: try await source.links.read { db in
                let sql = isNumbered ? "SELECT last_value FROM link_number" : "SELECT max(id) FROM short_link"
                return try Int64.fetchOne(db, sql: sql) ?? 0
            }
        )
    }

    private var tables: [(CopiedTable, any SQLStore, any SQLStore)] {
        CopiedTable.ofCatalog.map { ($0, source.catalog, target.catalog) }
            + CopiedTable.ofLinks.map { ($0, source.links, target.links) }
    }

    /// Marks the target, so that no server starts with a part.
    private func begin() async throws {
        let (name, target) = (name, target.catalog.name)
        let hasLinks = try await self.target.links.read { db in
            try CopiedTable.ofLinks.contains { try $0.hasRows(in: db) }
        }
        try await self.target.catalog.storing { db in
            let marked = try String.fetchOne(db, sql: "SELECT source FROM copy_of")
            guard marked != name else { return }
            // A server that was started once has made such keys.
            try db.execute(sql: "DELETE FROM sealing_key")
            let hasRows = try CopiedTable.ofCatalog.contains { try $0.hasRows(in: db) }
            guard marked == nil, !hasRows, !hasLinks else { throw Failure.targetNotEmpty(target) }
            try db.execute(sql: "INSERT INTO copy_of (source) VALUES (?)", arguments: [name])
        }
        // PostgreSQL numbers the changes of links, and gives new links such a number as their id.
        let last = try await source.links.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM short_link") }
        guard let last, isNumbered(self.target.links) else { return }
        try await self.target.links.storing { db in
            let sql = "SELECT setval('link_number', ?) FROM link_number WHERE last_value < ?"
            try db.execute(sql: sql, arguments: [last, last])
        }
    }

    /// Without the marker, servers start with the target.
    private func end(_ state: State) async throws {
        if isNumbered(target.links) { try await target.links.storing { try ShortLinkReplica.note($0) } }
        try await target.catalog.storing { db in
            try db.execute(sql: "UPDATE audit_head SET id = ?, hash = ?", arguments: [state.head.id, state.head.hash])
            try db.execute(sql: "DELETE FROM copy_of")
        }
    }

    private func isNumbered(_ store: any SQLStore) -> Bool { !(store is SQLiteStore) }

    /// The columns of the table in SQLite, which PostgreSQL has as well. Each store counts the links itself.
    private func columns(of table: CopiedTable) async throws -> [String] {
        let stores = [source.catalog, target.catalog, source.links, target.links]
        for case let store as SQLiteStore in stores {
            let columns = try await store.read { try CopiedTable.columns(in: $0, of: table.name) }
            guard !columns.isEmpty else { continue }
            return table.name == "link_tenant" ? ["id", "name"] : columns
        }
        return []
    }

    private func copyAll(
        _ tables: [CopiedTable],
        from source: any SQLStore,
        to target: any SQLStore,
        _ progress: (String, Int) -> Void
    ) async throws {
        for table in tables {
            let columns = try await columns(of: table)
            var count = try await target.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table.name)") ?? 0 }
            var last = try await target.read { try table.lastKey(in: $0) }
            while true {
                try Task.checkCancellation()
                let rows = try await source.longRead { [last] in
                    try table.rows(columns, after: last, limit: Self.page(table), in: $0)
                }
                guard let end = rows.last else { break }
                try await target.storing { db in
                    for start in stride(from: 0, to: rows.count, by: Self.rows) {
                        let part = rows[start..<min(start + Self.rows, rows.count)]
                        try table.insert(part, columns, into: db)
                    }
                }
                last = table.key.map { end[value: $0] }
                count += rows.count
                progress(table.name, count)
            }
        }
    }

    private struct Digest: Hashable, Sendable {
        var rows: Int
        var hash: Data
    }

    private func digest(_ table: CopiedTable, _ columns: [String], in store: any SQLStore) async throws -> Digest {
        try await store.longRead { db in
            var hash = SHA256()
            var rows = 0
            let order = table.key.joined(separator: ", ")
            try db.forEachRow("SELECT \(columns.joined(separator: ", ")) FROM \(table.name) ORDER BY \(order)", []) {
                row in
                rows += 1
                for column in columns {
                    let bytes = row[value: column].bytes
                    hash.update(data: Data("\(bytes.count):".utf8))
                    hash.update(data: bytes)
                }
            }
            return Digest(rows: rows, hash: Data(hash.finalize()))
        }
    }
}

extension CopiedTable {
    private var order: String { key.joined(separator: ", ") }

    fileprivate func hasRows(in db: any SQLDatabase) throws -> Bool {
        try SQLRow.fetchOne(db, sql: "SELECT 1 FROM \(name) LIMIT 1") != nil
    }

    fileprivate func lastKey(in db: any SQLDatabase) throws -> [SQLValue]? {
        let descending = key.map { "\($0) DESC" }.joined(separator: ", ")
        return try SQLRow.fetchOne(db, sql: "SELECT \(order) FROM \(name) ORDER BY \(descending) LIMIT 1").map { row in
            key.map { row[value: $0] }
        }
    }

    fileprivate func rows(
        _ columns: [String],
        after last: [SQLValue]?,
        limit: Int,
        in db: any SQLDatabase
    ) throws -> [SQLRow] {
        let condition = last == nil ? "" : "WHERE (\(order)) > (\(key.map { _ in "?" }.joined(separator: ", ")))"
        return try SQLRow.fetchAll(
            db,
            sql: "SELECT \(columns.joined(separator: ", ")) FROM \(name) \(condition) ORDER BY \(order) LIMIT ?",
            arguments: .list((last ?? []) + [.integer(Int64(limit))])
        )
    }

    fileprivate func insert(_ rows: ArraySlice<SQLRow>, _ columns: [String], into db: any SQLDatabase) throws {
        let places = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        try db.execute(
            sql: """
                INSERT INTO \(name) (\(columns.joined(separator: ", ")))
                VALUES \(rows.map { _ in places }.joined(separator: ", "))
                """,
            arguments: .list(rows.flatMap { row in columns.map { row[value: $0] } })
        )
    }
}

extension SQLValue {
    /// A representation that differs for different values.
    fileprivate var bytes: Data {
        switch self {
        case .null: Data([0])
        case .integer(let number): Data("i\(number)".utf8)
        case .text(let text): Data("t\(text)".utf8)
        case .bytes(let bytes): Data("b".utf8) + bytes
        }
    }
}
