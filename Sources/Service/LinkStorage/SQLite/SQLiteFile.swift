import Crypto
import Foundation
import GRDB
import LinkEvents

/// The schema of one kind of SQLite file: the mark in its header and its migrations.
struct SQLiteSchema: Sendable {
    /// `PRAGMA application_id`, so that another program's file is never written to.
    let applicationID: Int32
    let migrations: [String]
    /// Whether free pages are returned on demand (`PRAGMA incremental_vacuum`). Applies to newly created files only.
    let givesPagesBack: Bool
    /// The most KiB of pages that the connection that writes keeps. All of them fill up in time.
    let writerCache: Int
    /// What `PRAGMA user_version` is above the number of migrations: 23 bits of the SHA-256 of the first migration, and
    /// eight zeros. A file with another first migration is that of another build.
    private let baseline: Int

    init(applicationID: Int32, migrations: [String], givesPagesBack: Bool = false, writerCache: Int = 8_000) {
        self.applicationID = applicationID
        self.migrations = migrations
        self.givesPagesBack = givesPagesBack
        self.writerCache = writerCache
        let hash = SHA256.hash(data: Data((migrations.first ?? "").utf8)).prefix(3).reduce(0) { $0 << 8 | Int($1) }
        baseline = (hash >> 1) << 8
    }

    /// The `user_version` of a file after so many migrations.
    func version(after count: Int) -> Int { baseline + count }

    /// Returns the number of migrations that a file of this version has had. Throws `StorageError` if another build
    /// wrote it.
    func migrationCount(of file: String, version: Int) throws -> Int {
        let count = version - baseline
        guard (1...255).contains(count) else { throw StorageError.otherBuild(file: file) }
        guard count <= migrations.count else {
            throw StorageError.newerSchema(file: file, found: count, known: migrations.count)
        }
        return count
    }
}

/// Opens the files of the data directory with settings under which an acknowledged commit survives a power cut.
///
/// A file that is written to is a `DatabasePool`: one connection does all writes and checkpoints, and readers never
/// block it. The pool sets `synchronous=NORMAL` after `prepareDatabase`, under which a power cut loses the latest
/// commits. FULL is therefore set after opening, outside a transaction, and read back.
enum SQLiteFile {
    static func open(_ path: String, _ schema: SQLiteSchema, readers: Int = 2) throws -> DatabasePool {
        try throwingStorageErrors(path) {
            try makeOrInspect(path, schema)
            let configuration = configuration(readers: readers, writerCache: schema.writerCache)
            let pool = try DatabasePool(path: path, configuration: configuration)
            return try ready(pool, schema, path)
        }
    }

    /// Opens a file that receives no further events, such as that of a finished day. Uses one connection, which leaves
    /// no WAL behind when it closes.
    static func openFinished(_ path: String, _ schema: SQLiteSchema) throws -> DatabaseQueue {
        try throwingStorageErrors(path) {
            try SQLiteHeader.inspect(path, schema)
            let configuration = configuration(readers: 1, writerCache: readerCache)
            return try ready(try DatabaseQueue(path: path, configuration: configuration), schema, path)
        }
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

    /// Runs `quick_check`, which reads the whole file. Throws `StorageError.corrupt` if it finds damage.
    static func quickCheck(_ reader: some DatabaseReader, file: String) throws {
        try throwingStorageErrors(file) {
            let result = try reader.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard result == "ok" else {
                let detail = result?.split(whereSeparator: \.isNewline).joined(separator: " ")
                throw StorageError.corrupt(file: file, detail: detail ?? "no result")
            }
        }
    }

    /// Opens an unused copy with the settings of the log's files, migrates it, checkpoints it and closes it again.
    static func migrateAndCheckpoint(_ path: String, _ schema: SQLiteSchema) throws {
        let queue = try openFinished(path, schema)
        try throwingStorageErrors(path) {
            try checkpoint(queue)
            try queue.close()
        }
    }

    /// Checkpoints the WAL and truncates it.
    static func checkpoint(_ database: some DatabaseWriter) throws {
        try database.working { db in
            // A cancelled task may have left an interruption on the connection, which would end the checkpoint.
            // Starting a statement clears it.
            try db.execute(sql: "SELECT 1")
            _ = try db.checkpoint(.truncate)
        }
    }

    /// Checkpoints the WAL and closes the pool. On a full disk the WAL stays beside the file with everything that was
    /// committed; the next process that opens the file reads it there.
    static func close(_ pool: DatabasePool) throws {
        try throwingStorageErrors(pool.path) {
            do {
                try checkpoint(pool)
            } catch StorageError.full {}
            try pool.close()
        }
    }

    /// Like ``quickCheck(_:file:)``, but runs before the file is opened for writing, which changes it. Ignores a file
    /// that does not exist.
    static func quickCheck(_ path: String, _ schema: SQLiteSchema) throws {
        guard access(path, F_OK) == 0 else { return }
        try throwingStorageErrors(path) {
            try SQLiteHeader.inspect(path, schema)
            var readOnly = Configuration()
            readOnly.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: readOnly)
            try quickCheck(queue, file: path)
            try queue.close()
        }
    }

