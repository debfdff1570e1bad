/// A set of links and callers that a route matches, or a part of it.
///
/// A route is a product of independent conditions: host, segments, trailing slash, query, fragment, and facts about the
/// caller. Subtracting an earlier route therefore leaves at most one part for each condition. A question such as "is
/// anything left after these routes?" needs no search through links.
struct LinkSpace {
    private(set) var hosts: [HostSpace]
    private let host: HostPattern?
    private(set) var segments: [SegmentTexts]
    let hasRest: Bool
    /// The allowed trailing slashes: false for none, true for one.
    private(set) var slashes: [Bool]
    private(set) var query: [ExactText: QuerySpace]
    let fragment: FragmentCondition?
    let letterCase: LetterCase
    private(set) var facts: Facts

    init(_ route: Route, _ facts: Facts, hosts: [HostSpace]) {
        self.hosts = hosts
        host = route.host
        self.facts = facts
        letterCase = route.letterCase
        fragment = route.fragment
        hasRest = route.path.hasRest
        segments = route.segmentForms.map(SegmentTexts.init)
        slashes = route.slashes
        query = [:]
        for condition in route.query {
            query[ExactText(condition.name), default: QuerySpace()].narrow(to: condition.test)
        }
    }

    /// Returns the part of the space whose callers have these facts instead of its own.
    func with(_ facts: Facts) -> LinkSpace {
        var space = self
        space.facts = facts
        return space
    }

    /// Returns the parts of the space for which the route does not hold. Nil when the route takes nothing from the
    /// space, or when it cannot be decided. The parts may be over-approximated, never under-approximated.
    func subtracting(_ route: Route, _ facts: Facts) -> [LinkSpace]? {
        let forms = route.segmentForms
        guard route.unsupported.isEmpty, takesShape(of: route, forms.count), takesFragment(of: route) else {
            return nil
        }
        var common = self
        var rests: [LinkSpace] = []
        func leave(_ change: (inout LinkSpace) -> Void) {
            var rest = common
            change(&rest)
            rests.append(rest)
        }

        let taken = hosts.filter { $0.isTaken(by: route.host) }
        guard !taken.isEmpty else { return nil }
        if taken.count < hosts.count { leave { $0.hosts = hosts.filter { !taken.contains($0) } } }
        common.hosts = taken

        for index in forms.indices {
            guard let (rest, both) = segments[index].subtracting(forms[index]) else { return nil }
            if let rest { leave { $0.segments[index] = rest } }
            common.segments[index] = both
        }

        if !hasRest {
            let bothSlashes = slashes.filter(route.slashes.contains)
            guard !bothSlashes.isEmpty else { return nil }
            if bothSlashes.count < slashes.count { leave { $0.slashes = slashes.filter { !bothSlashes.contains($0) } } }
            common.slashes = bothSlashes
        }

        for condition in route.query {
            let own = common.query[ExactText(condition.name)] ?? QuerySpace()
            guard let (rest, both) = own.subtracting(condition.test) else { return nil }
            if let rest { leave { $0.query[ExactText(condition.name)] = rest } }
            common.query[ExactText(condition.name)] = both
        }

        guard let (factRests, _) = self.facts.subtracting(facts) else { return nil }
        for rest in factRests { leave { $0.facts = rest } }
        return rests
    }

    /// Whether the space is proved to be empty.
    var isEmpty: Bool {
        hosts.isEmpty || slashes.isEmpty || segments.contains(where: \.isEmpty)
            || query.values.contains(where: \.isEmpty)
    }

    /// Returns the host classes in which both spaces have links.
    func commonHosts(with other: LinkSpace) -> [HostSpace] {
        let common =
            hosts.filter { $0.isTaken(by: other.host) }
            + other.hosts.filter { $0.isTaken(by: host) && !hosts.contains($0) }
        return common.isEmpty ? hosts.flatMap { one in other.hosts.flatMap(one.commonLabels) } : common
    }

    /// Whether the route's path can take links of this shape. A rest may contain an empty segment, which only another
    /// rest matches. So a longer pattern, or one without a rest, never takes a whole part of it.
    private func takesShape(of route: Route, _ count: Int) -> Bool {
        route.path.hasRest ? segments.count >= count : !hasRest && segments.count == count
    }

    private func takesFragment(of route: Route) -> Bool {
        switch (route.fragment, fragment) {
        case (nil, _): true
        case (.equals(let text)?, .equals(let own)?): text.utf8.elementsEqual(own.utf8)
        case (.pattern(let pattern)?, .equals(let own)?):
            DeepLink.withFragment(own)?.fragmentPath.map { pattern.captures(in: $0, route.letterCase) != nil } ?? false
        case (.pattern(let pattern)?, .pattern(let own)?):
            pattern.takesAll(of: own, route.letterCase, letterCase)
        case (_?, _): false
        }
    }
}

extension Route {
    /// The segments except the rest.
    var segmentForms: [SegmentForm] { path.forms(letterCase) }

    /// The trailing slashes that the route accepts after a path with segments: false for none, true for one.
    fileprivate var slashes: [Bool] {
        trailingSlash == .strict && !path.hasRest && !path.segments.isEmpty ? [path.hasTrailingSlash] : [false, true]
    }
}

extension RoutePattern {
    func forms(_ letterCase: LetterCase) -> [SegmentForm] {
        (hasRest ? segments.dropLast() : segments[...]).map { SegmentForm(segment: $0, letterCase: letterCase) }
    }

    fileprivate func takesAll(of other: RoutePattern, _ letterCase: LetterCase, _ otherCase: LetterCase) -> Bool {
        let (own, others) = (forms(letterCase), other.forms(otherCase))
        guard hasRest ? others.count >= own.count : !other.hasRest && others.count == own.count else { return false }
        return zip(own, others).allSatisfy { $0.takesAll(of: $1) }
    }
}

extension DeepLink {
    static func withFragment(_ text: String) -> DeepLink? { try? parse("f:///#" + LinkWriter.encoded(text.utf8)) }
}
