/// Routes that differ only in the languages of their callers. The caller's order of languages decides between them.
struct LanguageGroup: Sendable {
    /// In order of precedence.
    let members: [(rank: Int32, tags: [LanguageTag])]

    /// Returns the rank of the route with the language that the caller prefers, or the first of equals; nil if the caller
    /// wants none of them.
    func preferred(by context: LinkContext, _ parts: inout LinkParts) -> Int? {
        var best: (place: Int, rank: Int32)?
        for (rank, tags) in members {
            guard let place = parts.place(of: tags, in: context), place < best?.place ?? .max else { continue }
            best = (place, rank)
        }
        return best.map { Int($0.rank) }
    }
}

/// A route with a condition on the languages of its callers, as the index compares it with others.
struct LanguageVariant: Sendable {
    let tags: [LanguageTag]
    let others: Others

    /// What decides besides the languages whether a route matches, and who may change it.
    struct Others: Hashable, Sendable {
        let owner: ExactText?
        let host: HostPattern?
        let path: RoutePattern
        let query: [QueryCondition]
        let fragment: FragmentCondition?
        let conditions: Set<Condition>
        let letterCase: LetterCase
        let trailingSlash: Route.TrailingSlash
        let audience: Route.Audience
        let unsupported: [String]
    }

    /// Nil unless the route's `when` has one condition on languages that must always hold.
    init?(_ route: Route) {
        var conditions: [Condition] =
            switch route.when {
            case .all(let conditions)?: conditions
            case let condition?: [condition]
            case nil: []
            }
        let isLanguage = { (condition: Condition) in if case .locale = condition { true } else { false } }
        guard let index = conditions.firstIndex(where: isLanguage),
            case .locale(let tags) = conditions.remove(at: index)
        else { return nil }
        self.tags = tags
        others = Others(
            owner: route.owner.map { ExactText($0) },
            host: route.host,
            path: route.path,
            query: route.query,
            fragment: route.fragment,
            conditions: Set(conditions),
            letterCase: route.letterCase,
            trailingSlash: route.trailingSlash,
            audience: route.audience,
            unsupported: route.unsupported
        )
    }
}
