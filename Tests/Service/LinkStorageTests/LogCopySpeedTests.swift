import CatalogSupport
import Foundation
import LinkEvents
import LinkRouting
import PostgresStorage
import TestSupport
import Testing

@testable import LinkStorage

/// How fast logs are shipped and counted, as ratios to SQLite in the same run. SHIPPING_ROWS is the number of rows; see
/// `./dev bench --only fleet`.
@Suite(
    .enabled(
        if: TestPostgres.folder != nil && ProcessInfo.processInfo.environment["SHIPPING_ROWS"] != nil,
        "SHIPPING_ROWS is not set; './dev bench --only fleet' sets it."
    )
)
struct LogCopySpeedTests {
    private let rows = Int(ProcessInfo.processInfo.environment["SHIPPING_ROWS"] ?? "") ?? 0
    private static let batch = 1_024

    /// Events as those of real links: a few hundred routes, apps, versions and countries, of 90 days.
    private static func events(_ numbers: Range<Int>, days: Int = 1) -> [Event] {
        numbers.map { number in
            var fields = Event.Fields.sample(number, of: tenant("shop"))
            fields.id = RecordedID(uuid: Bytes16(high: UInt64(number) << 16 | 0x7000, low: 1 << 63 | UInt64(number)))
            let day = Int64(number % days)
            let second = Int64(number / 997 % 86_400)
            fields.recordedAt = Timestamp(milliseconds: 1_795_000_000_000 + day * 86_400_000 + second * 1_000)
            fields.route = RouteID("route-\(number % 300)")
            fields.revision = Revision(rawValue: 7)
            fields.action = .openApp
            fields.app = AppID("ios")
            fields.appVersion = "4.\(number % 20)"
            fields.osVersion = "26.\(number % 6)"
            fields.country = ["DE", "FR", "GB", "IT", "US"][number % 5]
            fields.locale = ["de-DE", "fr-FR", "en-GB"][number % 3]
            fields.host = "links.example.com"
            fields.path = "/products/\(number % 5_000)"
            fields.userAgent = "Example/4.\(number % 20) CFNetwork/1410.0.3 Darwin/22.\(number % 6).0"
            fields.query = [Event.QueryItem(name: "utm_campaign", value: "c\(number % 50)")]
            return Event(fields)
        }
    }

    private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let time = try await ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    private func fill(_ log: EventLog, _ range: Range<Int>, days: Int = 1) async throws -> Double {
        var time = 0.0
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.batch) {
            let events = Self.events(start..<min(start + Self.batch, range.upperBound), days: days)
            time += try await seconds { _ = try await log.append(events) }
        }
        return time
    }

    private func ship(_ log: EventLog, to store: PostgresStore, node: String) async throws {
        let shipment = LogShipment(of: log, to: LogCopy(store), node: node) { UUID().uuidString }
        while try await shipment.next(at: Timestamp(milliseconds: 0)) {}
    }

    @Test func shippingTakesAtMostTwiceAndAHalfOfTheTimeOfWriting() async throws {
        for nodes in [1, 4] {
            try await withTemporaryDirectory { folder in
                let clock = TestClock("2026-11-21T10:00:00Z")
                let store = try await TestPostgres.makeStore()
                var (logs, writing) = ([EventLog](), 0.0)
                for node in 0..<nodes {
                    try FileManager.default.createDirectory(
                        atPath: "\(folder)/\(node)",
                        withIntermediateDirectories: true
                    )
                    let log = try EventLog("\(folder)/\(node)") { clock.now }
                    writing += try await fill(log, node * rows / nodes..<(node + 1) * rows / nodes)
                    logs.append(log)
                }
                let shipping = try await seconds {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (node, log) in logs.enumerated() {
                            let store = PostgresStore(store.address)
                            group.addTask { try await ship(log, to: store, node: "\(node)") }
                        }
                        try await group.waitForAll()
                    }
                }
                let (written, shipped) = (Double(rows) / writing, Double(rows) / shipping)
                print(
                    "\(nodes) nodes: SQLite \(Int(written)) rows/s, shipped \(Int(shipped)) rows/s: \(shipped / written)"
                )
                for log in logs { try log.close() }
            }
        }
    }

    @Test func countsOfNinetyDays() async throws {
        try await withTemporaryDirectory { folder in
            let clock = TestClock("2027-02-18T10:00:00Z")
            let store = try await TestPostgres.makeStore()
            for node in ["all", "0", "1", "2"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(node)", withIntermediateDirectories: true)
            }
            let one = try EventLog("\(folder)/all") { clock.now }
            _ = try await fill(one, 0..<rows, days: 90)
            for node in 0..<3 {
                let log = try EventLog("\(folder)/\(node)") { clock.now }
                _ = try await fill(log, node * rows / 3..<(node + 1) * rows / 3, days: 90)
                try await ship(log, to: store, node: "\(node)")
                try log.close()
            }
            clock.set("2027-02-19T10:00:00Z")
            try await one.closeFinishedDays()
            let copy = LogCopy(store)
            try await store.storing { try $0.execute(sql: "ANALYZE") }
            let edges = [1_795_000_000_000, 1_795_000_000_000 + 90 * 86_400_000].map { (time: Int64) in
                Timestamp(milliseconds: time / 86_400_000 * 86_400_000)
            }
            let scope = AnalyticsScope(
                tenant: tenant("shop"),
                environment: .production,
                purposes: [.live],
                edges: edges
            )
            let totals = TotalsQuery(scope: scope, columns: [.route, .outcome])
            let values = ValuesQuery(scope: scope, dimension: .appVersion)
            #expect(try await Set(one.totals(totals)) == Set(copy.totals(totals)))
            #expect(try await one.values(values) == copy.values(values))
            for (name, query) in [
                ("totals", { (it: any EventAnalytics) in _ = try await it.totals(totals) }),
                ("values", { (it: any EventAnalytics) in _ = try await it.values(values) }),
            ] as [(String, (any EventAnalytics) async throws -> Void)] {
                var times: [[Double]] = [[], []]
                for _ in 0..<9 {
                    times[0].append(try await seconds { try await query(one) })
                    times[1].append(try await seconds { try await query(copy) })
                }
                let medians = times.map { $0.sorted()[4] }
                print("\(name): SQLite \(medians[0]) s, three nodes \(medians[1]) s: \(medians[1] / medians[0])")
            }
            try one.close()
        }
    }
}
