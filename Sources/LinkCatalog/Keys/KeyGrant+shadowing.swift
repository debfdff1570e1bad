package import LinkRouting

extension KeyGrant {
    /// Returns the changes that the key may not make to a table, one sentence each: changes to routes outside of its
    /// limit, and changes that shadow such routes.
    package func refusals(
        of diff: TableDiff,
        from before: RouteTable,
        to after: RouteTable,
        of identity: Identity
    ) -> [String] {
        guard let routes else { return [] }
        let refusals = refusals(of: diff)
        let changed = Set((diff.added + diff.changed.map(\.after)).compactMap { RouteID($0.id) })
        guard refusals.isEmpty, !changed.isEmpty else { return refusals }
        var check = ShadowingCheck(from: before, to: after, of: identity)
        return check.shadowings(by: changed) {
            routes.covers(owner: $0.owner, path: $0.path.description)
        } isProtected: { route, changed in
            !routes.givesWay(route, to: changed)
        }
        .map { pair in
            pair.shadowed.map {
                "route '\(pair.shadowing)' would match links of route '\($0)', which is outside the key's owners and "
                    + "paths"
            } ?? "route '\(pair.shadowing)' could not be compared with the routes of others; change fewer at once"
        }
    }
}

extension KeyGrant.RouteLimit {
    /// Whether the key's path prefixes reach into the route's wildcards. Paths granted to the key belong to it even if
    /// a wider route, such as `/{page...}`, covers them.
    fileprivate func givesWay(_ route: Route, to changed: Route) -> Bool {
        (pathPrefixes ?? []).contains { prefix in
            changed.path.description.utf8.starts(with: prefix.utf8)
                && zip(prefix.utf8.split(separator: UInt8(ascii: "/")), route.path.segments).contains { $1.isWide }
        }
    }
}

extension RoutePattern.Segment {
    /// Whether the segment matches any text of some kind, rather than an enumerated set of texts.
    fileprivate var isWide: Bool {
        switch self {
        case .literal, .mixed: return false
        case .any, .rest: return true
        case .parameter(let parameter):
            if case .oneOf = parameter.type { return false }
            return true
        }
    }
}
