import LinkRouting

/// One migration on its way: rules become routes, these are compared with iOS, and what differs is reported.
struct MigrationWork {
    let file: AppleAppSiteAssociation
    let apps: MigratedApps
    let hosts: [String]
    let variables: PatternVariables
    private var names = MigrationNames()
    /// In the order of the file's rules.
    private(set) var routes: [MigratedRoute] = []
    var reports: [AssociationMigration.Report] = []

    /// A route with the rule that it was made from.
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
        try Identity(Field(settings, path: "settings").anyObject())
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
        // Where not all could be compared, there may be routes that are never reached; their rules have been reported.
        if !outcomes.allSatisfy(\.result.isComplete) { leaveOutWhatTableRefuses(identity) }
        for error in errors(identity) { report(.table, error.message, fix: error.fix) }
    }

    private func errors(_ identity: Identity) -> [Finding] {
        table.check(for: identity).filter { $0.severity == .error }
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

    /// Nil where one of the routes is none.
    private static func table(_ routes: [JSONNode]) -> RouteTable? {
        do throws(RouteTable.DecodingErrors) {
            return try RouteTable(Field(.object(["routes": .array(routes)]), path: "table"))
        } catch {
            return nil
        }
    }

    /// Adds the routes of all rules that decide about some plain link: those of others would only be in the way.
    private mutating func addRoutes(of ruleset: Ruleset, _ identity: Identity) {
        for (number, translation) in ruleset.translations.enumerated() where ruleset.decides(number) {
            for path in translation.paths { addRoute(path, of: number, ruleset, identity) }
        }
    }

    /// Adds a route that is for the rule's links on a path, behind those of the rules before. One that the table would refuse is
    /// left out; the comparison finds what that changes.
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
        let findings = RouteTable(routes: [route]).check(for: identity)
        guard !findings.contains(where: { $0.severity == .error }) else { return }
        let place = routes.firstIndex { ($0.ruleset, $0.rule) > (ruleset.number, rule) } ?? routes.endIndex
        let migrated = MigratedRoute(id: route.id, node: node, path: path, ruleset: ruleset.number, rule: rule)
        routes.insert(migrated, at: place)
    }
}
