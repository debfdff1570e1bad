public import LinkRouting

/// Links that a generated file opens in an app although the table would not, because the file cannot express the table.
public struct Overmatch: Sendable, Hashable {
    public let app: AppID
    /// The route whose rule opens the links, or whose exclusion was left out; nil for the coarse rule.
    public let route: RouteID?
    public let reason: Reason
    /// One such link. Both sides were evaluated: the file opens it and the table does not.
    public let example: String

    public enum Reason: String, Sendable, CaseIterable {
        /// Rules have no types: `{id:int}` becomes `?*`.
        case type
        /// A wildcard also matches text after a slash.
        case slash
        /// The route requires a slash at the end, or requires none; iOS ignores the difference.
        case trailingSlash = "trailing_slash"
        /// A condition on the query is stricter than a rule can be.
        case query
        /// A condition on the fragment is stricter than a rule can be.
        case fragment
        /// The path after the first wildcard is left out, because Android's wildcards do not backtrack.
        case tail
        /// A character that is special in a pattern, or a letter of either case, is written as `?`.
        case character
        /// The file is for several hosts, the route only for some of them.
        case host
        /// The route never opens the app, but its exclusion could refuse links that the table opens.
        case exclusion
        /// The file has the rule `*` only, because the tenant's settings ask for no more.
        case coarse

        /// A description of these links for people.
        public var explanation: String {
            switch self {
            case .type: "values that are not of the parameter's type"
            case .slash: "paths with more segments than the route has"
            case .trailingSlash: "the same path with or without a trailing slash"
            case .query: "queries that do not satisfy the route's conditions"
            case .fragment: "fragments that do not satisfy the route's condition"
            case .tail: "other endings of the path, after its first parameter"
            case .character: "other characters in place of special ones, or other letters of the same length"
            case .host: "the same path on other hosts of the file"
            case .exclusion: "links of a route that never opens the app"
            case .coarse: "every link that no route opens"
            }
        }
    }
}

/// Finds overmatches: it varies links of each route, and evaluates each variant with the file and with the table.
struct OverOpenSearch {
    let routes: AppRoutes
    /// Returns whether the file opens a link in the app.
    let fileOpens: (DeepLink) -> Bool
    private var found: [Overmatch] = []

    init(_ routes: AppRoutes, fileOpens: @escaping (DeepLink) -> Bool) {
        self.routes = routes
        self.fileOpens = fileOpens
    }

    /// Returns at most one overmatch for each route and reason, in the order of the routes.
    mutating func run(_ detail: AssociationPolicy.Detail, mostRoutes: Int) -> [Overmatch] {
        let hosts = routes.hosts.samples
        guard let host = hosts.first else { return [] }
        guard detail == .routes else {
            var link = SampleLink(host: host)
            for name in ["x", "x-of-no-route", "x/y"] {
                link.segments = [Array(name.utf8)]
                consider(link, nil, .coarse)
            }
            return Array(found.prefix(1))
        }
        for entry in routes.entries.prefix(mostRoutes) { look(at: entry.route, entry.opens, hosts) }
        return found
    }

    private mutating func look(at route: Route, _ opens: Bool, _ hosts: [String]) {
        for host in hosts {
            let link = SampleLink(of: route, on: host)
            guard opens else {
                consider(link, route.id, .exclusion)
                continue
            }
            consider(link, route.id, .host)
            changeQuery(link, route)
            changeFragment(link, route)
            changePath(link, route)
        }
    }

    private mutating func changeQuery(_ link: SampleLink, _ route: Route) {
        guard !route.query.isEmpty else { return }
        var changed = link
        changed.query = []
        consider(changed, route.id, .query)
        for condition in route.query {
            for value in [nil, "", "~", "0"] as [String?] {
                changed.query = link.query.filter { $0.name != condition.name } + [(condition.name, value)]
                consider(changed, route.id, .query)
                changed.query = link.query + [(condition.name, value)]
                consider(changed, route.id, .query)
            }
        }
    }

    private mutating func changeFragment(_ link: SampleLink, _ route: Route) {
        guard route.fragment != nil else { return }
        var changed = link
        for fragment in [nil, "", "~", "/~", (link.fragment ?? "") + "/~/~"] as [String?] {
            changed.fragment = fragment
            consider(changed, route.id, .fragment)
        }
    }

    private mutating func changePath(_ link: SampleLink, _ route: Route) {
        var changed = link
        changed.hasTrailingSlash.toggle()
        if route.trailingSlash == .strict, !link.segments.isEmpty { consider(changed, route.id, .trailingSlash) }
        for (index, segment) in route.path.segments.enumerated() where index < link.segments.count {
            changed = link
            for value in segment.counterexamples {
                changed.segments[index] = value
                consider(changed, route.id, .type)
            }
            changed.segments[index] = Array("x".utf8)
            changed.segments.insert(Array("x".utf8), at: index)
            if segment.hasParameter { consider(changed, route.id, .slash) }
            changed = link
            for place in link.segments[index].indices {
                changed.segments[index][place] = UInt8(ascii: "~")
                consider(changed, route.id, segment.hasParameter ? .type : .character)
                changed = link
            }
            if segment.hasParameter, index + 1 < route.path.segments.count {
                changed.segments[index...] = [Array("x".utf8), Array("~".utf8)]
                consider(changed, route.id, .tail)
            }
            changed.segments = link.segments + [Array("~".utf8)]
            consider(changed, route.id, .slash)
        }
    }

    private mutating func consider(_ link: SampleLink, _ route: RouteID?, _ reason: Overmatch.Reason) {
        guard !found.reversed().prefix(while: { $0.route == route }).contains(where: { $0.reason == reason }) else {
            return
        }
        let url = link.url
        guard let parsed = try? DeepLink.parse(url), !routes.opens(parsed), fileOpens(parsed) else { return }
        found.append(Overmatch(app: routes.app.id, route: route, reason: reason, example: url))
    }
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
        case .parameter(let parameter): parameter.type.counterexamples.map { Array($0.utf8) }
        case .mixed(let mixed):
            mixed.pieces.flatMap { piece in
                piece.parameter.type.counterexamples.map { mixed.prefix + Array($0.utf8) + piece.literal }
            }
        case .literal, .any, .rest: []
        }
    }
}
