import LinkRouting

extension MigrationWork {
    private static let maximumRounds = 4
    private static let maximumRoutes = 4_000

    /// Compares rules and routes, and resolves conflicts of order. If the table tries a later rule's route first, the
    /// earlier rule is repeated for that route's path. The repeated route is as specific, so its position in the file
    /// decides. Apple's own example needs this: it keeps links with the fragment `no_universal_links` in the browser,
    /// whatever their path.
    mutating func settleOrder(of ruleset: Ruleset, _ identity: Identity) -> Outcome {
        var outcome = compare(ruleset, router(identity))
        for _ in 0..<Self.maximumRounds {
            let count = routes.count
            for conflict in outcome.result.conflicts.sorted(by: { ($0.rule, $0.route) < ($1.rule, $1.route) }) {
                settle(conflict, ruleset, identity)
            }
            guard routes.count > count else { break }
            outcome = compare(ruleset, router(identity))
        }
        return outcome
    }

    private mutating func settle(
        _ conflict: MigrationComparison.Conflict,
        _ ruleset: Ruleset,
        _ identity: Identity
    ) {
        guard routes.count < Self.maximumRoutes, ruleset.translations[conflict.rule].inexactness == nil,
            let later = routes.first(where: { $0.id == conflict.route })
        else { return }
        let own = routes.filter { $0.ruleset == ruleset.number && $0.rule == conflict.rule }.map(\.path)
        for path in own {
            guard let both = path.meet(later.path), !own.contains(both) else { continue }
            addRoute(both, of: conflict.rule, ruleset, identity)
        }
    }
}

extension MigratedPath {
    /// Returns the path that matches exactly the links that both paths match; nil if there are none, or if it is not
    /// obvious.
    func meet(_ other: MigratedPath) -> MigratedPath? {
        var both = MigratedPath(hasRest: hasRest && other.hasRest)
        for index in 0..<max(segments.count, other.segments.count) {
            let (one, two) = (segment(index), other.segment(index))
            switch (one, two) {
            case (nil, nil): return nil
            case (let only?, nil), (nil, let only?):
                guard (one == nil ? self : other).hasRest else { return nil }
                both.segments.append(only)
            case (let one?, let two?):
                guard let segment = Self.meet(one, two) else { return nil }
                both.segments.append(segment)
            }
        }
        return both
    }

    private func segment(_ index: Int) -> [MigratedPart]? { segments.indices.contains(index) ? segments[index] : nil }

    private static func meet(_ one: [MigratedPart], _ two: [MigratedPart]) -> [MigratedPart]? {
        if one == two || two == [.plain] { return one }
        if one == [.plain] { return two }
        guard one.count == 1, two.count == 1 else { return nil }
        switch (one[0], two[0]) {
        case (.literal(let text), .set(_, let values)), (.set(_, let values), .literal(let text)):
            return values.contains(text) ? [.literal(text)] : nil
        case (.set(let name, let values), .set(_, let others)):
            let both = values.filter(others.contains)
            return both.isEmpty ? nil : both.count == 1 ? [.literal(both[0])] : [.set(name: name, both)]
        default: return nil
        }
    }
}
