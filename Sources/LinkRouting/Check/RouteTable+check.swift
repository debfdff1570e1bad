extension RouteTable {
    /// Checks the table under a tenant's settings. Errors prevent its publication.
    ///
    /// Paths are relative to the table (`routes[3].web`). Expired routes are reported only with `now`. For each code
    /// about single routes, there are at most 1,000 findings and a summary of the number omitted.
    ///
    /// - Parameter budget: A finding reports that the budget left the order of routes undecided. The result of a
    ///   cancelled check is meaningless.
    public func check(
        for identity: Identity,
        now: Timestamp? = nil,
        within budget: WorkBudget = .tableCheck
    ) -> [Finding] {
        var list = FindingList()
        for (index, route) in routes.enumerated() {
            // The budget has more steps than a table has routes, so only a cancellation ends it here.
            guard budget.spend() else { return list.findings }
            var check = RouteCheck(
                route: route,
                path: "routes[\(index)]",
                identity: identity,
                fallback: defaults.fallback
            )
            check.run()
            list.add(check.findings)
        }
        if let fallback = defaults.fallback {
            var check = TargetCheck(path: "defaults.fallback", route: nil, known: [], identity: identity)
            check.run(fallback)
            list.add(check.findings)
        }
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
                    fix: "Put literal segments before parameters, or merge routes that differ only in their conditions."
                )
            ]
        }
        var order = OrderCheck(router, budget)
        order.run(now: now)
        return findings + order.findings
    }
}

extension WorkBudget {
    /// For one table: a few seconds of processor time at most.
    public static var tableCheck: WorkBudget { WorkBudget(steps: 50_000_000) }
}
