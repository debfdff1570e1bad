import Foundation
import GRDB
import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Counts are written some batches after their rows. Queries and crashes must not reveal the delay.
@Suite(.timeLimit(.minutes(15)))
struct TrailingCountTests {
    private let clock = TestClock("2026-11-21T10:00:00Z")
    private let install = installID("00112233445566778899aabbccddeeff")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func event(_ number: Int, _ random: inout SeededGenerator) -> Event {
        var event = Event.sample(number, of: tenant(["shop", "shop", "taxi"].randomElement(using: &random) ?? "shop"))
        event.recordedAt = clock.now
        event.purpose = [.live, .live, .test].randomElement(using: &random) ?? .live
        event.revision = [nil, Revision(rawValue: 7)].randomElement(using: &random) ?? nil
        if Bool.random(using: &random) {
            event.route = RouteID(["home", "item"].randomElement(using: &random) ?? "home")
            event.action = .openApp
        }
        event.country = ["DE", "FR", nil].randomElement(using: &random) ?? nil
        event.osVersion = "\(Int.random(in: 0..<1_500, using: &random))"
        if Bool.random(using: &random) {
            let code = "c\(Int.random(in: 0..<300, using: &random))"
            event.shortLink = Event.ShortLinkName(place: "go.acme.com", code: code)
        }
        return event
    }

    private var scope: AnalyticsScope {
        AnalyticsScope(
            tenant: tenant("shop"),
            environment: .production,
            purposes: [.live],
            edges: ["2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z", "2026-11-22T12:00:00Z"].map(instant)
        )
    }

