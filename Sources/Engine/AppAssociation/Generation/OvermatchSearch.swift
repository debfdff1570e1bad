import LinkRouting

/// Finds overmatches: it varies links of each route, and evaluates each variant with the file and with the table.
struct OvermatchSearch {
    let routes: AppRoutes
    let platform: Platform
    let verdict: (DeepLink) -> Verdict
    /// The bytes of the links that may be evaluated, and of the rules that they are compared with.
    private let budget: WorkBudget
    /// The routes that open the app, with an index of their paths.
    private let opening: [Route]
    private let openingIndex: OutlineIndex
    /// Query items and fragments that other routes have conditions on. With one of them, another rule may decide.
    private let noise: [Noise]
    private var found: [Overmatch] = []
    private var known: Set<Cause> = []
    private var judged: Set<String> = []

    /// The result of a file for a link.
    enum Verdict {
        case stays
        /// The file opens the link by a rule for this route; nil if the rule is for no route.
        case opens(RouteID?)
    }

    /// The reason why a file opens a link that the table does not open.
    struct Cause: Hashable {
        let route: RouteID?
        let reason: Overmatch.Reason
    }

    private enum Noise {
        case item(name: String, value: String?)
        case fragment(String)
    }

    /// The maximum number of query items that are added to links.
    private static let mostItems = 4
    /// The maximum number of opening routes whose links are examined with those of one closed route.
    private static let mostMeetings = 16

    init(
        _ routes: AppRoutes,
        _ platform: Platform,
        within budget: WorkBudget,
        verdict: @escaping (DeepLink) -> Verdict
    ) {
        self.budget = budget
        self.routes = routes
        self.platform = platform
        self.verdict = verdict
        opening = routes.entries.filter(\.opens).map(\.route)
        openingIndex = OutlineIndex(opening.map { PathOutline($0.path) })
        noise = Self.noise(routes.entries.map(\.route))
    }

    private static func noise(_ routes: [Route]) -> [Noise] {
        var names: [String] = []
        for condition in routes.lazy.flatMap(\.query) where names.count < mostItems {
            if !names.contains(where: { $0.isExactly(condition.name) }) { names.append(condition.name) }
        }
        let items = names.flatMap { name in [nil, "~"].map { Noise.item(name: name, value: $0) } }
        return items + (routes.contains { $0.fragment != nil } ? [.fragment("~")] : [])
    }

    /// Returns at most one overmatch for each route and reason, in the order of the routes.
    mutating func run(_ detail: AssociationPolicy.Detail, mostRoutes: Int) -> [Overmatch] {
        let hosts = routes.hosts.samples
        guard let host = hosts.first else { return [] }
        guard detail == .routes else {
            var link = SampleLink(host: host)
            for name in ["x", "x-of-no-route", "x/y"] {
                link.segments = [Array(name.utf8)]
                judge(link, as: .coarse)
            }
            return Array(found.prefix(1))
        }
        for entry in routes.entries.prefix(mostRoutes) {
            for host in hosts {
                for link in [SampleLink(of: entry.route, on: host), SampleLink(of: entry.route, on: host, .long)] {
                    if entry.opens {
                        look(at: link, opening: entry.route)
                    } else {
                        look(at: link, closed: entry.route)
                    }
                }
            }
        }
        return inOrder(found)
    }

    private func inOrder(_ found: [Overmatch]) -> [Overmatch] {
        let places = Dictionary(routes.entries.enumerated().map { ($1.route.id, $0) }) { first, _ in first }
        return found.enumerated().sorted { left, right in
            let (one, other) = [left, right].map { $0.element.route.flatMap { places[$0] } ?? .max }.pair
            return (one, left.offset) < (other, right.offset)
        }.map(\.element)
    }

    // MARK: Causes

    private mutating func consider(_ link: SampleLink) {
        judge(link)
        if link.hasEncodedSlash { judge(link.withoutEncodedSlashes) }
    }

    /// Judges the link with query items and fragments that other routes have conditions on.
    private mutating func addNoise(to link: SampleLink) {
        for noise in noise {
            var changed = link
            switch noise {
            case .item(let name, let value):
                guard !link.query.contains(where: { $0.name.isExactly(name) }) else { continue }
                changed.query.append((name, value))
            case .fragment(let fragment):
                guard link.fragment == nil else { continue }
                changed.fragment = fragment
            }
            judge(changed)
        }
    }

