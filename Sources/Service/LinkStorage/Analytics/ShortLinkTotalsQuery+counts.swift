import GRDB
import LinkEvents
import LinkRouting

/// Reads the counts of a tenant's short links, in all its environments.
extension ShortLinkTotalsQuery {
    private func streams(_ db: Database) throws -> [Int64] {
        let purposes = purposes.map(\.rawValue).sorted()
        let find = try db.cachedStatement(
            sql: "SELECT id FROM stream WHERE tenant = ? AND purpose IN (\(StreamSelection.marks(purposes.count)))"
        )
        return try Int64.fetchAll(find, arguments: [tenant.rawValue] + StatementArguments(purposes))
    }

    // MARK: Open days

    /// Passes the counts in the file of an open day to `body`; those of a link may be in several parts.
    ///
    /// - Parameters:
    ///   - uncounted: The tenant's events that the file's counts do not include.
    ///   - code: Nil for all links. Every row of the file is read, whether or not it is this link's.
    func forEachCount(
        inDay db: Database,
        _ uncounted: [Event],
        of code: String? = nil,
        _ body: (_ code: String, CivilDay, ShortLinkCount) -> Void
    ) throws {
        for event in uncounted where purposes.contains(event.purpose) && days.contains(event.recordedAt.day) {
            guard let counted = event.shortLink?.code, code == nil || code == counted else { continue }
            body(counted, event.recordedAt.day, ShortLinkCount(1, last: event.recordedAt))
        }
        let streams = try streams(db)
        guard !streams.isEmpty else { return }
        let select = try db.cachedStatement(
            sql: """
                SELECT code, day, count, last_at FROM short_link_count
                WHERE stream IN (\(StreamSelection.marks(streams.count))) AND day >= ? AND day <= ?
                \(code == nil ? "" : "AND code = ?")
                """
        )
        var arguments = StatementArguments(streams)
        arguments += [days.lowerBound.daysSince1970, days.upperBound.daysSince1970]
        if let code { arguments += [code] }
        let rows = try Row.fetchCursor(select, arguments: arguments)
        while let row = try rows.next() {
            let count = ShortLinkCount(row[2], last: Timestamp(milliseconds: row[3]))
            body(row[0], CivilDay(daysSince1970: row[1]), count)
        }
    }

    // MARK: Closed days

    /// A stream and a day of the ledger with counts of short links.
    struct Place {
        let stream: Int64
        let day: CivilDay

        func count(of code: String, _ db: Database) throws -> ShortLinkCount? {
            let find = try db.cachedStatement(
                sql: "SELECT count, last_at FROM short_link_day WHERE stream = ? AND day = ? AND code = ?"
            )
            return try Row.fetchOne(find, arguments: [stream, day.daysSince1970, code]).map { row in
                ShortLinkCount(row[0], last: Timestamp(milliseconds: row[1]))
            }
        }
    }

    /// Returns the places in the ledger that the query includes. Takes one search for each.
    func places(inLedger db: Database) throws -> [Place] {
        let next = try db.cachedStatement(
            sql: "SELECT day FROM short_link_day WHERE stream = ? AND day >= ? AND day <= ? ORDER BY day LIMIT 1"
        )
        var places: [Place] = []
        for stream in try streams(db) {
            var first = days.lowerBound.daysSince1970
            while let day = try Int64.fetchOne(next, arguments: [stream, first, days.upperBound.daysSince1970]) {
                places.append(Place(stream: stream, day: CivilDay(daysSince1970: day)))
                first = day + 1
            }
        }
        return places
    }
}
