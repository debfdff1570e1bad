import Foundation
import LinkRouting

/// Links in each hour or day of a period.
struct NumbersSeries: Sendable {
    let from: String
    let until: String
    let starts: [String]
    /// By outcome, in the order of `starts`; under an empty text if their outcomes are not counted.
    private var counts: [String: [Int64]] = [:]

    /// - Parameter answer: Of `stats/series`.
    init(_ answer: JSONNode) {
        from = answer["from"]?.text ?? ""
        until = answer["until"]?.text ?? ""
        starts = answer["starts"]?.elements?.compactMap(\.text) ?? []
        for series in answer["series"]?.elements ?? [] {
            let numbers = series["counts"]?.elements?.map { $0.int ?? 0 } ?? []
            guard numbers.count == starts.count else { continue }
            counts[series["outcome"]?.text ?? ""] = numbers
        }
    }

    /// The same period with these events.
    func counting(_ events: [JSONNode]) -> NumbersSeries {
        var other = self
        other.counts = [:]
        for event in events {
            guard let time = event["recordedAt"]?.text, let index = starts.lastIndex(where: { $0 <= time }) else {
                continue
            }
            let none = [Int64](repeating: 0, count: starts.count)
            other.counts[event["outcome"]?.text ?? "", default: none][index] += 1
        }
        return other
    }

    var hasOutcomes: Bool { counts[""] == nil }

    func total(_ outcome: String? = nil) -> Int64 {
        counts.reduce(0) { $0 + (outcome == nil || $1.key == outcome ? $1.value.reduce(0, +) : 0) }
    }

    /// All outcomes together, in the order of `starts`.
    private var sums: [Int64] { starts.indices.map { index in counts.values.reduce(0) { $0 + $1[index] } } }

    /// Bars as the page draws them: each is 10 wide, and the highest is 100 high.
    ///
    /// - Parameter rows: The address of the rows of a filter.
    func bars(before: NumbersSeries, _ filter: NumbersFilter, rows: (NumbersFilter) -> String) -> [String: any Sendable]
    {
        let (sums, earlier) = (sums, before.sums)
        let highest = Double(max(1, sums.max() ?? 0, earlier.max() ?? 0))
        func height(_ count: Int64) -> Int { Int((Double(count) * 100 / highest).rounded(.up)) }
        let bars = sums.indices.map { index -> [String: any Sendable] in
            let end = index + 1 < starts.count ? starts[index + 1] : until
            return [
                "x": index * 10, "y": 100 - height(sums[index]), "height": height(sums[index]), "start": starts[index],
                "hasLinks": sums[index] > 0, "label": Self.label(starts[index], filter), "count": sums[index],
                "before": index < earlier.count ? earlier[index] : 0,
                "rows": rows(filter.with("from", starts[index]).with("until", end)),
            ]
        }
        let points = earlier.prefix(sums.count).enumerated().map { "\($0 * 10 + 4),\(100 - height($1))" }
        // A page has at most 100 KB.
        return [
            "isShort": bars.count <= 31, "bars": bars, "line": points.joined(separator: " "), "width": bars.count * 10,
        ]
    }

    private static func label(_ start: String, _ filter: NumbersFilter) -> String {
        guard let time = Timestamp(start) else { return start }
        let zone = TimeZone(identifier: filter.zone) ?? .gmt
        let day = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone).year().month().day()
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        return date.formatted(filter.days == 30 ? day : day.time(includingFractionalSeconds: false))
    }
}
