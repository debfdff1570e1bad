/// Checks whether changed routes of a table shadow other routes: whether they match links that the others answered
/// before. A key that is limited to some routes must not cause that.
///
/// A route shadows a later one if both may match the same link. It does not if, before the change, an own route that
/// precedes the later one matched all links that the first one matches now. The check is conservative: a pair of routes
/// that it cannot decide counts as shadowing.
package struct ShadowingCheck {
    private let identity: Identity
    private let hosts: [HostSpace]
    private let before: [RankedRoute]
    private let after: [RankedRoute]
    private var steps = 0

    /// Maximum number of texts and pairs of conditions to compare, a fraction of a second. Beyond it, all routes count
    /// as shadowed.
    private static let mostSteps = 2_000_000

    /// A pair of routes of which the first answers links that the second answered before.
    package struct Shadowing: Sendable, Hashable {
        package let shadowing: RouteID
        /// Nil if there were too many routes to compare.
        package let shadowed: RouteID?
    }

    /// A route and its position in the order of precedence.
    private struct RankedRoute {
        let route: Route
        let key: PatternKey
        let index: Int
        /// The first segment of all links of the route, case-folded; nil when it varies.
        let firstWord: [UInt8]?
        /// Whether the path consists of literals only, so that it matches a single path.
        let isOneText: Bool

        init(_ route: Route, at index: Int) {
            self.route = route
            self.index = index
            key = PatternKey(route.host, route.path.segments)
            let segments = route.path.segments
            if case .literal(let literal)? = segments.first {
                firstWord = literal.map(folded)
            } else {
                firstWord = nil
            }
            isOneText = segments.allSatisfy { if case .literal = $0 { true } else { false } }
        }

        func precedes(_ other: RankedRoute) -> Bool { (key, index) < (other.key, other.index) }

    }

    /// Routes grouped by first segment, to limit the number of comparisons.
    private struct Neighbours {
        private let all: [RankedRoute]
        private let byWord: [[UInt8]?: [RankedRoute]]

        init(_ routes: [RankedRoute]) {
            all = routes
            byWord = Dictionary(grouping: routes, by: \.firstWord)
        }

        /// Returns the routes that may match links with the same first segment.
        func of(_ route: RankedRoute) -> [RankedRoute] {
            guard let word = route.firstWord else { return all }
            return (byWord[word] ?? []) + (byWord[nil] ?? [])
        }
    }

    package init(from before: RouteTable, to after: RouteTable, of identity: Identity) {
        self.identity = identity
        hosts = HostSpace.all(of: identity)
        self.before = before.routes.enumerated().map { RankedRoute($1, at: $0) }
        self.after = after.routes.enumerated().map { RankedRoute($1, at: $0) }
    }

    /// Returns the changed routes that shadow others, each with at most one shadowed route.
    ///
    /// - Parameters:
    ///   - changed: Own routes of the new table that were added or changed.
    ///   - isOwn: Whether a route belongs to the caller. Own routes may shadow each other. Only they differ between the
    ///     tables.
    ///   - isProtected: Whether another route must not lose links to the changed one.
    package mutating func shadowings(
        by changed: Set<RouteID>,
        isOwn: (Route) -> Bool,
        isProtected: (_ route: Route, _ changed: Route) -> Bool
    ) -> [Shadowing] {
        let places = Dictionary(before.map { ($0.route.id, $0) }) { first, _ in first }
        let own = Neighbours(before.filter { isOwn($0.route) })
        let others = Neighbours(after.filter { !isOwn($0.route) })
        var shadowings: [Shadowing] = []
        for shadowing in after where changed.contains(shadowing.route.id) {
            var ownSpaces: [LinkSpace]??
            var cover: RankedRoute??
            for shadowed in others.of(shadowing) {
                steps += 1
                guard steps <= Self.mostSteps else {
                    shadowings.append(Shadowing(shadowing: shadowing.route.id, shadowed: nil))
                    break
                }
                guard shadowing.precedes(shadowed), isProtected(shadowed.route, shadowing.route) else { continue }
                let spaces = ownSpaces ?? self.spaces(of: shadowing.route)
                ownSpaces = .some(spaces)
                let lost = self.spaces(of: shadowed.route)
                guard mayMeet(spaces, lost) else { continue }
                let known = cover ?? self.cover(of: shadowing, spaces, own)
                cover = .some(known)
                if let known, known.precedes(places[shadowed.route.id] ?? shadowed) { continue }
                shadowings.append(Shadowing(shadowing: shadowing.route.id, shadowed: shadowed.route.id))
                break
            }
        }
        return shadowings
    }

    /// Returns the spaces of links and callers that a route matches; nil when there are too many.
    private mutating func spaces(of route: Route) -> [LinkSpace]? {
        guard let alternatives = route.when.map(\.alternatives) ?? [Facts()] else { return nil }
        let hosts = route.host.map { HostSpace.spaces(of: $0, identity) } ?? hosts
        let spaces = alternatives.filter { $0.contradictions(identity.apps).isEmpty }
            .map { LinkSpace(route, $0, hosts: hosts) }.filter { !$0.isEmpty }
        steps += Self.size(spaces) + hosts.count
        return spaces
    }

    private static func size(_ spaces: [LinkSpace]) -> Int { spaces.reduce(1) { $0 + $1.size } }

    private mutating func mayMeet(_ one: [LinkSpace]?, _ other: [LinkSpace]?) -> Bool {
        guard let one, let other else { return true }
        steps += Self.size(one) * max(other.count, 1)
        return one.contains { space in other.contains { space.mayMeet($0, identity.apps) } }
    }

    /// Returns the first of the earlier own routes that matched everything that the route matches; nil for none.
    private mutating func cover(of shadowing: RankedRoute, _ spaces: [LinkSpace]?, _ own: Neighbours) -> RankedRoute? {
        guard let spaces else { return nil }
        var cover: RankedRoute?
        for route in own.of(shadowing) {
            steps += 1
            if route.isOneText, !shadowing.isOneText || route.key != shadowing.key { continue }
            if let cover, cover.precedes(route) { continue }
            guard steps <= Self.mostSteps else { return cover }
            guard let alternatives = route.route.when.map(\.alternatives) ?? [Facts()] else { continue }
            steps += Self.size(spaces) * max(alternatives.count, 1)
            let holdsForAll = spaces.allSatisfy { space in
                alternatives.contains { space.subtracting(route.route, $0)?.isEmpty == true }
            }
            if holdsForAll { cover = route }
        }
        return cover
    }
}
