import Foundation
import GRDB
import LinkEvents
import LinkRouting
import Logging
import TestSupport
import Testing

@testable import LinkStorage

/// An event that an app reports is stored once, however often it is sent.
@Suite(.timeLimit(.minutes(15)))
struct ReportedEventTests {
    private let clock = TestClock("2026-11-01T10:00:00Z")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    /// The report with this number; equal numbers are the same report.
    private func report(_ number: Int) -> Event {
        Event(.sample(number), reportHash: Bytes16(high: 7, low: UInt64(number)))
    }

    private func retention(_ log: EventLog, days: Int) -> RetentionService {
        RetentionService(
            days: log,
            rules: { [tenant("shop"): RetentionRule(days: days, isExported: false)] },
            now: { [clock] in clock.now },
            sleep: { _ in throw CancellationError() },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test func reportIsStoredOnceInABatchAndInTheNextOnes() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            #expect(
                try await log.append([report(1), .sample(8), report(1), report(2)])
                    == Appended(first: 1, duplicates: [2])
            )
            #expect(
                try await log.append([report(2), report(3), report(1)]) == Appended(first: 4, duplicates: [0, 2])
            )
            #expect(try await log.append([report(3)]) == Appended(first: 5, duplicates: [0]))
            #expect(try await log.append([.sample(9)]) == Appended(first: 5))
            #expect(
                try await log.all().map(\.event.id) == ["event-1", "event-8", "event-2", "event-3", "event-9"]
            )
            #expect(try await log.lastSequence() == 5)
            try log.close()
        }
    }

    @Test func reportIsKnownAfterARestart() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([report(1)])
                try log.close()
            }
            let log = try log(folder)
            #expect(try await log.append([report(1), report(2)]) == Appended(first: 2, duplicates: [0]))
            try log.close()
        }
    }

    /// A batch that fails stores neither rows nor hashes.
    @Test func reportOfAFailedBatchIsStoredLater() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            var poison = report(2)
            poison.parameters = "{"
            await #expect(throws: EventStoreError.self) { _ = try await log.append([report(1), poison]) }
            #expect(try await log.append([report(1), report(2)]) == Appended(first: 1))
            try log.close()
        }
    }

    /// Yesterday's hashes are found in yesterday's file, and in the ledger once the day is closed.
    @Test func reportOfAnEarlierDayIsKnown() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([report(1)])
            clock.set("2026-11-02T00:00:01Z")
            #expect(try await log.append([report(1), report(2)]) == Appended(first: 2, duplicates: [0]))
            try await log.closeFinishedDays()
            try await log.closeFinishedDays()
            #expect(try await log.append([report(1), report(2)]) == Appended(first: 3, duplicates: [0, 1]))
            let closed = try await log.ledger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM client_event") }
            #expect(closed == 1)
            try log.close()
        }
    }

    /// Retention drops the rows after a day, and the hashes after 30.
    @Test func reportIsKnownForThirtyDaysAlthoughItsRowIsDropped() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let retention = retention(log, days: 1)
            _ = try await log.append([report(1)])
            clock.set("2026-11-05T00:00:01Z")
            _ = try await retention.applyRetention()
            #expect(try await log.all() == [])
            #expect(FileManager.default.fileExists(atPath: folder + "/2026-11-01.db") == false)
            #expect(try await log.append([report(1)]) == Appended(first: 2, duplicates: [0]))
            clock.set("2026-12-01T23:59:59Z")
            _ = try await retention.applyRetention()
            #expect(try await log.append([report(1)]).duplicates == [0])
            clock.set("2026-12-02T00:00:00Z")
            _ = try await retention.applyRetention()
            #expect(try await log.append([report(1)]).duplicates == [])
            let days = try await log.ledger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM client_event_day") }
            #expect(days == 0)
            try log.close()
        }
    }

    /// Random batches over days, with restarts, closed days and dropped rows, compared with a set.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomHistoryStoresEachReportOnce(seed: UInt64) async throws {
        try await withTemporaryDirectory { folder in
            var random = SeededGenerator(seed: seed)
            var log = try log(folder)
            var (known, stored): (Set<Int>, Int64) = ([], 0)
            var now = clock.now
            for _ in 0..<120 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    now = Timestamp(milliseconds: now.milliseconds + .random(in: 0...100_000_000, using: &random))
                    clock.set(now)
                case 1: try await log.closeFinishedDays()
                case 2: _ = try await retention(log, days: 1).applyRetention()
                case 3:
                    try log.close()
                    log = try self.log(folder)
                default:
                    let numbers = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                        Int.random(in: 0..<200, using: &random)
                    }
                    let duplicates = numbers.indices.filter { !known.insert(numbers[$0]).inserted }
                    let appended = try await log.append(numbers.map(report))
                    #expect(appended == Appended(first: stored + 1, duplicates: duplicates))
                    stored += Int64(numbers.count - duplicates.count)
                }
            }
            #expect(try await log.lastSequence() == stored)
            // Counts do not include what was not stored.
            try await log.closeFinishedDays()
            try log.close()
        }
    }
}
