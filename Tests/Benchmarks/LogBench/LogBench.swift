import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Synchronization

/// Measures the log with millions of events: appending, reading counts, dropping a day.
@main
struct LogBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "LogBench",
        abstract: "Fill a log and measure it.",
        subcommands: [Fill.self, RecordEvents.self, Ask.self, Drop.self, ExportLog.self]
    )
}

struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write generated events in batches of 1,024, a fifth of them on the first day.",
        discussion: """
            EXAMPLE
              LogBench fill /tmp/log --events 50000000 --days 90
            """
    )

    @Argument(help: "The folder of the log, which must be new.") var folder: String
    @Option(help: "How many.") var events = 50_000_000
    @Option(help: "The number of days, of which today is the last.") var days = 90
    @Option(help: "The tenant of all events (default: three of the examples).") var tenant: String?
    @Option(help: "The number of short links that the events have, from c0 on.") var shortLinks = 0

    func run() async throws {
        let today = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)).day
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let clock = Clock(CivilDay(daysSince1970: today.daysSince1970 - Int64(days) + 1))
        let log = try EventLog(folder) { clock.now }
        var generator =
            tenant.map { EventGenerator(seed: 1, tenants: [$0], shortLinks: shortLinks) }
            ?? EventGenerator(seed: 1, shortLinks: shortLinks)
        var millions = Millions()
        print("million  seconds  events/s  CPU s  RSS MB")
        for day in 0..<days {
            let count = day == 0 ? events / 5 : (events - events / 5) / (days - 1)
            let start = clock.now.milliseconds
            var written = 0
            while written < count {
                let batch = (0..<min(1_024, count - written)).map { offset in
                    generator.next(at: Timestamp(milliseconds: start + Int64((written + offset) * 86_399_999 / count)))
                }
                if let last = batch.last { clock.set(last.recordedAt) }
                let begin = ContinuousClock.now
                _ = try await log.append(batch)
                millions.note(batch.count, ContinuousClock.now - begin)
                written += batch.count
            }
            clock.set(Timestamp(milliseconds: start + 86_400_000))
            if day < days - 1 { try await log.closeFinishedDays() }
        }
        try log.close()
        millions.conclude()
        let bytes = try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
            sum + (try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int ?? 0)
        }
        print("bytes/event with index and counts: \(bytes / events)")
    }
}

struct Ask: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the queries of a dashboard of 90 days, and the opening of the log.",
        discussion: """
            EXAMPLE
              LogBench ask /tmp/log
            """
    )

    @Argument(help: "The folder of the log.") var folder: String
    @Option(help: "The number of past days.") var days = 90

    func run() async throws {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let opening = ContinuousClock.now
        let log = try EventLog(folder) { now }
        print("open: \((ContinuousClock.now - opening).milliseconds) ms")
        guard let tenant = TenantID("shop") else { return }
        let midnight = now.day.daysSince1970 + 1
        let edges = (0...days).map { Timestamp(milliseconds: (midnight - Int64(days - $0)) * 86_400_000) }
        // A day that begins at 22:00 UTC, as in parts of Europe, so that a series cannot use the sums of whole UTC
        // days.
        let shifted = edges.map { Timestamp(milliseconds: $0.milliseconds - 7_200_000) }
        func scope(_ edges: [Timestamp]) -> AnalyticsScope {
            AnalyticsScope(tenant: tenant, environment: .production, purposes: [.live], edges: edges)
        }
        let whole = [edges[0], edges[days]]
        try await time("total") { try await log.totals(TotalsQuery(scope: scope(whole))).count }
        try await time("by route and outcome") {
            try await log.totals(TotalsQuery(scope: scope(whole), columns: [.route, .outcome])).count
        }
        try await time("by revision") {
            try await log.totals(TotalsQuery(scope: scope(whole), columns: [.revision, .outcome])).count
        }
        try await time("series by day, by outcome") {
            try await log.totals(TotalsQuery(scope: scope(edges), columns: [.outcome])).count
        }
        try await time("series by day of another zone") {
            try await log.totals(TotalsQuery(scope: scope(shifted), columns: [.outcome])).count
        }
        try await time("series by day of one route") {
            try await log.totals(TotalsQuery(scope: scope(shifted), columns: [], filter: [.route: "route-7"])).count
        }
        let hours = (0...(days * 24)).map { Timestamp(milliseconds: edges[0].milliseconds + Int64($0) * 3_600_000) }
        try await time("series by hour") { try await log.totals(TotalsQuery(scope: scope(hours))).count }
        for dimension in [Dimension.country, .referrerHost, .unmatchedPath, .osVersion] {
            try await time("top of \(dimension.rawValue)") {
                try await log.values(ValuesQuery(scope: scope(whole), dimension: dimension, limit: 100)).values.count
            }
        }
        try await time("top of unmatchedPath, other zone") {
            try await log.values(
                ValuesQuery(scope: scope([shifted[0], shifted[days]]), dimension: .unmatchedPath, limit: 100)
            ).values.count
        }
        try await time("series by hour of one country") {
            try await log.counts(of: "GB", in: .country, scope(hours)).count
        }
        print("RSS: \(residentMegabytes()) MB")
    }

    private func time(_ name: String, _ question: () async throws -> Int) async throws {
        var times: [Double] = []
        var rows = 0
        for _ in 0..<7 {
            let start = ContinuousClock.now
            rows = try await question()
            times.append((ContinuousClock.now - start).milliseconds)
        }
        print(
            String(format: "%@: first %.1f ms, median of 7 %.1f ms, %d rows", name, times[0], times.sorted()[3], rows)
        )
    }
}

