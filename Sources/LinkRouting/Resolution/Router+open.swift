extension Router {
    /// Whether any route has a condition on an open fact. If not, every answer is final.
    package func depends(on open: OpenFacts) -> Bool {
        !open.isEmpty && table.routes.contains { $0.when?.depends(on: open) == true }
    }

    /// Returns the route that may win once the open facts are known, although it does not win for certain; nil if the
    /// answer is the same whatever they are.
    ///
    /// - Parameter link: A link that the tenant owns.
    package func openRoute(for link: DeepLink, in context: LinkContext, open: OpenFacts) -> Route? {
        let link = identity.withoutIgnoredHost(link)
        let app = appIndex(for: context).map { apps[$0] }
        let (id, platform) = (app?.id ?? context.app, context.platform ?? app?.platform)
        let plusSign = table.defaults.plusSign
        func truths(of route: Route) -> PossibleTruths {
            route.when?.possibleTruths(in: context, id, platform, open: open) ?? .holds
        }
        let rank = index.smallestRank(for: link, context, asking: .undecided) { rank, link, _ in
            if index.isDecidedByPath[rank] { return true }
            let candidate = route(at: rank)
            return candidate.linkHolds(for: link, plusSign) && truths(of: candidate).contains(.holds)
        }
        guard let winner = rank.map(route) else { return nil }
        return truths(of: winner) == .holds ? nil : winner
    }
}
