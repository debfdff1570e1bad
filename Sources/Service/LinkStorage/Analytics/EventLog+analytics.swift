import GRDB
package import LinkEvents
import LinkRouting

/// Analytics queries. The rollups of closed days are in the ledger, those of other days in their own files.
extension EventLog: EventAnalytics {
    package func totals(_ query: TotalsQuery) async throws -> [TotalsCount] {
        try await count(of: query.scope.tenant, in: query.scope.days) { db, uncounted in
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
        try await count(of: query.scope.tenant, in: query.scope.days) { db, uncounted in
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
        return try await count(of: scope.tenant, in: scope.days) { db, uncounted in
            try series.counts(db, uncounted)
        } withLedger: { db, days in
            let closed = try series.counts(db, [])
            return days.reduce(closed) { sum, day in zip(sum, day).map(+) }
        }
    }

    package func shortLinkTotals(_ query: ShortLinkTotalsQuery) async throws -> ShortLinkTotals {
        try await count(of: query.tenant, in: query.days) { db, uncounted in
            var ranking = ShortLinkRanking(query)
            try ranking.readDay(db, uncounted)
            return ranking
        } withLedger: { db, days in
            var ranking = ShortLinkRanking(query)
            for day in days { ranking.add(day) }
            return try ranking.first(withLedger: db)
        }
    }

    package func shortLinkClicks(of code: String, _ query: ShortLinkTotalsQuery) async throws -> ShortLinkClicks {
        try await count(of: query.tenant, in: query.days) { db, uncounted in
            var counts: [(CivilDay, ShortLinkCount)] = []
            try query.forEachCount(inDay: db, uncounted, of: code) { _, day, count in counts.append((day, count)) }
            return counts
        } withLedger: { db, files in
            let closed = try query.places(inLedger: db).compactMap { place in
                try place.count(of: code, db).map { (place.day, $0) }
            }
            var clicks = ShortLinkClicks()
            for (day, count) in files.joined() + closed {
                clicks.days[day, default: 0] += count.count
                clicks.last = max(clicks.last ?? count.last, count.last)
            }
            return clicks
        }
    }

    /// Reads the rollups and the tenant's uncounted events of each open day, then the ledger, and combines them.
    ///
    /// Open days are read first. A day that is closed in the meantime is in the ledger by the time the ledger is read,
    /// and the result from its file is discarded, so each day is counted once. A day that is closed and dropped before
    /// it is read is also in the ledger. A damaged day is skipped if the query does not overlap with it.
    ///
    /// - Parameter range: The days of the query; nil if it includes no time.
    private func count<Day: Sendable, Counts: Sendable>(
        of tenant: TenantID,
        in range: ClosedRange<CivilDay>?,
        day readDay: @escaping @Sendable (Database, _ uncounted: [Event]) throws -> Day,
        withLedger readLedger: @escaping @Sendable (Database, [Day]) throws -> Counts
    ) async throws -> Counts {
        let open = try await openDays()
        var days: [(day: CivilDay, counts: Day)] = []
        for day in open {
            do {
                let file = try file(of: day)
                let counts = try await file.database.read { db in
                    try readDay(db, file.uncountedEvents(of: tenant, db))
                }
                days.append((day, counts))
            } catch {
                if damaged[day] != nil, range?.contains(day) != true { continue }
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
    /// The days on which its events were committed, except events that waited over midnight to be committed; nil if it
    /// includes no time.
    fileprivate var days: ClosedRange<CivilDay>? {
        guard let first = edges.first, let end = edges.last, first < end else { return nil }
        return first.day...Timestamp(milliseconds: end.milliseconds - 1).day
    }
}
