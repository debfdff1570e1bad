extension RouteTable {
    /// What is wrong with the table under a tenant's settings: errors keep it from being published.
    ///
    /// Paths are relative to the table (`routes[3].web`). Only with `now` is it told which routes' time is over.
    public func check(for identity: Identity, now: Timestamp? = nil) -> [Finding] {
        var findings: [Finding] = []
        for (index, route) in routes.enumerated() {
            var check = RouteCheck(
                route: route,
                path: "routes[\(index)]",
                identity: identity,
                fallback: defaults.fallback
            )
            check.run()
            findings += check.findings
        }
        if let fallback = defaults.fallback {
            var check = TargetCheck(path: "defaults.fallback", route: nil, known: [], identity: identity)
            check.run(fallback)
            findings += check.findings
        }
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
        var order = OrderCheck(router)
        order.run(now: now)
        return findings + order.findings
    }
}
