package import LinkRouting

/// A replay's report as text for people.
package struct ReplayText {
    private let report: JSONNode

    /// The maximum number of samples shown per change.
    private static let samples = 2

    package init(_ report: JSONNode) { self.report = report }

    /// The lines of the report, with an empty line between sections.
    package var lines: [String] {
        summary + [routes, changes, hidden, unseen].filter { !$0.isEmpty }.flatMap { [""] + $0 }
    }

    private func count(_ key: String) -> Int64 { report[key]?.int ?? 0 }

    private var summary: [String] {
        let (from, to) = (report["from"]?.text ?? "", report["to"]?.text ?? "")
        let live = report["live"]?.int.map { "revision \($0)" } ?? "nothing published"
        var lines = [
            "\(report["tenant"]?.text ?? "") in \(report["environment"]?.text ?? ""), against \(live): "
                + "\(count("events")) recorded links from \(from) to \(to)"
        ]
        if report["limited"]?.bool == true {
            lines.append("Older links were left out; raise --limit to include more.")
        }
        if count("events") == 0 {
            lines.append(
                "No such link was recorded in this period. Use --since for a longer period, or --purpose for links "
                    + "that are not live."
            )
        }
        lines.append("replayed \(count("replayed")): \(count("changed")) change, \(count("unchanged")) stay")
        return lines
    }

    private var routes: [String] {
        let rows = (report["byRoute"]?.elements ?? []).map { row in
            let name = row["route"]?.text ?? "(\(row["outcome"]?.text ?? ""))"
            return [name] + ["replayed", "changed", "gained"].map { "\(row[$0]?.int ?? 0)" }
        }
        guard !rows.isEmpty else { return [] }
        return Self.table([["route", "replayed", "change", "gain"]] + rows) + more("moreRoutes", "routes")
    }

    private static func table(_ rows: [[String]]) -> [String] {
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }
            return cells.joined(separator: "  ")
        }
    }

    private var changes: [String] {
        (report["changes"]?.elements ?? []).flatMap(lines) + more("moreChanges", "kinds of changes")
    }

    private func lines(of change: JSONNode) -> [String] {
        let differences = (change["differs"]?.elements ?? []).compactMap(\.text)
        let heading =
            "\(change["count"]?.int ?? 0) × \(Self.head(change["from"])) → \(Self.head(change["to"]))"
            + " (\(differences.joined(separator: ", ")))"
        let samples = (change["samples"]?.elements ?? []).prefix(Self.samples).flatMap { sample in
            let parts = differences.compactMap { name in
                Self.difference(name, sample["from"]?[name], sample["to"]?[name])
            }
            return ["    \(sample["link"]?.text ?? "")  \(sample["context"]?.json() ?? "{}")"] + parts
        }
        return [heading] + samples
    }

    private static func head(_ head: JSONNode?) -> String {
        let name = head?["route"]?.text ?? head?["outcome"]?.text ?? ""
        return [name, head?["action"]?.text].compactMap(\.self).joined(separator: " ")
    }

    /// Returns nil for differences that the heading already shows.
    private static func difference(_ name: String, _ from: JSONNode?, _ to: JSONNode?) -> String? {
        guard from != nil || to != nil else { return nil }
        func shown(_ node: JSONNode?) -> String { node.map { $0.text ?? $0.json() } ?? "nothing" }
        return "        \(name): \(shown(from)) → \(shown(to))"
    }

    private var hidden: [String] {
        let hidden = (report["hidden"]?.members ?? []).map { member in
            "  \(member.value.int ?? 0) \(Self.reasons[member.key] ?? member.key)"
        }
        let standIns =
            count("standIns") == 0
            ? [] : ["\(count("standIns")) of the replayed links had a placeholder instead of a sensitive value."]
        return (hidden.isEmpty ? [] : ["Not replayed, because data is missing from the log:"] + hidden) + standIns
    }

    private static let reasons = [
        "rejected": "rejected links: their text is never recorded",
        "noPath": "unmatched links whose path is not recorded (privacy.unmatchedPath: none)",
        "pathCut": "unmatched links whose path is recorded in part (privacy.unmatchedPath: full records it whole)",
        "sensitive": "links with a sensitive value that has no placeholder",
        "notReproduced": "links that the live table resolves differently without the missing data",
        "unreadable": "links whose record is not a valid link",
    ]

    private var unseen: [String] {
        let facts = (report["unseen"]?.elements ?? []).map { fact in
            let routes = (fact["routes"]?.elements ?? []).compactMap(\.text)
            let more = (fact["count"]?.int ?? 0) - Int64(routes.count)
            return
                "  \(fact["fact"]?.text ?? ""): \(routes.joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")"
        }
        return facts.isEmpty
            ? [] : ["Routes depend on data that is not recorded, so a replay cannot evaluate it:"] + facts
    }

    private func more(_ key: String, _ what: String) -> [String] {
        count(key) == 0 ? [] : ["… and \(count(key)) more \(what)"]
    }
}
