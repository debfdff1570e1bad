import Foundation
import LinkCatalog
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
            BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path = public; SET LOCAL lock_timeout = '8s'; \
            SET LOCAL synchronous_commit = on
            """
        let warnings = try await retrying { [self] in
            try await transaction(opening) { try self.prepare($0, migrations, copying) }
        }
        try await requireSession()
        isPrepared.withLock { $0 = true }
        return warnings
    }

    /// A migration changes several tables, whose locks it may need in another order than a reader. So it waits for each only
    /// briefly, undoes what it has done, and tries again.
    private func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<30 {
            do {
                return try await body()
            } catch is TablesInUse {
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
            }
        }
        throw CatalogUnavailable("tables of \(name) that a migration changes are in use: end long transactions.")
    }

    private struct TablesInUse: Error {}

    private func prepare(_ db: any SQLDatabase, _ migrations: [String], _ copying: Bool) throws -> [String] {
        let server = try Server(db, name)
        try server.check()
        try Self.migrate(db, migrations, name, mayCreate: server.canCreate)
        try server.checkRights(db)
        if !copying, let source = try String.fetchOne(db, sql: "SELECT source FROM copy_of") {
            throw PostgresError.unsuitable(
                "\(name) holds an unfinished copy of \(source): run 'fingerpost store copy' again."
            )
        }
        return server.warnings
    }

    /// A pooler may give each transaction another session, which is seen if it does so now. It does no harm, since each
    /// transaction sets what it needs, but it was not meant.
    private func requireSession() async throws {
        // Not a constant, which another node may have left in the session.
        let mark = sessionMark
        for _ in 0..<3 {
            let set = "SELECT set_config('fingerpost.session', ?, false)"
            _ = try await onFollowing { try String.fetchOne($0, sql: set, arguments: [mark]) }
            let get = "SELECT current_setting('fingerpost.session', true)"
            if try await onFollowing({ try String.fetchOne($0, sql: get) }) == mark { return }
            // The connection may have been replaced in between.
        }
        throw PostgresError.unsuitable(
            "\(name) is behind a pooler that changes sessions between transactions: set pool_mode = session for it."
        )
    }

    /// "FPCATALO", as a number of 64 bits.
    private static let lock: Int64 = 0x4650_4341_5441_4C4F

    private static func migrate(_ db: any SQLDatabase, _ migrations: [String], _ name: String, mayCreate: Bool) throws {
        try db.execute(sql: "SELECT pg_advisory_xact_lock(?)", arguments: [lock])
        let isThere = try Bool.fetchOne(db, sql: "SELECT to_regclass('fingerpost_schema') IS NOT NULL") ?? false
        let found =
            isThere ? try SQLRow.fetchOne(db, sql: "SELECT version, oldest, migrations FROM fingerpost_schema") : nil
        let hashes = migrations.map { CatalogDatabase.contentHash($0) }
        guard let found else {
            try requireCreation(mayCreate, name)
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 0
            else {
                throw PostgresError.unsuitable(
                    "\(name) has tables of another program: name an empty database in store.database."
                )
            }
            try run(migrations[...], db)
            return try db.execute(
                sql: "INSERT INTO fingerpost_schema (version, oldest, migrations) VALUES (?, ?, ?)",
                arguments: [migrations.count, Migrations.postgresqlOldest, hashes.joined(separator: " ")]
            )
        }
        // A newer version has had more.
        guard zip(try (found["migrations"] as String).split(separator: " "), hashes).allSatisfy(==) else {
            throw PostgresError.unsuitable(
                "\(name) belongs to another build: its schema is that of no release. Nothing was changed: start that build, or name "
                    + "an empty database."
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
        try requireCreation(mayCreate, name)
        do {
            // Less than PostgreSQL waits until it looks for a deadlock, whose victim could be a request.
            try db.execute(sql: "SET LOCAL lock_timeout = '500ms'")
            try run(migrations[version...], db)
        } catch PostgresError.statement(let code, _) where ["55P03", "40P01"].contains(code) {
            throw TablesInUse()
        }
        try db.execute(
            sql: "UPDATE fingerpost_schema SET version = ?, oldest = ?, migrations = ?",
            arguments: [migrations.count, max(oldest, Migrations.postgresqlOldest), hashes.joined(separator: " ")]
        )
    }

    private static func requireCreation(_ mayCreate: Bool, _ name: String) throws {
        guard !mayCreate else { return }
        throw PostgresError.unsuitable(
            "\(name) does not let this user create tables: run 'fingerpost fleet prepare' as their owner, or "
                + "'GRANT CREATE ON DATABASE …' and 'GRANT CREATE, USAGE ON SCHEMA public TO \"USER\"'."
        )
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
    let canCreate: Bool
    /// The server's time minus this machine's, in seconds.
    private let clockDifference: Double

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
        let time =
            try Int64.fetchOne(db, sql: "SELECT CAST(1000 * extract(epoch FROM clock_timestamp()) AS BIGINT)") ?? 0
        clockDifference = Double(time) / 1_000 - Date().timeIntervalSince1970
        canCreate =
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT has_schema_privilege(current_schema(), 'CREATE')
                        AND has_database_privilege(current_database(), 'CREATE')
                    """
            ) ?? false
    }

    /// Names each right that the user lacks.
    func checkRights(_ db: any SQLDatabase) throws {
        let missing = try String.fetchAll(
            db,
            sql: """
                SELECT r || ' ON ' || c.relname FROM pg_class c,
                    unnest(CASE c.relkind WHEN 'S' THEN ARRAY['USAGE', 'SELECT'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) r
                WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S') AND NOT c.relispartition
                    AND NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, r) ELSE has_table_privilege(c.oid, r) END
                ORDER BY c.relname, r
                """
        )
        guard !missing.isEmpty else { return }
        throw PostgresError.unsuitable(
            "\(name) does not give this user \(missing.joined(separator: ", ")): grant it as deploy/fleet/roles.sql does."
        )
    }

    func check() throws {
        let reason: String? =
            if version < 150_000 {
                "is PostgreSQL \(version / 10_000): use 15 or later."
            } else if settings["server_encoding"] != "UTF8" {
                "has the encoding \(settings["server_encoding"] ?? "?"): create the database with ENCODING 'UTF8' TEMPLATE template0."
            } else if let off = ["fsync", "full_page_writes"].first(where: { settings[$0] == "off" }) {
                "runs with \(off) = off, under which a power cut loses publications: set it to on."
            } else {
                nil
            }
        if let reason { throw PostgresError.unsuitable("\(name) \(reason)") }
    }

    var warnings: [String] {
        var warnings: [String] = []
        if settings["synchronous_standby_names"] == "" {
            warnings.append(
                "\(name) has no synchronous standby: a failover can lose publications that were acknowledged (docs/fleet.md)"
            )
        }
        if abs(clockDifference) > 5 {
            warnings.append(
                "the clock of \(name) is \(Int(clockDifference)) s from this machine's: correct it, since times of events and ends of "
                    + "keys follow it"
            )
        }
        return warnings
    }
}
