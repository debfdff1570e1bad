extension Router {
    /// Returns the route whose match depends on the open facts; nil if the answer is the same for all their values.
    ///
    /// - Parameter link: A link that the tenant owns.
    package func openRoute(for link: DeepLink, in context: LinkContext, open: OpenFacts) -> Route? {
        let app = appIndex(for: context)
        let question = OpenQuestion(
            context: context,
            app: app.map { compiled.apps[$0].id } ?? context.app,
            platform: context.platform ?? app.map { compiled.apps[$0].platform },
            open: open
        )
        return openRoute(asRead: read(link).compared, question)
    }

    private func openRoute(asRead link: DeepLink, _ question: OpenQuestion) -> Route? {
        var parts = LinkParts()
        let rank = compiled.index.smallestRank(for: link, question, visiting: .undecided, &parts) {
            rank,
            link,
            question,
            parts in
            guard !compiled.index.isDecidedByPath[rank] else { return true }
            let route = route(at: rank)
            return route.linkHolds(for: link, compiled.table.defaults.plusSign, &parts)
                && question.truths(of: route).contains(.holds)
        }
        guard let rank, !compiled.index.isDecidedByPath[rank] else { return nil }
        let winner = route(at: rank)
        return question.truths(of: winner) == .holds ? nil : winner
    }
}

/// The context of a link in which some facts are open, and the app and platform that its answer is for.
private struct OpenQuestion {
    let context: LinkContext
    let app: AppID?
    let platform: Platform?
    let open: OpenFacts

    func truths(of route: Route) -> PossibleTruths {
        route.when?.possibleTruths(in: context, app, platform, open: open) ?? .holds
    }
}
