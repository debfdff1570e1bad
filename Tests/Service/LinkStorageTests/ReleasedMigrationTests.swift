import Crypto
import Foundation
import GRDB
import Migrations
import Synchronization
import TestSupport
import Testing

@testable import LinkStorage

/// What a release has migrated, each later version can open: its migrations never change, and new ones follow them.
struct ReleasedMigrationTests {
    /// The migrations of this version, by the ending of their files' names.
    private static let known = [
        "catalog": Migrations.catalog, "events": Migrations.events, "ledger": Migrations.ledger,
        "links": Migrations.links,
        "postgresql": Migrations.postgresql,
    ]

    static let releases =
        (try? FileManager.default.contentsOfDirectory(atPath: Repository.file("Tests/Upgrade").path))?
        .filter { $0.first?.isNumber == true } ?? []

    @Test func theFirstReleaseIsKept() { #expect(Self.releases.contains("0.1.0")) }

    /// `migrations.sha256` of a release has the SHA-256 and the path of each of its migrations.
    @Test(arguments: releases) func releasedMigrationsNeverChange(_ release: String) throws {
        let list = Repository.file("Tests/Upgrade/\(release)/migrations.sha256")
        let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        #expect(lines.count >= Self.known.count)
        for line in lines {
            let path = try #require(line.split(separator: " ").last)
            let name = try #require(path.split(separator: "/").last).wholeMatch(of: #/m([0-9]{4})_([a-z]+)\.sql/#)
            let (number, kind) = (try #require(name.flatMap { Int($0.1) }), String(try #require(name).2))
            let found = try #require(Self.known[kind]).dropFirst(number - 1).first.map {
                SHA256.hash(data: Data($0.utf8)).map { String(format: "%02x", $0) }.joined()
            }
            #expect(
                found.map { line.hasPrefix($0) } == true,
                "\(path) belongs to \(release), and files that had it exist: restore it, and add a migration to Migrations.\(kind) instead"
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
    /// use, past days, which several requests may open at once, and files that a restore has copied.
    @Test(arguments: kinds, ["open", "openFinished", "restore", "atOnce"])
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
            case "atOnce":
                let failures = Mutex<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    do {
                        try SQLiteFile.openFinished(path, next).close()
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                #expect(failures.withLock(\.self).isEmpty)
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
