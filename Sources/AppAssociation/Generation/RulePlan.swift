import LinkRouting

/// How a platform reads rules, and how routes are written in them.
protocol RuleDialect {
    /// The rule that takes every link.
    static var everything: AssociationRule { get }
    /// Every path that the platform could be asked for, in the form in which it compares them.
    static var allPaths: Language { get }

    /// Rules that together take every link that the route fits.
    static func openings(of route: Route, _ plusSign: Link.PlusSign) -> [AssociationRule]
    /// Rules that take no link but those which the route fits, as far as query and fragment go. Whether their paths take
    /// more is for the caller to judge.
    static func exclusions(of route: Route) -> [AssociationRule]

    /// The paths that a rule takes, leaving the query and the fragment aside.
    static func pathLanguage(of rule: AssociationRule) -> Language
    static func pathLanguage(of route: Route, _ bound: Bound) -> Language
}

/// The rules for one app: exclusions first, then what opens.
///
/// Every exclusion is proved to refuse no link that the table opens, so its place does not matter; in front it stands before
/// every opening rule that it overlaps. No rule is kept that others make superfluous.
struct RulePlan<Dialect: RuleDialect> {
    private let routes: AppRoutes
    private let openings: [Opening]
    private let openingIndex: HeadIndex
    /// Routes that never open the app, by their place in `routes.entries`.
    private let closed: [Int]
    private let closedIndex: HeadIndex

    private struct Opening {
        /// In `routes.entries`.
        let place: Int
        let route: Route
        let rule: AssociationRule
    }

    init(_ routes: AppRoutes) {
        self.routes = routes
        let plusSign = routes.router.table.defaults.plusSign
        openings = routes.entries.indices.filter { routes.entries[$0].opens }.flatMap { place in
            let route = routes.entries[place].route
            return Dialect.openings(of: route, plusSign).map { Opening(place: place, route: route, rule: $0) }
        }
        openingIndex = HeadIndex(openings.map(\.rule.head))
        closed = routes.entries.indices.filter { !routes.entries[$0].opens }
        closedIndex = HeadIndex(closed.map { routes.entries[$0].route.path.head })
    }

    /// Empty when the table opens nothing in the app.
    func rules() -> [AssociationRule] {
        let opening = openingRules()
        guard !opening.isEmpty else { return [] }
        let exclusions = exclusions()
        let opened = opening.filter { !isRefused($0, by: exclusions) }
        return opened.isEmpty ? [] : exclusions + opened
    }

    /// Whether exclusions take all links of an opening rule. They take none that the table opens, so earlier routes do.
    private func isRefused(_ rule: AssociationRule, by exclusions: [AssociationRule]) -> Bool {
        let rivals = exclusions.filter { exclusion in
            let (one, other) = (exclusion.head, rule.head)
            return (one.starts(with: other) || other.starts(with: one)) && exclusion.takesQueryAndFragment(of: rule)
        }
        guard !rivals.isEmpty else { return false }
        let languages = rivals.map(Dialect.pathLanguage)
        return Dialect.pathLanguage(of: rule).isCovered(by: languages, within: Dialect.allPaths) ?? false
    }

    // MARK: Opening

    private func openingRules() -> [AssociationRule] {
        let all = openings.first { $0.rule.takesAll(of: Dialect.everything) }
        guard !routes.fallbackOpens, all == nil else { return [all?.rule ?? Dialect.everything] }
        var isKept = Array(repeating: true, count: openings.count)
        for number in openings.indices { isKept[number] = isNeeded(number, isKept) }
        return zip(openings, isKept).filter(\.1).map(\.0.rule)
    }

    /// Whether some link needs the rule: neither one other rule takes all of its links, nor the earlier ones together.
    private func isNeeded(_ number: Int, _ isKept: [Bool]) -> Bool {
        let opening = openings[number]
        func isRival(_ other: Int) -> Bool {
            other != number && isKept[other] && openings[other].rule.takesQueryAndFragment(of: opening.rule)
        }
        let head = opening.rule.head
        let wider = openingIndex.beginning(head).filter(isRival)
        if wider.contains(where: { isCovered(opening, by: [openings[$0]]) }) { return false }
        let earlier = openingIndex.meeting(head).filter { $0 < number && isRival($0) }
        // More are too many to be looked at together; they would have to be very narrow to matter.
        guard (2...32).contains(earlier.count) else { return true }
        return !isCovered(opening, by: earlier.map { openings[$0] })
    }

    private func isCovered(_ opening: Opening, by others: [Opening]) -> Bool {
        if others.contains(where: { $0.rule.takesAll(of: opening.rule) }) { return true }
        let languages = others.map { Dialect.pathLanguage(of: $0.rule) }
        return Dialect.pathLanguage(of: opening.rule).isCovered(by: languages, within: Dialect.allPaths) ?? false
    }

    // MARK: Exclusions

    private func exclusions() -> [AssociationRule] {
        var kept: [(rule: AssociationRule, path: Language)] = []
        for place in closed {
            for rule in exclusions(of: place) {
                let path = Dialect.pathLanguage(of: rule)
                func takes(
                    _ one: (rule: AssociationRule, path: Language),
                    _ other: (rule: AssociationRule, path: Language)
                )
                    -> Bool
                {
                    one.rule.takesQueryAndFragment(of: other.rule)
                        && other.path.isCovered(by: [one.path], within: Dialect.allPaths) == true
                }
                guard !kept.contains(where: { takes($0, (rule, path)) }) else { continue }
                kept.removeAll { takes((rule, path), $0) }
                kept.append((rule, path))
            }
        }
        return kept.map(\.rule)
    }

    /// The exclusions for a route that never opens the app, without those that would refuse a link which the table opens and
    /// those whose links no rule opens anyway.
    private func exclusions(of place: Int) -> [AssociationRule] {
        let entry = routes.entries[place]
        return Dialect.exclusions(of: entry.route).filter { rule in
            let meeting = openingIndex.meeting(rule.head)
            guard routes.fallbackOpens || !meeting.isEmpty else { return false }
            let takers = closedIndex.meeting(rule.head).map { closed[$0] }.filter { taker in
                taker == place
                    ? entry.isCertain && entry.route.trailingSlash == .ignored : routes.entries[taker].takesItsPath
            }
            let path = Dialect.pathLanguage(of: rule)
            let isUseful =
                routes.fallbackOpens
                || meeting.contains { path.mayMeet(Dialect.pathLanguage(of: openings[$0].rule)) }
            guard isUseful else { return false }
            for number in meeting {
                let opening = openings[number]
                let opened = Dialect.pathLanguage(of: opening.route, .upper)
                if mayRefuse(path, opened, takers.filter { $0 < opening.place }) { return false }
            }
            return !routes.fallbackOpens || !mayRefuse(path, Dialect.allPaths, takers)
        }
    }

    /// Whether an excluded path may be one that a route opens and none of the takers, which come before it, takes.
    private func mayRefuse(_ excluded: Language, _ opened: Language, _ takers: [Int]) -> Bool {
        let taken = takers.map { Dialect.pathLanguage(of: routes.entries[$0].route, .lower) }
        return Language.shortestText(in: [excluded, opened, Dialect.allPaths], outside: taken) != .none
    }
}

extension AssociationRule {
    /// Whether it is as another rule, but for what only narrows that.
    fileprivate func takesAll(of other: AssociationRule) -> Bool {
        path == other.path && isRoot == other.isRoot && isExcluded == other.isExcluded
            && (foldsCase || !other.foldsCase) && takesQueryAndFragment(of: other)
    }
}
