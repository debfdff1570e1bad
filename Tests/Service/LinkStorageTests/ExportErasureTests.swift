import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Networking
import Testing

/// Removes the rows of one install from the exports, and nothing else.
@Suite(.timeLimit(.minutes(15)))
struct ExportErasureTests {
    private static let erased = installID("0123456789abcdef0123456789abcdef")
    private static let other = installID("ffffffffffffffffffffffffffffffff")

    /// Every third event belongs to the install. Others contain its id in fields with another meaning.
    private func event(_ number: Int) -> Event {
        var event = Event.sample(number)
        event.recordedAt = Timestamp(milliseconds: 1_795_255_200_000 + Int64(number))
        event.path = "/a,\"\(number)\"\r\n=1"
        switch number % 3 {
        case 0: event.install = Self.erased
        case 1:
            event.install = Self.other
            event.traits = #"{"install":"\#(Self.erased)"}"#
            event.userAgent = "\"install\":\"\(Self.erased)\",\n\(Self.erased)"
        default: break
        }
        return event
    }

    /// The exported bytes of a log without the erased rows.
    private func expected(_ numbers: ClosedRange<Int>, _ format: ExportEncoder) -> String {
        let remaining = numbers.filter { $0 % 3 != 0 }.map { StoredEvent(sequence: Int64($0), event: event($0)) }
        return String(decoding: format.header() + format.rows(remaining), as: UTF8.self)
    }