    static func throwingStorageErrors<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StorageError(error, file: file)
        }
    }

    /// The most KiB of pages that a connection that only reads keeps. The system's page cache does the rest.
    private static let readerCache = 2_000

    private static func configuration(readers: Int, writerCache: Int) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = readers
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            let pages = db.configuration.readonly ? readerCache : writerCache
            try db.execute(
                sql:
                    "PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(pages); PRAGMA secure_delete = ON"
            )
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000") }
        }
        return configuration
    }

    private static func ready<Writer: DatabaseWriter>(
        _ writer: Writer,
        _ schema: SQLiteSchema,
        _ path: String
    ) throws -> Writer {
        try writer.working { db in
            // A copy made by a backup is not in WAL mode, and the mode is part of the file.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
            try migrate(db, to: schema, file: path)
        }
        try assertDurable(writer, file: path)
        return writer
    }

    /// Checks the header of an existing file, or creates a new one. A new file is created under another name and
    /// renamed when it is complete. An empty or incomplete file under the final name is therefore always damage, never
    /// left by a crash during creation.
    private static func makeOrInspect(_ path: String, _ schema: SQLiteSchema) throws {
        guard access(path, F_OK) != 0, errno == ENOENT else { return try SQLiteHeader.inspect(path, schema) }
        guard access(path + "-wal", F_OK) != 0 else {
            throw StorageError.corrupt(file: path, detail: "it is missing, but its -wal file exists")
        }
        let fresh = path + ".new"
        for ending in ["", "-journal", "-wal", "-shm"] { unlink(fresh + ending) }
        try OwnersFile.make(fresh)
        let queue = try DatabaseQueue(path: fresh, configuration: configuration(readers: 1, writerCache: readerCache))
        try queue.working { db in
            if schema.givesPagesBack { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        // Closing also checkpoints, but hides a failure. Without its WAL the renamed file would be empty.
        try checkpoint(try ready(queue, schema, path))
        try queue.close()
        guard rename(fresh, path) == 0 else {
            throw StorageError.unusable(path, errno)
        }
        do {
            try Folder.sync(Folder.parent(of: path))
        } catch let failure as FileFailure {
            throw failure.isDiskFull ? StorageError.full(file: path) : .io(file: path, detail: failure.description)
        }
    }

    /// Migrates forward only. Each missing step and its version number are committed in one transaction.
    private static func migrate(_ db: Database, to schema: SQLiteSchema, file: String) throws {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let done = version == 0 ? 0 : try schema.migrationCount(of: file, version: version)
        for (index, sql) in schema.migrations.enumerated().dropFirst(done) {
            try db.inTransaction(.immediate) {
                try db.execute(sql: sql)
                let version = schema.version(after: index + 1)
                try db.execute(
                    sql: "PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(version)"
                )
                return .commit
            }
        }
    }
}
