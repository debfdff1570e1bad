import LinkRouting

extension MigrationWork {
    /// The result of comparing the rules of some apps with their routes.
    struct Outcome {
        let comparison: MigrationComparison
        let result: MigrationComparison.Result

        /// The routes that decide at least one link; all routes if the comparison is incomplete.
        var neededRoutes: [RouteID] {
            result.isComplete
                ? result.decidingRoutes.map { comparison.routes[$0].id } : comparison.routes.map(\.id)
        }
    }

    func compare(_ ruleset: Ruleset, _ router: Router) -> Outcome {
        let own = Dictionary(
            uniqueKeysWithValues: routes.filter { $0.ruleset == ruleset.number }.map { ($0.id, $0.rule) }
        )
        var compared: [MigrationComparison.Route] = []
        for route in router.routesInOrder {
            guard let rule = own[route.id], let conditions = LinkConditions(route) else { continue }
            let route = MigrationComparison.Route(
                id: route.id,
                rule: rule,
                opens: route.opensApps,
                conditions: conditions
            )
            compared.append(route)
        }
        let comparison = MigrationComparison(rules: ruleset.compared, routes: compared)
        return Outcome(comparison: comparison, result: comparison.run(ruleset.scope))
    }

    /// Reports the rules for which the table differs from iOS.
    mutating func report(_ outcome: Outcome, _ ruleset: Ruleset, _ router: Router) {
        let all = ruleset.rules.indices
        guard !ruleset.isTooLarge else {
            for rule in all { reportUndecided(rule, ruleset) }
            return
        }
        reportUnnamedApps(ruleset)
        guard let app = ruleset.apps.first(where: { apps.ids[$0] != nil }) else { return }
        let result = outcome.result
        let isDecoded = ruleset.merged.contains { !$0.percentEncoded.value }
        let slashes =
            isDecoded ? outcome.comparison.run(ruleset.scope, escaping: PlainLink.slash).differences : [:]
        for rule in all {
            if let difference = result.differences[rule] {
                report(difference, rule, ruleset, app, router)
            } else if !result.isComplete {
                reportUndecided(rule, ruleset)
            } else if !ruleset.decides(rule) {
                reportUndecidingRule(rule, ruleset, app, router)
            } else if let text = slashes[rule]?.text, let example = example(text, app, router) {
                report(
                    .escapedSlash,
                    "The rule compares the decoded path, in which an escaped slash separates segments; a table "
                        + "treats it as part of a segment.",
                    fix: "No action is needed unless such links exist.",
                    rule: rule,
                    of: ruleset,
                    example
                )
            }
        }
    }

    // MARK: Both sides

    /// Returns the link of a report; nil unless iOS and the table differ on it.
    private func example(_ text: [UInt8], _ app: String, _ router: Router) -> AssociationMigration.Report.Example? {
        let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        var path = text[..<end]
        // The slash at the end is not significant on either side.
        if path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
        let domain = hosts.first ?? ""
        let host = domain.utf8.starts(with: "*.".utf8) ? "www.\(domain.dropFirst(2))" : domain
        let url = "https://\(host)" + String(decoding: path + text[end...], as: UTF8.self)
        let iosOpens = file.decision(for: url, app: app, domain: domain).outcome == .match
        let context = apps.ids[app].map { LinkContext(app: AppID($0), platform: .ios) }
        let tableOpens = context.map { router.resolve(url, in: $0).action == .openApp } ?? false
        guard iosOpens != tableOpens else { return nil }
        return AssociationMigration.Report.Example(url: url, iosOpens: iosOpens)
    }

    // MARK: Reports

