import GRDB

extension SQLiteSchema {
    /// Migrates forward only. All missing steps and the version are one transaction: after a failure, the version before can
    /// still use the file.
    func migrate(_ db: Database, file: String) throws {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let done = version == 0 ? 0 : try migrationCount(of: file, version: version)
        guard done < migrations.count else { return }
        try db.inTransaction(.immediate) {
            for migration in migrations.dropFirst(done) { try db.execute(sql: migration) }
            let version = self.version(after: migrations.count)
            try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            return .commit
        }
    }
}
