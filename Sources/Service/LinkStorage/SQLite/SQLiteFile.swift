import Foundation
import GRDB
import LinkEvents

/// Opens the files of the data directory with settings under which an acknowledged commit survives a power cut.
///
/// A file that is written to is a `DatabasePool`: one connection does all writes and checkpoints, and readers never
/// block it. The pool sets `synchronous=NORMAL` after `prepareDatabase`, under which a power cut loses the latest
/// commits. FULL is therefore set after opening, outside a transaction, and read back.
enum SQLiteFile {
    static let readers = 2

    static func open(_ path: String, _ schema: SQLiteSchema, readers: Int = SQLiteFile.readers) throws -> DatabasePool {
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
            try schema.migrate(db, file: path)
        }
        try assertDurable(writer, file: path)
        return writer
    }

    /// Checks the header of an existing file, or creates a new one. A new file is created under another name and
    /// renamed when it is complete. An empty or incomplete file under the final name is therefore always damage, never
    /// left by a crash during creation.
    private static func makeOrInspect(_ path: String, _ schema: SQLiteSchema) throws {
        guard access(path, F_OK) != 0, errno == ENOENT else {
            try SQLiteHeader.inspect(path, schema)
            return
        }
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
}
