import LinkRouting

/// A table's answer to a recorded link, as far as a replay compares it.
struct ReplayResult: Sendable, Hashable {
    let head: Head
    let destination: ResolvedDestination?
    let blockReason: String?

    /// The parts by which changes are grouped.
    struct Head: Sendable, Hashable {
        let route: RouteID?
        let outcome: Outcome
        let action: Action?

        /// Formatted as `{route, outcome, action}`.
        var json: JSONNode {
            .object([
                "route": route.map { .string($0.rawValue) } ?? .null, "outcome": .string(outcome.rawValue),
                "action": action.map { .string($0.rawValue) } ?? .null,
            ])
        }
    }

    init(_ resolution: Resolution) {
        head = Head(route: resolution.route, outcome: resolution.outcome, action: resolution.action)
        destination = resolution.destination
        blockReason = resolution.blockReason
    }

    /// Returns the names of the parts that differ; empty if the answers are the same.
    func differences(from other: ReplayResult) -> [String] {
        guard self != other else { return [] }
        let (own, others) = (destination ?? ResolvedDestination(), other.destination ?? ResolvedDestination())
        let facets: [(name: String, isEqual: Bool)] = [
            ("route", head.route == other.head.route), ("outcome", head.outcome == other.head.outcome),
            ("action", head.action == other.head.action), ("reason", blockReason == other.blockReason),
            ("screen", own.screen == others.screen), ("arguments", own.arguments == others.arguments),
            ("stack", own.stack == others.stack), ("uri", own.uri == others.uri), ("web", own.web == others.web),
            ("store", own.store == others.store), ("data", own.data == others.data),
            ("campaign", own.campaign == others.campaign), ("fallbacks", own.fallbacks == others.fallbacks),
        ]
        return facets.filter { !$0.isEqual }.map(\.name)
    }

    /// The destination as `POST /resolve` returns it; null if there is none.
    var destinationJSON: JSONNode {
        guard let destination else { return .null }
        var writer = JSONWriter()
        writer.destination(destination)
        // The text was written a line above and is at most as large as a few links.
        return (try? JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))) ?? .null
    }
}
