import GRDB
package import LinkRouting

/// The result of a log verification: the state of every sequence, and whether the rollups agree with the rows.
package struct LogVerification: Sendable, Hashable {
    package internal(set) var lastSequence: Int64 = 0
    package internal(set) var stored: Int64 = 0
    package internal(set) var erased: Int64 = 0
    package internal(set) var dropped: Int64 = 0
    /// Inconsistencies, for operators. Empty when every sequence from 1 to the last is stored, erased or dropped.
    package internal(set) var faults: [String] = []

    package var json: JSONNode {
        .object([
            "whole": .bool(faults.isEmpty), "lastSeq": .int(lastSequence), "stored": .int(stored),
            "erased": .int(erased), "dropped": .int(dropped), "faults": .array(faults.map(JSONNode.string)),
        ])
    }
}

extension EventLog {
    /// Verifies every page of every file, also of the catalog and of the short links. Each file is read in one
    /// transaction, so all may be in use. Takes as long as reading everything.
    package func verify(with catalog: CatalogDatabase, _ links: ShortLinkDatabase) async throws -> LogVerification {
        var verification = try await verify()
        verification.faults += await catalog.faults()
        verification.faults += await links.faults()
        return verification
    }

    /// Verifies every page of the files of the log.
    func verify() async throws -> LogVerification {
        try await onCheckpointQueue { log in
            var verifier = LogVerifier(log: log)
            return try verifier.verifyDays()
        }
    }
}

/// Verifies the days, oldest first.
private struct LogVerifier {
    let log: EventLog
    private var result = LogVerification()
    /// The sequence that the next day must begin with; nil after a day that cannot be read.
    private var next: Int64? = 1

    init(log: EventLog) { self.log = log }

    /// The rows of one tenant in one day, as committed.
    private struct Rows {
        let tenant: String
        let count: Int64
        let first: Int64
        let last: Int64

        init(_ row: Row) { (tenant, count, first, last) = (row[0], row[1], row[2], row[3]) }
    }

    mutating func verifyDays() throws -> LogVerification {
        do {
            try log.ledger.read(StorageFile.checkPages)
            return try compareFiles()
        } catch let damage as StorageError where damage.isDamage {
            // The ledger alone records what was erased and dropped.
            result.faults.append(damage.description)
            return result
        }
    }

    private mutating func compareFiles() throws -> LogVerification {
        // Read first, because the log may grow meanwhile.
        let told = try log.sequenceInLedger()
        let closed = try log.ledger.read { db in
            try Int64.fetchAll(db, sql: "SELECT day FROM day").map(CivilDay.init(daysSince1970:))
        }
        let present = Set(log.allDays())
        for day in present.union(closed).sorted() {
            guard present.contains(day) else {
                try addDropped(day)
                continue
            }
            do {
                try addDay(day, isClosed: closed.contains(day))
            } catch {
                guard let damage = log.damaged[day] else { throw error }
                result.faults.append(damage.description)
                if closed.contains(day) { followOn(try closedRows(of: day), day) } else { next = nil }
            }
        }
        try compareLedger()
        result.lastSequence = next.map { $0 - 1 } ?? log.knownSequence()
        if result.lastSequence < told {
            result.faults.append(
                "the ledger knows rows up to \(told), but the files end at \(result.lastSequence): the newest day file is "
                    + "missing"
            )
            result.lastSequence = told
        }
        return result
    }

