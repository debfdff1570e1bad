/// Finds problems between routes: routes that are never reached, that cannot be told apart, or that only their order
/// tells apart.
///
/// Every claim is proved or demonstrated. *Unreachable*: earlier routes are subtracted from what a route matches
/// (``LinkSpace``) until nothing is left. The router itself determines which route to subtract next, by resolving a
/// sample of the remaining links. *Overlapping*: the router answers a sample link with one of two routes, and the other
/// one matches it as well. Where neither proof is found, nothing is claimed.
struct OrderCheck {
    let router: Router
    private let budget: WorkBudget
    private let limits: Limits
    private(set) var findings: [Finding] = []
    /// The routes, in order of precedence.
    private let routes: [CheckedRoute]

    /// Maximum number of reported overlaps; more are not useful before these are fixed.
    private static let mostOverlaps = 100
    /// Maximum number of remaining sample links to resolve before a route counts as reachable.
    private static let mostSearches = 64
    /// The maximum number of routes with the same path that are compared with a route; they are the nearest ones.
    private static let mostNeighbours = 100
    private static let mostParts = 256
    /// The maximum number of nodes that a lookup visits.
    private let walkSteps: Int
    private var evaluations = 0
    /// Whether one of the limits ended the comparison.
    private var isCutShort = false

    /// With thousands of routes for one path, the last ones are not checked.
    struct Limits {
        /// Maximum number of route evaluations, for each of the two questions.
        var evaluations = 2_000_000
        /// Maximum number of comparisons of two routes.
        var comparisons = 200_000
    }

    /// A route and the links and callers that it matches.
    private struct CheckedRoute {
        let route: Route
        /// Index of the route in the document.
        let index: Int
        let key: PatternKey
        /// The alternatives of its `when` without contradictory ones; nil when there are too many.
        let alternatives: [Facts]?
        /// One space for each alternative; none when no link or no caller can match.
        let spaces: [LinkSpace]
        /// The work of evaluating the route's conditions, in evaluations of a route without conditions.
        let weight: Int
        /// What comparing it with another route costs.
        let texts: Int
    }

    init(_ router: Router, _ budget: WorkBudget, _ limits: Limits = Limits()) {
        self.router = router
        self.budget = budget
        self.limits = limits
        walkSteps = router.index.worstCase(\.comparisonSteps) { _ in 0 }
        let allHosts = HostSpace.all(of: router.identity)
        routes = router.table.routes.enumerated().map { index, route in
            let texts = route.comparedTexts
            let possible = Self.alternatives(of: route, router.identity.apps, budget)
            return CheckedRoute(
                route: route,
                index: index,
                key: PatternKey(route.host, route.path.segments),
                alternatives: possible,
                spaces: possible.map { Self.spaces(of: route, texts, $0, router.identity, allHosts, budget) } ?? [],
                weight: route.conditionWeight,
                texts: texts
            )
        }
        .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
    }

    private static func alternatives(
        of route: Route,
        _ apps: [RegisteredApp],
        _ budget: WorkBudget
    ) -> [Facts]? {
        guard budget.spend(), let alternatives = route.when.map(\.alternatives) ?? [Facts()],
            // The facts of all routes are kept, at 200 bytes each, so their memory counts as well.
            budget.spend(alternatives.reduce(1) { $0 + 32 * $1.sets.count })
        else { return nil }
        return alternatives.filter { $0.contradictions(apps).isEmpty }
    }

    private static func spaces(
        of route: Route,
        _ texts: Int,
        _ alternatives: [Facts],
        _ identity: Identity,
        _ allHosts: [HostSpace],
        _ budget: WorkBudget
    ) -> [LinkSpace] {
        guard budget.spend(texts + alternatives.count) else { return [] }
        let hosts = route.host.map { HostSpace.spaces(of: $0, identity) } ?? allHosts
        let space = LinkSpace(route, Facts(), hosts: hosts)
        return space.isEmpty ? [] : alternatives.map(space.with)
    }

