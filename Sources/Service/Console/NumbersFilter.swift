import LinkRouting

/// Which links the numbers count: the query of their pages.
struct NumbersFilter: Sendable {
    /// Counted together, in any combination.
    static let columns = ["route", "revision", "outcome", "action"]
    /// Each is counted by itself.
    static let dimensions = [
        "app", "platform", "country", "locale", "referrerHost", "utmCampaign", "utmSource", "utmMedium", "botClass",
        "result", "rejectedReason", "unmatchedPath",
    ]
    private static let scope = ["environment", "purpose", "from", "until"]
    private static let view = ["days", "zone", "lists"]

    private var values: [String: String]

    /// Ignores other items, and empty ones.
    init(_ query: [String: String]) {
        let names = Self.columns + Self.dimensions + ["shortLink"] + Self.scope + Self.view
        values = query.filter { names.contains($0.key) && !$0.value.isEmpty }
    }

    subscript(name: String) -> String? { values[name] }

    func with(_ name: String, _ value: String?) -> NumbersFilter {
        var other = self
        other.values[name] = value
        return other
    }

    /// Unmatched links have no other filter.
    var ofUnmatched: NumbersFilter {
        var other = self
        other.values = values.filter { ["environment", "days", "zone"].contains($0.key) }
        return other
    }

    var withoutRange: NumbersFilter { with("from", nil).with("until", nil) }

    /// What has been chosen, other than the range and the zone.
    var chosen: [String] { (Self.columns + Self.dimensions + ["shortLink"]).filter { values[$0] != nil } }
    var chips: [String] { chosen + Self.scope.filter { values[$0] != nil } }

    /// Whether the counts of the columns have an answer.
    var isOfColumns: Bool { chosen.allSatisfy(Self.columns.contains) }
    /// Whether some counts have an answer. The rows of other filters are counted when they are asked for.
    var isCounted: Bool { isOfColumns || soleDimension != nil }
    /// The dimension whose counts have an answer.
    var soleDimension: String? {
        chosen.count == 1 && Self.dimensions.contains(chosen[0]) ? chosen[0] : nil
    }

    var days: Int64 { values["days"].flatMap { Int64($0) }.flatMap { [1, 7, 30].contains($0) ? $0 : nil } ?? 7 }
    var zone: String { values["zone"] ?? "UTC" }

    /// The items of the console's addresses.
    var query: Visit.Query {
        var query: Visit.Query = []
        query.items = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return query
    }

    /// The items of a request to the admin API, of these names.
    func items(_ names: [String] = []) -> Visit.Query {
        var query: Visit.Query = ["purpose": values["purpose"] ?? "live"]
        query.items += (["environment"] + names).map { ($0, values[$0]) }
        return query
    }

    /// The days of the filter that end at this time.
    func range(until end: Timestamp) -> Visit.Query {
        let length = days * Timestamp.millisecondsPerDay
        let start = days < 30 ? Timestamp(milliseconds: end.milliseconds - length).description : nil
        // The default is 30 days of the zone.
        return ["from": start, "until": end.description]
    }

    // MARK: Events

    /// The items that `GET T/events` knows. ``holds(_:)`` has the others.
    static let ofEvents = ["outcome", "route", "from", "until"]

    var isOfEvents: Bool { chosen.allSatisfy(Self.ofEvents.contains) }

    func holds(_ event: JSONNode) -> Bool { chosen.allSatisfy { Self.value($0, of: event) == values[$0] } }

    /// The value by which an event is counted.
    static func value(_ name: String, of event: JSONNode) -> String? {
        switch name {
        case "revision": event["revision"]?.int.map(String.init)
        case "rejectedReason": event["outcome"]?.text == "rejected" ? event["reason"]?.text : nil
        case "unmatchedPath":
            ["unmatched", "fallback"].contains(event["outcome"]?.text) ? event["path"]?.text : nil
        // The host is before the code, which may have slashes.
        case "shortLink":
            event["shortLink"]?.text.flatMap { text in text.firstIndex(of: "/").map { String(text[$0...].dropFirst()) }
            }
        default: event[name]?.text
        }
    }
}
