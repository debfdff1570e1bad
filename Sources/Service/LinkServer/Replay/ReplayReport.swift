import LinkCatalog
package import LinkRouting

/// The effects of a draft on recorded links.
///
/// `events` is the sum of `replayed` and `hidden`; `replayed` is the sum of `unchanged` and `changed`.
package struct ReplayReport: Sendable {
    let live: PublishedTable
    let from: Timestamp
    let to: Timestamp
    /// Whether the limit excluded older events of the period.
    let isLimited: Bool
    let events: Int
    /// Events that were replayed with stand-ins for sensitive values.
    let standIns: Int
    let hidden: [RecordedLink.Hidden: Int]
    /// The changes, most frequent first.
    let changes: [ChangedLinks]
    let replayedByMatch: [Match: Int]
    let unseen: [UnseenFact]

    /// Links that change in the same way.
    struct ChangedLinks: Sendable {
        let from: ReplayResult.Head
        let to: ReplayResult.Head
        let differences: [String]
        let count: Int
        let samples: [Sample]
    }

    struct Sample: Sendable {
        let link: RecordedLink
        let at: Timestamp
        let from: ReplayResult
        let to: ReplayResult
    }

    /// A route, or the outcome if no route matches.
    struct Match: Sendable, Hashable {
        let route: RouteID?
        let outcome: Outcome

        init(_ head: ReplayResult.Head) {
            route = head.route
            outcome = head.outcome
        }
    }

    /// Maximum number of changes and of routes in a report.
    private static let listed = 200

    init(
        live: PublishedTable,
        from: Timestamp,
        to: Timestamp,
        isLimited: Bool,
        events: Int,
        standIns: Int,
        hidden: [RecordedLink.Hidden: Int],
        changes: [ChangedLinks],
        replayedByMatch: [Match: Int],
        unseen: [UnseenFact]
    ) {
        self.live = live
        self.from = from
        self.to = to
        self.isLimited = isLimited
        self.events = events
        self.standIns = standIns
        self.hidden = hidden
        self.changes = changes.sorted { ($1.count, $0.order) < ($0.count, $1.order) }
        self.replayedByMatch = replayedByMatch
        self.unseen = unseen
    }

    /// Number of replayed events whose answer changes.
    package var changed: Int { changes.reduce(0) { $0 + $1.count } }
    /// Number of replayed events.
    package var replayed: Int { replayedByMatch.values.reduce(0, +) }

    /// The routes that links would leave or reach, or whose answers would change; those with most changes first.
    private var routes: [(match: Match, changed: Int, gained: Int)] {
        var changed: [Match: Int] = [:]
        var gained: [Match: Int] = [:]
        for change in changes {
            changed[Match(change.from), default: 0] += change.count
            if Match(change.from) != Match(change.to) { gained[Match(change.to), default: 0] += change.count }
        }
        return Set(changed.keys).union(gained.keys).map { ($0, changed[$0] ?? 0, gained[$0] ?? 0) }.sorted {
            ($1.changed + $1.gained, $0.match.order) < ($0.changed + $0.gained, $1.match.order)
        }
    }

    package var json: JSONNode {
        let routes = routes
        let hiddenCounts = RecordedLink.Hidden.allCases.compactMap { reason in
            hidden[reason].map { JSONNode.Member(reason.rawValue, .int($0)) }
        }
        return .object([
            "tenant": .string(live.tenant.rawValue), "environment": .string(live.environment.rawValue),
            "live": live.revision.map { .int($0.rawValue) } ?? .null,
            "from": .string(from.description), "to": .string(to.description), "limited": .bool(isLimited),
            "events": .int(events), "replayed": .int(replayed), "unchanged": .int(replayed - changed),
            "changed": .int(changed), "standIns": .int(standIns), "hidden": JSONNode(.object(hiddenCounts)),
            "unseen": .array(unseen.prefix(Self.listed).map(\.json)),
            "byRoute": .array(
                routes.prefix(Self.listed).map { row in
                    .object([
                        "route": row.match.route.map { .string($0.rawValue) } ?? .null,
                        "outcome": .string(row.match.outcome.rawValue),
                        "replayed": .int(replayedByMatch[row.match] ?? 0), "changed": .int(row.changed),
                        "gained": .int(row.gained),
                    ])
                }
            ),
            "moreRoutes": .int(max(0, routes.count - Self.listed)),
            "changes": .array(changes.prefix(Self.listed).map(\.json)),
            "moreChanges": .int(max(0, changes.count - Self.listed)),
        ])
    }
}

extension ReplayReport.Match {
    /// The sort key among equal counts, for a stable order.
    fileprivate var order: String { "\(route?.rawValue ?? "") \(outcome.rawValue)" }
}

extension ReplayReport.ChangedLinks {
    fileprivate var order: String {
        [from, to].map { "\($0.route?.rawValue ?? "") \($0.outcome.rawValue) \($0.action?.rawValue ?? "")" }
            .joined(separator: " ") + differences.joined(separator: " ")
    }

    /// Formatted as `{from, to, differs, count, samples}`.
    fileprivate var json: JSONNode {
        .object([
            "from": from.json, "to": to.json, "differs": .array(differences.map(JSONNode.string)),
            "count": .int(count), "samples": .array(samples.map(\.json)),
        ])
    }
}

extension ReplayReport.Sample {
    /// Formatted as `{link, context, at, from, to}`; the last two are destinations.
    fileprivate var json: JSONNode {
        .object([
            "link": .string(link.shown), "context": link.contextJSON, "at": .string(at.description),
            "from": from.destinationJSON, "to": to.destinationJSON,
        ])
    }
}