    private mutating func judge(_ link: SampleLink, as coarse: Overmatch.Reason? = nil) {
        guard !budget.isUsedUp else { return }
        let url = link.url
        guard judged.insert(url).inserted, budget.spend(url.utf8.count), let parsed = try? DeepLink.parse(url),
            !routes.opens(parsed),
            case .opens(let id) = verdict(parsed)
        else { return }
        let cause = coarse.map { Cause(route: nil, reason: $0) } ?? routes.cause(of: parsed, openedBy: id, platform)
        guard known.insert(cause).inserted else { return }
        found.append(Overmatch(app: routes.app.id, route: cause.route, reason: cause.reason, example: url))
    }

    // MARK: Closed routes

    /// Examines links of a route that never opens the app: its own, and those that an opening route matches too.
    private mutating func look(at link: SampleLink, closed route: Route) {
        consider(variantsOf: link, closed: route)
        let meeting = openingIndex.meeting(PathOutline(route.path), .unlimited) ?? []
        for other in meeting.prefix(Self.mostMeetings) {
            guard let common = link.meeting(route, opening[other]) else { continue }
            consider(variantsOf: common, closed: route)
        }
    }

    private mutating func consider(variantsOf link: SampleLink, closed route: Route) {
        consider(link)
        addNoise(to: link)
        var changed = link
        changed.hasTrailingSlash.toggle()
        consider(changed)
        if route.path.endsWithRest {
            for rest in [["x"], ["x", "y"], ["x", "y", "z"]] {
                changed = link
                changed.segments = link.segments + rest.map { Array($0.utf8) }
                consider(changed)
            }
        }
        for (index, segment) in route.path.segments.enumerated() where index < link.segments.count {
            for value in segment.values {
                changed = link
                changed.segments[index] = value
                consider(changed)
            }
            guard route.letterCase == .ignored else { continue }
            changed = link
            changed.segments[index] = link.segments[index].withSwappedCase
            consider(changed)
        }
        for condition in route.query {
            for value in condition.values {
                changed = link
                changed.query = link.query.filter { $0.name != condition.name } + [(condition.name, value)]
                consider(changed)
                changed.query.append((condition.name, value))
                consider(changed)
            }
        }
    }

    // MARK: Opening routes

    private mutating func look(at link: SampleLink, opening route: Route) {
        for rest in route.path.endsWithRest ? [[], ["x"]] : [[]] {
            var link = link
            link.segments += rest.map { Array($0.utf8) }
            consider(link)
            addNoise(to: link)
            changeQuery(link, route)
            changeFragment(link, route)
            changePath(link, route)
        }
    }

    private mutating func changeQuery(_ link: SampleLink, _ route: Route) {
        guard !route.query.isEmpty else { return }
        var changed = link
        changed.query = []
        consider(changed)
        addNoise(to: changed)
        for condition in route.query {
            for value in [nil, "", "~", "0"] as [String?] {
                changed.query = link.query.filter { $0.name != condition.name } + [(condition.name, value)]
                consider(changed)
                changed.query = link.query + [(condition.name, value)]
                consider(changed)
            }
        }
    }

    private mutating func changeFragment(_ link: SampleLink, _ route: Route) {
        guard route.fragment != nil else { return }
        var changed = link
        for fragment in [nil, "", "~", "/~", (link.fragment ?? "") + "/~/~"] as [String?] {
            changed.fragment = fragment
            consider(changed)
        }
    }

    private mutating func changePath(_ link: SampleLink, _ route: Route) {
        var changed = link
        changed.hasTrailingSlash.toggle()
        if !link.segments.isEmpty { consider(changed) }
        for end in ["~", "sample~"] {
            changed = link
            changed.segments.append(Array(end.utf8))
            consider(changed)
        }
        for (index, segment) in route.path.segments.enumerated() where index < link.segments.count {
            for value in segment.counterexamples {
                changed = link
                changed.segments[index] = value
                consider(changed)
            }
            changed = link
            changed.segments[index] = Array("x".utf8)
            changed.segments.insert(Array("x".utf8), at: index)
            consider(changed)
            for position in [index, index + 1] {
                changed = link
                changed.segments.insert(Array("~".utf8), at: position)
                consider(changed)
            }
            for position in link.segments[index].indices {
                // A special character is written as `?`, which also matches a slash.
                for other in ["~", "/"] {
                    changed = link
                    changed.segments[index].replaceSubrange(position...position, with: other.utf8)
                    consider(changed)
                }
            }
            if segment.hasParameter, index + 1 < route.path.segments.count {
                for tail in [["x"], ["x", "~"], ["x", "x"], ["x", "~", "~"]] {
                    changed = link
                    changed.segments[index...] = tail.map { Array($0.utf8) }[...]
                    consider(changed)
                }
                changed = link
                changed.segments[(index + 1)...] = [Array("~".utf8)]
                consider(changed)
            }
        }
    }
}

