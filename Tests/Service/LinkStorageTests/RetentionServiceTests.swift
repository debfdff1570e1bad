import Foundation
import GRDB
import LinkEvents
import LinkRouting
import Logging
import TestSupport
import Testing

@testable import LinkStorage

/// Closing days, dropping them by retention, and erasing rows.
@Suite(.timeLimit(.minutes(15)))
struct RetentionServiceTests {
    private let clock = TestClock("2026-11-01T10:00:00Z")
    private let install = installID("00112233445566778899aabbccddeeff")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func retention(_ log: EventLog, _ rules: [TenantID: RetentionRule]) -> RetentionService {
        RetentionService(
            days: log,
            rules: { rules },
            now: { [clock] in clock.now },
            sleep: { _ in throw CancellationError() },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Appends this many events for each tenant on each day, at ten o'clock.
    private func fill(_ log: EventLog, days: ClosedRange<Int>, _ tenants: [TenantID: Int]) async throws {
        for day in days {
            clock.set(String(format: "2026-11-%02dT10:00:00Z", day))
            for (tenant, count) in tenants.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                _ = try await log.append(
                    (0..<count).map { number in
                        var event = Event.sample(number, of: tenant)
                        event.recordedAt = clock.now
                        event.country = "GB"
                        return event
                    }
                )
            }
        }
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("20") && $0.hasSuffix(".db") }
            .sorted()
    }

    private func number(_ log: EventLog, _ sql: String) async throws -> Int64 {
        try await log.ledger.read { try Int64.fetchOne($0, sql: sql) } ?? -1
    }

