import Foundation
import GRDB

/// What one SQLite file is for: its mark in the header and the SQL that makes it.
struct SQLiteSchema: Sendable {
    /// `PRAGMA application_id`, so that another program's file is never written to.
    let applicationID: Int32
    let migrations: [String]
}

/// Opens the files of the data directory with the settings that make an acknowledged commit survive a power cut.
///
/// `DatabasePool`: one connection writes and also does every checkpoint, readers never wait for it. The pool sets
/// `synchronous=NORMAL` after `prepareDatabase`, under which a power cut loses the latest commits, so FULL is set after
/// opening, outside a transaction, and read back.
enum SQLiteFile {
    static func open(_ path: String, _ schema: SQLiteSchema, readers: Int = 2) throws -> DatabasePool {
        let name = URL(filePath: path).lastPathComponent
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw StorageError.unusable(file: name, detail: "it is a directory")
        }
        do {
            let pool = try DatabasePool(path: path, configuration: configuration(readers: readers))
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try migrate(db, to: schema, file: name)
            }
            try assertDurable(pool, file: name)
            return pool
        } catch let error as DatabaseError {
            throw StorageError(error, file: name)
        }
    }

    private static func configuration(readers: Int) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = readers
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            try db.execute(
                sql: "PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000"
            )
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000") }
        }
        return configuration
    }

    /// Throws unless the writer syncs every commit.
    static func assertDurable(_ writer: some DatabaseWriter, file: String) throws {
        try writer.writeWithoutTransaction { db in
            let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            guard synchronous == 2 else {
                throw StorageError.wrongSetting(file: file, setting: "synchronous", found: "\(synchronous ?? -1)")
            }
            let journal = try String.fetchOne(db, sql: "PRAGMA journal_mode")
            guard journal == "wal" else {
                throw StorageError.wrongSetting(file: file, setting: "journal_mode", found: journal ?? "unknown")
            }
        }
    }

    /// Forward only: each missing step in a transaction of its own, with the number that says it was done.
    private static func migrate(_ db: Database, to schema: SQLiteSchema, file: String) throws {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
        guard application == schema.applicationID || (application == 0 && isEmpty && version == 0) else {
            throw StorageError.foreignFile(file: file)
        }
        guard version <= schema.migrations.count else {
            throw StorageError.newerSchema(file: file, found: version, known: schema.migrations.count)
        }
        for (index, sql) in schema.migrations.enumerated().dropFirst(version) {
            try db.inTransaction(.immediate) {
                try db.execute(sql: sql)
                try db.execute(
                    sql: "PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(index + 1)"
                )
                return .commit
            }
        }
    }

    /// Throws when SQLite finds damage.
    static func quickCheck(_ pool: DatabasePool, file: String) throws {
        do {
            let result = try pool.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard result == "ok" else { throw StorageError.corrupt(file: file, detail: result ?? "no answer") }
        } catch let error as DatabaseError {
            throw StorageError(error, file: file)
        }
    }

    /// Brings the WAL into the file and closes it.
    static func close(_ pool: DatabasePool) throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try pool.close()
    }
}
