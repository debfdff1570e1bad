import LinkCatalog
import LinkRouting

/// A fact that routes depend on and that is never recorded, so that a replay cannot show its effect.
struct UnseenFact: Sendable, Hashable {
    /// The name, such as `query code`, `fragment`, `trait userType`.
    let fact: String
    /// Routes of either table that depend on the fact, in their order.
    let routes: [RouteID]

    /// Returns the facts of both tables; those that most routes depend on come first.
    static func list(live: PublishedTable, draft: PublishedTable) -> [UnseenFact] {
        let recorded = live.settings.privacy
        var routes: [String: [RouteID]] = [:]
        var seen: Set<UnseenFact> = []
        for route in live.router.table.routes + draft.router.table.routes {
            for fact in route.unseenFacts(recording: recorded)
            where seen.insert(UnseenFact(fact: fact, routes: [route.id])).inserted {
                routes[fact, default: []].append(route.id)
            }
        }
        return routes.map { UnseenFact(fact: $0.key, routes: $0.value) }.sorted {
            ($1.routes.count, $0.fact) < ($0.routes.count, $1.fact)
        }
    }

    /// Formatted as `{fact, count, routes}`, with the first ten routes.
    var json: JSONNode {
        .object([
            "fact": .string(fact), "count": .int(routes.count),
            "routes": .array(routes.prefix(10).map { .string($0.rawValue) }),
        ])
    }
}

extension Route {
    fileprivate func unseenFacts(recording recorded: Settings.Privacy) -> [String] {
        var facts: [String] = []
        for condition in query {
            var isSensitive = false
            if case .capture(let parameter, _) = condition.test { isSensitive = sensitive.contains(parameter.name) }
            if isSensitive || !recorded.recordQuery.contains(ExactText(condition.name)) {
                facts.append("query \(condition.name)")
            }
        }
        if fragment != nil { facts.append("fragment") }
        if trailingSlash == .strict { facts.append("trailing slash") }
        if let when { facts += when.unseenFacts(recording: recorded) }
        if experiment != nil { facts.append("stickyKey") }
        if case .answer(let target) = behaviour {
            if target.signIn == .required { facts.append("authenticated") }
        }
        return facts
    }
}

extension Condition {
    fileprivate func unseenFacts(recording recorded: Settings.Privacy) -> [String] {
        switch self {
        case .authenticated: ["authenticated"]
        case .trait(let name, _): recorded.recordTraits.contains(ExactText(name)) ? [] : ["trait \(name)"]
        case .inAppBrowser: ["inAppBrowser"]
        case .rollout: ["stickyKey"]
        case .all(let conditions), .any(let conditions): conditions.flatMap { $0.unseenFacts(recording: recorded) }
        case .not(let condition): condition.unseenFacts(recording: recorded)
        case .platform, .device, .osVersion, .appVersion, .appBuild, .locale, .country, .time, .apps: []
        }
    }
}
