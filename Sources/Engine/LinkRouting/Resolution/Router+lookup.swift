extension Router {
    /// Returns the link that destinations are built of, the one that is compared with routes, and what was changed. Of a
    /// fragment, only captured values leave the device: it may have an access token.
    package func read(_ link: DeepLink) -> (link: DeepLink, compared: DeepLink, reading: LinkReading) {
        var reading: LinkReading = []
        var link = link
        if identity.links.contains(.repair), let repaired = link.repaired {
            link = repaired
            reading.insert(.repair)
        }
        link = identity.withoutIgnoredHost(link)
        guard identity.links.contains(.fragmentParameters), let compared = link.withFragmentParameters else {
            return (link, link, reading)
        }
        reading.insert(.fragmentParameters)
        return (link, identity.withoutIgnoredHost(compared), reading)
    }

    /// Returns the matching input: the link as its scheme interprets it, and the context with the default app filled
    /// in.
    func input(_ link: DeepLink, _ context: LinkContext) -> MatchInput {
        input(asRead: read(link).compared, completed(context, appIndex(for: context)))
    }

    /// Fills in the app and platform that the answer is for. Conditions on them apply even if the caller left them out.
    func completed(_ context: LinkContext, _ app: Int?) -> LinkContext {
        guard let app else { return context }
        var context = context
        context.app = compiled.apps[app].id
        context.platform = context.platform ?? compiled.apps[app].platform
        return context
    }

    /// Returns the route that decides about a link of the tenant; nil when no route matches.
    package func winner(for link: DeepLink, in context: LinkContext) -> Route? {
        rank(of: read(link).compared, in: context).map(route)
    }

    /// Returns the first route in order of precedence that matches the link, ignoring its `when`, and for which
    /// `answers` is true.
    package func firstRoute(for link: DeepLink, where answers: (Route) -> Bool) -> Route? {
        let plusSign = compiled.table.defaults.plusSign
        var parts = LinkParts()
        let rank = compiled.index.smallestRank(for: link, plusSign, &parts) { rank, link, plusSign, parts in
            let route = route(at: rank)
            return answers(route) && route.linkHolds(for: link, plusSign, &parts)
        }
        return rank.map(route)
    }

    /// Visits all routes that match the link, ignoring their `when`, in order of precedence.
    package func everyRoute(for link: DeepLink, _ visit: (Route) -> Void) {
        let plusSign = compiled.table.defaults.plusSign
        var parts = LinkParts()
        let compared = read(link).compared
        _ = compiled.index.smallestRank(for: compared, plusSign, &parts) { rank, link, plusSign, parts in
            let route = route(at: rank)
            if route.linkHolds(for: link, plusSign, &parts) { visit(route) }
            return false
        }
    }

    /// Returns the app that the answer is for: the caller's, else the tenant's first of the caller's platform; nil for
    /// none.
    func appIndex(for context: LinkContext) -> Int? {
        if let id = context.app {
            for index in compiled.apps.indices where compiled.apps[index].id == id { return index }
        }
        guard let platform = context.platform else { return nil }
        return compiled.apps.indices.first {
            compiled.apps[$0].platform == platform && compiled.apps[$0].kind == .app
        }
    }

    /// Returns the id of the app that the answer is for: the caller's, else the tenant's first of the caller's platform;
    /// nil for none.
    package func app(for context: LinkContext) -> AppID? { appIndex(for: context).map { compiled.apps[$0].id } }
}
