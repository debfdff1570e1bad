import GRDB
import Synchronization

/// The texts of a day file by number, cached for readers. Grows with the file.
final class DayTexts: Sendable {
    private let texts = Mutex<[String]>([])

    /// Returns all texts that are visible in the current transaction. Throws `SQLITE_CORRUPT` if the numbers have gaps.
    func all(_ db: Database) throws -> [String] {
        var known = texts.withLock { $0 }
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, value FROM text WHERE id > ? ORDER BY id",
            arguments: [known.count]
        )
        var isNew = false
        while let row = try rows.next() {
            guard row[0] as Int64 == known.count + 1 else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the text ids have gaps")
            }
            known.append(try row.text(1))
            isNew = true
        }
        if isNew { texts.withLock { if $0.count < known.count { $0 = known } } }
        return known
    }
}
