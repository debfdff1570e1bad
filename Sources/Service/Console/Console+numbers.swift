import Foundation
import HTTPTransport
import HTTPTypes
import LinkRouting
import LinkServer

/// *Numbers*: how many links were resolved, and their rows.
extension Console {
    /// What is ranked, and what to do if nothing is. A page has the first five; the others take as long again.
    private static let rankings: [(name: String, title: String, lesson: String)] = [
        ("route", "Routes", "No link matched a route."),
        ("shortLink", "Short links", "No short link was clicked."),
        (
            "utmCampaign", "Campaigns",
            "No campaign was recorded. The setting privacy.recordQuery must name utm_campaign, except for short links."
        ),
        (
            "country", "Countries",
            "No country was recorded. Apps send context.country; for clicks, the configuration names a geo.database."
        ),
        ("app", "Apps", "No app was recorded. Apps send their name as context.app."),
        ("platform", "Platforms", "No platform was recorded."), ("action", "Actions", "No link led anywhere."),
        ("referrerHost", "Referrers", "No click came from another site."),
        ("rejectedReason", "Rejected because", "No link was rejected."),
    ]
    private static let outcomes = ["matched", "fallback", "unmatched", "rejected"]
    private static let periods: [(days: Int64, name: String, before: String)] = [
        (1, "Last 24 hours", "a week before"), (7, "Last 7 days", "the week before"),
        (30, "Last 30 days", "30 days before"),
    ]

    @Sendable func numbers(_ visit: Visit) async throws -> [String: any Sendable] {
        let filter = NumbersFilter(visit.query).withoutRange
        var values = shown(filter, visit)
        func here(_ filter: NumbersFilter) -> String { visit.place("/numbers", filter.query) }
        func rowsPlace(_ filter: NumbersFilter) -> String { visit.place("/numbers/events", filter.query) }
        do {
            let (now, rows) = try await count(filter, until: nextHour(), lists: true, visit)
            let earlier = nextHour(daysAgo: max(filter.days, 7))
            let (before, _) = try await count(filter, until: earlier, lists: false, visit)
            let ranged = filter.with("from", now.from).with("until", now.until)
            let outcomes = now.hasOutcomes && filter["outcome"] == nil ? Self.outcomes : []
            values["figures"] = ([nil] + outcomes).map { outcome in
                [
                    "name": outcome ?? "links", "isFilter": outcome != nil, "count": now.total(outcome),
                    "before": before.total(outcome),
                    "place": outcome.map { here(filter.with("outcome", $0)) } ?? "",
                    "rows": rowsPlace(outcome.map { ranged.with("outcome", $0) } ?? ranged),
                ] as [String: any Sendable]
            }
            values["chart"] = now.bars(before: before, filter, rows: rowsPlace)
            values["isCut"] = rows?.next != nil
            values["isCounted"] = filter.isCounted
            values["rowCount"] = rows?.events.count
            values["isEmpty"] = now.total() == 0 && filter.chosen.isEmpty
            let needsRows = rows == nil && !filter.chosen.isEmpty
            if needsRows {
                values["missing"] = ["The other lists of this filter need a key with the scope exports:read."]
            }
            var lists: [[String: any Sendable]] = []
            for ranking in Self.rankings.prefix(filter["lists"] == nil ? 5 : .max) where filter[ranking.name] == nil {
                guard !needsRows || filter.isOfColumns && NumbersFilter.columns.contains(ranking.name) else { continue }
                let ranked = try await rank(ranking.name, ranged, rows?.events, visit).map { value, count in
                    [
                        "name": value, "count": count, "place": here(filter.with(ranking.name, value)),
                        "rows": rowsPlace(ranged.with(ranking.name, value)),
                    ] as [String: any Sendable]
                }
                lists.append([
                    "title": ranking.title, "lesson": ranking.lesson, "rows": ranked, "hasRows": !ranked.isEmpty,
                ])
            }
            values["lists"] = lists
            values["moreLists"] = filter["lists"] == nil ? here(filter.with("lists", "all")) : ""
            if filter["purpose"] == nil, filter.isOfColumns {
                let installs = ranged.with("purpose", "install")
                let items = installs.items(NumbersFilter.columns + ["from", "until"])
                values["installs"] = try await visit.get(visit.target("/stats/totals", ["by": "route"] + items)).shown
                values["installRows"] = rowsPlace(installs)
            }
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
        }
        return values
    }

