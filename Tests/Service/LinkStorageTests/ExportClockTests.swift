import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import TestSupport
import Testing

/// Exports while the clock is changed: every row is in exactly one file, and windows follow the corrected time.
@Suite(.timeLimit(.minutes(15)))
struct ExportClockTests {
    /// The exporter with a real log, a real folder, and a clock that only the test advances.
    private struct Bench: Sendable {
        let clock: TestClock
        let recorder: EventRecorder
        let exporter: ExportService
        let exports: String
        let plan = ExportPlan(tenant: tenant("shop"), schedule: .hourly, format: .ndjson, level: 6)

        func record(_ numbers: ClosedRange<Int>) async {
            let result = await recorder.record(numbers.map { .sample($0) })
            #expect(result == .stored(firstSequence: Int64(numbers.lowerBound)))
        }

        func exportDue(at time: String) async throws -> Timestamp? {
            clock.set(time)
            return try await exporter.exportDue(plan)
        }

        /// The ends of all windows in the order of their rows.
        func ends() throws -> [String] {
            try manifests().sorted { $0.first < $1.first }.map(\.end)
        }

        /// The sequences of all windows, repeated if several manifests contain them.
        func sequences() throws -> [Int64] {
            try manifests().flatMap { $0.first <= $0.last ? Array($0.first...$0.last) : [] }.sorted()
        }

