package import LinkRouting

// A short link of the admin API as text for people.

extension JSONNode {
    /// The URL of a short link; its code and what is missing if no route of the live table leads to it.
    package var shortLinkAddress: String {
        if let url = self["url"]?.text { return url }
        let code = self["code"]?.text ?? ""
        let missing =
            code.contains("/")
            ? "no route of the live table follows codes with '/'; add one that ends with {code...}, or use a code without '/'"
            : "no route of the live table follows this code yet; see docs/short-links.md"
        return "\(code) (\(missing))"
    }

    /// The link, its clicks, and a bar for each day.
    package var shortLinkLines: [String] {
        var rows = [["link", shortLinkAddress], ["target", self["target"]?.text ?? ""]]
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { rows.append([name, text]) }
        }
        add("title", self["title"]?.text)
        add("note", self["note"]?.text)
        add("tags", texts("tags").joined(separator: ", "))
        for (group, prefix) in [("utm", "utm_"), ("preview", "preview ")] {
            for member in self[group]?.members ?? [] { add(prefix + member.key, member.value.text) }
        }
        add("expires", self["expires"]?.text)
        add("status", [self["status"]?.text, self["blockReason"]?.text].compactMap(\.self).joined(separator: ": "))
        add("created", "\(self["createdAt"]?.text ?? "") by \(self["createdBy"]?["name"]?.text ?? "-")")
        if let clicks = self["clicks"] {
            let last = clicks["last"]?.text.map { ", the last at \($0)" } ?? ""
            add("clicks", "\(clicks["total"]?.int ?? 0)\(last)")
            add("30 days", DayBars((clicks["days"]?.elements ?? []).map { $0["count"]?.int ?? 0 }).text)
        }
        return TextColumns(rows, others: .left).lines
    }

    /// The texts of a list.
    func texts(_ key: String) -> [String] { self[key]?.elements?.compactMap(\.text) ?? [] }

    /// The object with another value for a key, or without the key.
    func setting(_ key: String, to value: JSONNode?) -> JSONNode {
        var members = self.members ?? []
        let index = members.firstIndex { $0.key == key } ?? members.count
        if index < members.count { members.remove(at: index) }
        if let value { members.insert(Member(key, value), at: index) }
        return JSONNode(.object(members))
    }

    /// As ``setting(_:to:)``. An empty text removes the key, and nil changes nothing.
    func setting(_ key: String, toText text: String?) -> JSONNode {
        text.map { setting(key, to: $0.isEmpty ? nil : .string($0)) } ?? self
    }
}

/// Counts as bars in one line, such as `▁▁▃█▂`. A count of zero is a point.
package struct DayBars {
    package let text: String

    private static let bars = Array("▁▂▃▄▅▆▇█")

    package init(_ counts: [Int64]) {
        let most = counts.max() ?? 0
        text = String(
            counts.map { count -> Character in
                guard count > 0 else { return "·" }
                let level = Int((Double(count) / Double(most) * Double(Self.bars.count)).rounded(.up))
                return Self.bars[min(max(level, 1), Self.bars.count) - 1]
            }
        )
    }
}
