package import LinkRouting

/// The explanation of a recorded link as lines for people: the event, its resolution, and what was not recorded.
package struct ExplanationText {
    private let explanation: JSONNode

    /// - Parameter explanation: As in `GET …/events/ID/explain`.
    package init(_ explanation: JSONNode) { self.explanation = explanation }

    package var lines: [String] {
        let event = explanation["event"]
        func text(_ key: String) -> String? { event?[key]?.text }
        let recorded = [text("outcome"), text("route").map { "route '\($0)'" }, text("action"), text("reason")]
        let context = explanation["context"].flatMap { $0.members?.isEmpty == false ? $0.json() : nil }
        let rows = [
            ["  link", explanation["link"]?.text ?? "not recorded"],
            ["  context", context ?? "no facts were recorded"],
            ["  recorded", recorded.compactMap(\.self).joined(separator: ", ")],
        ]
        let title = "\(text("recordedAt") ?? "") \(text("kind") ?? ""), seq \(event?["seq"]?.int ?? 0)"
        let notes = (explanation["notes"]?.elements ?? []).compactMap(\.text).map { "note: \($0)" }
        return [title] + TextColumns(rows, others: .left).lines + resolution + notes
    }

    private var resolution: [String] {
        guard let resolution = explanation["resolution"], resolution.members != nil else { return [] }
        let context = explanation["context"]
        let platform = context?["platform"]?.text.flatMap(Platform.init(rawValue:)) ?? .other
        let name = ResolutionText.Landing.name(of: platform, isInstalled: context?["installed"]?.bool ?? true)
        return ResolutionText(resolution, landings: [ResolutionText.Landing(name: name, answer: resolution)]).lines
    }
}