        private func manifests() throws -> [(end: String, first: Int64, last: Int64, rows: Int64)] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: exports)
            return try files.filter { $0.hasSuffix(".manifest.json") }.map { file in
                let bytes = Array(try Data(contentsOf: URL(filePath: "\(exports)/\(file)")))
                let manifest = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 65_536))
                let window = try #require(manifest["window"])
                let (first, last) = (try #require(window["firstSeq"]?.int), try #require(window["lastSeq"]?.int))
                #expect(manifest["rows"]?.int == last - first + 1)
                return (try #require(window["end"]?.text), first, last, last - first + 1)
            }
        }
    }

    private func withBench(_ body: (Bench) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let clock = TestClock("2026-11-21T10:00:00Z")
            try FileManager.default.createDirectory(atPath: folder + "/events", withIntermediateDirectories: true)
            let log = try EventLog(folder + "/events") { clock.now }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let recorder = EventRecorder(store: log, now: { clock.now }, logger: logger)
            let exporter = ExportService(
                store: log,
                ledger: log.exportLedger,
                sink: DirectoryExportSink(directory: folder + "/exports"),
                recorder: recorder,
                plans: { [] },
                now: { clock.now },
                sleep: { _ in },
                software: "fingerpost test",
                logger: logger
            )
            let bench = Bench(clock: clock, recorder: recorder, exporter: exporter, exports: folder + "/exports")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await recorder.run() }
                let result: Result<Void, any Error>
                do { result = .success(try await body(bench)) } catch { result = .failure(error) }
                recorder.stop()
                try await group.waitForAll()
                try result.get()
            }
            try log.close()
        }
    }

    @Test func scheduleContinuesAfterAFastClockIsCorrected() async throws {
        try await withBench { bench in
            #expect(try await bench.exportDue(at: "2026-11-21T10:00:00Z") == instant("2026-11-21T11:00:00Z"))
            await bench.record(1...10)
            #expect(try await bench.exportDue(at: "2026-11-21T15:30:00Z") == instant("2026-11-21T16:00:00Z"))
            await bench.record(11...20)

            #expect(try await bench.exportDue(at: "2026-11-21T10:20:00Z") == instant("2026-11-21T11:00:00Z"))
            await bench.record(21...30)
            #expect(try await bench.exportDue(at: "2026-11-21T11:00:00Z") == instant("2026-11-21T12:00:00Z"))
            await bench.record(31...40)
            #expect(try await bench.exportDue(at: "2026-11-21T12:00:30Z") == instant("2026-11-21T13:00:00Z"))

            #expect(try bench.sequences() == Array(1...40))
            let ends = try bench.ends()
            // The windows of the wrong time, then two windows whose ends were already used.
            #expect(ends.count == 7 && Set(ends).count == 7)
            #expect(ends.suffix(2) == ["2026-11-21T11:00:00.001Z", "2026-11-21T12:00:00.001Z"])
        }
    }

    /// The schedule is corrected once, not at every check.
    @Test func clockIsCorrectedOnce() async throws {
        try await withBench { bench in
            _ = try await bench.exportDue(at: "2026-11-21T10:00:00Z")
            _ = try await bench.exportDue(at: "2026-11-21T15:30:00Z")
            for minute in ["20", "40", "59"] {
                let next = try await bench.exportDue(at: "2026-11-21T10:\(minute):00Z")
                #expect(next == instant("2026-11-21T11:00:00Z"))
            }
            await bench.record(1...5)
            _ = try await bench.exportDue(at: "2026-11-21T11:00:01Z")
            _ = try await bench.exportDue(at: "2026-11-21T11:00:02Z")
            #expect(try bench.ends().count == 6)
            #expect(try bench.sequences() == Array(1...5))
        }
    }

    @Test func smallStepBackEndsNoWindowTwice() async throws {
        try await withBench { bench in
            _ = try await bench.exportDue(at: "2026-11-21T10:00:00Z")
            await bench.record(1...3)
            _ = try await bench.exportDue(at: "2026-11-21T11:00:00Z")
            for time in ["2026-11-21T10:59:58Z", "2026-11-21T11:00:00Z", "2026-11-21T10:00:00Z"] {
                #expect(try await bench.exportDue(at: time) == instant("2026-11-21T12:00:00Z"))
            }
            #expect(try bench.ends() == ["2026-11-21T11:00:00.000Z"])
        }
    }

    /// A machine without a clock battery starts in 1970 and gets the time later.
    @Test func windowsFromAWrongClockAreOne() async throws {
        try await withBench { bench in
            _ = try await bench.exportDue(at: "2026-11-21T10:00:00Z")
            #expect(try await bench.exportDue(at: "1970-01-01T00:00:10Z") == instant("1970-01-01T01:00:00Z"))
            await bench.record(1...10)
            #expect(try await bench.exportDue(at: "2026-11-21T10:40:00Z") == instant("2026-11-21T11:00:00Z"))
            await bench.record(11...12)
            _ = try await bench.exportDue(at: "2026-11-21T11:00:00Z")

            #expect(try bench.ends() == ["2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z"])
            #expect(try bench.sequences() == Array(1...12))
        }
    }

    @Test func manuallyEndedWindowEndsNow() async throws {
        try await withBench { bench in
            _ = try await bench.exportDue(at: "2026-11-21T10:00:00Z")
            _ = try await bench.exportDue(at: "2026-11-21T15:00:00Z")
            await bench.record(1...2)
            bench.clock.set("2026-11-21T10:00:00Z")
            let manifest = try await bench.exporter.exportNow(bench.plan)

            #expect(manifest.windowEnd == instant("2026-11-21T10:00:00.001Z"))
            #expect(manifest.rows == 2)
        }
    }

    @Test func windowIsCutOnceEvenAfterARewind() async throws {
        try await withTemporaryDirectory { folder in
            let (log, shop) = (try EventLog(folder) { instant("2026-11-21T10:00:00Z") }, tenant("shop"))
            _ = try await log.append((1...9).map { .sample($0) })
            _ = try await log.exportLedger.cursor(of: shop, since: instant("2026-11-21T10:00:00Z"))
            func cut(_ end: String, _ edge: Int64) async throws -> ExportWindow {
                try await log.exportLedger.cut(
                    shop,
                    end: instant(end),
                    edge: edge,
                    format: "ndjson",
                    level: 6,
                    software: "fingerpost test"
                )
            }
            let first = try await cut("2026-11-21T11:00:00Z", 4)
            #expect(try await cut("2026-11-21T11:00:00Z", 9) == first)
            let cursor = try await log.exportLedger.rewind(shop, to: instant("2026-11-21T10:30:00Z"))
            #expect(cursor == ExportCursor(lastEnd: instant("2026-11-21T10:30:00Z"), edge: 4))
            let second = try await cut("2026-11-21T11:00:00Z", 9)
            #expect(second.end == instant("2026-11-21T11:00:00.001Z") && second.firstSequence == 5)
            #expect(try await cut("2026-11-21T11:00:00.001Z", 9) == second)
            // A rewind never moves forward.
            #expect(try await log.exportLedger.rewind(shop, to: instant("2026-11-22T00:00:00Z")).lastEnd == second.end)
            try log.close()
        }
    }
}