    mutating func run(now: Timestamp?) {
        var isReached = Array(repeating: true, count: routes.count)
        for rank in routes.indices {
            if let now { findEnd(of: routes[rank], now) }
            guard !budget.isUsedUp, !routes[rank].spaces.isEmpty, let cover = cover(of: rank) else { continue }
            isReached[rank] = false
            tellUnreachable(rank, cover)
        }
        evaluations = 0
        findOverlaps(isReached)
        if now != nil { tellLanguageOrder() }
        if budget.isUsedUp || isCutShort { tellUndecided() }
    }

    private mutating func tellUndecided() {
        findings.append(
            Finding(
                .undecided,
                .warning,
                path: "routes",
                message:
                    "Comparing all routes with each other takes too long, so the comparison stopped early: some "
                    + "unreachable or overlapping routes may not be reported.",
                fix: "Merge routes that differ in only one segment or that have the same path, then check again."
            )
        )
    }

    // MARK: Unreachable

    /// Returns the routes that together answer all links of a route; nil when some link reaches it, or when that cannot
    /// be proved.
    private mutating func cover(of rank: Int) -> Set<Int>? {
        var left = routes[rank].spaces
        var cover: Set<Int> = []
        var searches = 0
        while let space = left.popLast() {
            guard let (taker, rests) = firstTaker(of: space, from: rank, &searches) else { return nil }
            cover.insert(taker)
            left += rests
        }
        return cover
    }

    /// Returns an earlier route that answers links of the space, and what it leaves over; nil when the route itself
    /// answers, or when none is found.
    private mutating func firstTaker(
        of space: LinkSpace,
        from rank: Int,
        _ searches: inout Int
    ) -> (Int, [LinkSpace])? {
        guard let caller = space.facts.caller(router.apps, budget) else { return nil }
        for number in 0..<LinkSpace.sampleCount {
            searches += 1
            if evaluations > limits.evaluations { isCutShort = true }
            guard searches <= Self.mostSearches, evaluations <= limits.evaluations,
                // A sample is compared with all routes that were subtracted before.
                budget.spend(searches * routes[rank].texts),
                let sample = space.sample(number, caller)
            else { continue }
            guard let winner = self.rank(for: sample), winner != rank else { return nil }
            evaluations += routes[winner].weight * routes[rank].weight
            guard winner < rank, let rests = subtracting(winner, from: space, of: rank) else { continue }
            return (winner, rests)
        }
        return nil
    }

    /// Returns the rank of the route that answers the sample; nil for none, or when the budget is used up.
    private mutating func rank(for sample: LinkSpace.Sample) -> Int? {
        let length = sample.text.utf8.count
        // A comparison of a text with a type or a listed value reads the whole text.
        let stepsPerComparison = 1 + length / 32
        guard budget.spend(length / 4 + walkSteps * stepsPerComparison) else { return nil }
        let input = router.input(sample.link, sample.caller)
        var (evaluations, steps) = (0, 0)
        var parts = LinkParts()
        let winner = router.index.smallestRank(for: input.link, input, &parts) { rank, _, input, parts in
            evaluations += routes[rank].weight
            steps += routes[rank].weight
            return router.route(at: rank).holds(for: input, &parts)
        }
        self.evaluations += evaluations
        return budget.spend(steps * stepsPerComparison) ? winner : nil
    }

    /// Returns what a route leaves over of a space; nil when it is not proved to take anything, or when the budget is used
    /// up.
    private func subtracting(_ rank: Int, from space: LinkSpace, of other: Int) -> [LinkSpace]? {
        let taker = routes[rank]
        var left = [space]
        var hasTaken = false
        let texts = taker.texts + routes[other].texts + space.hosts.count
        for facts in taker.alternatives ?? [] {
            // Each alternative of a 'when' may split every part into several.
            guard left.count <= Self.mostParts else { return nil }
            left = left.flatMap { space in
                guard budget.spend(texts),
                    let rests = space.subtracting(taker.route, facts)
                else { return [space] }
                hasTaken = true
                return budget.spend(rests.count) ? rests : []
            }
            guard !budget.isUsedUp else { return nil }
        }
        return hasTaken ? left : nil
    }

