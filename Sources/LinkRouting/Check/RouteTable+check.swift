extension RouteTable {
    /// What is wrong with the table under a tenant's settings: errors keep it from being published.
    ///
    /// Paths are relative to the table (`routes[3].web`). Only with `now` is it told which routes' time is over. Of each code
    /// that concerns single routes there are 1,000 findings, and one that says how many more there would be.
    ///
    /// - Parameter budget: What of the order of routes it leaves undecided is told; of a cancelled check nothing is true.
    public func check(
        for identity: Identity,
        now: Timestamp? = nil,
        within budget: WorkBudget = .tableCheck
    ) -> [Finding] {
        var list = FindingList()
        for (index, route) in routes.enumerated() {
            // There are fewer routes than steps: only who cancels does not get to the last one.
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
            // Asking about such a table would take as long as answering from it.
            return findings + [
                Finding(
                    .tooManySteps,
                    .error,
                    path: "routes",
                    message: "Some link needs \(router.worstCaseSteps) steps to resolve; at most "
                        + "\(Router.maximumSteps) are allowed.",
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
    /// For one table: some seconds of a processor at most.
    public static var tableCheck: WorkBudget { WorkBudget(steps: 50_000_000) }
}