    /// Compares the log's answers with counts of the events.
    private func expectExactCounts(_ log: EventLog, of events: [Event], _ comment: Comment) async throws {
        let live = events.filter { $0.tenant == scope.tenant && $0.purpose == .live }
        let first = live.filter { $0.recordedAt < scope.edges[1] }
        let totals = try await log.totals(TotalsQuery(scope: scope, columns: [.route, .revision]))
        let expected = [first, Array(live.dropFirst(first.count))].enumerated().flatMap { bucket, events in
            Dictionary(grouping: events) { event in
                TotalsColumns(route: event.route?.rawValue, revision: event.revision?.rawValue)
            }.map { TotalsCount(bucket: bucket, columns: $0, count: Int64($1.count)) }
        }
        #expect(Set(totals) == Set(expected) && totals.count == expected.count, comment)
        let items = try await log.totals(TotalsQuery(scope: scope, columns: [], filter: [.route: "item"]))
        #expect(items.reduce(0) { $0 + $1.count } == live.count { $0.route == RouteID("item") }, comment)
        let germans = try await log.counts(of: "DE", in: .country, scope)
        #expect(germans == [first, live].map { Int64($0.count { $0.country == "DE" }) }.increments, comment)
        let versions = try await log.values(ValuesQuery(scope: scope, dimension: .osVersion, limit: 5_000))
        #expect(versions.sum == live.count { $0.osVersion != nil }, comment)
        let query = ShortLinkTotalsQuery(
            tenant: scope.tenant,
            purposes: [.live],
            days: scope.edges[0].day...scope.edges[2].day,
            limit: 1_000
        )
        let links = Dictionary(grouping: live.filter { $0.shortLink != nil }) { $0.shortLink?.code ?? "" }
            .map { ShortLinkTotal(code: $0, $1) }
        #expect(try await Set(log.shortLinkTotals(query).links) == Set(links), comment)
        let verification = try await log.verify()
        #expect(
            verification.faults == [] && verification.stored == events.count
                && verification.lastSequence == events.count,
            comment
        )
    }

    /// A process that is killed between two batches leaves the folder as it is then.
    @Test(arguments: UInt64(1)...2) func countsAreExactAfterEachBatchAndEachCrash(seed: UInt64) async throws {
        try await withTemporaryDirectory { folder in
            var random = SeededGenerator(seed: seed)
            let manager = FileManager.default
            let live = folder + "/live"
            try manager.createDirectory(atPath: live, withIntermediateDirectories: false)
            let log = try log(live)
            var events: [Event] = []
            for batch in 0..<9 {
                if batch == 4 { clock.set("2026-11-21T11:20:00Z") }
                if batch == 7 { clock.set("2026-11-22T01:00:00Z") }
                let size = Int.random(in: 1...500, using: &random)
                let added = (0..<size).map { event(events.count + $0, &random) }
                _ = try await log.append(added)
                events += added
                log.finishCheckpoints()
                let copy = folder + "/copy"
                try manager.copyItem(atPath: live, toPath: copy)
                try await expectExactCounts(log, of: events, "running, batch \(batch)")
                let answers = try await log.values(ValuesQuery(scope: scope, dimension: .osVersion, limit: 5_000))

                let recovered = try self.log(copy)
                try await expectExactCounts(recovered, of: events, "recovered, batch \(batch)")
                let query = ValuesQuery(scope: scope, dimension: .osVersion, limit: 5_000)
                #expect(try await recovered.values(query) == answers)
                let more = [event(events.count, &random)]
                #expect(try await recovered.append(more).first == Int64(events.count) + 1)
                try await expectExactCounts(recovered, of: events + more, "gone on, batch \(batch)")
                try recovered.close()
                try await expectExactCounts(self.log(copy), of: events + more, "closed, batch \(batch)")
                try manager.removeItem(atPath: copy)
            }
            try log.close()
        }
    }

    /// Once all places for separately counted values are taken, unwritten values already count as "other".
    @Test func valuesBeyondTheThousandthAreOthersAtOnce() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            func record(_ versions: Range<Int>) async throws {
                _ = try await log.append(
                    versions.map { number in
                        var event = Event.sample(number)
                        event.osVersion = "\(number)"
                        return event
                    }
                )
            }
            let query = ValuesQuery(scope: scope, dimension: .osVersion, limit: 5_000)
            try await record(0..<900)
            #expect(try await log.values(query).other == 0)
            try await record(900..<1_100)
            try await record(1_050..<1_060)
            let counts = try await log.values(query)
            // There was no room for the last hundred. Then half of the thousand were merged into "other", and ten
            // values took their places.
            #expect(counts.values.count == 510 && counts.other == 600 && counts.sum == 1_110)
            #expect(try await log.counts(of: "999", in: .osVersion, scope) == [1, 0])
            #expect(try await log.counts(of: "1050", in: .osVersion, scope) == [1, 0])
            #expect(try await log.counts(of: "1070", in: .osVersion, scope) == [0, 0])
            try log.close()
            #expect(try await self.log(folder).values(query) == counts)
        }
    }

    /// A failed transaction discards the sums in memory; earlier rows are summed again.
    @Test func refusedBatchTakesNoCountsWithIt() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var events = (0..<10).map { Event.sample($0) }
            _ = try await log.append(events)
            var poison = Event.sample(0)
            poison.parameters = "{"
            await #expect(throws: EventStoreError.self) { _ = try await log.append([.sample(1), poison]) }
            try await expectExactCounts(log, of: events, "after the refusal")
            events.append(.sample(10))
            _ = try await log.append([.sample(10)])
            try await expectExactCounts(log, of: events, "after another batch")
            try log.close()
            try await expectExactCounts(self.log(folder), of: events, "after a restart")
        }
    }

    @Test func rowThatIsErasedStaysCounted() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var mine = Event.sample(1)
            mine.install = install
            mine.country = "DE"
            _ = try await log.append([mine, .sample(0), mine])
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            #expect(try await log.deleteRows(of: erasure) == 2)
            _ = try await log.append([.sample(2)])
            let copy = folder + "-copy"
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            for log in [log, try self.log(copy)] {
                #expect(try await log.counts(of: "DE", in: .country, scope) == [2, 0])
                let verification = try await log.verify()
                #expect(verification.faults == [] && verification.stored == 2 && verification.erased == 2)
                #expect(try await log.append([.sample(3)]).first == 5)
                try log.close()
            }
        }
    }

    /// Only the newest file may have rows that are not counted yet.
    @Test func dayIsCountedBeforeTheNextBegins() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([.sample(0)])
                let copy = folder + "/copy"
                log.finishCheckpoints()
                try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "copy" {
                    try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
                }
            }
            // A killed process restarts after midnight.
            clock.set("2026-11-22T10:00:00Z")
            let log = try log(folder + "/copy")
            try await log.closeFinishedDays()
            let rows = try await log.ledger.read {
                try Int64.fetchOne($0, sql: "SELECT sum(count) FROM result_quarter")
            }
            #expect(rows == 1)
            #expect(try await log.append([.sample(1)]).first == 2)
            #expect(try await log.verify().faults == [])
            try log.close()
        }
    }
}

extension [Int64] {
    /// The differences between consecutive sums.
    fileprivate var increments: [Int64] { indices.map { $0 == 0 ? self[0] : self[$0] - self[$0 - 1] } }
}
