package import LinkRouting

extension KeyGrant {
    /// What the key may not change of a table, one sentence each: routes outside of its limit, and links of such routes.
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
        var check = TakingCheck(from: before, to: after, of: identity)
        return check.takings(by: changed) {
            routes.covers(owner: $0.owner, path: $0.path.description)
        } isProtected: { route, changed in
            !routes.givesWay(route, to: changed)
        }
        .map { taking in
            taking.victim.map {
                "route '\(taking.taker)' would answer links of route '\($0)', which is not within the key's owners and paths"
            } ?? "route '\(taking.taker)' could not be told from the routes of others; change fewer at once"
        }
    }
}

extension KeyGrant.RouteLimit {
    /// Paths that the key was given are its own also where a wider route, such as `/{page...}`, reaches into them.
    fileprivate func givesWay(_ route: Route, to changed: Route) -> Bool {
        (pathPrefixes ?? []).contains { prefix in
            changed.path.description.utf8.starts(with: prefix.utf8)
                && zip(prefix.utf8.split(separator: UInt8(ascii: "/")), route.path.segments).contains { $1.isWide }
        }
    }
}

extension Pattern.Segment {
    /// Whether it stands for any text of a kind, not for texts that were chosen.
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