    /// The end of the current hour, or as many days earlier.
    func nextHour(daysAgo days: Int64 = 0) -> Timestamp {
        let hour: Int64 = 3_600_000
        let next = (dependencies.linkResolver.now().milliseconds / hour + 1) * hour
        return Timestamp(milliseconds: next - days * Timestamp.millisecondsPerDay)
    }

    /// What the filter's part of each page shows.
    func shown(_ filter: NumbersFilter, _ visit: Visit) -> [String: any Sendable] {
        let path = String(visit.place.prefix { $0 != "?" })
        func here(_ filter: NumbersFilter) -> String {
            let text = filter.query.text
            return text.isEmpty ? path : "\(path)?\(text)"
        }
        let periods = Self.periods.map { period in
            ["days": "\(period.days)", "name": period.name, "isChosen": period.days == filter.days]
                as [String: any Sendable]
        }
        return [
            "here": path, "numbers": visit.place("/numbers", filter.withoutRange.query),
            "rowsPlace": visit.place("/numbers/events", filter.query),
            "unmatchedPlace": visit.place("/numbers/unmatched", filter.ofUnmatched.query),
            "zone": filter.zone, "zoneField": filter["zone"] ?? "",
            "compared": Self.periods.first { $0.days == filter.days }?.before ?? "",
            "isLive": filter["purpose"] == nil, "everything": here(filter.with("purpose", "all")),
            "chips": filter.chips.map { name in
                ["name": name, "value": filter[name] ?? "", "place": here(filter.with(name, nil))]
            },
            "periods": periods, "isNumbers": path.hasSuffix("/numbers"), "isRows": path.hasSuffix("/events"),
            "isUnmatched": path.hasSuffix("/unmatched"),
        ]
    }

    /// Counts the days of the filter that end at this time, and reads the rows if the numbers need them.
    private func count(_ filter: NumbersFilter, until end: Timestamp, lists: Bool, _ visit: Visit) async throws
        -> (NumbersSeries, rows: (events: [JSONNode], next: String?)?)
    {
        let offset = TimeZone(identifier: filter.zone)?.secondsFromGMT() ?? 0
        // Values are counted in hours of UTC.
        let zone = filter.soleDimension == nil || offset.isMultiple(of: 3_600) ? filter.zone : nil
        let subject: Visit.Query =
            filter.soleDimension.map { ["dimension": $0, "value": filter[$0]] + filter.items() }
            ?? ["by": "outcome"] + filter.items(NumbersFilter.columns)
        let interval: Visit.Query = ["interval": filter.days < 30 ? "hour" : "day", "zone": zone]
        let target = visit.target("/stats/series", interval + filter.range(until: end) + subject)
        let series = NumbersSeries(try await visit.get(target))
        guard lists && !filter.chosen.isEmpty || !filter.isCounted else { return (series, nil) }
        do {
            let ranged = filter.with("from", series.from).with("until", series.until)
            let rows = try await rows(ranged, pages: 1, pageSize: 1_000, visit)
            return (filter.isCounted ? series : series.counting(rows.events), rows)
        } catch let refusal as RefusedRequest where filter.isCounted && refusal.status == .forbidden {
            return (series, nil)
        }
    }

    /// The most frequent values.
    private func rank(_ name: String, _ filter: NumbersFilter, _ rows: [JSONNode]?, _ visit: Visit) async throws
        -> [(value: String, count: Int64)]
    {
        let isColumn = NumbersFilter.columns.contains(name)
        if let rows, !isColumn || !filter.isOfColumns {
            let values = rows.compactMap { NumbersFilter.value(name, of: $0) }
            let counts = Dictionary(values.map { ($0, Int64(1)) }, uniquingKeysWith: +)
            return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10).map { ($0.key, $0.value) }
        }
        let range = ["from", "until"]
        let (path, items): (String, Visit.Query) =
            switch name {
            case "shortLink": ("short-links", ["days": "\(filter.days)", "purpose": filter["purpose"] ?? "live"])
            case _ where isColumn: ("totals", ["by": name] + filter.items(NumbersFilter.columns + range))
            default: ("top/\(name)", filter.items(range))
            }
        let answer = try await visit.get(visit.target("/stats/\(path)", items + ["limit": "10"]))
        let list = answer["top"] ?? answer["totals"] ?? answer["links"]
        return (list?.elements ?? []).compactMap { item in
            let value = item["value"] ?? item["code"] ?? item[name]
            return value?.text.map { ($0, (item["count"] ?? item["clicks"])?.int ?? 0) }
        }
    }
}
