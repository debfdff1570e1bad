import GRDB
import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The cost of the statements, besides their results.
@Suite(.timeLimit(.minutes(15)))
struct AnalyticsReadingTests {
    private let clock = TestClock("2026-11-20T10:00:00Z")
    private static let midnight = instant("2026-11-20T00:00:00Z").milliseconds / 900_000

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func event(country: String = "DE") -> Event {
        var event = Event.sample(1)
        event.recordedAt = clock.now
        event.route = RouteID("home")
        event.revision = Revision(rawValue: 1)
        event.country = country
        return event
    }

    /// - Parameter edges: In quarter-hours since the first day's midnight.
    private func scope(_ edges: Int64...) -> AnalyticsScope {
        AnalyticsScope(
            tenant: tenant("shop"),
            environment: .production,
            purposes: [.live, .test],
            edges: edges.map { Timestamp(milliseconds: (Self.midnight + $0) * 900_000) }
        )
    }

    @Test func valuesAfterTheThousandthAreCountedTogether() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append((0..<1_000).map { event(country: "c\($0)") } + [event(country: "c7")])
            _ = try await log.append((1_000..<1_003).map { event(country: "c\($0)") })
            clock.set("2026-11-21T10:00:00Z")
            _ = try await log.append([event(country: "c1002"), event(country: "c7")])
            for _ in 0..<2 {
                let query = ValuesQuery(scope: scope(0, 192), dimension: .country, limit: 1)
                let answer = try await log.values(query)
                #expect(answer.values == [ValueCount(value: "c7", count: 3)])
                // There was no room for three, and five hundred values that occurred once were merged into "other".
                #expect(answer.other == 503 && answer.sum == 1_006)
                #expect(try await log.counts(of: "c1002", in: .country, scope(0, 96, 192)) == [0, 1])
                try await log.closeFinishedDays()
            }
            try log.close()
        }
    }

    @Test func dayThatIsClosedAndDroppedIsStillCounted() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([event(), event()])
            let day = clock.now.day
            #expect(try await log.end(of: day) == nil)
            clock.set("2026-11-21T10:00:00Z")
            try await log.closeFinishedDays()
            #expect(try await log.end(of: CivilDay(daysSince1970: day.daysSince1970 - 3)) == LogCursor(3))
            try log.removeFile(of: day)
            let totals = try await log.totals(TotalsQuery(scope: scope(0, 96)))
            #expect(totals == [TotalsCount(bucket: 0, columns: TotalsColumns(), count: 2)])
            try log.close()
        }
    }

    @Test func nothingIsScanned() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([event()])
            clock.set("2026-11-21T10:00:00Z")
            _ = try await log.append([event()])
            try await log.closeFinishedDays()
            let open = try log.file(of: clock.now.day).database
            let shapes: [(filter: [TotalsQuery.Column: String], columns: Set<TotalsQuery.Column>)] = [
                ([:], []), ([:], [.route]), ([.route: "home"], []), ([.outcome: "matched"], [.action]),
                ([.outcome: "matched"], [.revision, .action]),
            ]
            for scope in [scope(0, 192), scope(-8, 88), scope(1, 2, 3)] {
                for shape in shapes {
                    let query = TotalsQuery(scope: scope, columns: shape.columns, filter: shape.filter)
                    try await expectNoScans(log.ledger.writer) { db in
                        var reader = TotalsReader(query)
                        try reader.readLedger(db)
                    }
                    try await expectNoScans(open.writer) { db in
                        var reader = TotalsReader(query)
                        try reader.readDay(db, [])
                    }
                }
                let values = ValuesQuery(scope: scope, dimension: .country)
                let series = ValueSeries(value: "DE", dimension: .country, scope: scope)
                try await expectNoScans(log.ledger.writer) { db in
                    _ = try ValuesReader(values).answer(withLedger: db)
                    _ = try series.counts(db, [])
                }
                try await expectNoScans(open.writer) { db in
                    var reader = ValuesReader(values)
                    try reader.readDay(db, [])
                }
            }
            try log.close()
        }
    }

    private func expectNoScans(
        _ reader: any DatabaseReader,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        let plans = try await reader.read { db in
            var statements: [String] = []
            db.trace { statements.append($0.expandedDescription) }
            try body(db)
            db.trace(options: [])
            return try statements.filter { $0.hasPrefix("SELECT") }.map { sql in
                (sql, try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String })
            }
        }
        #expect(!plans.isEmpty)
        for (sql, plan) in plans { #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(sql)\n\(plan)") }
    }
}
