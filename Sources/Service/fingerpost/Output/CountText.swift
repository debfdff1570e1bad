package import LinkRouting

/// Lines with a count, its share of the total, and its names.
package struct CountLines {
    private let total: Int64
    private var rows: [(count: Int64, names: [String])] = []

    package init(total: Int64) { self.total = total }

    package mutating func add(_ count: JSONNode?, _ names: [String]) { rows.append((count?.int ?? 0, names)) }

    package var lines: [String] {
        let width = rows.map { "\($0.count)".count }.max() ?? 0
        return rows.map { row in
            let count = "\(row.count)"
            return String(repeating: " ", count: width - count.count) + count + "  \(share(row.count))  "
                + row.names.joined(separator: "  ")
        }
    }

    /// Formats a share as ` 12.3 %`.
    private func share(_ count: Int64) -> String {
        guard total > 0 else { return "     - %" }
        let share = Double(count) / Double(total) * 1_000
        let tenths = Int64(share.rounded())
        let text = "\(tenths / 10).\(tenths % 10) %"
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}

extension JSONNode {
    /// The value as text for people; a dash for null.
    package var shown: String { kind == "null" ? "-" : text ?? json() }

    /// The name of a series: the values shared by its events.
    package var groupName: String {
        let names = (members ?? []).filter { !["count", "counts"].contains($0.key) }.map(\.value.shown)
        return names.isEmpty ? "count" : names.joined(separator: " ")
    }

    /// Lines of a ranking: one value per line, followed by the aggregated rest.
    package func rankingLines(_ list: String, _ value: String) -> [String] {
        let total = self["count"]?.int ?? 0
        var lines = CountLines(total: total)
        for item in self[list]?.elements ?? [] { lines.add(item["count"], [item[value]?.shown ?? ""]) }
        for (key, name) in [("rest", "(more)"), ("other", "(other)"), ("none", "(none)")] {
            if let count = self[key]?.int, count > 0 { lines.add(.int(count), [name]) }
        }
        lines.add(.int(total), ["total"])
        return lines.lines
    }

    /// A note on a ranking of rejected links without a count; nil if there is one.
    package var rejectedNote: String? {
        guard (self["count"]?.int ?? 0) == 0 else { return nil }
        return "Links that are rejected before their host is read belong to no tenant. 'fingerpost stats rejected -' "
            + "counts them, and 'fingerpost events -' prints them, with a key for all tenants."
    }

    /// A note on a ranking of unmatched paths: how the settings shorten paths, and the setting that records them whole;
    /// nil if they are recorded whole.
    package var unmatchedPathNote: String? {
        let recorded: String? =
            switch self["unmatchedPath"]?.text {
            case "shape": "with types instead of values"
            case "firstSegment": "only up to their first segment"
            case "none": "not at all"
            default: nil
            }
        return recorded.map {
            "The tenant's settings record such paths \($0). To see more of them: privacy.unmatchedPath: "
                + "\(self["unmatchedPath"]?.text == "firstSegment" ? "full" : "firstSegment or full")."
        }
    }
}