extension AppRoutes {
    /// Returns why a file opens a link that the table does not open.
    /// - Parameter opener: The route whose rule opens the link; nil if the rule is for no route.
    func cause(of link: DeepLink, openedBy opener: RouteID?, _ platform: Platform) -> OvermatchSearch.Cause {
        let closed = firstRoute(for: link)?.id
        guard let opener, let route = entries.first(where: { $0.route.id == opener })?.route else {
            return OvermatchSearch.Cause(route: closed, reason: closed == nil ? .coarse : .exclusion)
        }
        let reason: Overmatch.Reason
        switch route.failedCondition(of: link, router.table.defaults.plusSign) {
        case .host: reason = .host
        case .path: reason = Self.reason(of: link, route, platform)
        case .trailingSlash: reason = .trailingSlash
        case .query: reason = .query
        case .fragment: reason = .fragment
        // The route matches, but an earlier one takes the link.
        case nil: return OvermatchSearch.Cause(route: closed, reason: .exclusion)
        }
        return OvermatchSearch.Cause(route: opener, reason: reason)
    }

    /// Returns why a rule for a route matches a path that the route does not.
    private static func reason(of link: DeepLink, _ route: Route, _ platform: Platform) -> Overmatch.Reason {
        let segments = route.path.segments.filter { if case .rest = $0 { false } else { true } }
        // Rules for iOS have the whole path.
        if platform == .ios, link.segmentCount < segments.count { return .slash }
        if platform == .ios, link.segmentCount > segments.count, !route.path.endsWithRest { return .slash }
        var isAfterParameter = false
        for (index, segment) in segments.enumerated() {
            let missing: Overmatch.Reason = platform == .android && isAfterParameter ? .tail : .slash
            guard index < link.segmentCount else { return missing }
            let text = link.pathBytes[link.segmentRange(index)]
            if !segment.accepts(text, route.letterCase) {
                if platform == .android, isAfterParameter { return .tail }
                guard case .literal(let literal) = segment else { return .type }
                return text.count == literal.count || !isAfterParameter ? .character : .slash
            }
            isAfterParameter = isAfterParameter || segment.hasParameter
        }
        return .slash
    }
}

extension [Int] {
    fileprivate var pair: (Int, Int) { (self[0], self[1]) }
}

extension RoutePattern {
    fileprivate var endsWithRest: Bool { if case .rest? = segments.last { true } else { false } }
}

extension RoutePattern.Segment {
    fileprivate var hasParameter: Bool {
        switch self {
        case .literal: false
        case .parameter, .mixed, .any, .rest: true
        }
    }

    fileprivate var counterexamples: [[UInt8]] {
        switch self {
        case .parameter(let parameter):
            if case .oneOf(let values) = parameter.type {
                parameter.type.counterexamples.map { Array($0.utf8) } + values.flatMap { Array($0.utf8).almost }
            } else {
                parameter.type.counterexamples.map { Array($0.utf8) }
            }
        case .mixed(let mixed):
            mixed.pieces.flatMap { piece in
                piece.parameter.type.counterexamples.map { mixed.prefix + Array($0.utf8) + piece.literal }
            }
        case .literal, .any, .rest: []
        }
    }

    /// More texts that the segment matches.
    fileprivate var values: [[UInt8]] {
        switch self {
        case .literal, .rest: []
        case .any: [Array("x.y".utf8)]
        case .parameter(let parameter): parameter.type.values.map { Array($0.utf8) }
        case .mixed(let mixed):
            // Text in which the literals occur more than once.
            [mixed.prefix + mixed.pieces.flatMap { Array("x".utf8) + $0.literal + Array("x".utf8) + $0.literal }]
        }
    }
}

extension ParameterType {
    fileprivate var values: [String] {
        switch self {
        case .oneOf(let values): values.texts
        case .string: ["x.y"]
        default: []
        }
    }
}

extension QueryCondition {
    /// Values for which the condition may hold.
    fileprivate var values: [String?] {
        switch test {
        case .present: [nil, "", "1"]
        case .oneOf(let values): values.map { $0 }
        case .absent, .capture: []
        }
    }
}

extension [UInt8] {
    /// Texts that a rule for this text may match too, because it has `?` for a special character.
    fileprivate var almost: [[UInt8]] {
        let special = indices.filter { ByteSet("*?$\\").contains(self[$0]) }
        return special.map { self[..<$0] + Array("~".utf8) + self[($0 + 1)...] }
            + (special.isEmpty ? [] : [self + Array("~".utf8)])
    }

    fileprivate var withSwappedCase: [UInt8] { map { ByteSet.letters.contains($0) ? $0 ^ 0x20 : $0 } }
}