    @Test(arguments: ExportEncoder.allCases)
    func rowsOfTheInstallAreGoneFromEveryFile(_ format: ExportEncoder) async throws {
        try await withExportBench(format: format) { bench in
            try await bench.record((1...50).map(event))
            let first = try await bench.exporter.exportNow(bench.plan)
            try await bench.record((51...100).filter { $0 % 3 != 0 }.map(event))
            let second = try await bench.exporter.exportNow(bench.plan)

            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)

            #expect(erasure.changed.map(\.name) == [first.name])
            #expect(erasure.changed.map(\.version) == [2] && erasure.changed.map(\.rows) == [16])
            #expect(erasure.unreadable.isEmpty)
            let changed = try #require(try await bench.manifest(first.name))
            #expect(changed.version == 2 && changed.rows == 34 && changed.erasedRows == 16)
            #expect(changed.firstRecordedAt == event(1).recordedAt && changed.lastRecordedAt == event(50).recordedAt)
            let path = try #require(changed.file?.path)
            #expect(path == "\(first.name).v2.\(format.rawValue).gz")
            #expect(try bench.text(path) == expected(1...50, format))
            #expect(try await bench.manifest(second.name) == second)
            #expect(try bench.files().count == 4)
            let again = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            #expect(again.changed.isEmpty && again.unreadable.isEmpty)
        }
    }

    /// The erased file equals an export of the window from a log without the rows.
    @Test(arguments: ExportEncoder.allCases)
    func erasedFileIsWhatTheLogIsExportedTo(_ format: ExportEncoder) async throws {
        let compressed = try await bytes(erasing: 1...3_000, format)
        let gzip = try GzipStream(level: 6)
        var expected: [UInt8] = []
        try gzip.write(Array(self.expected(1...3_000, format).utf8)) { expected += $0 }
        try gzip.finish { expected += $0 }
        #expect(compressed == Data(expected))
    }

    private func bytes(erasing numbers: ClosedRange<Int>, _ format: ExportEncoder) async throws -> Data? {
        var bytes: Data?
        try await withExportBench(format: format) { bench in
            for first in stride(from: numbers.lowerBound, through: numbers.upperBound, by: 100) {
                try await bench.record((first..<(first + 100)).map(event))
            }
            let manifest = try await bench.exporter.exportNow(bench.plan)
            _ = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            let path = try #require(try await bench.manifest(manifest.name)?.file?.path)
            bytes = try bench.files()[path]
        }
        return bytes
    }

    /// An interrupted erasure finishes later. Events of the install since then are not erased.
    @Test(arguments: ExportEncoder.allCases)
    func laterRowsOfTheInstallAreKept(_ format: ExportEncoder) async throws {
        try await withExportBench(format: format) { bench in
            try await bench.record((1...12).map(event))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant, through: 6)
            #expect(erasure.changed.map(\.rows) == [2])
            let path = try #require(try await bench.manifest(manifest.name)?.file?.path)
            let remaining = (1...12).filter { $0 != 3 && $0 != 6 }.map {
                StoredEvent(sequence: Int64($0), event: event($0))
            }
            #expect(try bench.text(path) == String(decoding: format.header() + format.rows(remaining), as: UTF8.self))
        }
    }

    /// Between the two halves of an erasure, or after a day file is lost, an export holds more rows than the log.
    @Test(arguments: [9, 3])
    func exportIsNotReplacedByFewerRows(_ last: Int) async throws {
        try await withExportBench { bench in
            let numbers = last == 3 ? [3] : Array(1...last)
            try await bench.record(numbers.map(event))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let erasure = try await bench.log.beginErasure(
                of: Self.erased,
                tenant: bench.plan.tenant,
                requestID: "1",
                at: bench.clock.now
            )
            _ = try await bench.log.deleteRows(of: erasure)
            let before = try bench.files()

            await #expect(throws: ExportFailure.fewerRows(manifest.name)) {
                _ = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)
            }
            #expect(try bench.files() == before)

            _ = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            let erased = try #require(try await bench.manifest(manifest.name))
            #expect(try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant) == erased)
        }
    }

    @Test func windowWithoutOtherRowsKeepsOnlyItsManifest() async throws {
        try await withExportBench { bench in
            try await bench.record([event(3), event(6)])
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            #expect(erasure.changed.map(\.rows) == [2])
            #expect(try Set(bench.files().keys) == ["\(manifest.name).manifest.json"])
            let changed = try #require(try await bench.manifest(manifest.name))
            #expect(changed.rows == 0 && changed.erasedRows == 2 && changed.file == nil && changed.version == 2)
            #expect(changed.firstRecordedAt == nil && changed.lastRecordedAt == nil)
        }
    }

    @Test func fileThatCannotBeReadIsNamedAndTheRestIsErased() async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            let broken = try await bench.exporter.exportNow(bench.plan)
            let path = bench.exports + "/" + (try #require(broken.file?.path))
            try Data(try Data(contentsOf: URL(filePath: path)).dropLast(9)).write(to: URL(filePath: path))
            try await bench.record((6...9).map(event))
            let whole = try await bench.exporter.exportNow(bench.plan)

            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)

            #expect(erasure.unreadable == [broken.name])
            #expect(erasure.changed.map(\.name) == [whole.name])
        }
    }

    /// Neither its file nor any other part of the export is removed.
    @Test(arguments: ["unopenable", "damaged"])
    func exportWithAnUnreadableManifestIsNamedAndUnchanged(_ damage: String) async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            let broken = try await bench.exporter.exportNow(bench.plan)
            try await bench.record((6...9).map(event))
            let whole = try await bench.exporter.exportNow(bench.plan)
            let file = bench.exports + "/" + (try #require(broken.file?.path))
            let bytes = try Data(contentsOf: URL(filePath: file))
            try spoil(bench.exports + "/\(broken.name).manifest.json", damage)

            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)

            #expect(erasure.unreadable == [broken.name])
            #expect(erasure.changed.map(\.name) == [whole.name])
            #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
        }
    }

    /// An unreadable manifest is not treated as missing and replaced.
    @Test func manifestThatCannotBeOpenedIsNotReplaced() async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let path = bench.exports + "/\(manifest.name).manifest.json"
            try spoil(path, "unopenable")
            await #expect(throws: FileFailure.self) {
                _ = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == path)
        }
    }

    private func spoil(_ path: String, _ damage: String) throws {
        guard damage == "unopenable" else { return try Data("no manifest".utf8).write(to: URL(filePath: path)) }
        try FileManager.default.removeItem(atPath: path)
        // Not even root can open a symbolic link to itself.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    }

    @Test func foldersBehindLinksAreErasedFrom() async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            let manifest = try await bench.exporter.exportNow(bench.plan)
            let day = bench.exports + "/tenant=shop/dt=2026-11-21"
            try FileManager.default.moveItem(atPath: day, toPath: bench.folder + "/elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: day,
                withDestinationPath: bench.folder + "/elsewhere"
            )
            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            #expect(erasure.changed.map(\.name) == [manifest.name])
        }
    }

    /// A link to a missing disk, and a folder that cannot be opened.
    @Test(arguments: ["nowhere", "itself"])
    func folderThatCannotBeReadIsNoSuccess(_ target: String) async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            _ = try await bench.exporter.exportNow(bench.plan)
            let day = bench.exports + "/tenant=shop/dt=2026-11-21"
            try FileManager.default.removeItem(atPath: day)
            try FileManager.default.createSymbolicLink(
                atPath: day,
                withDestinationPath: target == "itself" ? day : bench.folder + "/nowhere"
            )
            await #expect(throws: FileFailure.self) {
                _ = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            }
        }
    }

    @Test func windowsAreNamedWhereNoExportOfTheTenantIsThere() async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            let first = try await bench.exporter.exportNow(bench.plan)
            try await bench.record((6...9).map(event))
            let second = try await bench.exporter.exportNow(bench.plan)
            try FileManager.default.removeItem(atPath: bench.exports)
            let erasure = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            #expect(erasure.unreadable == [second.name, first.name])
            #expect(erasure.changed.isEmpty)
        }
    }

    @Test func erasureOnAFullDiskIsReportedAsStarted() async throws {
        try await withExportBench { bench in
            try await bench.record((1...5).map(event))
            _ = try await bench.exporter.exportNow(bench.plan)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let exporter = ExportService(
                store: bench.log,
                ledger: bench.log.exportLedger,
                sink: FullSink(sink: DirectoryExportSink(directory: bench.exports)),
                recorder: bench.recorder,
                plans: { [] },
                now: { bench.clock.now },
                sleep: { _ in },
                software: "fingerpost test",
                logger: logger
            )
            let eraser = Eraser(
                days: bench.log,
                recorder: bench.recorder,
                exporter: exporter,
                eraseElsewhere: { _, _, _ in },
                now: { bench.clock.now },
                logger: logger
            )
            await #expect(throws: UnfinishedErasure.self) {
                _ = try await eraser.erase(install: Self.erased, of: bench.plan.tenant, requestID: "r")
            }
            #expect(try await bench.log.erasures(of: nil).map(\.finishedAt) == [nil])
        }
    }

    private struct FullSink: ExportSink {
        let sink: DirectoryExportSink

        let kind = "directory"
        func create(_: String) async throws -> any ExportFile { throw EventStoreError.full }
        func write(_: [UInt8], to _: String, over _: ExportOverwriting) async throws { throw EventStoreError.full }
        func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
            try sink.read(path, from: offset, count: count)
        }
        func paths(of tenant: TenantID) async throws -> [String] { try sink.paths(of: tenant) }
        func remove(_ path: String) async throws { try sink.remove(path) }
    }

    /// An erasure that stops at any step and is repeated gives the same result as an uninterrupted one, without
    /// orphaned files.
    @Test func erasureStoppedAtAnyStepEndsAsOneThatWasNot() async throws {
        let (whole, steps) = try await erase(failAt: nil)
        #expect(whole.count == 3)
        #expect(steps > 8)
        for step in 0..<steps {
            let (stopped, _) = try await erase(failAt: step)
            #expect(stopped == whole, "stopped at step \(step)")
        }
    }

    private func erase(failAt: Int?) async throws -> (files: [String: Data], steps: Int) {
        let faults = Faults(failAt: nil)
        var result: (files: [String: Data], steps: Int) = ([:], 0)
        try await withExportBench(faults: faults) { bench in
            try await bench.record((1...30).map(event))
            _ = try await bench.exporter.exportNow(bench.plan)
            try await bench.record([event(33)])
            _ = try await bench.exporter.exportNow(bench.plan)
            faults.begin(failAt: failAt)
            do {
                _ = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            } catch is Faults.Stopped {
                _ = try await bench.exporter.erase(install: Self.erased, of: bench.plan.tenant)
            }
            result = (try bench.files(), faults.steps)
        }
        return result
    }
}