struct Drop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drop the two oldest days of a log by retention, and measure each.",
        discussion: """
            EXAMPLE
              LogBench drop /tmp/log
            """
    )

    @Argument(help: "The folder of the log.") var folder: String

    func run() async throws {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let log = try EventLog(folder) { now }
        try await log.closeFinishedDays()
        let held = try await log.retainedRows()
        for day in Set(held.map(\.day)).sorted().prefix(2) {
            let rows = held.filter { $0.day == day }
            let start = ContinuousClock.now
            try await log.drop(rows, at: now)
            print(
                "\(day): \(rows.reduce(0) { $0 + $1.count }) rows in \((ContinuousClock.now - start).milliseconds) ms"
            )
        }
        try log.close()
    }
}

/// The clock of the log.
final class Clock: Sendable {
    private let instant: Mutex<Timestamp>

    init(_ day: CivilDay) { instant = Mutex(Timestamp(milliseconds: day.daysSince1970 * 86_400_000)) }

    var now: Timestamp { instant.withLock { $0 } }
    func set(_ now: Timestamp) { instant.withLock { $0 = now } }
}

/// Append time for each million events, without the time to generate them; also the CPU time.
private struct Millions {
    private var count = 0
    private var time = Duration.zero
    private var total = Duration.zero
    private var processor = processorSeconds()
    private var first: Double?
    private var last: Double?

    mutating func note(_ events: Int, _ duration: Duration) {
        count += events
        time += duration
        total += duration
        guard count % 1_000_000 < events else { return }
        let seconds = time.milliseconds / 1_000
        let spent = processorSeconds()
        first = first ?? seconds
        last = seconds
        print(
            String(
                format: "%7d  %7.2f  %8.0f  %5.1f  %6d",
                count / 1_000_000,
                seconds,
                1_000_000 / seconds,
                spent - processor,
                residentMegabytes()
            )
        )
        fflush(nil)
        (time, processor) = (.zero, spent)
    }

    func conclude() {
        print(String(format: "appending: %.3f s", total.milliseconds / 1_000))
        guard let first, let last else { return }
        print(String(format: "last million / first million: %.2f", last / first))
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15 }
}

func processorSeconds() -> Double {
    var spent = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
    return Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9
}

/// Resident memory of this process as Linux reports it; 0 on other systems.
func residentMegabytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
        let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
    else { return 0 }
    return kilobytes / 1_024
}
