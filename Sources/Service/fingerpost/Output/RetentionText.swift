package import LinkRouting

/// The retention of a tenant's log as text for people.
package struct RetentionText {
    private let state: JSONNode
    private let tenant: String
    private let isApplied: Bool

    /// - Parameters:
    ///   - state: The response of the admin API.
    ///   - isApplied: Whether rows were dropped, and not only counted.
    package init(_ state: JSONNode, of tenant: String, isApplied: Bool) {
        self.state = state
        self.tenant = tenant
        self.isApplied = isApplied
    }

    /// A line for each kind of rows, and what to do about them.
    package var lines: [String] {
        let counts = ["kept", "waiting", "dropped"].map { name in
            let list = days(name)
            let range = list.isEmpty ? "" : ", \(list.first?["day"]?.text ?? "") to \(list.last?["day"]?.text ?? "")"
            let label = name == "dropped" && !isApplied ? "can be dropped" : name
            return "\(label): \(rows(list).counted("row")) of \(list.count.counted("day"))\(range)"
        }
        return counts + advice
    }

    private var advice: [String] {
        guard ["kept", "waiting", "dropped"].contains(where: { !days($0).isEmpty }) else {
            return ["No finished day has rows. The rows of a day are counted after its end, at midnight UTC."]
        }
        var lines: [String] = []
        if rows(days("waiting")) > 0 {
            lines.append("Waiting rows can be dropped once 'fingerpost export \(tenant) --data DIR' has exported them.")
        }
        if !isApplied, rows(days("dropped")) > 0 {
            lines.append("The server drops them after the next midnight UTC, and --apply drops them now.")
        }
        return lines
    }

    private func days(_ name: String) -> [JSONNode] { state[name]?.elements ?? [] }

    private func rows(_ days: [JSONNode]) -> Int64 { days.reduce(0) { $0 + ($1["rows"]?.int ?? 0) } }
}
