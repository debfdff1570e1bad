import GRDB
import LinkEvents
import LinkRouting

/// Finds the short links with the most events.
struct ShortLinkRanking: Sendable {
    private let query: ShortLinkTotalsQuery
    /// The counts from open days.
    private var open: [String: ShortLinkCount] = [:]

    private let mostRows: Int
    private let mostLookups: Int

    /// - Parameters:
    ///   - mostRows: The most rows of the ledger that are read to find the links. It bounds the time, whatever number of
    ///     links a tenant has.
    ///   - mostLookups: The most counts that are looked up for the links found, whatever number of days is queried.
    init(
        _ query: ShortLinkTotalsQuery,
        readingAtMost mostRows: Int = 300_000,
        lookingUpAtMost mostLookups: Int = 1_000_000
    ) {
        self.query = query
        self.mostRows = mostRows
        self.mostLookups = mostLookups
    }

    /// Reads the file of an open day.
    ///
    /// - Parameter uncounted: The tenant's events that the file's counts do not include.
    mutating func readDay(_ db: Database, _ uncounted: [Event]) throws {
        try query.forEachCount(inDay: db, uncounted) { code, _, count in
            open[code, default: ShortLinkCount()].add(count)
        }
    }

    mutating func add(_ other: ShortLinkRanking) {
        for (code, count) in other.open { open[code, default: ShortLinkCount()].add(count) }
    }

    /// Returns the links with the most events, those with most first.
    ///
    /// Only the links with the most events of each closed day are candidates: 10,000 of each of thirty days. A link that is
    /// among them on no day comes first only if all links have about the same counts. The returned counts are exact.
    func first(withLedger db: Database) throws -> ShortLinkTotals {
        let places = try query.places(inLedger: db)
        let (sums, isCut) = try sums(withLedger: db, places)
        let limit = min(query.limit, max(1, mostLookups / max(1, places.count)))
        let candidates = sums.first(limit) { left, right in
            (right.value, left.key) < (left.value, right.key)
        }
        let totals = try candidates.map { candidate in
            var total = open[candidate.key] ?? ShortLinkCount()
            for place in places {
                if let count = try place.count(of: candidate.key, db) { total.add(count) }
            }
            return ShortLinkTotal(code: candidate.key, count: total.count, last: total.last)
        }
        return ShortLinkTotals(
            links: totals.sorted { ($1.count, $0.code) < ($0.count, $1.code) },
            hasMore: isCut || sums.count > limit
        )
    }

    /// - Returns: The sums of the rows read, and whether a day may have more rows.
    private func sums(
        withLedger db: Database,
        _ places: [ShortLinkTotalsQuery.Place]
    ) throws -> (sums: [String: Int64], isCut: Bool) {
        var isCut = false
        var sums = open.mapValues(\.count)
        let select = try db.cachedStatement(
            sql: """
                SELECT code, count FROM short_link_day INDEXED BY short_link_rank
                WHERE stream = ? AND day = ? ORDER BY count DESC, code LIMIT ?
                """
        )
        let most = mostRows / max(1, places.count)
        for place in places {
            var rest = most
            let rows = try Row.fetchCursor(select, arguments: [place.stream, place.day.daysSince1970, most])
            while let row = try rows.next() {
                let (code, count) = (row[0] as String, row[1] as Int64)
                sums[code, default: 0] += count
                rest -= 1
            }
            isCut = isCut || rest == 0
        }
        return (sums, isCut)
    }
}