    /// Whether a route is proved to match everything that another one matches.
    private func takesAll(_ rank: Int, of other: Int) -> Bool {
        routes[other].alternatives != nil
            && routes[other].spaces.allSatisfy { subtracting(rank, from: $0, of: other)?.isEmpty == true }
    }

    private mutating func tellUnreachable(_ rank: Int, _ cover: Set<Int>) {
        let checked = routes[rank]
        let (id, takers) = (checked.route.id, cover.sorted())
        guard let first = takers.first else { return }
        let names = takers.map { "'\(routes[$0].route.id)'" }
        let example = checked.spaces.first.flatMap { space in
            space.facts.caller(router.apps, budget).flatMap { space.sample(0, $0)?.text }
        }
        let isDuplicate = takers.count == 1 && takesAll(rank, of: first)
        let isSameKey = takers.allSatisfy { routes[$0].key == checked.key }
        findings.append(
            Finding(
                isDuplicate ? .duplicateRoute : .unreachableRoute,
                .error,
                path: "routes[\(checked.index)]",
                route: id,
                message: isDuplicate
                    ? "'\(id)' can never be reached: \(names[0]) comes first and matches exactly the same links."
                    : names.count == 1
                        ? "'\(id)' can never be reached: \(names[0]) comes first and matches all of its links."
                        : "'\(id)' can never be reached: \(names.joined(separator: ", ")) come first and together "
                            + "match all of its links.",
                fix: isDuplicate
                    ? "Remove one of them, or give them different conditions."
                    : isSameKey
                        ? "Move '\(id)' before \(names[0]), or remove it."
                        : "Remove '\(id)', or narrow \(names[0]): its pattern always has priority.",
                example: example,
                relatedRoute: routes[first].route.id
            )
        )
    }

    // MARK: Overlapping

    /// A bucket of routes that may overlap: they have the same key, the same literals ignoring case, and the same exact
    /// host.
    private struct Neighbourhood: Hashable {
        let key: PatternKey
        let literals: [[UInt8]]
        let host: String?

        init(_ checked: CheckedRoute) {
            key = checked.key
            literals = checked.route.path.segments.compactMap { segment in
                guard case .literal(let literal) = segment else { return nil }
                return literal.map(folded)
            }
            if case .exact(let host)? = checked.route.host { self.host = host.ascii } else { host = nil }
        }
    }

    private mutating func findOverlaps(_ isReached: [Bool]) {
        var neighbours: [Neighbourhood: [Int]] = [:]
        var (comparisons, overlaps) = (0, 0)
        for rank in routes.indices where isReached[rank] && !routes[rank].spaces.isEmpty {
            let neighbourhood = Neighbourhood(routes[rank])
            for earlier in neighbours[neighbourhood, default: []].suffix(Self.mostNeighbours) {
                guard overlaps < Self.mostOverlaps else { return }
                guard comparisons < limits.comparisons, evaluations <= limits.evaluations,
                    budget.spend()
                else {
                    isCutShort = true
                    return
                }
                let weight = routes[earlier].weight + routes[rank].weight
                comparisons += routes[earlier].spaces.count * routes[rank].spaces.count * weight / 2
                // A narrower route comes first on purpose. In the reverse order, it would be unreachable.
                guard !isLanguageVariant(rank, of: earlier), let sample = overlap(earlier, rank),
                    !takesAll(rank, of: earlier), !budget.isUsedUp
                else { continue }
                overlaps += 1
                tellOverlap(earlier, rank, sample)
            }
            neighbours[neighbourhood, default: []].append(rank)
        }
    }

