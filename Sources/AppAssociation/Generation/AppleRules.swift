import LinkRouting

/// The rules for one app: exclusions first, then what opens.
///
/// Every exclusion is proved to refuse no link that the table opens, so its place does not matter; in front it stands before
/// every opening rule that it overlaps. No rule is kept that others make superfluous.
struct AppleRules {
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
        let rule: AppleRule

        var path: Language { route.path.pathLanguage(.upper, route.letterCase) }
        var rulePath: Language { rule.pathLanguage }
    }

    init(_ routes: AppRoutes) {
        self.routes = routes
        let plusSign = routes.router.table.defaults.plusSign
        openings = routes.entries.indices.filter { routes.entries[$0].opens }.map { place in
            let route = routes.entries[place].route
            return Opening(place: place, route: route, rule: AppleRule(opening: route, plusSign))
        }
        openingIndex = HeadIndex(openings.map(\.route.path.head))
        closed = routes.entries.indices.filter { !routes.entries[$0].opens }
        closedIndex = HeadIndex(closed.map { routes.entries[$0].route.path.head })
    }

    func made() -> [AppleRule] {
        let opening = openingRules()
        return opening.isEmpty ? [] : exclusions() + opening
    }

    // MARK: Opening

    private func openingRules() -> [AppleRule] {
        let all = openings.first { $0.rule.takesEverything }
        guard !routes.fallbackOpens, all == nil else { return [all?.rule ?? .everything] }
        var isKept = Array(repeating: true, count: openings.count)
        for number in openings.indices { isKept[number] = isNeeded(number, isKept) }
        return zip(openings, isKept).filter(\.1).map(\.0.rule)
    }

    /// How many earlier rules are looked at together.
    private static let widestUnion = 32

    private func isNeeded(_ number: Int, _ isKept: [Bool]) -> Bool {
        let opening = openings[number]
        func isRival(_ other: Int) -> Bool {
            other != number && isKept[other] && openings[other].rule.takesQueryAndFragment(of: opening.rule)
        }
        let head = opening.route.path.head
        let wider = openingIndex.beginning(head).filter(isRival)
        if wider.contains(where: { isCovered(opening, by: [openings[$0]]) }) { return false }
        let earlier = openingIndex.meeting(head).filter { $0 < number && isRival($0) }
        guard (2...Self.widestUnion).contains(earlier.count) else { return true }
        return !isCovered(opening, by: earlier.map { openings[$0] })
    }

    private func isCovered(_ opening: Opening, by others: [Opening]) -> Bool {
        if others.contains(where: { $0.rule.path.pieces == opening.rule.path.pieces && !opening.rule.foldsCase }) {
            return true
        }
        return opening.rulePath.isCovered(by: others.map(\.rulePath), within: Glob.allPaths) ?? false
    }

    // MARK: Exclusions

    private func exclusions() -> [AppleRule] {
        var kept: [(rule: AppleRule, path: Language)] = []
        for place in closed {
            guard let rule = exclusion(of: place) else { continue }
            let path = rule.pathLanguage
            func takes(_ one: (rule: AppleRule, path: Language), _ other: (rule: AppleRule, path: Language)) -> Bool {
                one.rule.takesQueryAndFragment(of: other.rule)
                    && other.path.isCovered(by: [one.path], within: Glob.allPaths) == true
            }
            guard !kept.contains(where: { takes($0, (rule, path)) }) else { continue }
            kept.removeAll { takes((rule, path), $0) }
            kept.append((rule, path))
        }
        return kept.map(\.rule)
    }

    /// The exclusion for a route that never opens the app; nil when it would refuse a link that the table opens, or when no
    /// rule opens any of its links anyway.
    private func exclusion(of place: Int) -> AppleRule? {
        let entry = routes.entries[place]
        guard let rule = AppleRule(excluding: entry.route) else { return nil }
        let head = entry.route.path.head
        let meeting = openingIndex.meeting(head)
        let path = rule.pathLanguage
        let isUseful = routes.fallbackOpens || meeting.contains { path.mayMeet(openings[$0].rulePath) }
        guard isUseful else { return nil }
        let takers = closedIndex.meeting(head).map { closed[$0] }.filter { taker in
            taker == place
                ? entry.isCertain && entry.route.trailingSlash == .ignored : routes.entries[taker].takesItsPath
        }
        for number in meeting
        where mayRefuse(path, openings[number].path, takers.filter { $0 < openings[number].place }) {
            return nil
        }
        guard !routes.fallbackOpens || !mayRefuse(path, Glob.allPaths, takers) else { return nil }
        return rule
    }

    /// Whether an excluded path may be one that a route opens and none of the takers, which come before it, takes.
    private func mayRefuse(_ excluded: Language, _ opened: Language, _ takers: [Int]) -> Bool {
        let taken = takers.map { place in
            let route = routes.entries[place].route
            return route.path.pathLanguage(.lower, route.letterCase)
        }
        return Language.shortestText(in: [excluded, opened, Glob.allPaths], outside: taken) != .none
    }
}
