public import LinkRouting

/// The decision whether the intent filters of a manifest accept a URL.
public struct ManifestDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// The activity and the line of the deciding filter; nil if no filter accepts the URL.
    public let activity: String?
    public let line: Int?
    public let notes: [String]

    public enum Outcome: String, Sendable, CaseIterable {
        /// A filter accepts the URL, and Android verifies its host, or its scheme is the app's own.
        case match
        /// A filter accepts the web link, but Android verifies its host by no filter: since Android 12 the browser opens
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
    /// Returns whether the intent filters accept a URL. They compare the decoded path; only groups for Android 15 test
    /// queries and fragments.
    public func decision(for text: String) -> ManifestDecision {
        guard let url = IntentURL(text) else {
            return ManifestDecision(outcome: .noMatch, activity: nil, line: nil, notes: ["The text is not a URL."])
        }
        let links = filters.filter(\.isForLinks)
        var notes: [String] = []
        let placeholders = Set(links.flatMap(\.placeholders)).sorted()
        if !placeholders.isEmpty {
            notes.append("The build replaces \(placeholders.joined(separator: ", ")); such values match no URL here.")
        }
        if links.count < filters.count {
            notes.append("Filters without VIEW, DEFAULT and BROWSABLE do not open links.")
        }
        let accepting = links.filter { filter in
            guard filter.accepts(url, &notes) else { return false }
            notes += filter.obstacles.map { "Line \(filter.line): \($0)." }
            return filter.obstacles.isEmpty
        }
        guard let filter = accepting.first else {
            return ManifestDecision(outcome: .noMatch, activity: nil, line: nil, notes: notes)
        }
        let isOpened = !url.isWeb || verifies(url.host ?? "")
        if !isOpened { notes += accepting.compactMap(\.reasonNotToVerify) }
        return ManifestDecision(
            outcome: isOpened ? .match : .unverified,
            activity: filter.activity,
            line: filter.line,
            notes: notes
        )
    }

    /// Whether Android asks for the file of the host. Since Android 12, the answer counts for all filters of the app.
    private func verifies(_ host: String) -> Bool {
        filters.contains { $0.needsVerification && $0.hosts.contains { $0.isVerifiable && $0.takes(host) } }
    }
}

extension AndroidManifest.IntentFilter {
    /// Source: `IntentFilter.matchData`.
    fileprivate func accepts(_ url: IntentURL, _ notes: inout [String]) -> Bool {
        guard schemes.contains(url.scheme) else { return false }
        if !schemeSpecificParts.isEmpty {
            if accepts(url.schemeSpecificPart, schemeSpecificParts, &notes) { return true }
            guard !hosts.isEmpty else { return false }
        }
        guard !hosts.isEmpty else { return true }
        guard takesHost(url.host, port: url.port) else { return false }
        let isPathAccepted = accepts(url.path ?? "", paths, &notes)
        guard !groups.isEmpty else { return paths.isEmpty || isPathAccepted }
        let isAccepted = isPathAccepted || groups.first { $0.matches(url) }?.allows == true
        if isAccepted != (paths.isEmpty || isPathAccepted) {
            let verb = isAccepted ? "does not accept" : "accepts"
            notes.append(
                "Line \(line): Android 14 and earlier ignore uri-relative-filter-group, so the filter \(verb) the URL "
                    + "there."
            )
        }
        return isAccepted
    }

    /// Returns whether one of the patterns matches.
    private func accepts(_ text: String, _ patterns: [PlatformPattern], _ notes: inout [String]) -> Bool {
        let verdicts = patterns.map { ($0.matches(text), $0.matches(text, .anyCharacter)) }
        if verdicts.contains(where: { $0.0 == nil }) {
            notes.append("Line \(line): a pattern is malformed; Android rejects such a manifest.")
        }
        let isAccepted = verdicts.contains { $0.0 == true }
        if isAccepted != verdicts.contains(where: { $0.1 == true }) {
            notes.append(
                "Line \(line): on Android 15 and earlier, an escaped dot of a pathPattern matches any "
                    + "character, so the filter accepts the URL there."
            )
        }
        return isAccepted
    }

    /// Why `autoVerify` has no effect; nil if the filter does not have it, or if it has an effect.
    fileprivate var reasonNotToVerify: String? {
        guard isAutoVerified else { return nil }
        if let scheme = schemes.first(where: { !AndroidManifest.isWeb($0) }) {
            return
                "Line \(line): Android verifies no filter with a scheme like '\(scheme.excerpt)'; give this scheme a "
                + "filter of its own."
        }
        guard let host = hosts.first(where: { !$0.isVerifiable }) else { return nil }
        return "Line \(line): no file can verify the host '\(host.name.excerpt)'; name each host, or write *.HOST."
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