    private mutating func report(
        _ difference: MigrationComparison.Difference,
        _ rule: Int,
        _ ruleset: Ruleset,
        _ app: String,
        _ router: Router
    ) {
        guard let example = example(difference.text, app, router) else { return reportUndecided(rule, ruleset) }
        switch difference.cause {
        case .order(let route):
            report(
                .order,
                "A table tries the more specific pattern first, so route '\(route)', from a later rule, comes "
                    + "before this rule's own.",
                fix: "Add a route for the links that both rules match, or narrow the later rule in the file.",
                rule: rule,
                of: ruleset,
                example
            )
        case .language:
            let nearest = routes.filter { $0.ruleset == ruleset.number && $0.rule == rule }
                .compactMap { $0.node["path"]?.text }
            let reason = ruleset.translations[rule].inexactness?.reason ?? "no pattern matches the same links"
            report(
                .grammar,
                "Routes cannot express '\(ruleset.text(of: rule))': \(reason)."
                    + (nearest.isEmpty ? "" : " The closest is \(nearest.joined(separator: " with "))."),
                fix: nearest.isEmpty
                    ? "Write routes for the intended links by hand."
                    : "List the intended paths in the file one by one, or add routes for the links that are missed.",
                rule: rule,
                of: ruleset,
                example
            )
        }
    }

    /// Reports a rule that decides no plain link: iOS never reaches it, or only with links of another spelling.
    private mutating func reportUndecidingRule(_ rule: Int, _ ruleset: Ruleset, _ app: String, _ router: Router) {
        let merged = ruleset.merged[rule]
        if merged.takesAnyQueryAndFragment, !ruleset.takesPlainLinks(rule) {
            let path = Glob(path: merged, variables).pathLanguage(Glob.Reading(merged))
            if case .found(let text) = Language.shortestText(in: [path, Glob.allPaths], budget: 2_000),
                let example = example(text, app, router)
            {
                return report(
                    .spelling,
                    "'\(ruleset.text(of: rule))' matches only links with this exact spelling; a table compares "
                        + "decoded text, so no route was written for it.",
                    fix: "Write a route by hand; it matches every spelling of its links.",
                    rule: rule,
                    of: ruleset,
                    example
                )
            }
        }
        report(
            .unreachable,
            "iOS never reaches '\(ruleset.text(of: rule))': earlier rules match all of its links, or it matches "
                + "none. It was left out.",
            fix: "Remove it from the file, or move it before those rules.",
            rule: rule,
            of: ruleset
        )
    }

    private mutating func reportUnnamedApps(_ ruleset: Ruleset) {
        let unnamed = ruleset.apps.filter { apps.ids[$0] == nil }
        guard !unnamed.isEmpty else { return }
        let shortest = ruleset.opened.differences.min { ($0.value.text.count, $0.key) < ($1.value.text.count, $1.key) }
        let nothing = Router(identity: Identity(), table: RouteTable())
        for app in unnamed {
            report(
                .app,
                "'\(app)' is not a team ID of ten capital letters and digits, a dot and a bundle ID, so the "
                    + "settings cannot name it.",
                fix: "Correct it in the file; devices compare it exactly.",
                rule: shortest?.key ?? 0,
                of: ruleset,
                shortest.flatMap { example($0.value.text, app, nothing) }
            )
        }
    }

    private mutating func reportUndecided(_ rule: Int, _ ruleset: Ruleset) {
        report(
            .undecided,
            "Could not decide whether the table answers as iOS does: there are too many rules, or they are too "
                + "complex.",
            fix: "Migrate app by app, or write the routes by hand and check the rule's links with a link suite.",
            rule: rule,
            of: ruleset
        )
    }

    mutating func report(
        _ kind: AssociationMigration.Report.Kind,
        _ message: String,
        fix: String,
        rule: Int? = nil,
        of ruleset: Ruleset? = nil,
        _ example: AssociationMigration.Report.Example? = nil
    ) {
        let place = ruleset.flatMap { ruleset in
            rule.flatMap { ruleset.rules.indices.contains($0) ? ruleset.rules[$0] : nil }
        }
        reports.append(
            AssociationMigration.Report(
                kind: kind,
                pointer: place?.pointer ?? "",
                position: place?.node.position ?? AssociationFinding.wholeFile,
                app: ruleset?.apps.first,
                message: message,
                fix: fix,
                example: example
            )
        )
    }
}
