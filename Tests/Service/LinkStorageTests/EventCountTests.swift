import Foundation
import GRDB
import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The counts in a day file, beside its rows.
@Suite(.timeLimit(.minutes(15)))
struct EventCountTests {
    private let clock = TestClock("2026-11-21T10:00:00Z")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    /// The query's result rows as lines of text.
    private func lines(_ folder: String, _ sql: String) throws -> [String] {
        try DatabaseQueue(path: folder + "/2026-11-21.db").read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.map { _, value in value.isNull ? "-" : "\(String.fromDatabaseValue(value) ?? "\(value)")" }
                    .joined(separator: " ")
            }
        }
    }

    private static let results = """
        SELECT tenant, environment, purpose, route, revision, outcome, action, quarter - 1994728 AS q, count
        FROM result_quarter JOIN result ON result.id = result_quarter.result JOIN stream ON stream.id = stream ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
        """
    private static let values = """
        SELECT value.tenant, dimension, value.value, purpose, hour - 498682 AS h, count
        FROM value_hour JOIN value ON value.id = value_hour.value JOIN stream ON stream.id = stream ORDER BY 1, 2, 3, 4, 5
        """

    @Test func linksAreCountedByOutcomeAndTime() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var product = Event.sample(1)
            product.route = RouteID("product")
            product.revision = Revision(rawValue: 3)
            product.action = .openApp
            var later = product
            later.recordedAt = instant("2026-11-21T10:15:00Z")
            var test = product
            test.purpose = .test
            var lost = Event.sample(2, of: tenant("taxi"))
            lost.outcome = .unmatched
            _ = try await log.append([product, product, later])
            _ = try await log.append([product, test, lost])
            try log.close()
            #expect(
                try lines(folder, Self.results) == [
                    "shop production live product 3 matched open_app 0 3",
                    "shop production live product 3 matched open_app 1 1",
                    "shop production test product 3 matched open_app 0 1",
                    "taxi production live  0 unmatched  0 1",
                ]
            )
            #expect(try lines(folder, "SELECT * FROM tenant_rows") == ["shop 5 1 5", "taxi 1 6 6"])
        }
    }

    @Test func everyDimensionIsCountedByTheHour() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var event = Event.sample(1)
            event.outcome = .fallback
            event.kind = .click
            event.app = AppID("ios")
            event.platform = .ios
            event.device = .phone
            event.osVersion = "17.4"
            event.appVersion = "3.2.0"
            event.country = "GB"
            event.locale = "en-GB"
            event.referrerHost = "example.com"
            event.query = ["source", "medium", "campaign", "term", "content"].map {
                Event.QueryItem(name: "utm_\($0)", value: "the \($0)")
            }
            event.experiment = "checkout"
            event.variant = "b"
            event.botClass = "search"
            event.path = "/nowhere"
            var rejected = Event.sample(2)
            rejected.outcome = .rejected
            rejected.reason = "dot_segment"
            rejected.path = "/not/counted"
            _ = try await log.append([event, rejected, event])
            try log.close()
            #expect(
                try lines(folder, Self.values) == [
                    "shop app ios live 0 2", "shop appVersion 3.2.0 live 0 2", "shop botClass search live 0 2",
                    "shop country GB live 0 2", "shop device phone live 0 2", "shop kind click live 0 2",
                    "shop kind resolve live 0 1", "shop locale en-GB live 0 2", "shop osVersion 17.4 live 0 2",
                    "shop platform ios live 0 2", "shop referrerHost example.com live 0 2",
                    "shop rejectedReason dot_segment live 0 1", "shop unmatchedPath /nowhere live 0 2",
                    "shop utmCampaign the campaign live 0 2", "shop utmContent the content live 0 2",
                    "shop utmMedium the medium live 0 2", "shop utmSource the source live 0 2",
                    "shop utmTerm the term live 0 2", "shop variant checkout:b live 0 2",
                ]
            )
        }
    }

    /// Also across restarts, after which the log has no known values in memory.
    @Test func valuesBeyondTheThousandthAreCountedTogether() async throws {
        try await withTemporaryDirectory { folder in
            for part in 0..<3 {
                let log = try log(folder)
                _ = try await log.append(
                    (0..<600).map { number in
                        var event = Event.sample(number)
                        event.osVersion = "\(part * 400 + number)"
                        return event
                    }
                )
                try log.close()
            }
            let sums = """
                SELECT other, count(DISTINCT value.value), sum(count) FROM value_hour JOIN value ON value.id = value_hour.value
                WHERE dimension = 'osVersion' GROUP BY other
                """
            // 0…599, 400…999 and 800…1399: there is no room for the last 400. Then the 500 rarest of the thousand are
            // merged into "other".
            #expect(try lines(folder, sums) == ["0 500 900", "1 1 900"])
        }
    }

    private func versions(_ log: EventLog) async throws -> ValueCounts {
        let scope = AnalyticsScope(
            tenant: tenant("shop"),
            environment: .production,
            purposes: [.live],
            edges: [instant("2026-11-21T00:00:00Z"), instant("2026-11-22T00:00:00Z")]
        )
        return try await log.values(ValuesQuery(scope: scope, dimension: .appVersion, limit: 2))
    }

    /// Invented values in test events or in another environment do not displace live values.
    @Test func eachStreamHasRoomOfItsOwn() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let staging = EnvironmentID("staging") ?? .production
            for (environment, purpose) in [(EnvironmentID.production, Event.Purpose.test), (staging, .live)] {
                let invented = (0..<1_200).map { number in
                    var event = Event.sample(number)
                    event.environment = environment
                    event.purpose = purpose
                    event.appVersion = "\(number)"
                    return event
                }
                _ = try await log.append(invented)
            }
            var real = Event.sample(1)
            real.appVersion = "3.2.0"
            _ = try await log.append(Array(repeating: real, count: 50))
            let counts = try await versions(log)
            #expect(counts == ValueCounts(values: [ValueCount(value: "3.2.0", count: 50)], other: 0, sum: 50))
            try log.close()
            let places = """
                SELECT environment, purpose, count(*) FROM stream_value JOIN stream ON stream.id = stream
                JOIN value ON value.id = stream_value.value WHERE dimension = 'appVersion' GROUP BY 1, 2 ORDER BY 1, 2
                """
            #expect(try lines(folder, places) == ["- live 125", "production live 1", "production test 125"])
        }
    }

    /// The rarest values are merged into "other", so that early values do not prevent the counting of later ones.
    @Test func valuesThatComeAfterInventedOnesAreCounted() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var real = Event.sample(1)
            real.appVersion = "3.2.0"
            _ = try await log.append(Array(repeating: real, count: 5))
            for batch in 0..<20 {
                _ = try await log.append(
                    (0..<100).map { number in
                        var event = Event.sample(number)
                        event.appVersion = "invented \(batch) \(number)"
                        return event
                    }
                )
            }
            var late = Event.sample(1)
            late.recordedAt = instant("2026-11-21T10:15:00Z")
            late.appVersion = "4.0.0"
            for _ in 0..<20 { _ = try await log.append([late]) }
            let counts = try await versions(log)
            // There was no room for its first event.
            #expect(counts.values.map(\.value) == ["4.0.0", "3.2.0"])
            #expect(counts.values.map(\.count) == [19, 5])
            #expect(counts.sum == 2_025)
            // Same result after the counts are written, and after the day is closed.
            clock.set("2026-11-22T10:00:00Z")
            try await log.closeFinishedDays()
            #expect(try await versions(log) == counts)
        }
    }

    /// Continuously invented values take the places that become free; a frequent value still gets one.
    @Test func frequentValueIsCountedThoughOthersAreInventedAllTheTime() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var invented = 0
            func append(_ inventions: Int, at time: String, real: Int = 0) async throws {
                var events = (0..<inventions).map { _ in
                    invented += 1
                    var event = Event.sample(invented)
                    event.appVersion = "invented \(invented)"
                    return event
                }
                var event = Event.sample(1)
                event.appVersion = "4.0.0"
                events += Array(repeating: event, count: real)
                for place in events.indices { events[place].recordedAt = instant("2026-11-21T\(time)Z") }
                _ = try await log.append(events)
            }
            for _ in 0..<20 { try await append(100, at: "10:00:00") }
            for time in ["10:15:00", "10:30:00"] {
                // The first batch frees places, and the others take them.
                for _ in 0..<12 { try await append(100, at: time) }
                for _ in 0..<5 { try await append(100, at: time, real: 3) }
            }
            let counts = try await versions(log)
            #expect(counts.values.first == ValueCount(value: "4.0.0", count: 15))
            #expect(counts.sum == 54 * 100 + 30)
        }
    }

    /// Values that Swift compares as equal.
    @Test func valuesAreComparedByTheirBytes() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let spellings = ["caf\u{E9}", "cafe\u{301}", "a\0b", "a"]
            for spelling in spellings {
                var event = Event.sample(1)
                event.query = [Event.QueryItem(name: "utm_source", value: spelling)]
                event.userAgent = spelling
                event.clientEventID = RecordedID(spelling)
                _ = try await log.append([event, event])
            }
            func check(_ log: EventLog) async throws {
                let stored = try await log.all().map(\.event)
                let expected = spellings.flatMap { [Array($0.utf8), Array($0.utf8)] }
                #expect(stored.map { Array(($0.userAgent ?? "").utf8) } == expected)
                #expect(stored.map { Array(($0.clientEventID?.description ?? "").utf8) } == expected)
                let scope = AnalyticsScope(
                    tenant: tenant("shop"),
                    environment: .production,
                    purposes: [.live],
                    edges: [instant("2026-11-21T00:00:00Z"), instant("2026-11-22T00:00:00Z")]
                )
                let counts = try await log.values(ValuesQuery(scope: scope, dimension: .utmSource))
                #expect(Set(counts.values.map { Array($0.value.utf8) }) == Set(spellings.map { Array($0.utf8) }))
                #expect(counts.values.allSatisfy { $0.count == 2 })
                for spelling in spellings {
                    #expect(try await log.counts(of: spelling, in: .utmSource, scope) == [2])
                }
            }
            try await check(log)
            try log.close()
            let again = try self.log(folder)
            try await check(again)
            clock.set("2026-11-22T10:00:00Z")
            try await again.closeFinishedDays()
            try await check(again)
        }
    }

    @Test func longValueIsCountedByItsBeginning() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var event = Event.sample(1)
            event.appVersion = "é" + String(repeating: "1", count: 253) + "éé"
            _ = try await log.append([event])
            try log.close()
            let length = "SELECT length(CAST(value AS BLOB)) FROM value WHERE dimension = 'appVersion'"
            #expect(try lines(folder, length) == ["255"])
        }
    }

    /// A refused batch adds no counts, and the numbers that it assigned are assigned again.
    @Test func refusedBatchCountsNothing() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var first = Event.sample(1)
            first.userAgent = "first"
            var refused = Event.sample(2)
            refused.userAgent = "never stored"
            refused.country = "XX"
            var poison = Event.sample(3)
            poison.parameters = "{"
            var last = Event.sample(4)
            last.userAgent = "last"
            last.country = "GB"
            _ = try await log.append([first])
            await #expect(throws: EventStoreError.self) { _ = try await log.append([refused, poison]) }
            _ = try await log.append([last])
            #expect(try await log.all().map(\.event) == [first, last])
            try log.close()
            #expect(try lines(folder, Self.values).filter { $0.contains("country") } == ["shop country GB live 0 1"])
            #expect(try lines(folder, "SELECT value FROM text WHERE value = 'never stored'").isEmpty)
        }
    }
}
