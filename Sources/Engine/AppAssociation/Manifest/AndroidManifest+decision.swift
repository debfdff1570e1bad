public import LinkRouting

/// The decision whether the intent filters of a manifest accept a URL.
public struct ManifestDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// The activity and the line of the deciding filter; nil if no filter accepts the URL.
    public let activity: String?
    public let line: Int?
    public let notes: [String]

    public enum Outcome: String, Sendable, CaseIterable {
        /// A filter accepts the URL, and Android verifies its host.
        case match
        /// A filter accepts the URL, but no filter with `autoVerify` names its host: since Android 12 the browser opens
        /// it, unless the user chose the app.
        case unverified
        case noMatch = "no_match"
    }

    /// The decision as JSON, with the keys `decision`, `activity`, `line` and `notes`. Keys without a value are left out.
    public var json: JSONNode {
        .object([
            "decision": .string(outcome.rawValue), "activity": activity.map(JSONNode.string),
            "line": line.map { .int($0) }, "notes": notes.isEmpty ? nil : .array(notes.map(JSONNode.string)),
        ])
    }
}

extension AndroidManifest {
    /// Returns whether the intent filters accept a URL. They compare the decoded path, and no query and fragment.
    public func decision(for text: String) -> ManifestDecision {
        guard let url = try? AndroidURL(text) else {
            return ManifestDecision(outcome: .noMatch, activity: nil, line: nil, notes: ["The text is not a URL."])
        }
        let links = filters.filter(\.isForLinks)
        let path = String(decoding: url.path, as: UTF16.self)
        let (host, port) = (url.url.host.lowercased(), Self.port(of: text))
        var notes: [String] = []
        let placeholders = Set(links.flatMap(\.placeholders)).sorted()
        if !placeholders.isEmpty {
            notes.append("The build replaces \(placeholders.joined(separator: ", ")); such values match no URL here.")
        }
        if links.count < filters.count {
            notes.append("Filters without VIEW, DEFAULT and BROWSABLE do not open links.")
        }
        let accepting = links.filter { filter in
            guard filter.schemes.contains(url.url.scheme) else { return false }
            guard !filter.hosts.isEmpty else { return true }
            guard filter.takesHost(host, port: port) else { return false }
            guard !filter.paths.isEmpty else { return true }
            let verdicts = filter.paths.map { ($0.matches(path), $0.matches(path, .anyCharacter)) }
            if verdicts.contains(where: { $0.0 == nil }) {
                notes.append("Line \(filter.line): a pattern is malformed; Android rejects such a manifest.")
            }
            let isAccepted = verdicts.contains { $0.0 == true }
            if isAccepted != verdicts.contains(where: { $0.1 == true }) {
                notes.append(
                    "Line \(filter.line): on Android 15 and earlier, an escaped dot of a pathPattern matches any "
                        + "character, so the filter accepts the URL there."
                )
            }
            return isAccepted
        }
        let isVerified = { (filter: IntentFilter) in
            filter.schemes.contains { ["http", "https"].contains($0) }
                && links.contains { $0.isAutoVerified && $0.takesHost(host, port: port) }
        }
        guard let filter = accepting.first(where: isVerified) ?? accepting.first else {
            return ManifestDecision(outcome: .noMatch, activity: nil, line: nil, notes: notes)
        }
        return ManifestDecision(
            outcome: isVerified(filter) ? .match : .unverified,
            activity: filter.activity,
            line: filter.line,
            notes: notes
        )
    }

    private static func port(of url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        return authority.lastIndex(of: ":").map { String(authority[authority.index(after: $0)...]) }
    }
}

extension JSONNode {
    /// Returns a decision's object with the manifest's decision under `manifest`. If the file leaves the URL to the
    /// manifest, or opens it, the manifest decides too.
    public func adding(manifest: ManifestDecision?) -> JSONNode {
        guard let manifest, let members else { return self }
        let opens = ["match", "manifest"].contains(self["decision"]?.text)
        let decision: JSONNode? = opens ? .string(manifest.outcome == .match ? "match" : "no_match") : self["decision"]
        let isRefused = opens && manifest.outcome != .match
        let others = members.filter { $0.key != "decision" && !(opens && $0.key == "reason") }
        return JSONNode(
            .object(
                [Member("decision", decision ?? .string("no_match"))] + others
                    + (isRefused ? [Member("reason", .string("manifest"))] : [])
                    + [Member("manifest", manifest.json)]
            )
        )
    }
}
