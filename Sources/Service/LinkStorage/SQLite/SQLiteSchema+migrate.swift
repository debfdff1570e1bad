import GRDB

extension SQLiteSchema {
    /// Migrates forward only. All missing steps and the version are one transaction: after a failure, the version before can
    /// still use the file.
    func migrate(_ db: Database, file: String) throws {
        guard try migrationCount(of: db, file: file) < migrations.count else { return }
        try db.inTransaction(.immediate) {
            // Another connection may have migrated the file since: requests read the same past day.
            let done = try migrationCount(of: db, file: file)
            guard done < migrations.count else { return .commit }
            for migration in migrations.dropFirst(done) { try db.execute(sql: migration) }
            let version = self.version(after: migrations.count)
            try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            return .commit
        }
    }

    private func migrationCount(of db: Database, file: String) throws -> Int {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        return version == 0 ? 0 : try migrationCount(of: file, version: version)
    }
}
