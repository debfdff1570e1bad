import GRDB

extension SQLiteSchema {
    /// Migrates forward only. Each missing step and its version number are committed in one transaction.
    func migrate(_ db: Database, file: String) throws {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let done = version == 0 ? 0 : try migrationCount(of: file, version: version)
        for (index, sql) in migrations.enumerated().dropFirst(done) {
            try db.inTransaction(.immediate) {
                try db.execute(sql: sql)
                let version = self.version(after: index + 1)
                try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
                return .commit
            }
        }
    }
}
