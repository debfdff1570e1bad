import GRDB
package import LinkEvents
package import LinkRouting

/// Analytics queries. The rollups of closed days are in the ledger, those of other days in their own files.
extension EventLog: EventAnalytics {
    package func totals(_ query: TotalsQuery) async throws -> [TotalsCount] {
        try await count(query.scope) { db, uncounted in
            var reader = TotalsReader(query)
            try reader.readDay(db, uncounted)
            return reader
        } withLedger: { db, days in
            var reader = TotalsReader(query)
            try reader.readLedger(db)
            for day in days { reader.add(day) }
            return reader.answer
        }
    }

    package func values(_ query: ValuesQuery) async throws -> ValueCounts {
        try await count(query.scope) { db, uncounted in
            var reader = ValuesReader(query)
            try reader.readDay(db, uncounted)
            return reader
        } withLedger: { db, days in
            var reader = ValuesReader(query)
            for day in days { reader.add(day) }
            return try reader.answer(withLedger: db)
        }
    }

    package func counts(
        of value: String,
        in dimension: Dimension,
        _ scope: AnalyticsScope
    ) async throws -> [Int64] {
        let series = ValueSeries(value: value, dimension: dimension, scope: scope)
        return try await count(scope) { db, uncounted in
            try series.counts(db, uncounted)
        } withLedger: { db, days in
            let closed = try series.counts(db, [])
            return days.reduce(closed) { sum, day in zip(sum, day).map(+) }
        }
    }

    package func lastSequence(through day: CivilDay) async throws -> Int64? {
        try await ledger.read { db in
            try Int64.fetchOne(
                db,
                sql: "SELECT last_seq FROM day WHERE day >= ? ORDER BY day LIMIT 1",
                arguments: [day.daysSince1970]
            )
        }
    }

    /// Reads the rollups and the tenant's uncounted events of each open day, then the ledger, and combines them.
    ///
    /// Open days are read first. A day that is closed in the meantime is in the ledger by the time the ledger is read,
    /// and the result from its file is discarded, so each day is counted once. A day that is closed and dropped before
    /// it is read is also in the ledger. A damaged day is skipped if the query does not overlap with it.
    private func count<Day: Sendable, Counts: Sendable>(
        _ scope: AnalyticsScope,
        day readDay: @escaping @Sendable (Database, _ uncounted: [Event]) throws -> Day,
        withLedger readLedger: @escaping @Sendable (Database, [Day]) throws -> Counts
    ) async throws -> Counts {
        let open = try await openDays()
        var days: [(day: CivilDay, counts: Day)] = []
        for day in open {
            do {
                let file = try file(of: day)
                let counts = try await file.database.read { db in
                    try readDay(db, file.uncountedEvents(of: scope.tenant, db))
                }
                days.append((day, counts))
            } catch {
                if damaged[day] != nil, !scope.overlaps(day) { continue }
                guard try await !openDays().contains(day) else { throw error }
            }
        }
        return try await ledger.read { [days] db in
            let closed = try Self.closedDays(since: open.first, db)
            return try readLedger(db, days.filter { !closed.contains($0.day) }.map(\.counts))
        }
    }

    /// Returns the days that are not closed in the ledger, oldest first.
    private func openDays() async throws -> [CivilDay] {
        let days = allDays()
        let closed = try await ledger.read { try Self.closedDays(since: days.first, $0) }
        return days.filter { !closed.contains($0) }
    }

    private static func closedDays(since first: CivilDay?, _ db: Database) throws -> Set<CivilDay> {
        let days = try Int64.fetchAll(
            db,
            sql: "SELECT day FROM day WHERE day >= ?",
            arguments: [first?.daysSince1970]
        )
        return Set(days.map(CivilDay.init(daysSince1970:)))
    }
}

extension AnalyticsScope {
    /// Whether the scope may include events committed on the day, except events that waited over midnight to be
    /// committed.
    fileprivate func overlaps(_ day: CivilDay) -> Bool {
        guard let first = edges.first, let end = edges.last else { return false }
        return first < day.next.start && end > day.start
    }
}
