/// A table of the catalog whose rows are copied from one store to another.
struct CopiedTable: Sendable {
    let name: String
    /// The columns that identify a row.
    let key: [String]
    var change = Change.rows

    enum Change: Sendable {
        /// Rows are added and removed, but never change.
        case rows
        /// All rows of a tenant are replaced.
        case whole
    }

    /// The column with the tenant.
    var tenant: String { name == "tenant" ? "id" : "tenant" }

    /// What the public port, association files and signed tables need, in an order that foreign keys allow. Drafts, suites,
    /// the audit log and stored responses are read from the catalog itself.
    static let ofReplica = [
        CopiedTable(name: "tenant", key: ["id"], change: .whole),
        CopiedTable(name: "settings", key: ["tenant", "revision"], change: .rows),
        CopiedTable(name: "install_key", key: ["tenant"], change: .rows),
        CopiedTable(name: "domain", key: ["host", "port", "covers_subdomains"], change: .whole),
        CopiedTable(name: "scheme", key: ["name"], change: .whole),
        CopiedTable(name: "revision_content", key: ["tenant", "hash"], change: .rows),
        CopiedTable(name: "revision", key: ["tenant", "number"], change: .rows),
        CopiedTable(name: "live", key: ["tenant", "environment"], change: .whole),
        CopiedTable(name: "api_key", key: ["id"], change: .whole),
    ]

    /// The tables of the catalog, in an order that foreign keys allow. Not stored responses, which last for a day, and not
    /// what nodes tell each other.
    static let ofCatalog =
        ofReplica + [
            CopiedTable(name: "draft", key: ["tenant", "environment", "name"]),
            CopiedTable(name: "suite", key: ["tenant", "name"]),
            CopiedTable(name: "ended_key", key: ["id"]),
            CopiedTable(name: "sealing_key", key: ["id"]),
            CopiedTable(name: "audit", key: ["id"]),
        ]

    /// The tables of short links.
    static let ofLinks = [
        CopiedTable(name: "link_tenant", key: ["id"]), CopiedTable(name: "short_link", key: ["id"]),
        CopiedTable(name: "short_link_change", key: ["link", "version"]),
    ]

    /// Removes a tenant's rows that the source does not have, or that may have changed.
    func remove(_ tenant: String?, keeping source: any SQLDatabase, in copy: any SQLDatabase) throws {
        switch change {
        // Other tables refer to tenants, which are never removed.
        case .whole where name == "tenant": return
        case .whole:
            try copy.execute(sql: "DELETE FROM \(name) WHERE \(condition(tenant))", arguments: arguments(tenant))
        case .rows:
            let kept = Set(try keys(of: tenant, in: source))
            let matching = key.map { "\($0) = ?" }.joined(separator: " AND ")
            for row in try keys(of: tenant, in: copy) where !kept.contains(row) {
                try copy.execute(sql: "DELETE FROM \(name) WHERE \(matching)", arguments: .list(row))
            }
        }
    }

    /// Adds a tenant's rows that the copy does not have.
    func add(_ tenant: String?, from source: any SQLDatabase, to copy: any SQLDatabase, _ columns: [String]) throws {
        let list = columns.joined(separator: ", ")
        var known: Set<[SQLValue]> = []
        if case .rows = change { known = Set(try keys(of: tenant, in: copy)) }
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        var insert = "INSERT INTO \(name) (\(list)) VALUES (\(places))"
        if name == "tenant" {
            let changes = columns.filter { $0 != "id" }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            insert += " ON CONFLICT (id) DO UPDATE SET \(changes)"
        }
        func copyRow(_ row: SQLRow) throws {
            try copy.execute(sql: insert, arguments: .list(columns.map { row[value: $0] }))
        }
        guard case .rows = change, !known.isEmpty else {
            let select = "SELECT \(list) FROM \(name) WHERE \(condition(tenant))"
            return try source.forEachRow(select, arguments(tenant), copyRow)
        }
        // Row by row, since most of the contents are known already.
        let matching = key.map { "\($0) = ?" }.joined(separator: " AND ")
        for row in try keys(of: tenant, in: source) where !known.contains(row) {
            try source.forEachRow("SELECT \(list) FROM \(name) WHERE \(matching)", .list(row), copyRow)
        }
    }

    private func keys(of tenant: String?, in db: any SQLDatabase) throws -> [[SQLValue]] {
        let sql = "SELECT \(key.joined(separator: ", ")) FROM \(name) WHERE \(condition(tenant))"
        return try SQLRow.fetchAll(db, sql: sql, arguments: arguments(tenant)).map { row in key.map { row[value: $0] } }
    }

    private func condition(_ tenant: String?) -> String {
        tenant == nil ? "\(self.tenant) IS NULL" : "\(self.tenant) = ?"
    }

    private func arguments(_ tenant: String?) -> SQLArguments { .list(tenant.map { [.text($0)] } ?? []) }

    /// The columns that both stores have; a newer schema of the source may have more.
    static func columns(in copy: any SQLDatabase, of table: String) throws -> [String] {
        try String.fetchAll(copy, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }
}
