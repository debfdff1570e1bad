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
        let router = Router(identity: identity, table: table)
        var isNeeded: Set<RouteID> = []
        for ruleset in rulesets { isNeeded.formUnion(compare(ruleset, router)) }
        routes.removeAll { !isNeeded.contains($0.id) }
        for finding in table.check(for: identity) where finding.severity == .error {
            report(.table, finding.message, fix: finding.fix)
        }
    }

    private var table: RouteTable { Self.table(routes.map(\.node)) ?? RouteTable() }

    /// Nil where one of the routes is none.
    private static func table(_ routes: [JSONNode]) -> RouteTable? {
        do throws(RouteTable.DecodingErrors) {
            return try RouteTable(Field(.object(["routes": .array(routes)]), path: "table"))
        } catch {
            return nil
        }
    }

    /// Adds the routes of all rules that decide about some plain link: those of others would only be in the way. A route that the table would refuse is left out; the comparison
    /// finds what that changes.
    private mutating func addRoutes(of ruleset: Ruleset, _ identity: Identity) {
        let ids = ruleset.apps.compactMap { apps.ids[$0] }
        guard !ids.isEmpty else { return }
        for (number, translation) in ruleset.translations.enumerated() where ruleset.decides(number) {
            for path in translation.paths {
                let node = translation.route(
                    path,
                    id: names.routeID(path),
                    note: "\(ruleset.rules[number].pointer): \(ruleset.text(of: number))",
                    apps: apps.groups.count > 1 ? ids : nil,
                    screen: ruleset.merged[number].exclude.value ? nil : MigrationNames.screen(path)
                )
                guard let route = Self.table([node])?.routes.first, LinkConditions(route) != nil else { continue }
                let findings = RouteTable(routes: [route]).check(for: identity)
                guard !findings.contains(where: { $0.severity == .error }) else { continue }
                routes.append(MigratedRoute(id: route.id, node: node, ruleset: ruleset.number, rule: number))
            }
        }
    }
}
