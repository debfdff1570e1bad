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

    init(applicationID: Int32, migrations: [String], givesPagesBack: Bool = false, writerCache: Int = 8_000) {
        self.applicationID = applicationID
        self.migrations = migrations
        self.givesPagesBack = givesPagesBack
        self.writerCache = writerCache
        versions = (0...migrations.count).map { Self.version(after: migrations.prefix($0)) }
    }

    /// The `user_version` after each number of migrations.
    private let versions: [Int]

    /// 23 bits of the SHA-256 of the migrations, and eight bits with their number. So a file tells which migrations it has had.
    private static func version(after migrations: ArraySlice<String>) -> Int {
        let hash = SHA256.hash(data: Data(migrations.joined().utf8)).prefix(3).reduce(0) { $0 << 8 | Int($1) }
        return (hash >> 1) << 8 | migrations.count
    }

    /// The `user_version` of a file after so many migrations.
    func version(after count: Int) -> Int { versions[count] }

    /// Returns the number of migrations that a file of this version has had. Throws `StorageError` if it has had others, or
    /// more.
    func migrationCount(of file: String, version: Int) throws -> Int {
        // Builds before the first release stored only the number.
        guard version > 0xFF, case let count = version & 0xFF, count > 0 else {
            throw StorageError.otherBuild(file: file)
        }
        guard count <= migrations.count else {
            throw StorageError.newerSchema(file: file, found: count, known: migrations.count)
        }
        guard version == versions[count] else { throw StorageError.otherBuild(file: file) }
        return count
    }
}
