import GRDB

/// The version of the SQLite library in this process.
package enum SQLiteLibrary {
    package static func version() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
    }

    /// Returns a warning if this SQLite can corrupt a WAL file that two connections write to or checkpoint at once
    /// (3.7.0 to 3.51.2, sqlite.org/wal.html); otherwise nil. This process avoids the bug: one connection writes each
    /// file.
    package static func walResetWarning() throws -> String? {
        let version = try version()
        let parts = version.split(separator: ".").compactMap { Int($0) }
        guard parts.count >= 3, !parts.lexicographicallyPrecedes([3, 7, 0]),
            parts.lexicographicallyPrecedes([3, 51, 3])
        else {
            return nil
        }
        return
            "never open the data files with another program while the service runs (SQLite \(version), sqlite.org/wal.html)"
    }
}
