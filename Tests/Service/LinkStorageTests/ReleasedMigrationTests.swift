import Crypto
import Foundation
import GRDB
import Migrations
import TestSupport
import Testing

@testable import LinkStorage

/// What a release has migrated, each later version can open: its migrations never change, and new ones follow them.
struct ReleasedMigrationTests {
    struct Released: Sendable, CustomTestStringConvertible {
        let kind: String
        let known: [String]
        /// The SHA-256 of each file that a release has, oldest first.
        let hashes: [String]
        var testDescription: String { kind }
    }

    static let released = [
        Released(
            kind: "catalog",
            known: Migrations.catalog,
            hashes: ["830df3a3aa59638fc3254ff9e270f57de9eed5b7dd071c1b8211ee05bd0df270"]
        ),
        Released(
            kind: "events",
            known: Migrations.events,
            hashes: ["088caecbcf1c922b77142644bbe885288aa52874d3f6df0cd8d694f738c97d90"]
        ),
        Released(
            kind: "ledger",
            known: Migrations.ledger,
            hashes: ["c4b9cc3f8b4849b8e970242a97e53d4bdd9519f4d7375395892b25a6d3b931f3"]
        ),
        Released(
            kind: "links",
            known: Migrations.links,
            hashes: ["6be8ad74099b7eb98da3e21f4219ceaf6dce27fdc26cdc7cd05d517892af33c2"]
        ),
        Released(
            kind: "postgresql",
            known: Migrations.postgresql,
            hashes: ["49094345d6e61186c6e4113344bebff287ca91c09f2d9af9d7255ee4c3918f88"]
        ),
    ]

    @Test(arguments: released) func releasedMigrationsNeverChange(_ released: Released) {
        for (index, hash) in released.hashes.enumerated() {
            let name = "m\(String(format: "%04d", index + 1))_\(released.kind).sql"
            let found = released.known.dropFirst(index).first.map {
                SHA256.hash(data: Data($0.utf8)).map { String(format: "%02x", $0) }.joined()
            }
            #expect(
                found == hash,
                "\(name) is released, and files with it exist: restore it, and add m\(String(format: "%04d", released.hashes.count + 1))_\(released.kind).sql instead"
            )
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let file: String
        let schema: SQLiteSchema
        let table: String
        var testDescription: String { file }
    }

    static let kinds = [
        Kind(file: "catalog.db", schema: CatalogDatabase.schema, table: "tenant"),
        Kind(file: "links.db", schema: ShortLinkDatabase.schema, table: "short_link"),
        Kind(file: "events/ledger.db", schema: EventLog.ledgerSchema, table: "day"),
        Kind(file: "events/2026-11-02.db", schema: EventLog.daySchema, table: "event"),
        Kind(file: "events/2026-11-04.db", schema: EventLog.daySchema, table: "event"),
    ]

    /// The next version has one more migration. Each file of the kept directory is opened as the service opens it: files in
    /// use, past days, and files that a restore has copied.
    @Test(arguments: kinds, ["open", "openFinished", "restore"])
    func nextVersionMigratesFilesOfTheFirstRelease(_ kind: Kind, _ way: String) async throws {
        try await withTemporaryDirectory { directory in
            let archive = Repository.file("Tests/Upgrade/0.1.0/data.tar.gz").path
            let unpack = Process()
            unpack.executableURL = URL(filePath: "/usr/bin/env")
            unpack.arguments = ["tar", "-xzf", archive, "-C", directory]
            try unpack.run()
            unpack.waitUntilExit()
            #expect(unpack.terminationStatus == 0)
            let path = "\(directory)/data/service/\(kind.file)"
            let before = try rows(path)
            #expect(try #require(before[kind.table]) > 0)
            let next = SQLiteSchema(
                applicationID: kind.schema.applicationID,
                migrations: kind.schema.migrations + [
                    "ALTER TABLE \(kind.table) ADD COLUMN later TEXT; CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT"
                ]
            )
            switch way {
            case "open": try SQLiteFile.close(try SQLiteFile.open(path, next))
            case "openFinished": try SQLiteFile.openFinished(path, next).close()
            default: try SQLiteFile.migrateAndCheckpoint(path, next)
            }
            var after = try rows(path)
            #expect(after.removeValue(forKey: "later") == 0)
            #expect(after == before)
            let refusal = #expect(throws: StorageError.self) { try SQLiteFile.open(path, kind.schema) }
            let known = kind.schema.migrations.count
            #expect(refusal == .newerSchema(file: path, found: known + 1, known: known))
        }
    }

    private func rows(_ path: String) throws -> [String: Int] {
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        return try file.read { db in
            let tables = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
            return try Dictionary(
                uniqueKeysWithValues: tables.map {
                    ($0, try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\($0)\"") ?? 0)
                }
            )
        }
    }
}
