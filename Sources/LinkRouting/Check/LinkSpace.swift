/// Links and callers for which a route holds, or a part of them.
///
/// A route is a product of independent conditions: host, segments, slash at the end, query, fragment, facts about the
/// caller. So taking an earlier route away leaves at most one part for each condition, and a question such as "is
/// anything left behind these routes?" needs no search through links.
struct LinkSpace {
    private(set) var hosts: [HostSpace]
    private let host: HostPattern?
    private(set) var segments: [SegmentTexts]
    let hasRest: Bool
    /// Whether there may be none, and one, at the end.
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

    /// The parts of these links and callers for which the route does not hold, and nil where it takes none of them or where
    /// that cannot be said. Parts may be too large, never too small.
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

    /// Whether nothing is proved to be in it.
    var isEmpty: Bool {
        hosts.isEmpty || slashes.isEmpty || segments.contains(where: \.isEmpty)
            || query.values.contains(where: \.isEmpty)
    }

    /// The kinds of hosts for which both spaces have links.
    func commonHosts(with other: LinkSpace) -> [HostSpace] {
        let common =
            hosts.filter { $0.isTaken(by: other.host) }
            + other.hosts.filter { $0.isTaken(by: host) && !hosts.contains($0) }
        return common.isEmpty ? hosts.flatMap { one in other.hosts.flatMap(one.commonLabels) } : common
    }

    /// A rest may hold an empty segment, which nothing but another rest takes: a longer or closed pattern takes no part of
    /// it for good.
    private func takesShape(of route: Route, _ count: Int) -> Bool {
        route.path.hasRest ? segments.count >= count : !hasRest && segments.count == count
    }

    private func takesFragment(of route: Route) -> Bool {
        switch (route.fragment, fragment) {
        case (nil, _): true
        case (.equals(let text)?, .equals(let own)?): text.utf8.elementsEqual(own.utf8)
        case (.pattern(let pattern)?, .equals(let own)?):
            Link.withFragment(own)?.fragmentPath.map { pattern.captures(in: $0, route.letterCase) != nil } ?? false
        case (.pattern(let pattern)?, .pattern(let own)?):
            pattern.takesAll(of: own, route.letterCase, letterCase)
        case (_?, _): false
        }
    }
}

extension Route {
    /// The segments but for the rest.
    var segmentForms: [SegmentForm] { path.forms(letterCase) }

    /// Which of no slash and one the route takes at the end of a path that has segments.
    fileprivate var slashes: [Bool] {
        trailingSlash == .strict && !path.hasRest && !path.segments.isEmpty ? [path.hasTrailingSlash] : [false, true]
    }
}

extension Pattern {
    func forms(_ letterCase: LetterCase) -> [SegmentForm] {
        (hasRest ? segments.dropLast() : segments[...]).map { SegmentForm(segment: $0, letterCase: letterCase) }
    }

    fileprivate func takesAll(of other: Pattern, _ letterCase: LetterCase, _ otherCase: LetterCase) -> Bool {
        let (own, others) = (forms(letterCase), other.forms(otherCase))
        guard hasRest ? others.count >= own.count : !other.hasRest && others.count == own.count else { return false }
        return zip(own, others).allSatisfy { $0.takesAll(of: $1) }
    }
}

extension Link {
    static func withFragment(_ text: String) -> Link? { try? parse("f:///#" + LinkWriter.encoded(text.utf8)) }
}
