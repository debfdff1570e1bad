extension RouteTable {
    /// Checks the table under a tenant's settings. Errors prevent its publication.
    ///
    /// Paths are relative to the table (`routes[3].web`), except those that begin with `settings`. Advice is reported only with `now`: expired routes, routes
    /// whose clicks lead to the page of the fallback, routes without a target, a missing second host, and similar names of
    /// screens. For each code about single routes, there are at most 1,000 findings and a summary of the number omitted.
    ///
    /// - Parameter budget: A finding reports that the budget left the order of routes undecided. The result of a
    ///   cancelled check is meaningless.
    public func check(
        for identity: Identity,
        now: Timestamp? = nil,
        within budget: WorkBudget = .tableCheck
    ) -> [Finding] {
        var list = FindingList()
        list.add(identity.unlikelyValues)
        var routesToFallback: [RouteID] = []
        var routesWithoutTarget: [RouteID] = []
        var screens = screens.map { ScreenCheck($0) }
        for (index, route) in routes.enumerated() {
            // The budget has more steps than a table has routes, so only a cancellation ends it here. The check of a route
            // takes up to milliseconds.
            guard budget.spend(), budget.isWanted() else { return list.findings }
            var check = RouteCheck(route, path: "routes[\(index)]", identity, fallback: defaults.fallback)
            check.run(&list)
            if check.leadsToFallback { routesToFallback.append(route.id) }
            if check.isWithoutTarget { routesWithoutTarget.append(route.id) }
            screens?.run(route, path: check.path, &list)
        }
        if now != nil {
            let missing = missingTarget(of: routesWithoutTarget)
            list.add([fallbackPage(of: routesToFallback), missing, noSecondHost(identity)].compactMap(\.self))
            list.add(similarScreens())
        }
        if let fallback = defaults.fallback {
            let check = TargetCheck(path: "defaults.fallback", route: nil, known: [], identity: identity)
            check.run(fallback, &list)
            screens?.run(fallback, path: check.path, &list)
        }
        if let preview = defaults.preview {
            TargetCheck(path: "defaults", route: nil, known: [], identity: identity).run(preview, &list)
        }
        if now != nil, let unused = screens?.unused { list.add([unused]) }
        let findings = list.findings
        let router = Router(identity: identity, table: self)
        guard router.worstCaseSteps <= Router.maximumSteps else {
            // Analysing such a table would be as slow as resolving links with it.
            return findings + [
                Finding(
                    .tooManySteps,
                    .error,
                    path: "routes",
                    message: "The slowest link takes \(router.worstCaseSteps) steps to resolve; the limit is "
                        + "\(Router.maximumSteps).",
                    fix: "Put literal segments before parameters, merge routes that differ only in their conditions, "
                        + "or split segments with several parameters."
                )
            ]
        }
        var order = OrderCheck(router, budget)
        order.run(now: now)
        return findings + order.findings
    }

    /// Returns the finding that links of these routes stay on the web; nil without such routes.
    private func missingTarget(of routes: [RouteID]) -> Finding? {
        guard let first = routes.first else { return nil }
        return Finding(
            .missingTarget,
            .info,
            path: "routes",
            route: first,
            message: "Links of routes without a target do not open the app: \(routes.listed(first: 5)).",
            fix: "If such a link has a place in the app, add 'open' with the screen."
        )
    }

    /// Returns the finding that pages cannot open the iOS app with a Universal Link; nil if they can, or open no such app.
    private func noSecondHost(_ identity: Identity) -> Finding? {
        let hosts = identity.domains.filter { $0.serves == .links }
        guard hosts.count == 1, let host = hosts.first, identity.apps.contains(where: { $0.platform == .ios }),
            routes.contains(where: \.opensScreens)
        else { return nil }
        return Finding(
            .noSecondHost,
            .info,
            path: "settings.domains",
            message:
                "'\(host.host)' is the only host with 'serves: links'. iOS opens an app only from a page of another host, so "
                + "the pages in the browsers of apps use a custom scheme, for which iOS asks.",
            fix: "Add a second host with 'serves: links', and list it in the app's entitlements."
        )
    }

    /// Returns the finding that clicks of these routes lead to the fallback's page; nil without such routes.
    private func fallbackPage(of routes: [RouteID]) -> Finding? {
        guard let first = routes.first, let web = defaults.fallback?.web, let page = web.default ?? web.all.first else {
            return nil
        }
        let subject = routes.count == 1 ? "this route" : "\(routes.count) routes"
        return Finding(
            .fallbackPage,
            .info,
            path: "defaults.fallback.web",
            route: first,
            message: "Without the app, clicks on links of \(subject) lead to \(page), not to a page of their own: "
                + "\(routes.listed(first: 5)).",
            fix: "If such a link has a page, add 'web' to its route, such as \"https://www.example.com/item/{id}\"."
        )
    }
}

extension WorkBudget {
    /// The budget for the check of one table: a few seconds of processor time at most.
    public static var tableCheck: WorkBudget { WorkBudget(steps: 50_000_000) }
}

extension Route {
    /// Whether one of the route's targets opens a screen of the app.
    fileprivate var opensScreens: Bool {
        guard case .answer(let target) = behaviour else { return false }
        return target.open != nil || experiment?.variants.contains { $0.target.open != nil } == true
    }
}
