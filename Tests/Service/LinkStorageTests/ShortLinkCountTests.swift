import GRDB
import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The counts of short links, beside the comparisons with random events in `AnalyticsTests` and `TrailingCountTests`.
@Suite(.timeLimit(.minutes(15)))
struct ShortLinkCountTests {
    private let clock = TestClock("2026-11-20T10:00:00Z")
    private let install = installID("00112233445566778899aabbccddeeff")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func event(_ code: String) -> Event {
        var event = Event.sample(1)
        event.recordedAt = clock.now
        event.shortLink = Event.ShortLinkName(place: "go.acme.com", code: code)
        return event
    }

    private var query: ShortLinkTotalsQuery {
        let first = instant("2026-11-20T00:00:00Z").day
        return ShortLinkTotalsQuery(tenant: tenant("shop"), purposes: [.live], days: first...first.next)
    }

    private func total(_ code: String, _ count: Int64, at last: String) -> ShortLinkTotal {
        ShortLinkTotal(code: code, count: count, last: instant(last))
    }

    @Test func nameIsStoredInItsRow() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([event("spring"), event("spring")])
            #expect(
                try await log.all().map { $0.event.shortLink?.text } == ["go.acme.com/spring", "go.acme.com/spring"]
            )
            let database = try log.file(of: clock.now.day).database
            let (rows, texts) = try await database.read { db in
                (
                    try String.fetchAll(db, sql: "SELECT short_link FROM event"),
                    try String.fetchAll(db, sql: "SELECT value FROM text WHERE value LIKE '%spring%'")
                )
            }
            #expect(rows == ["go.acme.com/spring", "go.acme.com/spring"] && texts.isEmpty)
            try log.close()
        }
    }

    @Test(arguments: [
        ("go.acme.com/spring", "go.acme.com", "spring"), ("acme:/spring", "acme:", "spring"),
        ("go.acme.com/a/b", "go.acme.com", "a/b"),
    ])
    func nameIsReadAsItIsWritten(_ text: String, _ place: String, _ code: String) throws {
        let name = try #require(Event.ShortLinkName(text))
        #expect(name.place == place && name.code == code && name.text == text)
    }

    /// Also after a restart, the end of the day, and the removal of its rows.
    @Test func countsStayWhenRowsAreDeleted() async throws {
        try await withTemporaryDirectory { folder in
            var log = try log(folder)
            var mine = event("spring")
            mine.install = install
            _ = try await log.append([mine, event("spring"), event("sale")])
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            #expect(try await log.deleteRows(of: erasure) == 1)
            let expected = [
                total("spring", 2, at: "2026-11-20T10:00:00Z"), total("sale", 1, at: "2026-11-20T10:00:00Z"),
            ]
            #expect(try await log.shortLinkTotals(query).links == expected)
            try log.close()
            clock.set("2026-11-21T09:00:00Z")
            log = try self.log(folder)
            try await log.closeFinishedDays()
            #expect(try await log.shortLinkTotals(query).links == expected)
            try await log.drop(try await log.retainedRows(), at: clock.now)
            #expect(log.allDays() == [clock.now.day])
            #expect(try await log.shortLinkTotals(query).links == expected)
            _ = try await log.append([event("sale"), event("sale")])
            #expect(
                try await log.shortLinkTotals(query).links == [
                    total("sale", 3, at: "2026-11-21T09:00:00Z"), total("spring", 2, at: "2026-11-20T10:00:00Z"),
                ]
            )
            try log.close()
        }
    }

    @Test func linksOfEveryEnvironmentAreCountedTogether() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var staged = event("spring")
            staged.environment = EnvironmentID("staging") ?? .production
            staged.revision = Revision(rawValue: 3)
            var foreign = event("spring")
            foreign.tenant = tenant("taxi")
            _ = try await log.append([event("spring"), staged, foreign])
            for _ in 0..<2 {
                let expected = total("spring", 2, at: "2026-11-20T10:00:00Z")
                #expect(try await log.shortLinkTotals(query).links == [expected])
                let clicks = try await log.shortLinkClicks(of: "spring", query)
                #expect(clicks.total == expected.count && clicks.last == expected.last)
                clock.set("2026-11-21T09:00:00Z")
                try await log.closeFinishedDays()
            }
            try log.close()
        }
    }

    /// A day adds only its first links, and their counts are those of all days.
    @Test func countsAreExactWhereFewRowsAreRead() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            for (day, codes) in [("20", ["a", "a", "a", "b", "b", "c"]), ("21", ["c", "c", "c", "c", "a", "b", "b"])] {
                clock.set("2026-11-\(day)T10:00:00Z")
                _ = try await log.append(codes.map(event))
            }
            clock.set("2026-11-22T10:00:00Z")
            try await log.closeFinishedDays()
            var query = query
            query.limit = 3
            let last = "2026-11-21T10:00:00Z"
            let totals = [total("c", 5, at: last), total("a", 4, at: last), total("b", 4, at: last)]
            // The counts of two days and at most so many rows and lookups.
            for (rows, lookups, found, hasMore) in [(2, 100, 2, true), (100, 100, 3, false), (100, 5, 2, true)] {
                let answer = try await log.ledger.read { [query] db in
                    try ShortLinkRanking(query, readingAtMost: rows, lookingUpAtMost: lookups).first(withLedger: db)
                }
                #expect(answer == ShortLinkTotals(links: Array(totals.prefix(found)), hasMore: hasMore), "\(lookups)")
            }
            try log.close()
        }
    }

    @Test func ledgerIsNotScanned() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([event("spring")])
            clock.set("2026-11-21T10:00:00Z")
            try await log.closeFinishedDays()
            let query = query
            let plans = try await log.ledger.read { db in
                var statements: [String] = []
                db.trace { statements.append($0.expandedDescription) }
                _ = try ShortLinkRanking(query).first(withLedger: db)
                db.trace(options: [])
                return try statements.filter { $0.hasPrefix("SELECT") }.flatMap { sql in
                    try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
                }
            }
            #expect(plans.count > 3)
            #expect(!plans.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plans)")
            try log.close()
        }
    }
}