    @Test func countsOfADayAreAddedOnce() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                try await fill(log, days: 1...3, [tenant("shop"): 5, tenant("taxi"): 2])
                try await log.closeFinishedDays()
                try await log.closeFinishedDays()
                #expect(try await number(log, "SELECT count(*) FROM day") == 2)
                #expect(try await number(log, "SELECT sum(count) FROM result_quarter") == 14)
                try log.close()
            }
            clock.set("2026-11-05T00:00:00Z")
            let log = try log(folder)
            try await log.closeFinishedDays()
            // The third day is over, although nothing was recorded since.
            #expect(try files(folder).last == "2026-11-05.db")
            for table in ["result_quarter", "result_day", "stream_quarter"] {
                #expect(try await number(log, "SELECT sum(count) FROM \(table)") == 21, "\(table)")
            }
            for table in ["value_hour", "value_day"] {
                let sum =
                    "SELECT sum(count) FROM \(table) JOIN value ON id = \(table).value WHERE value.dimension = 'country'"
                #expect(try await number(log, sum) == 21, "\(table)")
            }
            #expect(try await number(log, "SELECT count(*) FROM value") == 4)
            #expect(try await number(log, "SELECT sum(rows) FROM day_tenant WHERE tenant = 'taxi'") == 6)
            #expect(try await log.append([.sample(1)]).first == 22)
        }
    }

    @Test func dayWithoutRemainingRowsIsDroppedAsAFile() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...4, [tenant("shop"): 3, tenant("taxi"): 1])
            clock.set("2026-11-04T12:00:00Z")
            let rule = RetentionRule(days: 1, isExported: false)
            let report = try await retention(log, [tenant("shop"): rule, tenant("taxi"): rule]).applyRetention()
            #expect(report.dropped.map(\.count) == [3, 1, 3, 1])
            #expect(try files(folder) == ["2026-11-03.db", "2026-11-04.db"])
            #expect(try await log.all().map(\.sequence) == [9, 10, 11, 13, 14, 15])
            #expect(try await number(log, "SELECT count(*) FROM day_tenant WHERE emptied_at IS NULL") == 2)
            // Its counts stay.
            #expect(try await number(log, "SELECT sum(count) FROM result_day") == 12)
        }
    }

    @Test func shorterRetentionTakesRowsOutOfTheFile() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 5_000, tenant("taxi"): 1])
            let before = try FileManager.default.attributesOfItem(atPath: folder + "/2026-11-01.db")[.size] as? Int ?? 0
            let rules = [
                tenant("shop"): RetentionRule(days: 1, isExported: false),
                tenant("taxi"): RetentionRule(days: 9, isExported: false),
            ]
            _ = try await retention(log, rules).applyRetention()
            #expect(try files(folder) == ["2026-11-01.db", "2026-11-02.db", "2026-11-03.db"])
            #expect(try await log.all(of: tenant("taxi")).count == 3)
            #expect(try await log.all().map(\.sequence).first == 5_002)
            let after = try FileManager.default.attributesOfItem(atPath: folder + "/2026-11-01.db")[.size] as? Int ?? 0
            #expect(after < before / 2, "pages are given back: \(before) to \(after) bytes")
        }
    }

    @Test func nothingIsDroppedBeforeItsWindowIsExported() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 2])
            let retention = retention(log, [tenant("shop"): RetentionRule(days: 1, isExported: true)])
            #expect(try await retention.applyRetention().waiting.map(\.lastSequence) == [2])
            #expect(try await log.all().count == 6)
            // A window that is cut is not exported yet.
            _ = try await log.exportLedger.cursor(of: tenant("shop"), since: instant("2026-11-01T00:00:00Z"))
            let window = try await log.exportLedger.cut(
                tenant("shop"),
                end: instant("2026-11-02T00:00:00Z"),
                edge: 2,
                format: "ndjson",
                level: 6,
                software: "fingerpost test"
            )
            #expect(try await retention.applyRetention().waiting.count == 1)
            try await log.exportLedger.markExported(window, at: clock.now)
            let report = try await retention.applyRetention()
            #expect(report.waiting.isEmpty)
            #expect(report.dropped.map(\.lastSequence) == [2])
            #expect(try await log.all().map(\.sequence) == [3, 4, 5, 6])
        }
    }

    @Test func forceDropsWhatIsNotExportedOfOneTenantOnly() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 2, tenant("taxi"): 2])
            let rule = RetentionRule(days: 1, isExported: true)
            let retention = retention(log, [tenant("shop"): rule, tenant("taxi"): rule])
            let report = try await retention.applyRetention(forcing: tenant("shop"))
            #expect(report.dropped.map(\.tenant) == [tenant("shop")])
            #expect(report.waiting.map(\.tenant) == [tenant("taxi")])
            #expect(try await log.all().map(\.sequence) == [5, 6, 9, 10])
            #expect(try await log.all(of: tenant("taxi")).count == 6)
        }
    }

    /// The ledger records a drop before the file is removed.
    @Test func dropThatWasBegunIsEndedAfterACrash() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                try await fill(log, days: 1...4, [tenant("shop"): 2, tenant("taxi"): 2])
                try await log.closeFinishedDays()
                try await log.ledger.storing { db in
                    try db.execute(sql: "UPDATE day_tenant SET dropped_at = 1 WHERE day = 20758 OR tenant = 'taxi'")
                    try db.execute(sql: "UPDATE day SET dropped_at = 1 WHERE day = 20758")
                }
                try log.close()
            }
            let log = try log(folder)
            #expect(try files(folder).first == "2026-11-02.db")
            try await log.closeFinishedDays()
            #expect(try await log.all().map(\.sequence) == [5, 6, 9, 10, 13, 14])
            #expect(try await log.all(of: tenant("taxi")).map(\.sequence) == [15, 16])
            #expect(try await log.append([.sample(1)]).first == 17)
        }
    }

    @Test func sequencesContinueAfterAllDaysAreDropped() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                try await fill(log, days: 1...1, [tenant("shop"): 2])
                clock.set("2026-11-10T00:00:00Z")
                _ = try await retention(log, [tenant("shop"): RetentionRule(days: 1, isExported: false)])
                    .applyRetention()
                #expect(try files(folder) == ["2026-11-10.db"])
                try log.close()
            }
            #expect(try await log(folder).append([.sample(1)]).first == 3)
        }
    }

    /// The files that contain the bytes of a text.
    private func files(_ folder: String, holding text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            try Data(contentsOf: URL(filePath: "\(folder)/\(name)")).range(of: Data(text.utf8)) != nil
        }.sorted()
    }

    private func personal(_ mark: String) -> Event {
        var event = Event.sample(1)
        event.install = install
        event.userAgent = "agent \(mark)"
        event.query = [Event.QueryItem(name: "email", value: "mail \(mark)")]
        event.traits = #"{"nickname":"nick \#(mark)"}"#
        event.path = "/path \(mark)"
        event.parameters = #"{"who":"parameter \#(mark)"}"#
        event.referrerHost = "host \(mark)"
        event.recordedAt = clock.now
        return event
    }

    private static let columns = ["agent", "mail", "nick", "path", "parameter"]

    @Test func erasedRowsLeaveNoBytesInTheFiles() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            for day in 1...3 {
                clock.set("2026-11-0\(day)T10:00:00Z")
                _ = try await log.append([personal("Zoe\(day)"), personal("B"), .sample(2)])
                var other = personal("B")
                other.install = nil
                _ = try await log.append([other])
            }
            try await log.closeFinishedDays()
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            #expect(try await log.deleteRows(of: erasure) == 6)
            _ = try await log.finish(erasure, at: clock.now)
            for column in Self.columns {
                for day in 1...3 { #expect(try files(folder, holding: "\(column) Zoe\(day)") == [], "\(column)") }
                // A text that another row uses too is kept.
                #expect(try files(folder, holding: "\(column) B").count == 3, "\(column)")
            }
            #expect(try files(folder, holding: install.description) == [])
            let bytes = Data(install.bytes)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")).range(of: bytes) == nil, "\(name)")
            }
            // The writer does not use the number of a removed text.
            let back = [personal("Zoe3"), personal("B")]
            _ = try await log.append(back)
            #expect(try await log.all().suffix(2).map(\.event) == back)
            try log.close()
            #expect(try await self.log(folder).all().suffix(2).map(\.event) == back)
        }
    }

    /// The process was killed after removing the rows and before removing their texts.
    @Test func textsAreErasedByAResumedErasure() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([personal("Zoe"), .sample(2)])
            try log.writeCounts()
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            try await log.ledger.storing { db in
                try db.execute(
                    sql: "INSERT INTO erased (seq, erasure, event) VALUES (1, ?, '')",
                    arguments: [erasure.id]
                )
            }
            try await log.file(of: CivilDay("2026-11-01") ?? .first).database.storing { db in
                try db.execute(sql: "DELETE FROM event WHERE seq = 1")
            }
            #expect(try await log.deleteRows(of: erasure) == 1)
            for column in Self.columns { #expect(try files(folder, holding: "\(column) Zoe") == [], "\(column)") }
        }
    }

    @Test func rowsOfATenantAreDroppedFromADayThatAnotherKeeps() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([personal("Zoe"), .sample(2, of: tenant("taxi"))])
            clock.set("2026-11-04T10:00:00Z")
            let rules = [
                tenant("shop"): RetentionRule(days: 1, isExported: false),
                tenant("taxi"): RetentionRule(days: 9, isExported: false),
            ]
            #expect(try await retention(log, rules).applyRetention().dropped.count == 1)
            for column in Self.columns { #expect(try files(folder, holding: "\(column) Zoe") == [], "\(column)") }
            #expect(try await log.all(of: tenant("taxi")).count == 1)
        }
    }

    // MARK: The clock

    @Test func clockThatJumpsAheadByYearsDropsNothingAtOnce() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 2])
            let retention = retention(log, [tenant("shop"): RetentionRule(days: 30, isExported: false)])
            #expect(try await retention.applyRetention().dropped.isEmpty)
            clock.set("2036-11-03T10:00:00Z")
            let jumped = try await retention.applyRetention()
            #expect(jumped.dropped.isEmpty && jumped.waiting.count == 3)
            // Also in a new process.
            #expect(
                try await self.retention(log, [tenant("shop"): RetentionRule(days: 30, isExported: false)])
                    .applyRetention().dropped.isEmpty
            )
            clock.set("2026-11-03T11:00:00Z")
            #expect(try await retention.applyRetention().waiting.isEmpty)
            #expect(try await log.all().count == 6)
        }
    }

    @Test func changedClockIsTrustedAfterThreeDays() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 2])
            let retention = retention(log, [tenant("shop"): RetentionRule(days: 30, isExported: false)])
            for (time, dropped) in [
                ("2027-03-01T10:00:00Z", 0), ("2027-03-03T10:00:00Z", 0), ("2027-03-04T10:00:00Z", 3),
            ] {
                clock.set(time)
                #expect(try await retention.applyRetention().dropped.count == dropped, "\(time)")
            }
        }
    }

    @Test func rowsWaitWhenTheFirstExportWasOfAnEmptyLog() async throws {
        try await withExportBench { bench in
            let manifest = try await bench.exporter.exportNow(bench.plan)
            #expect(manifest.rows == 0)
            try await bench.record((1...5).map { .sample($0) })
            bench.clock.set("2026-12-02T10:00:00Z")
            let rule = RetentionRule(days: 5, isExported: false)
            let retention = RetentionService(
                days: bench.log,
                rules: { [tenant("shop"): rule] },
                now: { bench.clock.now },
                sleep: { _ in throw CancellationError() },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let report = try await retention.applyRetention()
            #expect(report.dropped.isEmpty && report.waiting.map(\.count) == [5])
            #expect(try await bench.exporter.exportNow(bench.plan).rows == 5)
            #expect(try await retention.applyRetention().dropped.count == 1)
        }
    }

    @Test func erasureTakesTheRowsOfOneInstallFromEveryDay() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            for day in 1...2 {
                clock.set("2026-11-0\(day)T10:00:00Z")
                var mine = Event.sample(1)
                mine.install = install
                mine.path = "/mine"
                var sameInstallElsewhere = Event.sample(2, of: tenant("taxi"))
                sameInstallElsewhere.install = install
                _ = try await log.append([.sample(0), mine, sameInstallElsewhere, mine])
            }
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            #expect(try await log.erasures(of: nil).map(\.finishedAt) == [nil])
            var later = Event.sample(1)
            later.install = install
            _ = try await log.append([later])
            #expect(try await log.deleteRows(of: erasure) == 4)
            // Repeated, as after a crash.
            #expect(try await log.deleteRows(of: erasure) == 4)
            _ = try await log.finish(erasure, at: clock.now)
            #expect(try await log.all().map(\.sequence) == [1, 5, 9])
            #expect(try await log.all(of: tenant("taxi")).map(\.sequence) == [3, 7])
            let erased = try await log.ledger.read {
                try Int64.fetchAll($0, sql: "SELECT seq FROM erased ORDER BY seq")
            }
            #expect(erased == [2, 4, 6, 8])
            let known = try #require(try await log.erasures(of: tenant("shop")).first)
            #expect(known.finishedAt == clock.now)
            #expect(known.rows == 4)
            // It is no longer needed.
            #expect(known.install == nil)
            #expect(try await log.erasures(of: tenant("taxi")).isEmpty)
            try log.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
                #expect(bytes.range(of: Data("/mine".utf8)) == nil, "\(name)")
            }
        }
    }

    /// The sequences of removed rows are not reused.
    @Test func sequencesContinueAfterErasedRows() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                var mine = Event.sample(1)
                mine.install = install
                _ = try await log.append([.sample(0), mine])
                _ = try await log.deleteRows(
                    of: log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
                )
                try log.close()
            }
            #expect(try await log(folder).append([.sample(2)]).first == 3)
        }
    }

    // MARK: Verification

    @Test func everySequenceIsAccountedFor() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...5, [tenant("shop"): 4, tenant("taxi"): 2])
            var mine = Event.sample(1)
            mine.install = install
            _ = try await log.append([mine, .sample(2), mine])
            let rules = [
                tenant("shop"): RetentionRule(days: 3, isExported: false),
                tenant("taxi"): RetentionRule(days: 2, isExported: false),
            ]
            _ = try await retention(log, rules).applyRetention()
            let erasure = try await log.beginErasure(of: install, tenant: tenant("shop"), requestID: "r", at: clock.now)
            _ = try await log.deleteRows(of: erasure)
            let verification = try await log.verify()
            #expect(verification.faults == [])
            // The first day was dropped as a file, and the taxi rows of the second day.
            #expect(verification.dropped == 6 + 2)
            #expect(verification.erased == 2)
            #expect(verification.stored == 33 - 8 - 2)
            #expect(verification.lastSequence == 33)
        }
    }

    @Test(arguments: [
        ("DELETE FROM event WHERE seq = 7", "2026-11-02: shop had 4 rows, but 3 are stored and 0 erased"),
        ("UPDATE tenant_rows SET first_seq = first_seq + 1", "2026-11-02: starts at 8 instead of 7"),
        ("UPDATE result_quarter SET count = count + 1", "2026-11-02: shop has 4 rows, but its counts add up to 5"),
    ]) func lossIsFound(_ damage: String, _ fault: String) async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            try await fill(log, days: 1...3, [tenant("shop"): 4, tenant("taxi"): 2])
            try await log.closeFinishedDays()
            #expect(try await log.verify().faults == [])
            try await log.file(of: instant("2026-11-02T00:00:00Z").day).database.storing { try $0.execute(sql: damage) }
            #expect(try await log.verify().faults.contains(fault))
        }
    }

    /// The ledger knows the rows that the file had: by an export, by an erasure, or by the request for one.
    @Test(arguments: [
        "INSERT INTO export_cursor (tenant, last_end, edge) VALUES ('shop', 0, 11)",
        "INSERT INTO erasure VALUES (1, 'shop', x'00', 0, 'r', 11, NULL)",
        "INSERT INTO erasure VALUES (1, 'shop', x'00', 0, 'r', 0, NULL); INSERT INTO erased VALUES (11, 1, '')",
    ]) func lostNewestFileIsFound(_ sql: String) async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                try await fill(log, days: 1...3, [tenant("shop"): 4])
                try await log.ledger.storing { try $0.execute(sql: sql) }
                #expect(log.missing == nil)
                try log.close()
            }
            try FileManager.default.removeItem(atPath: folder + "/2026-11-03.db")
            let log = try log(folder)
            #expect(log.missing == 9...11)
            let verification = try await log.verify()
            #expect(
                verification.faults == [
                    "the ledger knows rows up to 11, but the files end at 8: the newest day file is missing"
                ]
            )
            #expect(verification.lastSequence == 11)
            // Sequences are not assigned again.
            #expect(try await log.lastSequence() == 11)
        }
    }

    @Test func lostFileIsFound() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                try await fill(log, days: 1...3, [tenant("shop"): 4])
                try await log.closeFinishedDays()
                try log.close()
            }
            try FileManager.default.removeItem(atPath: folder + "/2026-11-02.db")
            let faults = try await log(folder).verify().faults
            #expect(faults == ["2026-11-02: the file with 4 rows of shop is missing"])
        }
    }
}
