import Crypto
import Foundation

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
