import LinkRouting

/// A platform's rule language: how the platform reads rules, and how routes are written as rules.
protocol RuleDialect {
    /// The rule that matches every link.
    static var everything: AssociationRule { get }
    /// Every path that the platform can be asked for, in the form in which it compares paths.
    static var allPaths: Language { get }

    /// Returns rules that together match every link that the route matches.
    static func openings(of route: Route, _ plusSign: DeepLink.PlusSign) -> [AssociationRule]
    /// Returns rules whose query and fragment match only links that the route matches. Their paths may match more; the
    /// caller must check that.
    static func exclusions(of route: Route) -> [AssociationRule]

    /// Returns the language of the paths that a rule matches, ignoring query and fragment.
    static func pathLanguage(of rule: AssociationRule) -> Language
    static func pathLanguage(of route: Route, _ bound: Bound) -> Language

    static func outline(of rule: AssociationRule) -> PathOutline
    static func outline(of route: Route) -> PathOutline
}

/// The rules for one app: exclusions first, then opening rules.
///
/// Every exclusion is proved to refuse no link that the table opens, so its position is not significant. At the front,
/// it precedes every opening rule that it overlaps. Redundant rules are removed.
///
/// All proofs share one budget. When it is used up, exclusions are left out and opening rules are kept: the file opens
/// more links than necessary, and refuses none that the table opens. The budget counts the undecided exclusions.
struct RulePlan<Dialect: RuleDialect> {
    private let routes: AppRoutes
    private let budget: WorkBudget
    private let openings: [Opening]
    private let openingIndex: OutlineIndex
    /// The routes that open the app, as indices of `routes.entries`.
    private let open: [Int]
    private let openIndex: OutlineIndex
    /// The routes that never open the app, as indices of `routes.entries`.
    private let closed: [Int]
    private let closedIndex: OutlineIndex

    private struct Opening {
        let rule: AssociationRule
        let outline: PathOutline
    }

    private struct Exclusion {
        let rule: AssociationRule
        let outline: PathOutline
        let path: Language
    }

    /// The maximum number of languages in one union. The automaton of a larger union takes too long.
    private static var widestUnion: Int { 256 }

    init(_ routes: AppRoutes, _ budget: WorkBudget) {
        self.routes = routes
        self.budget = budget
        let plusSign = routes.router.table.defaults.plusSign
        open = routes.entries.indices.filter { routes.entries[$0].opens }
        closed = routes.entries.indices.filter { !routes.entries[$0].opens }
        openings = open.flatMap { routeIndex in
            Dialect.openings(of: routes.entries[routeIndex].route, plusSign).map {
                Opening(rule: $0, outline: Dialect.outline(of: $0))
            }
        }
        openingIndex = OutlineIndex(openings.map(\.outline))
        openIndex = OutlineIndex(open.map { Dialect.outline(of: routes.entries[$0].route) })
        closedIndex = OutlineIndex(closed.map { Dialect.outline(of: routes.entries[$0].route) })
    }

    /// Returns the rules; empty if the table opens nothing in the app.
    func rules() -> [AssociationRule] {
        let opening = openingRules()
        guard !opening.isEmpty else { return [] }
        let exclusions = exclusions()
        let opened = withoutRefused(opening, by: exclusions)
        return opened.isEmpty ? [] : exclusions.map(\.rule) + opened.map(\.rule)
    }

    /// Returns the opening rules without those whose links are all excluded. The exclusions match no link that the
    /// table opens, so earlier routes match those links.
    private func withoutRefused(_ opening: [Opening], by exclusions: [Exclusion]) -> [Opening] {
        let index = OutlineIndex(exclusions.map(\.outline))
        return opening.filter { opening in
            let rivals = (index.meeting(opening.outline, budget) ?? []).filter {
                takes(exclusions[$0].rule, queryAndFragmentOf: opening.rule)
            }
            guard (1...Self.widestUnion).contains(rivals.count) else { return true }
            return !isCovered(opening.rule, by: rivals.map { exclusions[$0].path })
        }
    }

    // MARK: Opening

    private func openingRules() -> [Opening] {
        let everything = Opening(rule: Dialect.everything, outline: .everything)
        let all = openings.first { $0.rule.takesAll(of: Dialect.everything) }
        guard !routes.fallbackOpens, all == nil else { return [all ?? everything] }
        var isKept = Array(repeating: true, count: openings.count)
        for number in openings.indices { isKept[number] = isNeeded(number, isKept) }
        return zip(openings, isKept).filter(\.1).map(\.0)
    }

    /// Returns whether some link needs the rule: neither one other rule nor the earlier rules together match all of its
    /// links.
    private func isNeeded(_ number: Int, _ isKept: [Bool]) -> Bool {
        let opening = openings[number]
        func isRival(_ other: Int) -> Bool {
            other != number && isKept[other] && takes(openings[other].rule, queryAndFragmentOf: opening.rule)
        }
        let wider = (openingIndex.takingAll(of: opening.outline, budget) ?? []).filter(isRival)
        if wider.contains(where: { isCovered(opening, by: [openings[$0]]) }) { return false }
        let earlier = (openingIndex.meeting(opening.outline, budget) ?? []).filter { $0 < number && isRival($0) }
        // A union of more rules takes too long. They would have to be very narrow to matter.
        guard (2...32).contains(earlier.count) else { return true }
        return !isCovered(opening, by: earlier.map { openings[$0] })
    }

