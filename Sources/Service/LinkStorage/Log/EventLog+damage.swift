import GRDB
import LinkEvents
package import LinkRouting

/// Damaged days. An operation that needs one of them fails with the name of its file; all other operations continue.
extension EventLog {
    /// The damage of finished days, oldest first.
    package var damagedDays: [(day: CivilDay, damage: StorageError)] { damaged.all }

    /// A summary for operators: the number of days and the damage of up to 10 of them. A damaged day is no reason to
    /// route requests to another instance.
    package var condition: String {
        let damages = damagedDays.prefix(10).map(\.damage.description)
        let count = allDays().count
        let days = count == 1 ? "1 day" : "\(count) days"
        return (["\(days), \(damagedDays.count) of them damaged"] + damages).joined(separator: "; ")
    }

    /// Runs `body` for each day in order. Skips days whose file is damaged. Another failure does not stop the remaining
    /// days; the first such error is thrown at the end.
    func forEachSound(_ days: [CivilDay], _ body: (CivilDay) throws -> Void) throws {
        var failure: (any Error)?
        for day in days {
            do {
                try body(day)
            } catch {
                if damaged[day] == nil { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Returns the damage of a day that may still hold rows of the erasure; nil if all of them can be read.
    func damage(hiding erasure: Erasure) throws -> StorageError? {
        for (day, damage) in damagedDays where try mayHoldRows(of: erasure, day) { return damage }
        return nil
    }

    private func mayHoldRows(of erasure: Erasure, _ day: CivilDay) throws -> Bool {
        guard case .at(let first) = try startOfDamaged(day), first <= erasure.lastSequence else { return false }
        return try ledger.read { db in
            let isClosed = try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM day WHERE day = ?)",
                arguments: [day.daysSince1970]
            )
            guard isClosed == true else { return true }
            return try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM day_tenant WHERE day = ? AND tenant = ? AND emptied_at IS NULL)",
                arguments: [day.daysSince1970, erasure.tenant.rawValue]
            ) ?? false
        }
    }

    /// Returns the sequence that a damaged day begins with. For a closed day it comes from the ledger. For an open day
    /// it is the sequence after all rows of earlier days; only the damaged file could tell whether the day has rows at
    /// all.
    func startOfDamaged(_ day: CivilDay) throws -> Start {
        let closed = try ledger.read { db in
            try Row.fetchOne(
                db,
                sql:
                    "SELECT (SELECT min(first_seq) FROM day_tenant WHERE day_tenant.day = day.day) FROM day WHERE day = ?",
                arguments: [day.daysSince1970]
            )
        }
        if let closed { return (closed[0] as Int64?).map(Start.at) ?? .empty }
        for earlier in allDays().reversed() where earlier < day && damaged[earlier] == nil {
            let last = try Self.lastSequence(try file(of: earlier).database)
            if last > 0 { return .at(last + 1) }
        }
        // All earlier days are closed and dropped.
        let dropped = try ledger.read { db in
            try Int64.fetchOne(db, sql: "SELECT max(last_seq) FROM day WHERE day < ?", arguments: [day.daysSince1970])
        }
        return .at((dropped ?? 0) + 1)
    }
}
