import GRDB
import LinkEvents
package import LinkRouting

/// Damaged days. Whoever needs one of them is told its file; everybody else goes on.
extension EventLog {
    /// What is wrong with days that are over, oldest first.
    package var damagedDays: [(day: CivilDay, damage: StorageError)] { damaged.all }

    /// For people: how many days there are, and which of them are damaged. A damaged day is no reason to send requests elsewhere.
    package var condition: String {
        let damages = damagedDays.prefix(10).map(\.damage.description)
        return (["\(allDays().count) days, \(damagedDays.count) of them damaged"] + damages).joined(separator: "; ")
    }

    /// Runs `body` for one day after the other. One whose file is damaged is left out, and one that fails otherwise holds up
    /// none of the others: what it threw is thrown at the end.
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

    /// The damage of a day that may hold rows of an erasure; nil where each of them could be read.
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

    /// The sequence that a damaged day begins with: the ledger's where the day is closed, else the one behind all rows of the
    /// days before. The day may have had none, which its file alone would tell.
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
        // The days before are closed and dropped.
        let dropped = try ledger.read { db in
            try Int64.fetchOne(db, sql: "SELECT max(last_seq) FROM day WHERE day < ?", arguments: [day.daysSince1970])
        }
        return .at((dropped ?? 0) + 1)
    }
}
