import CatalogSupport
import Foundation
import LinkCatalog
import LinkEvents
import LinkStorage
import Migrations
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct PostgresSchemaTests {
    /// Tables that only one of the stores needs.
    private static let own: Set = [
        // What nodes tell each other.
        "fingerpost_schema", "node", "address_key", "link_commit", "repeated_request.owner",
        "repeated_request.lease", "short_link.change",
        // The copies of nodes' logs.
        "shipped_log", "shipped_day", "shipped_export", "shipping_gap", "event", "reported_event", "count_quarter",
        "count_day",
        "value_hour", "value_day", "link_day", "erasure", "erasure_confirmed",
        // What only a node's copy needs.
        "copy_of.accepted", "copy_of.schema", "link_position", "unsent_end", "short_link_tag",
    ]

    @Test func bothStoresHaveTheSameColumns() async throws {
        try await withTemporaryDirectory { directory in
            var sqlite: [String] = []
            for file in [
                try CatalogDatabase.makeStore(directory + "/catalog.db"),
                try ShortLinkDatabase.makeStore(directory + "/links.db"),
            ] {
                sqlite += try await file.read { db in
                    try String.fetchAll(
                        db,
                        sql: """
                            SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
                            """
                    )
                }
                try file.close()
            }
            let postgresql = try await TestPostgres.makeStore().read { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT table_name || '.' || column_name FROM information_schema.columns
                        WHERE table_schema = current_schema() AND table_name NOT LIKE 'event\\_2%'
                        """
                )
            }
            func shared(_ columns: [String]) -> Set<String> {
                Set(columns.filter { column in !Self.own.contains { "\(column).".hasPrefix("\($0).") } })
            }
            #expect(shared(sqlite) == shared(postgresql))
            #expect(shared(sqlite).count > 100)
        }
    }

    @Test func copiedEventsHaveTheColumnsOfEvents() async throws {
        let columns = try await TestPostgres.makeStore().read { db in
            try String.fetchAll(
                db,
                sql:
                    "SELECT column_name FROM information_schema.columns WHERE table_name = 'event' ORDER BY ordinal_position"
            )
        }
        #expect(Array(columns.prefix(3)) == ["day", "log", "duplicate"])
        #expect(Set(columns.dropFirst(3)) == Set(EventColumn.all.map(\.name)))
    }

    @Test func nodesThatStartTogetherMigrateOnce() async throws {
        let address = try TestPostgres.makeDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await PostgresStore(address).prepare() } }
            try await group.waitForAll()
        }
        let version = try await PostgresStore(address).read {
            try Int.fetchOne($0, sql: "SELECT version FROM fingerpost_schema")
        }
        #expect(version == Migrations.postgresql.count)
    }

    /// A migration waits for no reader that it could deadlock with, and is tried again.
    @Test func migrationsLetReadersFinish() async throws {
        let store = try await TestPostgres.makeStore()
        let reader = PostgresStore(store.address)
        let next = ["ALTER TABLE draft ADD COLUMN later TEXT; ALTER TABLE tenant ADD COLUMN later TEXT"]
        async let read = reader.read { db in
            let first = try Int.fetchOne(db, sql: "SELECT count(*) FROM tenant")
            _ = try String.fetchOne(db, sql: "SELECT CAST(pg_sleep(1.5) AS TEXT)")
            return (first, try Int.fetchOne(db, sql: "SELECT count(*) FROM draft"))
        }
        _ = try await PostgresStore(store.address).prepare(migrations: Migrations.postgresql + next)
        #expect(try await read == (0, 0))
        #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(later) FROM tenant") } == 0)
    }

    /// The next version adds; this one goes on.
    @Test func thisVersionRunsOnTheNextSchema() async throws {
        let store = try await TestPostgres.makeStore()
        let next = ["ALTER TABLE tenant ADD COLUMN later TEXT; CREATE TABLE later (id BIGINT PRIMARY KEY)"]
        _ = try await PostgresStore(store.address).prepare(migrations: Migrations.postgresql + next)
        _ = try await store.prepare()
        try await withTemporaryDirectory { directory in
            let catalog = try CatalogDatabase(store, copy: directory + "/catalog.db", node: "a")
            let name = try #require(SuiteName("a"))
            try await store.storing { try $0.execute(sql: "INSERT INTO tenant (id, created_at) VALUES ('shop', 1)") }
            let change = AuditContext(actor: .system, at: instant("2026-11-29T10:00:00Z"), requestID: "r")
            _ = try await catalog.saveSuite("{}", name: name, of: tenant("shop"), expected: nil, change: change)
            #expect(try await catalog.follow())
            try catalog.close()
        }
    }

    @Test func databasesOfOtherProgramsAreRefused() async throws {
        let address = try TestPostgres.makeDatabase()
        try TestPostgres.run("CREATE TABLE other (id INT)", in: address.database)
        await expectRefusal(of: address, "has tables of another program")
    }

    @Test func readOnlyServersAreNotUsed() async throws {
        let address = try TestPostgres.makeDatabase()
        try TestPostgres.run(
            "ALTER DATABASE \(address.database) SET default_transaction_read_only = on",
            in: address.database
        )
        do {
            _ = try await PostgresStore(address).prepare()
            Issue.record("the database was accepted")
        } catch let error as CatalogUnavailable {
            #expect(error.description.contains("session is read-only"))
        }
    }

    @Test(arguments: [
        ("UPDATE fingerpost_schema SET migrations = 'x'", "belongs to another build"),
        ("UPDATE fingerpost_schema SET version = 9, oldest = 8", "needs a program that knows schema 8"),
    ])
    func foreignSchemasAreRefused(sql: String, reason: String) async throws {
        let store = try await TestPostgres.makeStore()
        try TestPostgres.run(sql, in: store.address.database)
        await expectRefusal(of: store.address, reason)
    }

    @Test func otherEncodingsAreRefused() async throws {
        let name = "t" + UUID().uuidString.lowercased().replacing("-", with: "")
        try TestPostgres.run("CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'", in: "postgres")
        await expectRefusal(of: TestPostgres.address(name), "has the encoding LATIN1")
    }

    @Test func usersWithoutTheRightToCreateTablesAreTold() async throws {
        let address = try TestPostgres.makeDatabase()
        let user = "u" + address.database
        try TestPostgres.run("CREATE USER \(user)", in: "postgres")
        let limited = PostgresAddress(hosts: address.hosts, database: address.database, user: user)
        await expectRefusal(of: limited, "does not let this user create tables")
    }

    private func expectRefusal(of address: PostgresAddress, _ reason: String) async {
        do {
            _ = try await PostgresStore(address).prepare()
            Issue.record("the database was accepted")
        } catch PostgresError.unsuitable(let text) {
            #expect(text.contains(reason))
        } catch {
            Issue.record("\(error)")
        }
    }
}
