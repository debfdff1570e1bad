import LinkRouting

/// The state of one migration. It translates rules into routes, compares the routes with iOS, and reports differences.
struct MigrationWork {
    let file: AppleAppSiteAssociation
    let apps: MigratedApps
    let hosts: [String]
    let variables: PatternVariables
    private var names = MigrationNames()
    /// The routes in the order of the file's rules.
    private(set) var routes: [MigratedRoute] = []
    var reports: [AssociationMigration.Report] = []

    /// A route, and the rule from which it was made.
    struct MigratedRoute {
        let id: RouteID
        let node: JSONNode
        let path: MigratedPath
        let ruleset: Int
        let rule: Int
    }

    init(file: AppleAppSiteAssociation, apps: MigratedApps, hosts: [String]) {
        self.file = file
        self.apps = apps
        self.hosts = hosts
        let custom = file.applinks?.substitutionVariables ?? AppleAppSiteAssociation.SubstitutionVariables(nil)
        variables = PatternVariables(custom: custom)
    }

    var settings: JSONNode {
        let domains = hosts.map { JSONNode.object(["host": .string($0), "serves": .string("association")]) }
        return .object(["domains": .array(domains), "apps": .array(apps.settings)])
    }

    func identity() throws(DocumentError) -> Identity {
        try Identity(DocumentField(settings, path: "settings").anyObject())
    }

    mutating func run(_ identity: Identity) {
        let rulesets = apps.groups.enumerated().map { Ruleset(number: $0, $1, variables) }
        for ruleset in rulesets { addRoutes(of: ruleset, identity) }
        let outcomes = rulesets.map { settleOrder(of: $0, identity) }
        let router = router(identity)
        var isNeeded: Set<RouteID> = []
        for (ruleset, outcome) in zip(rulesets, outcomes) {
            report(outcome, ruleset, router)
            isNeeded.formUnion(outcome.neededRoutes)
        }
        routes.removeAll { !isNeeded.contains($0.id) }
        // If a comparison was incomplete, there may be routes that are never reached. Their rules have been reported.
        if !outcomes.allSatisfy(\.result.isComplete) { leaveOutWhatTableRefuses(identity) }
        for error in errors(identity) { report(.table, error.message, fix: error.fix) }
    }

    private func errors(_ identity: Identity) -> [Finding] { Self.errors(of: table, identity) }

    /// Returns the errors of a table, without those about texts and identifiers that it has from the file.
    private static func errors(of table: RouteTable, _ identity: Identity) -> [Finding] {
        table.check(for: identity).filter {
            $0.severity == .error && ![.foreignSyntax, .unlikelyValue].contains($0.code)
        }
    }

    private mutating func leaveOutWhatTableRefuses(_ identity: Identity) {
        var count: Int
        repeat {
            count = routes.count
            let refused = Set(errors(identity).compactMap(\.route))
            routes.removeAll { refused.contains($0.id) }
        } while routes.count < count
    }

    func router(_ identity: Identity) -> Router { Router(identity: identity, table: table) }

    private var table: RouteTable { Self.table(routes.map(\.node)) ?? RouteTable() }

    /// Returns the table of the routes; nil if one of them is invalid.
    private static func table(_ routes: [JSONNode]) -> RouteTable? {
        do throws(RouteTable.DecodingErrors) {
            return try RouteTable(DocumentField(.object(["routes": .array(routes)]), path: "table"))
        } catch {
            return nil
        }
    }

    /// Adds the routes of all rules that decide at least one plain link. Routes of other rules would only interfere.
    private mutating func addRoutes(of ruleset: Ruleset, _ identity: Identity) {
        for (number, translation) in ruleset.translations.enumerated() where ruleset.decides(number) {
            for path in translation.paths { addRoute(path, of: number, ruleset, identity) }
        }
    }

    /// Adds a route for the rule's links on a path, after the routes of earlier rules. A route that the table would
    /// refuse is left out; the comparison finds the effect.
    mutating func addRoute(_ path: MigratedPath, of rule: Int, _ ruleset: Ruleset, _ identity: Identity) {
        let ids = ruleset.apps.compactMap { apps.ids[$0] }
        guard !ids.isEmpty else { return }
        let translation = ruleset.translations[rule]
        let node = translation.route(
            path,
            id: names.routeID(path, translation.words),
            note: ruleset.note(of: rule),
            apps: apps.groups.count > 1 ? ids : nil,
            screen: ruleset.merged[rule].exclude.value ? nil : MigrationNames.screen(path)
        )
        guard let route = Self.table([node])?.routes.first, LinkConditions(route) != nil else { return }
        guard Self.errors(of: RouteTable(routes: [route]), identity).isEmpty else { return }
        let place = routes.firstIndex { ($0.ruleset, $0.rule) > (ruleset.number, rule) } ?? routes.endIndex
        let migrated = MigratedRoute(id: route.id, node: node, path: path, ruleset: ruleset.number, rule: rule)
        routes.insert(migrated, at: place)
    }
}
