import Dispatch
import Foundation
import GRDB
import LinkEvents
import Synchronization
import TestSupport
import Testing

@testable import LinkStorage

struct SQLiteFileTests {
    private static let schema = SQLiteSchema(
        applicationID: 0x4650_5445,
        migrations: ["CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"]
    )
    private static let nextSchema = SQLiteSchema(
        applicationID: schema.applicationID,
        migrations: schema.migrations + ["ALTER TABLE note ADD COLUMN at INTEGER"]
    )

    private func setting(_ name: String, of writer: some DatabaseWriter) throws -> String? {
        try writer.writeWithoutTransaction { try String.fetchOne($0, sql: "SELECT * FROM pragma_\(name)") }
    }

    @Test func everyWriterSyncsEveryCommit() throws {
        try inTemporaryDirectory { folder in
            let pool = try SQLiteFile.open(folder + "/a.db", Self.schema)
            #expect(try setting("synchronous", of: pool) == "2")
            #expect(try setting("journal_mode", of: pool) == "wal")
            #expect(try setting("foreign_keys", of: pool) == "1")
            #expect(try setting("busy_timeout", of: pool) == "5000")
            #expect(try setting("journal_size_limit", of: pool) == "67108864")
            #expect(try setting("cache_size", of: pool) == "-8000")
            #expect(try setting("temp_store", of: pool) == "2")
            try SQLiteFile.close(pool)
            let queue = try SQLiteFile.openFinished(folder + "/a.db", Self.schema)
            #expect(try setting("synchronous", of: queue) == "2")
        }
    }

    /// GRDB's pools default to synchronous=NORMAL, which the assertion detects.
    @Test func poolOpenedWithoutUsFailsTheAssertion() throws {
        try inTemporaryDirectory { folder in
            let pool = try DatabasePool(path: folder + "/a.db")
            let error = #expect(throws: StorageError.self) { try SQLiteFile.assertDurable(pool, file: "a.db") }
            #expect("\(try #require(error))".hasPrefix("a.db: synchronous is 1, so acknowledged events could be lost."))
        }
    }

    @Test func queueWithoutWALFailsTheAssertion() throws {
        try inTemporaryDirectory { folder in
            let queue = try DatabaseQueue(path: folder + "/a.db")
            let error = #expect(throws: StorageError.self) { try SQLiteFile.assertDurable(queue, file: "a.db") }
            #expect("\(try #require(error))".hasPrefix("a.db: journal_mode is delete"))
        }
    }

    @Test func closingLeavesOneFile() throws {
        try inTemporaryDirectory { folder in
            let pool = try SQLiteFile.open(folder + "/a.db", Self.schema)
            try pool.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('x')") }
            try SQLiteFile.close(pool)
            let wal = try? FileManager.default.attributesOfItem(atPath: folder + "/a.db-wal")[.size] as? Int
            #expect((wal ?? 0) == 0)
            let queue = try SQLiteFile.openFinished(folder + "/a.db", Self.schema)
            #expect(try queue.read { try String.fetchAll($0, sql: "SELECT text FROM note") } == ["x"])
            try queue.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.db"])
        }
    }

