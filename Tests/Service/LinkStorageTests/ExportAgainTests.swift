import Foundation
import GRDB
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Networking
import TestSupport
import Testing

/// Exporting windows again gives the same bytes, or fails if rows are missing.
@Suite(.timeLimit(.minutes(15)))
struct ExportAgainTests {
    private func events(_ numbers: ClosedRange<Int>) -> [Event] {
        numbers.map { number in
            var event = Event.sample(number)
            event.path = "/a,\"\(number)\"\r\n=1"
            return event
        }
    }

    @Test(arguments: ExportEncoder.allCases)
    func sameWindowHasTheSameBytes(_ format: ExportEncoder) async throws {
        try await withExportBench(format: format) { bench in
            try await bench.record(events(1...100))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let before = try bench.files()
            try await bench.record(events(101...120))

            let again = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)

            #expect(again == manifest)
            #expect(try bench.files() == before)
            #expect(before.count == 2)
        }
    }

    @Test func nameWithoutItsFoldersIsEnough() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...3))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let last = try #require(manifest.name.split(separator: "/").last)
            #expect(try await bench.exporter.exportAgain(String(last), of: bench.plan.tenant) == manifest)
            for name in ["", "events-", "x/\(last)", "events-20261121T100000.002Z", "events-éééééééé", "../\(last)"] {
                await #expect(throws: ExportFailure.unknownWindow(name)) {
                    _ = try await bench.exporter.exportAgain(name, of: bench.plan.tenant)
                }
            }
        }
    }

    @Test(arguments: ["missing", "damaged"])
    func incompleteFileIsRepaired(_ damage: String) async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...50))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let before = try bench.files()
            let path = bench.exports + "/" + (try #require(manifest.file?.path))
            try FileManager.default.removeItem(atPath: path)
            if damage == "damaged" { try Data("no gzip".utf8).write(to: URL(filePath: path)) }

            #expect(try await bench.exporter.backfill(manifest.name, of: bench.plan.tenant) == .written(manifest))
            #expect(try bench.files() == before)
            #expect(try await bench.exporter.backfill(manifest.name, of: bench.plan.tenant) == .kept(manifest))
        }
    }

    @Test func emptyWindowStaysWithoutAFile() async throws {
        try await withExportBench { bench in
            let manifest = try await bench.exporter.exportNow(bench.plan)
            #expect(manifest.rows == 0 && manifest.file == nil)
            let before = try bench.files()
            #expect(try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant) == manifest)
            #expect(try bench.files() == before && before.count == 1)
        }
    }

    @Test func otherBytesAreANewVersion() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let first = try await bench.exporter.exportNow(bench.plan)
            // As another version of Fingerpost might have written it.
            let path = bench.exports + "/" + (try #require(first.file?.path))
            let gzip = try GzipStream(level: 1)
            var other: [UInt8] = []
            try gzip.write(Array("{}\n".utf8)) { other += $0 }
            try gzip.finish { other += $0 }
            try Data(other).write(to: URL(filePath: path))
            let stored = bench.exports + "/\(first.name).manifest.json"
            let text = try String(contentsOfFile: stored, encoding: .utf8)
                .replacing(try #require(first.file?.sha256), with: try sha256(of: path))
            try text.write(toFile: stored, atomically: true, encoding: .utf8)

            let second = try await bench.exporter.exportAgain(first.name, of: bench.plan.tenant)

            #expect(second.version == 2)
            #expect(second.file?.path == "\(first.name).v2.ndjson.gz")
            #expect(second.file?.sha256 == first.file?.sha256)
            #expect(try Set(bench.files().keys) == ["\(first.name).v2.ndjson.gz", "\(first.name).manifest.json"])
            #expect(try await bench.exporter.exportAgain(first.name, of: bench.plan.tenant) == second)
        }
    }

    /// A window that one version has cut and another exports has the manifest that the first would have written. What the other
    /// writes itself, a new version of the file or the next window, has its own name.
    @Test func begunWindowKeepsItsManifest() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let first = try await bench.exporter.exportNow(bench.plan)
            #expect(first.software == "fingerpost test")
            let before = try bench.files()
            try FileManager.default.removeItem(atPath: bench.exports)
            let next = ExportService(
                store: bench.log,
                ledger: bench.log.exportLedger,
                sink: DirectoryExportSink(directory: bench.exports),
                recorder: bench.recorder,
                plans: { [] },
                now: { bench.clock.now },
                sleep: { _ in },
                software: "fingerpost next",
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            #expect(try await next.exportAgain(first.name, of: bench.plan.tenant) == first)
            #expect(try bench.files() == before)
            try await bench.record(events(11...12))
            #expect(try await next.exportNow(bench.plan).software == "fingerpost next")
        }
    }

    @Test func manifestOfAnEarlierVersionIsRead() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            var manifest = try await bench.exporter.exportNow(bench.plan)
            let path = bench.exports + "/\(manifest.name).manifest.json"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(#""software": "fingerpost test","#))
            let line = try #require(text.split(separator: "\n").first { $0.contains("software") })
            try text.replacing("\(line)\n", with: "").write(toFile: path, atomically: true, encoding: .utf8)
            manifest.software = nil
            #expect(try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant) == manifest)
        }
    }

    /// The log is damaged and the export is intact: the export stays.
    @Test func rowsThatChangedTakeNoGoodFileAway() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let before = try bench.files()
            let day = try DatabaseQueue(path: bench.folder + "/events/2026-11-21.db")
            try await day.write { db in try db.execute(sql: "UPDATE event SET path = '/rotten' WHERE seq = 3") }
            try day.close()
            await #expect(throws: ExportFailure.otherRows(manifest.name)) {
                _ = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)
            }
            #expect(try bench.files() == before)
        }
    }

    /// Retention drops rows while they are read for an export to another sink.
    @Test func windowThatLosesRowsWhileItIsReadIsGone() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let folder = bench.folder + "/elsewhere"
            let other = ExportService(
                store: DroppingStore(log: bench.log, ledger: bench.folder + "/events/ledger.db"),
                ledger: bench.log.exportLedger,
                sink: DirectoryExportSink(directory: folder),
                recorder: bench.recorder,
                plans: { [] },
                now: { bench.clock.now },
                sleep: { _ in },
                software: "fingerpost test",
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            await #expect(throws: ExportFailure.windowGone(manifest.name)) {
                _ = try await other.backfill(manifest.name, of: bench.plan.tenant)
            }
            let left = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
            #expect(left.filter { $0.hasSuffix(".gz") || $0.hasSuffix(".json") } == [])
        }
    }

    /// Drops the rows before it reads them.
    private struct DroppingStore: EventStore {
        let log: EventLog
        let ledger: String

        func lastSequence() async throws -> Int64 { try await log.lastSequence() }
        func append(_ events: [Event]) async throws -> Appended { try await log.append(events) }

        func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
            let ledger = try DatabaseQueue(path: ledger)
            try await ledger.write { db in
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO day (day, last_seq) VALUES (20778, 10);
                        INSERT OR IGNORE INTO day_tenant (day, tenant, rows, first_seq, last_seq, dropped_at)
                        VALUES (20778, 'shop', 10, 1, 10, 1795255200000)
                        """
                )
            }
            try ledger.close()
            return try await log.events(of: tenant, in: range, limit: limit).filter { $0.sequence > 5 }
        }
    }

    // MARK: Windows that cannot be exported

    @Test func windowThatCannotBeExportedStopsNoLaterOne() async throws {
        try await withExportBench { bench in
            _ = try await bench.exporter.exportDue(bench.plan)
            try await bench.record(events(1...3))
            // A foreign or damaged manifest, which must not be replaced.
            let folder = bench.exports + "/tenant=shop/dt=2026-11-21/hour=10"
            let stray = folder + "/events-20261121T110000.000Z.manifest.json"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("no manifest".utf8).write(to: URL(filePath: stray))
            bench.clock.set("2026-11-21T11:00:00Z")
            await #expect(throws: ExportManifest.Unreadable.self) { try await bench.exporter.exportDue(bench.plan) }
            try await bench.record(events(4...6))
            bench.clock.set("2026-11-21T12:00:00Z")
            await #expect(throws: ExportManifest.Unreadable.self) { try await bench.exporter.exportDue(bench.plan) }
            let later = "tenant=shop/dt=2026-11-21/hour=11/events-20261121T120000.000Z"
            #expect(try await bench.manifest(later)?.rows == 3)
            try await bench.record(events(7...8))
            #expect(try await bench.exporter.exportNow(bench.plan).rows == 2)
            // The window is exported once the obstacle is removed.
            try FileManager.default.removeItem(atPath: stray)
            _ = try await bench.exporter.exportDue(bench.plan)
            #expect(try await bench.log.exportLedger.pending(tenant("shop")).isEmpty)
        }
    }

    // MARK: Windows without rows

    @Test func repeatedExportsWithoutEventsWriteNothing() async throws {
        try await withExportBench { bench in
            _ = try await bench.exporter.exportNow(bench.plan)
            let before = try bench.files()
            for _ in 1...3 {
                let manifest = try await bench.exporter.exportNow(bench.plan)
                #expect(manifest.rows == 0 && manifest.file == nil)
            }
            try await bench.record([.sample(1, of: tenant("taxi"))])
            #expect(try await bench.exporter.exportNow(bench.plan).rows == 0)
            #expect(try bench.files() == before)
            #expect(
                try await bench.exporter.windows(of: bench.plan.tenant, endingAfter: .init(milliseconds: 0)).count == 1
            )
            try await bench.record([.sample(2)])
            #expect(try await bench.exporter.exportNow(bench.plan).rows == 1)
        }
    }

    @Test func firstWindowStartsWithItsRows() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...3))
            bench.clock.set("2026-11-21T10:30:00Z")
            let first = try await bench.exporter.exportNow(bench.plan)
            #expect(first.windowStart == instant("2026-11-21T10:00:00Z"))
            #expect(first.windowStart <= (try #require(first.firstRecordedAt)))
            bench.clock.set("2026-11-21T10:40:00Z")
            try await bench.record(events(4...5))
            #expect(try await bench.exporter.exportNow(bench.plan).windowStart == first.windowEnd)
        }
    }

    private func sha256(of path: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sha256sum", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output.prefix(64), as: UTF8.self)
    }

    @Test func manifestOfAnotherServerIsNotReplaced() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let stored = bench.exports + "/\(manifest.name).manifest.json"
            let text = try String(contentsOfFile: stored, encoding: .utf8).replacing(
                "\"lastSeq\": 10",
                with: "\"lastSeq\": 9"
            )
            try text.write(toFile: stored, atomically: true, encoding: .utf8)
            let before = try bench.files()

            await #expect(throws: ExportFailure.otherWindow(manifest.name)) {
                _ = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)
            }
            #expect(try bench.files() == before)
        }
    }

    @Test func windowOfWhichRetentionDroppedRowsIsGone() async throws {
        try await withExportBench { bench in
            try await bench.record(events(1...10))
            let first = try await bench.exporter.exportNow(bench.plan)
            try await bench.record(events(11...20))
            let second = try await bench.exporter.exportNow(bench.plan)
            let before = try bench.files()
            let ledger = try DatabaseQueue(path: bench.folder + "/events/ledger.db")
            try await ledger.write { db in
                try db.execute(sql: "INSERT INTO day (day, last_seq) VALUES (20778, 20)")
                // Another tenant's rows and rows that still exist do not matter.
                for (tenant, dropped) in [("shop", true), ("taxi", true), ("acme", false)] {
                    try db.execute(
                        sql:
                            "INSERT INTO day_tenant (day, tenant, rows, first_seq, last_seq, dropped_at) VALUES (20778, ?, 5, ?, 10, ?)",
                        arguments: [tenant, tenant == "taxi" ? 1 : 6, dropped ? 1_795_255_200_000 : nil]
                    )
                }
            }
            try ledger.close()

            await #expect(throws: ExportFailure.windowGone(first.name)) {
                _ = try await bench.exporter.exportAgain(first.name, of: bench.plan.tenant)
            }
            await #expect(throws: ExportFailure.windowGone(first.name)) {
                _ = try await bench.exporter.backfill(first.name, of: bench.plan.tenant)
            }
            #expect(try await bench.exporter.exportAgain(second.name, of: bench.plan.tenant) == second)
            #expect(try bench.files() == before)
        }
    }

    /// An interrupted run left a file in the bucket, and rows were erased since.
    @Test func fileWithoutAManifestIsReplaced() async throws {
        let faults = Faults(failAt: nil)
        try await withExportBench(faults: faults) { bench in
            try await bench.record(events(1...10))
            let path = "tenant=shop/dt=2026-11-21/hour=10/events-20261121T100000.001Z.ndjson.gz"
            faults.occupy(path)
            let manifest = try await bench.exporter.exportNow(bench.plan)
            #expect(manifest.version == 1 && manifest.file?.path == path)
            #expect(try bench.text(path).split(separator: "\n").count == 10)
            #expect(faults.occupiedPath == nil)
        }
    }

    @Test func windowsAreListedFromTheFirstThatEndsLater() async throws {
        try await withExportBench { bench in
            _ = try await bench.exporter.exportDue(bench.plan)
            bench.clock.set("2026-11-21T13:00:00Z")
            _ = try await bench.exporter.exportDue(bench.plan)
            let names = try await bench.exporter.windows(
                of: bench.plan.tenant,
                endingAfter: instant("2026-11-21T11:00:00Z")
            )
            #expect(names.map { $0.suffix(20) } == ["20261121T120000.000Z", "20261121T130000.000Z"])
        }
    }
}