    private func takes(_ rule: AssociationRule, queryAndFragmentOf other: AssociationRule) -> Bool {
        // Each item may be compared with each.
        budget.spend(1 + rule.query.count * other.query.count / 16) && rule.takesQueryAndFragment(of: other)
    }

    private func isCovered(_ opening: Opening, by others: [Opening]) -> Bool {
        if others.contains(where: { $0.rule.takesAll(of: opening.rule) }) { return true }
        return isCovered(opening.rule, by: others.map { Dialect.pathLanguage(of: $0.rule) })
    }

    private func isCovered(_ rule: AssociationRule, by languages: [Language]) -> Bool {
        let path = Dialect.pathLanguage(of: rule)
        return path.isCovered(by: languages, within: Dialect.allPaths, budget) ?? false
    }

    // MARK: Exclusions

    private func exclusions() -> [Exclusion] {
        let proved = closed.flatMap(exclusions(of:))
        let index = OutlineIndex(proved.map(\.outline))
        var isKept = Array(repeating: true, count: proved.count)
        // Of two exclusions that match the same links, the first one stays.
        for number in proved.indices.reversed() {
            let one = proved[number]
            isKept[number] = !(index.takingAll(of: one.outline, budget) ?? []).contains { other in
                other != number && isKept[other] && takes(proved[other].rule, queryAndFragmentOf: one.rule)
                    && one.path.isCovered(by: [proved[other].path], within: Dialect.allPaths, budget) == true
            }
        }
        return zip(proved, isKept).filter(\.1).map(\.0)
    }

    /// Returns the exclusions for a route that never opens the app. It leaves out those that may refuse a link which
    /// the table opens, and those whose links no rule opens anyway.
    private func exclusions(of routeIndex: Int) -> [Exclusion] {
        Dialect.exclusions(of: routes.entries[routeIndex].route).compactMap { rule in
            let exclusion = Exclusion(
                rule: rule,
                outline: Dialect.outline(of: rule),
                path: Dialect.pathLanguage(of: rule)
            )
            guard isUseful(exclusion) else { return nil }
            guard let refuses = mayRefuse(exclusion, of: routeIndex) else {
                budget.giveUp()
                return nil
            }
            return refuses ? nil : exclusion
        }
    }

    /// Returns whether an opening rule may match a link that the exclusion matches; true if undecided.
    private func isUseful(_ exclusion: Exclusion) -> Bool {
        guard !routes.fallbackOpens, let meeting = openingIndex.meeting(exclusion.outline, budget) else { return true }
        return meeting.contains { exclusion.path.mayMeet(Dialect.pathLanguage(of: openings[$0].rule), budget) }
    }

    /// Returns whether the exclusion of a route may match a link that the table opens; nil if undecided.
    private func mayRefuse(_ exclusion: Exclusion, of routeIndex: Int) -> Bool? {
        guard let opened = openIndex.meeting(exclusion.outline, budget)?.map({ open[$0] }),
            let rivals = closedIndex.meeting(exclusion.outline, budget)?.map({ closed[$0] })
        else { return nil }
        let takers = rivals.filter { taker in
            let entry = routes.entries[taker]
            return taker == routeIndex ? entry.isCertain && entry.route.trailingSlash == .ignored : entry.takesItsPath
        }
        // Routes with the same earlier takers are examined together.
        var groups: [(takers: ArraySlice<Int>, opened: [Int])] = []
        for routeIndex in opened {
            let before = takers.prefix { $0 < routeIndex }
            if let last = groups.last, last.takers.count == before.count, last.opened.count < Self.widestUnion {
                groups[groups.count - 1].opened.append(routeIndex)
            } else {
                groups.append((before, [routeIndex]))
            }
        }
        for group in groups {
            let languages = group.opened.map { Dialect.pathLanguage(of: routes.entries[$0].route, .upper) }
            guard let refuses = mayRefuse(exclusion, .either(languages), group.takers) else { return nil }
            if refuses { return true }
        }
        return routes.fallbackOpens ? mayRefuse(exclusion, Dialect.allPaths, takers[...]) : false
    }

    /// Returns whether an excluded path may be one that an open route matches and none of the earlier `takers` does;
    /// nil if undecided.
    private func mayRefuse(_ exclusion: Exclusion, _ opened: Language, _ takers: ArraySlice<Int>) -> Bool? {
        guard takers.count <= Self.widestUnion else { return nil }
        let taken = takers.map { Dialect.pathLanguage(of: routes.entries[$0].route, .lower) }
        switch Language.shortestText(in: [exclusion.path, opened, Dialect.allPaths], outside: taken, budget) {
        case .none: return false
        case .found: return true
        case .undecided: return nil
        }
    }
}

extension AssociationRule {
    /// Returns whether `other` equals this rule, except for conditions that only make `other` narrower.
    fileprivate func takesAll(of other: AssociationRule) -> Bool {
        path == other.path && isRoot == other.isRoot && isExcluded == other.isExcluded
            && (foldsCase || !other.foldsCase) && takesQueryAndFragment(of: other)
    }
}
