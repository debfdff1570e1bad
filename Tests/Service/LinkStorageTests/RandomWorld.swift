import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Random events of six days, and random queries about them.
struct RandomWorld {
    var random: SeededGenerator
    /// By the day of their commit.
    private(set) var days: [[Event]] = []

    static let firstDay = CivilDay(daysSince1970: 20_000)
    private static let quarter: Int64 = 900_000
    private static let dayCount: Int64 = 6

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for day in 0..<Self.dayCount {
            let start = (Self.firstDay.daysSince1970 + day) * 96 * Self.quarter
            // An event that is committed after midnight may have arrived just before.
            let milliseconds = (start - 60_000)..<(start + 96 * Self.quarter)
            days.append((0..<150).map { _ in event(in: milliseconds) })
        }
    }

    var events: [Event] { days.flatMap(\.self) }

    private mutating func event(in milliseconds: Range<Int64>) -> Event {
        var event = Event.sample(1, of: tenant(pick(["shop", "shop", "shop", "acme"])))
        event.recordedAt = Timestamp(milliseconds: Int64.random(in: milliseconds, using: &random))
        event.environment = pick([.production, .production, Self.staging])
        event.purpose = pick([.live, .live, .test, .prefetch])
        event.outcome = pick([.matched, .fallback, .unmatched, .rejected])
        event.revision = pick([nil, Revision(rawValue: 7), Revision(rawValue: 8)])
        if event.outcome == .matched {
            event.route = RouteID(pick(["home", "item", "blog"]))
            event.action = pick([.openApp, .openWeb])
        }
        if Bool.random(using: &random) { event.country = pick(["DE", "FR", "GB", "IT"]) }
        if Bool.random(using: &random) { event.locale = "l\(Int.random(in: 0..<40, using: &random))" }
        if Bool.random(using: &random) {
            let code = pick(["spring", "s", "S", "a/b", "x\(Int.random(in: 0..<60, using: &random))"])
            event.shortLink = Event.ShortLinkName(place: pick(["go.acme.com", "acme:"]), code: code)
        }
        return event
    }

    private static var staging: EnvironmentID { EnvironmentID("staging") ?? .production }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    mutating func query() throws -> TotalsQuery {
        var filter: [TotalsQuery.Column: String] = [:]
        if Bool.random(using: &random) { filter[.route] = pick(["item", "", "none"]) }
        if Int.random(in: 0..<4, using: &random) == 0 { filter[.outcome] = "matched" }
        if Int.random(in: 0..<4, using: &random) == 0 { filter[.revision] = pick(["7", "", "x"]) }
        let columns = TotalsQuery.Column.allCases.filter { _ in Bool.random(using: &random) }
        return TotalsQuery(scope: scope(unit: 1), columns: Set(columns), filter: filter)
    }

    /// - Parameter unit: Every edge is a multiple of this number of quarter-hours.
    mutating func scope(unit: Int64) -> AnalyticsScope {
        let first = Self.firstDay.daysSince1970 * 96 - 96
        let units = (Self.dayCount + 2) * 96 / unit
        let start = Int64.random(in: 0..<units, using: &random)
        let steps: [Int64]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: steps = [Int64.random(in: 1...units, using: &random)]
        case 1: steps = Array(repeating: 96 / unit, count: Int.random(in: 1...7, using: &random))
        case 2: steps = Array(repeating: 4 / min(unit, 4), count: Int.random(in: 1...60, using: &random))
        default: steps = (0..<5).map { _ in Int64.random(in: 1...(200 / unit), using: &random) }
        }
        var edges = [first + (Bool.random(using: &random) ? start / (96 / unit) * (96 / unit) : start) * unit]
        for step in steps { edges.append((edges.last ?? 0) + step * unit) }
        return AnalyticsScope(
            tenant: tenant(pick(["shop", "shop", "acme", "nobody"])),
            environment: pick([.production, Self.staging, .unpublished]),
            purposes: pick([[.live], [.live, .test], Set(Event.Purpose.allCases)]),
            edges: edges.map { Timestamp(milliseconds: $0 * Self.quarter) }
        )
    }

    mutating func shortLinkQuery() -> ShortLinkTotalsQuery {
        let first = Self.firstDay.daysSince1970 + Int64.random(in: -2..<Self.dayCount, using: &random)
        let last = first + Int64.random(in: 0..<Self.dayCount, using: &random)
        return ShortLinkTotalsQuery(
            tenant: tenant(pick(["shop", "shop", "acme", "nobody"])),
            purposes: pick([[], [.live], [.live, .test], Set(Event.Purpose.allCases)]),
            days: CivilDay(daysSince1970: first)...CivilDay(daysSince1970: last),
            limit: pick([1, 3, 1_000])
        )
    }

    /// The events with short links that a query counts, by code.
    func events(in query: ShortLinkTotalsQuery) -> [String: [Event]] {
        let counted = events.filter { event in
            event.shortLink != nil && event.tenant == query.tenant && query.purposes.contains(event.purpose)
                && query.days.contains(event.recordedAt.day)
        }
        return Dictionary(grouping: counted) { $0.shortLink?.code ?? "" }
    }

    func events(in scope: AnalyticsScope) -> [(bucket: Int, event: Event)] {
        events.compactMap { event in
            guard event.tenant == scope.tenant, event.content.fields.countedEnvironment == scope.environment,
                scope.purposes.contains(event.purpose),
                let edge = scope.edges.lastIndex(where: { $0 <= event.recordedAt }), edge < scope.edges.count - 1
            else { return nil }
            return (edge, event)
        }
    }
}

extension TotalsColumns {
    init(_ event: Event) {
        self.init(
            route: event.route?.rawValue,
            revision: event.revision?.rawValue,
            outcome: event.outcome.rawValue,
            action: event.action?.rawValue
        )
    }

    func meets(_ filter: [TotalsQuery.Column: String]) -> Bool {
        filter.allSatisfy { column, value in
            switch column {
            case .route: route ?? "" == value
            case .revision: revision.map(String.init) ?? "" == value
            case .outcome: outcome ?? "" == value
            case .action: action ?? "" == value
            }
        }
    }

    func only(_ columns: Set<TotalsQuery.Column>) -> TotalsColumns {
        TotalsColumns(
            route: columns.contains(.route) ? route : nil,
            revision: columns.contains(.revision) ? revision : nil,
            outcome: columns.contains(.outcome) ? outcome : nil,
            action: columns.contains(.action) ? action : nil
        )
    }
}
