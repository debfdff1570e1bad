/// Whether a changed table lets some of its routes answer links that other routes answered before: what a key that may write
/// some routes only must not do.
///
/// A route takes from a later one where both may hold for a link, unless an own route that came earlier held for all of its
/// links before. Everything is proved: what cannot be told counts as taken.
package struct TakingCheck {
    private let identity: Identity
    private let hosts: [HostSpace]
    private let before: [RankedRoute]
    private let after: [RankedRoute]
    private var steps = 0

    /// How many texts and pairs of conditions are compared before the rest counts as taken: a fraction of a second.
    private static let mostSteps = 2_000_000

    /// A route that loses links to another; nil where there were too many to compare.
    package struct Taking: Sendable, Hashable {
        package let taker: RouteID
        package let victim: RouteID?
    }

    /// A route and its place in the order that decides.
    private struct RankedRoute {
        let route: Route
        let key: PatternKey
        let place: Int
        /// What every link of the route has as its first segment, letters folded; nil for any.
        let firstWord: [UInt8]?
        /// Whether the path is one text, which holds for no other path than its own.
        let isOneText: Bool

        init(_ route: Route, at place: Int) {
            self.route = route
            self.place = place
            key = PatternKey(route.host, route.path.segments)
            let segments = route.path.segments
            if case .literal(let literal)? = segments.first {
                firstWord = literal.map(folded)
            } else {
                firstWord = nil
            }
            isOneText = segments.allSatisfy { if case .literal = $0 { true } else { false } }
        }

        func precedes(_ other: RankedRoute) -> Bool { (key, place) < (other.key, other.place) }

    }

    /// Routes by their first segment, so that few of them are looked at.
    private struct Neighbours {
        private let all: [RankedRoute]
        private let byWord: [[UInt8]?: [RankedRoute]]

        init(_ routes: [RankedRoute]) {
            all = routes
            byWord = Dictionary(grouping: routes, by: \.firstWord)
        }

        /// Those that may have links with the same first segment.
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

    /// What the changed routes take, one victim for each that takes.
    ///
    /// - Parameters:
    ///   - changed: Own routes of the table after that are new or other than before.
    ///   - isOwn: Whose routes give way to each other. Only these differ between the tables.
    ///   - isProtected: Whether another route loses nothing to the changed one.
    package mutating func takings(
        by changed: Set<RouteID>,
        isOwn: (Route) -> Bool,
        isProtected: (_ route: Route, _ changed: Route) -> Bool
    ) -> [Taking] {
        let places = Dictionary(before.map { ($0.route.id, $0) }) { first, _ in first }
        let own = Neighbours(before.filter { isOwn($0.route) })
        let others = Neighbours(after.filter { !isOwn($0.route) })
        var takings: [Taking] = []
        for taker in after where changed.contains(taker.route.id) {
            var ownSpaces: [LinkSpace]??
            var cover: RankedRoute??
            for victim in others.of(taker) {
                steps += 1
                guard steps <= Self.mostSteps else {
                    takings.append(Taking(taker: taker.route.id, victim: nil))
                    break
                }
                guard taker.precedes(victim), isProtected(victim.route, taker.route) else { continue }
                let spaces = ownSpaces ?? self.spaces(of: taker.route)
                ownSpaces = .some(spaces)
                let lost = self.spaces(of: victim.route)
                guard mayMeet(spaces, lost) else { continue }
                let known = cover ?? self.cover(of: taker, spaces, own)
                cover = .some(known)
                if let known, known.precedes(places[victim.route.id] ?? victim) { continue }
                takings.append(Taking(taker: taker.route.id, victim: victim.route.id))
                break
            }
        }
        return takings
    }

    /// The parts of what a route holds for; nil where they are too many.
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

    /// The first of the own routes before that held for everything that the route holds for.
    private mutating func cover(of taker: RankedRoute, _ spaces: [LinkSpace]?, _ own: Neighbours) -> RankedRoute? {
        guard let spaces else { return nil }
        var cover: RankedRoute?
        for route in own.of(taker) {
            steps += 1
            if route.isOneText, !taker.isOneText || route.key != taker.key { continue }
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
