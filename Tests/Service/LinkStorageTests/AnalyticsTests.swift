import CatalogSupport
import LinkEvents
import LinkRouting
import PostgresStorage
import TestSupport
import Testing

@testable import LinkStorage

/// Compares counts with counting the events one by one.
@Suite(.timeLimit(.minutes(15)))
struct AnalyticsTests {
    /// A log with the world's events, first with all days open, then with only the last day open; and its copy in PostgreSQL, if
    /// a server runs.
    private func withLogs(
        of world: RandomWorld,
        _ body: (any EventAnalytics, inout RandomWorld) async throws -> Void
    ) async throws {
        let clock = TestClock(RandomWorld.firstDay.start.description)
        try await withTemporaryDirectory { folder in
            let log = try EventLog(folder) { clock.now }
            for (offset, events) in world.days.enumerated() {
                clock.set(CivilDay(daysSince1970: RandomWorld.firstDay.daysSince1970 + Int64(offset)).start)
                _ = try await log.append(Array(events.prefix(60)))
                _ = try await log.append(Array(events.dropFirst(60)))
            }
            var world = world
            try await body(log, &world)
            try await log.closeFinishedDays()
            try await body(log, &world)
            if TestPostgres.folder != nil {
                let copy = LogCopy(try await TestPostgres.makeStore())
                try await log.shipAll(to: copy)
                try await body(copy, &world)
            }
            try log.close()
        }
    }

    @Test(arguments: UInt64(1)...4)
    func totalsAreTheNumberOfEvents(seed: UInt64) async throws {
        try await withLogs(of: RandomWorld(seed: seed)) { log, world in
            for _ in 0..<40 {
                let query = try world.query()
                var expected: [TotalsCount: Int64] = [:]
                for (bucket, event) in world.events(in: query.scope) {
                    let columns = TotalsColumns(event)
                    guard columns.meets(query.filter) else { continue }
                    let key = TotalsCount(bucket: bucket, columns: columns.only(query.columns), count: 0)
                    expected[key, default: 0] += 1
                }
                let counts = Set(expected.map { TotalsCount(bucket: $0.bucket, columns: $0.columns, count: $1) })
                let answer = try await log.totals(query)
                #expect(Set(answer) == counts && answer.count == counts.count, "\(query)")
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func valuesAreThoseWithTheMostEvents(seed: UInt64) async throws {
        try await withLogs(of: RandomWorld(seed: seed)) { log, world in
            for _ in 0..<40 {
                let query = ValuesQuery(
                    scope: world.scope(unit: 4),
                    dimension: world.pick([.country, .locale, .platform]),
                    limit: world.pick([1, 3, 10, 1_000])
                )
                let found = world.events(in: query.scope).compactMap {
                    query.dimension.value(of: $0.event.content.fields)
                }
                let answer = try await log.values(query)
                #expect(answer.sum == Int64(found.count) && answer.other == 0)
                let counts = Dictionary(grouping: found, by: \.self).mapValues { Int64($0.count) }
                #expect(answer.values.map(\.count) == Array(counts.values.sorted(by: >).prefix(query.limit)))
                #expect(answer.values.allSatisfy { counts[$0.value] == $0.count }, "\(query)")
                let order = answer.values.sorted { ($1.count, $0.value) < ($0.count, $1.value) }
                #expect(answer.values == order && Set(answer.values).count == order.count)
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func oneValueIsCountedInEachBucket(seed: UInt64) async throws {
        try await withLogs(of: RandomWorld(seed: seed)) { log, world in
            for _ in 0..<20 {
                let scope = world.scope(unit: 4)
                let (dimension, value) = world.pick([(Dimension.country, "DE"), (.country, "XX"), (.locale, "l7")])
                var expected = [Int64](repeating: 0, count: scope.edges.count - 1)
                for (bucket, event) in world.events(in: scope) where dimension.value(of: event.content.fields) == value
                {
                    expected[bucket] += 1
                }
                let counts = try await log.counts(of: value, in: dimension, scope)
                #expect(counts == expected)
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func shortLinksAreCountedByDayAndPurpose(seed: UInt64) async throws {
        try await withLogs(of: RandomWorld(seed: seed)) { log, world in
            for _ in 0..<20 {
                let query = world.shortLinkQuery()
                let events = world.events(in: query)
                let totals = events.map { ShortLinkTotal(code: $0, $1) }
                    .sorted { ($1.count, $0.code) < ($0.count, $1.code) }
                let ranked = try await log.shortLinkTotals(query)
                #expect(ranked.links == Array(totals.prefix(query.limit)), "\(query)")
                #expect(ranked.hasMore == (totals.count > query.limit), "\(query)")

                let code = world.pick(["spring", "S", "x7", "none"])
                let mine = events[code] ?? []
                let days = Dictionary(grouping: mine, by: \.recordedAt.day).mapValues { Int64($0.count) }
                let clicks = try await log.shortLinkClicks(of: code, query)
                #expect(clicks.days == days && clicks.last == mine.map(\.recordedAt).max(), "\(query)")
                #expect(clicks.total == Int64(mine.count), "\(query)")
            }
        }
    }
}

extension ShortLinkTotal {
    /// Counts events, of which there is at least one.
    init(code: String, _ events: [Event]) {
        let last = events.map(\.recordedAt).max() ?? Timestamp(milliseconds: 0)
        self.init(code: code, count: Int64(events.count), last: last)
    }
}