    /// Returns a link and a caller that the earlier route answers, and that the later one would answer in its place.
    private mutating func overlap(_ earlier: Int, _ later: Int) -> (sample: LinkSpace.Sample, facts: Facts)? {
        let (one, other) = (routes[earlier], routes[later])
        let (forms, otherForms) = (one.route.segmentForms, other.route.segmentForms)
        for space in one.spaces {
            for otherSpace in other.spaces {
                // Eight samples are made of the texts of both.
                guard budget.spend(8 * (one.texts + other.texts) + space.hosts.count) else { return nil }
                let sample = space.firstCommonSample(otherSpace, forms, otherForms, router.apps, budget) { sample in
                    let input = router.input(sample.link, sample.caller)
                    var parts = LinkParts()
                    return rank(for: sample) == earlier && other.route.holds(for: input, &parts)
                        && other.route.path.captures(in: input.link, other.route.letterCase) != nil
                }
                if let sample { return (sample, space.facts.intersection(otherSpace.facts)) }
            }
        }
        return nil
    }

    private mutating func tellOverlap(_ earlier: Int, _ later: Int, _ overlap: (sample: LinkSpace.Sample, facts: Facts))
    {
        let (one, other) = (routes[earlier], routes[later])
        let caller = overlap.facts.words(for: overlap.sample.caller)
        findings.append(
            Finding(
                .overlappingRoutes,
                .warning,
                path: "routes[\(other.index)]",
                route: other.route.id,
                message: "'\(one.route.id)' and '\(other.route.id)' both match \(overlap.sample.text)"
                    + (caller.isEmpty ? "" : " from a caller with \(caller)")
                    + "; only their order in the document decides, and '\(one.route.id)' comes first.",
                fix: Self.advice(one.route, other.route),
                example: overlap.sample.text,
                relatedRoute: one.route.id
            )
        )
    }

    /// Returns advice on how to tell two overlapping routes apart.
    private static func advice(_ one: Route, _ other: Route) -> String {
        func requiredItems(_ route: Route) -> [String] {
            route.query.filter { condition in
                switch condition.test {
                case .present, .oneOf, .capture(_, .required): true
                case .absent, .capture: false
                }
            }
            .map(\.name)
        }
        let item = requiredItems(one).first { name in !other.query.contains { $0.name == name } }
        if let item { return "If '\(one.id)' is meant to come first, add 'query: {\(item): absent}' to '\(other.id)'." }
        guard one.when == nil, other.when == nil else {
            return
                "If '\(one.id)' is meant to come first, add its conditions to '\(other.id)', under 'not' in 'when'."
        }
        return "Narrow one of the two patterns, or give the values that both match their own route."
    }

    // MARK: Languages

    /// Whether the caller's languages decide between two routes.
    private func isLanguageVariant(_ rank: Int, of earlier: Int) -> Bool {
        router.index.languageGroups[Int32(rank)]?.members.contains { $0.rank == Int32(earlier) } == true
    }

    private mutating func tellLanguageOrder() {
        let groups = router.index.languageGroups
        for rank in groups.keys.sorted() {
            guard let group = groups[rank], group.members.first?.rank == rank else { continue }
            let members = group.members.map { routes[Int($0.rank)] }
            findings.append(
                Finding(
                    .languageOrder,
                    .info,
                    path: "routes[\(members[0].index)].when",
                    route: members[0].route.id,
                    message: "These routes differ only in 'locale', so the caller's order of languages decides between "
                        + "them, not their order in the document: "
                        + "\(members.map { "'\($0.route.id)'" }.listed(first: 5)).",
                    fix: "No action is needed."
                )
            )
        }
    }

    // MARK: Time

    private mutating func findEnd(of checked: CheckedRoute, _ now: Timestamp) {
        let ends = (checked.alternatives ?? []).map(\.end)
        guard !ends.isEmpty, let last = ends.compactMap(\.self).max(), !ends.contains(nil), last <= now else { return }
        findings.append(
            Finding(
                .timeEnded,
                .info,
                path: "routes[\(checked.index)].when",
                route: checked.route.id,
                message: "The time window of '\(checked.route.id)' ended at \(last); the route no longer matches.",
                fix: "Remove the route, or give it a later 'until'."
            )
        )
    }
}
