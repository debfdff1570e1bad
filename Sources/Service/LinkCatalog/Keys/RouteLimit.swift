package import LinkRouting

extension KeyGrant {
    /// Limits a key to the routes of some owners, or below some paths.
    package struct RouteLimit: Sendable, Hashable {
        /// Allowed values of a route's `owner`; nil for any.
        package var owners: Set<ExactText>?
        /// Allowed beginnings of a route's `path`; nil for any.
        package var pathPrefixes: [PathPrefix]?

        package init(owners: Set<ExactText>?, pathPrefixes: [PathPrefix]?) {
            self.owners = owners
            self.pathPrefixes = pathPrefixes
        }
    }
}

extension KeyGrant.RouteLimit {
    /// Whether a key with this limit may write the route.
    func covers(owner: String?, path: String?) -> Bool {
        let isOwned = owners.map { owners in owner.map { owners.contains(ExactText($0)) } ?? false } ?? true
        let isBelow = pathPrefixes.map { prefixes in prefixes.contains { path.map($0.covers) ?? false } } ?? true
        return isOwned && isBelow
    }

    /// Whether the path prefixes that permit `changed` reach into the route's wildcards. Paths granted to a key belong
    /// to it even if a wider route, such as `/{page...}`, covers them. So a key with a longer prefix may take links that
    /// a key with a shorter one, or with none, may not take.
    func givesWay(_ route: Route, to changed: Route) -> Bool {
        (pathPrefixes ?? []).contains { prefix in
            prefix.confines(changed) && route.path.segments.prefix(prefix.depth).contains(where: \.isWide)
        }
    }

    /// Whether every route that this limit covers is covered by `other`.
    func coversNoMore(than other: Self) -> Bool {
        guard Self.areOwners(owners, within: other.owners) else { return false }
        guard let outer = other.pathPrefixes else { return true }
        return pathPrefixes?.allSatisfy { own in outer.contains { $0.covers(own.description) } } ?? false
    }

    /// Whether every change that this limit permits is permitted by `other`. With equal prefixes, both give way to the
    /// same routes.
    func permitsNoMore(than other: Self) -> Bool {
        guard Self.areOwners(owners, within: other.owners) else { return false }
        guard let own = pathPrefixes, let outer = other.pathPrefixes else {
            return pathPrefixes == nil && other.pathPrefixes == nil
        }
        return Set(own).isSubset(of: outer)
    }

    private static func areOwners(_ inner: Set<ExactText>?, within outer: Set<ExactText>?) -> Bool {
        guard let outer else { return true }
        return inner?.isSubset(of: outer) ?? false
    }

    /// `{owners, pathPrefixes}`, without those that are nil.
    package var json: JSONNode {
        .object([
            "owners": owners.map { .array($0.sorted().map { .string($0.description) }) },
            "pathPrefixes": pathPrefixes.map { .array($0.map { .string($0.description) }) },
        ])
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