    private mutating func addDay(_ day: CivilDay, isClosed: Bool) throws {
        let file = try log.file(of: day)
        try file.database.read(StorageFile.checkPages)
        let (committed, stored, counted) = try file.database.read { db in
            (
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT tenant, sum(rows), min(first_seq), max(last_seq) FROM (
                            SELECT tenant, rows, first_seq, last_seq FROM tenant_rows
                            UNION ALL
                            SELECT (SELECT value FROM text WHERE id = tenant), count(*), min(seq), max(seq)
                            FROM event WHERE \(EventRow.uncountedSQL) GROUP BY tenant
                        ) GROUP BY tenant
                        """
                ).map(Rows.init),
                try Self.numbers(
                    db,
                    """
                    SELECT (SELECT value FROM text WHERE id = tenant), count(*) FROM event GROUP BY tenant
                    """
                ),
                try Self.numbers(
                    db,
                    """
                    SELECT tenant, sum(count) FROM result_quarter JOIN result ON result.id = result_quarter.result
                    JOIN stream ON stream.id = result.stream GROUP BY tenant
                    UNION ALL
                    SELECT (SELECT value FROM text WHERE id = tenant), count(*) FROM event
                    WHERE \(EventRow.uncountedSQL) GROUP BY tenant
                    """
                )
            )
        }
        followOn(committed, day)
        try compareIndex(file, day)
        let dropped = try droppedTenants(of: day)
        for rows in committed {
            let stored = stored[rows.tenant, default: 0]
            result.stored += stored
            if counted[rows.tenant] != rows.count {
                result.faults.append(
                    "\(day): \(rows.tenant) has \(rows.count) rows, but its counts add up to \(counted[rows.tenant] ?? 0)"
                )
            }
            if dropped.contains(rows.tenant) {
                result.dropped += rows.count - stored
                continue
            }
            let erased = try erased(rows, of: day)
            result.erased += erased
            if stored + erased != rows.count {
                result.faults.append(
                    "\(day): \(rows.tenant) had \(rows.count) rows, but \(stored) are stored and \(erased) erased"
                )
            }
        }
        if isClosed { try compareClosed(committed, day) }
    }

    /// Checks that the index of the tenants has each counted row once, and nothing else.
    private mutating func compareIndex(_ file: DayFile, _ day: CivilDay) throws {
        let (rows, entries, pairs) = try file.database.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM event WHERE NOT (\(EventRow.uncountedSQL))") ?? 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM indexed_event") ?? 0,
                try Int.fetchOne(
                    db,
                    sql:
                        "SELECT count(*) FROM indexed_event AS entry JOIN event USING (seq) WHERE entry.tenant = event.tenant"
                ) ?? 0
            )
        }
        guard rows != pairs || entries != pairs else { return }
        result.faults.append("\(day): \(pairs) of \(rows) rows are in the index of the tenants, which has \(entries)")
    }

    private mutating func addDropped(_ day: CivilDay) throws {
        let rows = try closedRows(of: day)
        let dropped = try droppedTenants(of: day)
        followOn(rows, day)
        for rows in rows {
            result.dropped += rows.count
            if !dropped.contains(rows.tenant) {
                result.faults.append("\(day): the file with \(rows.count) rows of \(rows.tenant) is missing")
            }
        }
    }

    /// Checks that the sequences of consecutive days follow each other without a gap.
    private mutating func followOn(_ rows: [Rows], _ day: CivilDay) {
        guard let first = rows.map(\.first).min(), let last = rows.map(\.last).max() else { return }
        if let next, first != next { result.faults.append("\(day): starts at \(first) instead of \(next)") }
        let count = rows.reduce(0) { $0 + $1.count }
        if count != last - first + 1 {
            result.faults.append("\(day): has \(count) rows between \(first) and \(last)")
        }
        next = last + 1
    }

    /// Returns how many of the tenant's sequences in the day were erased. The ledger lists them before they are
    /// deleted, so rows that are still stored are not counted.
    private func erased(_ rows: Rows, of day: CivilDay) throws -> Int64 {
        let sequences = try log.ledger.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT seq FROM erased JOIN erasure ON erasure.id = erased.erasure
                    WHERE tenant = ? AND seq BETWEEN ? AND ?
                    """,
                arguments: [rows.tenant, rows.first, rows.last]
            )
        }
        guard !sequences.isEmpty else { return 0 }
        return try log.file(of: day).database.read { db in
            try sequences.reduce(0) { sum, sequence in
                let isStored = try Bool.fetchOne(
                    db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM event WHERE seq = ?)"),
                    arguments: [sequence]
                )
                return sum + (isStored == true ? 0 : 1)
            }
        }
    }

    private mutating func compareClosed(_ rows: [Rows], _ day: CivilDay) throws {
        let known = Dictionary(uniqueKeysWithValues: try closedRows(of: day).map { ($0.tenant, $0.count) })
        for rows in rows where known[rows.tenant] != rows.count {
            result.faults.append(
                "\(day): the ledger has \(known[rows.tenant] ?? 0) rows of \(rows.tenant), the file \(rows.count)"
            )
        }
    }

    /// Compares the ledger's rollups of closed days with their row counts.
    private mutating func compareLedger() throws {
        let (rows, days, quarters) = try log.ledger.read { db in
            (
                try Self.numbers(db, "SELECT tenant, sum(rows) FROM day_tenant GROUP BY tenant"),
                try Self.numbers(
                    db,
                    "SELECT tenant, sum(count) FROM result_day JOIN stream ON stream.id = stream GROUP BY tenant"
                ),
                try Self.numbers(
                    db,
                    "SELECT tenant, sum(count) FROM stream_quarter JOIN stream ON stream.id = stream GROUP BY tenant"
                )
            )
        }
        for (tenant, count) in rows.sorted(by: { $0.key < $1.key }) {
            for (name, sums) in [("day", days), ("quarter-hour", quarters)] where sums[tenant] != count {
                result.faults.append(
                    "\(tenant): \(count) rows in closed days, \(sums[tenant] ?? 0) counted by the \(name)"
                )
            }
        }
    }

    private func closedRows(of day: CivilDay) throws -> [Rows] {
        try log.ledger.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT tenant, rows, first_seq, last_seq FROM day_tenant WHERE day = ?",
                arguments: [day.daysSince1970]
            ).map(Rows.init)
        }
    }

    private func droppedTenants(of day: CivilDay) throws -> Set<String> {
        try log.ledger.read { db in
            Set(
                try String.fetchAll(
                    db,
                    sql: "SELECT tenant FROM day_tenant WHERE day = ? AND dropped_at IS NOT NULL",
                    arguments: [day.daysSince1970]
                )
            )
        }
    }

    private static func numbers(_ db: Database, _ sql: String) throws -> [String: Int64] {
        Dictionary(
            try Row.fetchAll(db, sql: sql).map { ($0[0] as String, $0[1] as Int64) },
            uniquingKeysWith: +
        )
    }
}