    /// The first reader of a finished day opens its file while the connection that wrote it checkpoints it.
    @Test func fileIsWholeWhileAnotherConnectionCheckpointsIt() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
            let hasEnded = Atomic(false)
            let failures = Mutex<[any Error]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                do {
                    if index == 0 {
                        defer { hasEnded.store(true, ordering: .relaxed) }
                        for _ in 0..<500 {
                            try pool.write {
                                try $0.execute(sql: "INSERT INTO note (text) VALUES (hex(zeroblob(10000)))")
                            }
                            try SQLiteFile.checkpoint(pool)
                            try pool.write { try $0.execute(sql: "DELETE FROM note") }
                            try pool.vacuum()
                            try SQLiteFile.checkpoint(pool)
                        }
                    } else {
                        while !hasEnded.load(ordering: .relaxed) { try SQLiteHeader.inspect(path, Self.schema) }
                    }
                } catch {
                    failures.withLock { $0.append(error) }
                }
            }
            #expect(failures.withLock(\.self).isEmpty)
            try SQLiteFile.close(pool)
        }
    }

    @Test func olderSchemaIsBroughtForward() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let old = try SQLiteFile.open(path, Self.schema)
            try old.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('kept')") }
            try SQLiteFile.close(old)
            let new = try SQLiteFile.open(path, Self.nextSchema)
            #expect(try setting("user_version", of: new) == "\(Self.nextSchema.version(after: 2))")
            #expect(try new.read { try String.fetchOne($0, sql: "SELECT text FROM note WHERE at IS NULL") } == "kept")
        }
    }

    @Test func failedMigrationChangesNothing() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try SQLiteFile.close(try SQLiteFile.open(path, Self.schema))
            let broken = SQLiteSchema(
                applicationID: Self.schema.applicationID,
                migrations: Self.schema.migrations + ["CREATE TABLE more (id INTEGER) STRICT; SELECT nonsense"]
            )
            #expect(throws: (any Error).self) { try SQLiteFile.open(path, broken) }
            let pool = try SQLiteFile.open(path, Self.schema)
            #expect(try setting("user_version", of: pool) == "\(Self.schema.version(after: 1))")
            #expect(try pool.read { try !$0.tableExists("more") })
        }
    }

    /// Early builds wrote only the number of the migrations.
    @Test(arguments: [0, 1, 5, 7, 0x100, Self.schema.version(after: 1) ^ 0x100, -1])
    func versionOfAnotherBuildIsRefusedUntouched(_ version: Int) throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
            try SQLiteFile.close(pool)
            try expectAnotherBuild(path, Self.schema)
        }
    }

    /// What a file has had must be the beginning of what a build knows.
    @Test(arguments: [0, 1]) func changedMigrationIsRefusedUntouched(_ index: Int) throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try SQLiteFile.close(try SQLiteFile.open(path, Self.nextSchema))
            var migrations = Self.nextSchema.migrations + ["CREATE TABLE third (id INTEGER) STRICT"]
            migrations[index] += "; CREATE TABLE more (id INTEGER) STRICT"
            try expectAnotherBuild(
                path,
                SQLiteSchema(applicationID: Self.schema.applicationID, migrations: migrations)
            )
        }
    }

    @Test func allStepsAreOneTransaction() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try SQLiteFile.close(try SQLiteFile.open(path, Self.schema))
            let broken = SQLiteSchema(
                applicationID: Self.schema.applicationID,
                migrations: Self.nextSchema.migrations + ["SELECT nonsense"]
            )
            #expect(throws: (any Error).self) { try SQLiteFile.open(path, broken) }
            try SQLiteFile.close(try SQLiteFile.open(path, Self.schema))
        }
    }

    private func expectAnotherBuild(_ path: String, _ schema: SQLiteSchema) throws {
        let (folder, before) = (Folder.parent(of: path), try Data(contentsOf: URL(filePath: path)))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, schema) }
        #expect(
            "\(try #require(error))"
                == "\(path) belongs to another build: its schema is that of no release. Nothing was changed: start that build, "
                + "or save the tenants with its 'fingerpost pull', the short links with 'fingerpost links export' and the events "
                + "with 'fingerpost export', and use this version in a new directory."
        )
        #expect(error?.exitCode == 65)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
    }

    @Test func newerSchemaIsRefused() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try SQLiteFile.close(try SQLiteFile.open(path, Self.nextSchema))
            let before = try Data(contentsOf: URL(filePath: path))
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, Self.schema) }
            #expect(
                "\(try #require(error))"
                    == "\(path) has schema 2, but this version supports schemas up to 1: start a newer version, or "
                    + "restore a backup made by this one."
            )
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    /// The newer version may be in the WAL of a killed process, where the file's header does not show it.
    @Test func newerSchemaInTheWALIsRefused() throws {
        try inTemporaryDirectory { folder in
            try SQLiteFile.close(try SQLiteFile.open(folder + "/a.db", Self.schema))
            let running = try SQLiteFile.open(folder + "/a.db", Self.nextSchema)
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: folder + "/a.db" + ending, toPath: folder + "/b.db" + ending)
            }
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(folder + "/b.db", Self.schema) }
            #expect("\(try #require(error))".contains("b.db has schema 2, but this version supports schemas up to 1"))
            try SQLiteFile.close(running)
        }
    }

    @Test func anotherProgramsFileIsRefusedUntouched() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let other = try DatabaseQueue(path: path)
            try other.write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
            try other.close()
            let before = try Data(contentsOf: URL(filePath: path))
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, Self.schema) }
            #expect("\(try #require(error))".contains("a SQLite file that Fingerpost did not create"))
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.db"])
        }
    }

    @Test(arguments: [
        (Data(), "it is empty"),
        (Data("SQLite format 3\0".utf8), "it is truncated"),
        (Data(repeating: 0x41, count: 8_192), "it has no SQLite header"),
    ])
    func damagedHeaderIsRefusedUntouched(_ content: Data, _ detail: String) throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try content.write(to: URL(filePath: path))
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, Self.schema) }
            #expect(
                "\(try #require(error))" == "\(path) is damaged (\(detail)). Nothing was changed: follow "
                    + "deploy/runbooks/corrupt-file.md."
            )
            #expect(error?.exitCode == 65)
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test func cutOffFileIsRefused() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.write { db in
                for _ in 0..<200 { try db.execute(sql: "INSERT INTO note (text) VALUES (hex(zeroblob(500)))") }
            }
            try SQLiteFile.close(pool)
            #expect(truncate(path, 8_192) == 0)
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, Self.schema) }
            guard case .corrupt = try #require(error) else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    /// Damage after the first page shows only when the whole file is read.
    @Test func quickCheckFindsDamagedPages() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.write { db in
                for _ in 0..<200 { try db.execute(sql: "INSERT INTO note (text) VALUES (hex(zeroblob(500)))") }
            }
            try SQLiteFile.close(pool)
            let sound = try SQLiteFile.openFinished(path, Self.schema)
            try SQLiteFile.quickCheck(sound, file: path)
            try sound.close()
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seek(toOffset: 10 * 4_096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
            try handle.close()
            let damaged = try SQLiteFile.openFinished(path, Self.schema)
            let error = #expect(throws: StorageError.self) { try SQLiteFile.quickCheck(damaged, file: path) }
            #expect("\(try #require(error))".contains("deploy/runbooks/corrupt-file.md"))
        }
    }

    @Test func directoryIsRefused() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(path, Self.schema) }
            #expect("\(try #require(error))".contains("(it is a directory)"))
            #expect(error?.exitCode == 74)
        }
    }

    /// SQLite would replay an old WAL into a new file of the same name.
    @Test func walWithoutItsFileIsRefused() throws {
        try inTemporaryDirectory { folder in
            try Data("x".utf8).write(to: URL(filePath: folder + "/a.db-wal"))
            let error = #expect(throws: StorageError.self) { try SQLiteFile.open(folder + "/a.db", Self.schema) }
            #expect("\(try #require(error))".contains("it is missing, but its -wal file exists"))
        }
    }

    /// Cancelling a task that waits for SQLite interrupts the connection. Closing must still succeed.
    @Test func interruptedConnectionIsClosed() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('a')") }
            pool.interrupt()
            try SQLiteFile.close(pool)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test func partlyWrittenFileIsWrittenAgain() throws {
        try inTemporaryDirectory { folder in
            try Data("half".utf8).write(to: URL(filePath: folder + "/a.db.new"))
            try SQLiteFile.close(try SQLiteFile.open(folder + "/a.db", Self.schema))
            #expect(!FileManager.default.fileExists(atPath: folder + "/a.db.new"))
        }
    }

    @Test func fullDiskIsNamed() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/a.db"
            let pool = try SQLiteFile.open(path, Self.schema)
            try pool.writeWithoutTransaction { _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = 4") }
            let error = #expect(throws: DatabaseError.self) {
                try pool.write { try $0.execute(sql: "INSERT INTO note (text) VALUES (hex(zeroblob(100000)))") }
            }
            let named = StorageError(try #require(error), file: path)
            #expect("\(named)".contains("deploy/runbooks/disk-full.md"))
        }
    }
}
