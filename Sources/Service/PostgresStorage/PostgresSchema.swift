import LinkStorage
import Migrations
import Synchronization

/// Prepares a database for the catalog: checks that it can hold it, and migrates it.
///
/// A migration first only adds, so that version N of the program runs on the schema of N+1; what N needs is removed a
/// version later. Nodes are therefore upgraded one by one.
extension PostgresStore {
    /// Checks the server, and creates or migrates the tables. Nodes that start together wait for each other.
    ///
    /// - Parameter copying: Whether the database may hold a part of a copy, which is continued.
    /// - Returns: Warnings, each with what to do.
    /// - Throws: ``PostgresError``; ``PostgresError/unsuitable(_:)`` says what to change.
    package func prepare(
        migrations: [String] = Migrations.postgresql,
        copying: Bool = false
    ) async throws -> [String] {
        let opening = """
            BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '8s'; SET LOCAL synchronous_commit = on
            """
        let warnings = try await transaction(opening) { [name] db in
            let server = try Server(db, name)
            try server.check()
            try Self.migrate(db, migrations, name)
            if !copying, let source = try String.fetchOne(db, sql: "SELECT source FROM copy_of") {
                throw PostgresError.unsuitable(
                    "\(name) holds an unfinished copy of \(source): run 'fingerpost store copy' again."
                )
            }
            return server.warnings
        }
        isPrepared.withLock { $0 = true }
        return warnings
    }

    /// "FPCATALO", as a number of 64 bits.
    private static let lock: Int64 = 0x4650_4341_5441_4C4F

    private static func migrate(_ db: any SQLDatabase, _ migrations: [String], _ name: String) throws {
        try db.execute(sql: "SELECT pg_advisory_xact_lock(?)", arguments: [lock])
        let isThere = try Bool.fetchOne(db, sql: "SELECT to_regclass('fingerpost_schema') IS NOT NULL") ?? false
        let found =
            isThere ? try SQLRow.fetchOne(db, sql: "SELECT version, oldest, baseline FROM fingerpost_schema") : nil
        let baseline = CatalogDatabase.contentHash(migrations.first ?? "")
        guard let found else {
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 0
            else {
                throw PostgresError.unsuitable(
                    "\(name) has tables of another program: name an empty database in store.database."
                )
            }
            try run(migrations[...], db)
            return try db.execute(
                sql: "INSERT INTO fingerpost_schema (version, oldest, baseline) VALUES (?, ?, ?)",
                arguments: [migrations.count, 1, baseline]
            )
        }
        guard try found["baseline"] as String == baseline else {
            throw PostgresError.unsuitable(
                "\(name) belongs to another build, and no database is migrated until version 0.1.0: name an empty one."
            )
        }
        let (version, oldest): (Int, Int) = (try found["version"], try found["oldest"])
        guard oldest <= migrations.count else {
            throw PostgresError.unsuitable(
                "\(name) has schema \(version), which needs a program that knows schema \(oldest); this one knows "
                    + "\(migrations.count): start a newer version."
            )
        }
        guard version < migrations.count else { return }
        try run(migrations[version...], db)
        try db.execute(sql: "UPDATE fingerpost_schema SET version = ?", arguments: [migrations.count])
    }

    private static func run(_ migrations: ArraySlice<String>, _ db: any SQLDatabase) throws {
        for migration in migrations { try db.script(migration) }
    }
}

extension SQLDatabase {
    /// Runs several statements without parameters.
    fileprivate func script(_ sql: String) throws {
        guard let connection = self as? PostgresConnection else { return try execute(sql: sql) }
        try connection.run(sql)
    }
}

/// What a server must be to hold the catalog.
private struct Server {
    private let name: String
    private let version: Int
    private let settings: [String: String]
    private let canCreate: Bool

    init(_ db: any SQLDatabase, _ name: String) throws {
        self.name = name
        let sql = """
            SELECT name, setting FROM pg_settings WHERE name IN (
                'server_version_num', 'server_encoding', 'fsync', 'full_page_writes', 'synchronous_standby_names')
            """
        settings = Dictionary(
            try SQLRow.fetchAll(db, sql: sql).map { (try $0["name"], try $0["setting"]) }
        ) { first, _ in first }
        version = settings["server_version_num"].flatMap { Int($0) } ?? 0
        canCreate =
            try Bool.fetchOne(
                db,
                sql: "SELECT has_schema_privilege(current_schema(), 'CREATE')"
            ) ?? false
    }

    func check() throws {
        let reason: String? =
            if version < 150_000 {
                "is PostgreSQL \(version / 10_000): use 15 or later."
            } else if settings["server_encoding"] != "UTF8" {
                "has the encoding \(settings["server_encoding"] ?? "?"): create the database with ENCODING 'UTF8' TEMPLATE template0."
            } else if let off = ["fsync", "full_page_writes"].first(where: { settings[$0] == "off" }) {
                "runs with \(off) = off, under which a power cut loses publications: set it to on."
            } else if !canCreate {
                "does not let this user create tables: run 'GRANT CREATE, USAGE ON SCHEMA public TO \"USER\"' in it as its owner."
            } else {
                nil
            }
        if let reason { throw PostgresError.unsuitable("\(name) \(reason)") }
    }

    var warnings: [String] {
        settings["synchronous_standby_names"] == ""
            ? [
                "\(name) has no synchronous standby: a failover can lose publications that were acknowledged (docs/fleet.md)"
            ]
            : []
    }
}
