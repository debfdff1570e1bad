import Foundation
import GRDB
import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// The index of rows by tenant is written some batches after the rows. Readers must find all rows nevertheless.
@Suite(.timeLimit(.minutes(15)))
struct TenantIndexTests {
    private let clock = TestClock("2026-11-21T10:00:00Z")
    private let tenants = ["shop", "taxi", "bank"].map { TestSupport.tenant($0) }

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func day(in folder: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: folder + "/2026-11-21.db")
    }

    /// Appends batches of random sizes. Returns the tenant of each row.
    private func fill(_ log: EventLog, rows: Int, _ random: inout SeededGenerator) async throws -> [TenantID] {
        var owners: [TenantID] = []
        while owners.count < rows {
            let batch = (0..<Int.random(in: 1...400, using: &random)).map { number in
                Event.sample(owners.count + number, of: tenants[Int.random(in: 0..<tenants.count, using: &random)])
            }
            _ = try await log.append(batch)
            owners += batch.map(\.tenant)
        }
        return owners
    }

    /// Compares pages of random ranges with the rows.
    private func expectRows(_ log: EventLog, of owners: [TenantID], _ random: inout SeededGenerator) async throws {
        let last = Int64(owners.count)
        for tenant in tenants {
            let own = owners.indices.filter { owners[$0] == tenant }.map { Int64($0) + 1 }
            #expect(try await log.all(of: tenant).map(\.sequence) == own)
            for _ in 0..<5 {
                let ends = [Int64.random(in: 1...last, using: &random), Int64.random(in: 1...last, using: &random)]
                    .sorted()
                let limit = Int.random(in: 1...500, using: &random)
                let page = try await log.events(of: tenant, in: ends[0]...ends[1], limit: limit)
                #expect(page.map(\.sequence) == Array(own.filter { (ends[0]...ends[1]).contains($0) }.prefix(limit)))
                let earlier = try await log.events(of: tenant, before: LogCursor(ends[1]), since: .first, limit: limit)
                #expect(earlier.map(\.sequence) == own.filter { $0 < ends[1] }.suffix(limit).reversed())
            }
        }
        #expect(try await log.verify().faults == [])
    }

    @Test(arguments: UInt64(1)...2) func everyRowIsFoundByItsTenant(seed: UInt64) async throws {
        try await withTemporaryDirectory { folder in
            var random = SeededGenerator(seed: seed)
            let log = try log(folder)
            let owners = try await fill(log, rows: 2_500, &random)
            try await expectRows(log, of: owners, &random)
            try log.close()
            try await expectRows(self.log(folder), of: owners, &random)
        }
    }

    @Test(arguments: [
        ("DELETE FROM indexed_event WHERE seq = 7", 11, 11),
        ("INSERT INTO indexed_event VALUES (1, 13)", 12, 13),
        ("UPDATE indexed_event SET tenant = tenant + 1 WHERE seq = 7", 11, 12),
    ]) func wrongIndexIsAFault(_ change: String, pairs: Int, entries: Int) async throws {
        try await withTemporaryDirectory { folder in
            let first = try log(folder)
            _ = try await first.append((0..<12).map { Event.sample($0) })
            try first.close()
            let day = try day(in: folder)
            try await day.write { try $0.execute(sql: change) }
            try day.close()
            let faults = try await log(folder).verify().faults
            #expect(
                faults == ["2026-11-21: \(pairs) of 12 rows are in the index of the tenants, which has \(entries)"]
            )
        }
    }

    /// The rows of a batch are in one page, whatever their tenants. An index of the rows would add a page for each tenant.
    @Test func commitOfFewEventsWritesOnePage() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            func walBytes() throws -> Int {
                let path = folder + "/2026-11-21.db-wal"
                return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            }
            // Assigns the numbers of the texts and counts.
            _ = try await log.append(tenants.map { Event.sample(0, of: $0) })
            for number in 1...5 {
                let before = try walBytes()
                _ = try await log.append(tenants.map { Event.sample(number, of: $0) })
                #expect(try walBytes() - before == 24 + 4_096, "batch \(number)")
            }
            try log.close()
        }
    }

    /// A query for a page must not read all rows that the index has already.
    @Test func uncountedRowsAreSearchedByTheWatermark() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([.sample(1)])
            try log.close()
            try await day(in: folder).read { db in
                for order in [EventRow.Order.oldestFirst, .newestFirst] {
                    let plan = try Row.fetchAll(
                        db,
                        sql: "EXPLAIN QUERY PLAN " + EventRow.sequencesSQL(order),
                        arguments: ["tenant": 1, "low": 1, "high": 10, "limit": 5]
                    ).map { $0["detail"] as String }
                    #expect(plan.contains("SEARCH indexed_event USING PRIMARY KEY (tenant=? AND seq>? AND seq<?)"))
                    #expect(plan.contains("SEARCH event USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"))
                    #expect(!plan.contains { $0.contains("TEMP B-TREE") })
                }
            }
        }
    }
}
