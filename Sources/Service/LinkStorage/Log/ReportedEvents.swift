import Foundation
import GRDB
import LinkEvents
package import LinkRouting

/// The hashes of reported events in a day file or in the ledger, see m0001_events.sql.
enum ReportedEvents {
    /// Inserts the hashes of the events into a day file.
    ///
    /// - Parameter first: The sequence of the first event that is new; the others follow.
    /// - Returns: The indexes of the events that are in `earlier` or in the file already.
    static func insert(
        _ events: [Event],
        from first: Int64,
        besides earlier: Set<Bytes16>,
        _ db: Database
    ) throws -> [Int] {
        var duplicates: [Int] = []
        for (index, event) in events.enumerated() {
            guard let hash = event.content.reportHash else { continue }
            guard !earlier.contains(hash) else {
                duplicates.append(index)
                continue
            }
            try db.cachedStatement(sql: "INSERT INTO client_event (hash, seq) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .execute(arguments: [Data(hash), first + Int64(index - duplicates.count)])
            if db.changesCount == 0 { duplicates.append(index) }
        }
        return duplicates
    }

    /// Returns those of the hashes that the file has.
    static func known(of hashes: some Sequence<Bytes16>, _ db: Database) throws -> Set<Bytes16> {
        let select = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM client_event WHERE hash = ?)")
        var known: Set<Bytes16> = []
        for hash in hashes where try Bool.fetchOne(select, arguments: [Data(hash)]) == true { known.insert(hash) }
        return known
    }
}

/// Reported events of earlier days: those of closed days are in the ledger, the others in their files.
extension EventLog {
    /// Returns those of the hashes that earlier days than the newest have. Only the writer calls it, so that no day
    /// ends meanwhile.
    func reportedEarlier(_ hashes: Set<Bytes16>) throws -> Set<Bytes16> {
        guard !hashes.isEmpty else { return [] }
        // One transaction: a day that is closed between two of them would be missed.
        var (known, closed) = try ledger.read { db in
            (
                try ReportedEvents.known(of: hashes, db),
                Set(try Int64.fetchAll(db, sql: "SELECT day FROM day WHERE dropped_at IS NULL"))
            )
        }
        for day in finishedDays() where !closed.contains(day.daysSince1970) && damaged[day] == nil {
            do {
                known.formUnion(try file(of: day).database.read { try ReportedEvents.known(of: hashes, $0) })
            } catch  where damaged[day] != nil {
                // The rows of the day are lost, so that storing them again is right.
            }
        }
        return known
    }

    /// The number of hashes in one transaction.
    private static let hashesAtOnce = 20_000

    package func forgetReports(before day: CivilDay) async throws {
        try await onCheckpointQueue { log in
            let days = try log.ledger.read { db in
                try Int64.fetchAll(
                    db,
                    sql: "SELECT day FROM client_event_day WHERE day < ?",
                    arguments: [day.daysSince1970]
                )
            }
            guard !days.isEmpty else { return }
            var start = Data()
            while let end = try log.ledger.storing({ db in try Self.forgetSpan(after: start, before: day, db) }) {
                start = end
            }
            try log.ledger.storing { db in
                for day in days {
                    try db.execute(sql: "DELETE FROM client_event_day WHERE day = ?", arguments: [day])
                }
            }
        }
    }

    /// Deletes old hashes of the next span. Returns its end; nil if it was the last.
    private static func forgetSpan(after start: Data, before day: CivilDay, _ db: Database) throws -> Data? {
        let end = try Data.fetchOne(
            db,
            sql: "SELECT hash FROM client_event WHERE hash > ? ORDER BY hash LIMIT 1 OFFSET ?",
            arguments: [start, hashesAtOnce]
        )
        try db.execute(
            sql: "DELETE FROM client_event WHERE hash > ? AND (? IS NULL OR hash <= ?) AND day < ?",
            arguments: [start, end, end, day.daysSince1970]
        )
        return end
    }
}
