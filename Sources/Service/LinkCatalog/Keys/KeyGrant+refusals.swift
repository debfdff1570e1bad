package import LinkRouting

/// The changes that a key may not make, one sentence each. A change must be within the key's own limit and within those
/// of its creators; the sentences are those of the first limit that refuses it.
extension KeyGrant {
    /// Returns the changes to routes outside of the limits; empty when all are within them.
    package func refusals(of diff: TableDiff) -> [String] { firstRefusals { $0.refusals(of: diff, $1) } }

    /// Returns the changes to routes outside of the limits, and those that shadow such routes.
    package func refusals(
        of diff: TableDiff,
        from before: RouteTable,
        to after: RouteTable,
        of identity: Identity
    ) -> [String] {
        let changed = Set((diff.added + diff.changed.map(\.after)).compactMap { RouteID($0.id) })
        return firstRefusals { limit, place in
            let refusals = limit.refusals(of: diff, place)
            guard refusals.isEmpty, !changed.isEmpty else { return refusals }
            return limit.refusals(ofShadowingBy: changed, from: before, to: after, of: identity, place)
        }
    }

    private func firstRefusals(_ refusals: (_ limit: RouteLimit, _ place: String) -> [String]) -> [String] {
        for limit in routeLimits {
            let place = limit == routes ? "the key's owners and paths" : "the owners and paths of the key's creator"
            let found = refusals(limit, place)
            guard found.isEmpty else { return found }
        }
        return []
    }
}

extension KeyGrant.RouteLimit {
    fileprivate func refusals(of diff: TableDiff, _ place: String) -> [String] {
        let touched = diff.added + diff.removed + diff.changed.flatMap { [$0.before, $0.after] }
        var reported: Set<String> = []
        var refusals = touched.compactMap { route in
            covers(owner: route.owner, path: route.path) || !reported.insert(route.id).inserted
                ? nil : "route '\(route.id)' is outside \(place)"
        }
        if !diff.others.isEmpty {
            refusals.append("changing the table's defaults or screens needs a key without owner and path limits")
        }
        // Which of two swapped routes has moved is ambiguous, and the order decides between equal patterns.
        if !diff.moved.isEmpty { refusals.append("reordering routes needs a key without owner and path limits") }
        return refusals
    }

    fileprivate func refusals(
        ofShadowingBy changed: Set<RouteID>,
        from before: RouteTable,
        to after: RouteTable,
        of identity: Identity,
        _ place: String
    ) -> [String] {
        var check = ShadowingCheck(from: before, to: after, of: identity)
        return check.shadowings(by: changed) {
            covers(owner: $0.owner, path: $0.path.description)
        } isProtected: { route, changed in
            !givesWay(route, to: changed)
        }
        .map { pair in
            pair.shadowed.map {
                "route '\(pair.shadowing)' would match links of route '\($0)', which is outside \(place)"
            } ?? "route '\(pair.shadowing)' could not be compared with the routes of others; change fewer at once"
        }
    }
}
