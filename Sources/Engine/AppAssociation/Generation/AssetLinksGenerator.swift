public import LinkRouting

/// Generates the `assetlinks.json` file of one host from the tenant's apps and route table.
///
/// A statement links each app to the host. Its dynamic rules, which Android 15 and later read, determine which links
/// open the app. Like the rules of Apple's file, they refuse no link that the table opens, and may open more. Before
/// Android 15 the app's manifest decides.
public struct AssetLinksGenerator: Sendable {
    public let host: String
    public let router: Router
    public let policy: AssociationPolicy

    static let relation = "delegate_permission/common.handle_all_urls"

    /// Creates a generator. `host` is in lookup form. If `policy` is nil, the tenant's policy applies.
    public init(host: String, router: Router, policy: AssociationPolicy? = nil) {
        self.host = host
        self.router = router
        self.policy = policy ?? router.identity.association
    }

    /// Returns the file's JSON. Without apps for the host, it is an empty list.
    public static func file(
        for host: String,
        router: Router,
        within budget: WorkBudget = .associationFiles
    ) -> [UInt8] {
        AssetLinksGenerator(host: host, router: router).file(within: budget)
    }

    /// Returns the file's JSON. Without apps for the host, it is an empty list.
    public func file(within budget: WorkBudget = .associationFiles) -> [UInt8] { file(of: statements(budget)) }

    /// Returns the file's statements and JSON; nil if `size` is used up. See ``AssociationFiles/maximumBytes``.
    func make(within budget: WorkBudget, size: WorkBudget) -> (statements: [Statement], file: [UInt8])? {
        let before = size.steps
        let statements = statements(budget, size: size)
        guard !size.isUsedUp else { return nil }
        let file = file(of: statements)
        return size.spend(on: file, estimated: before - size.steps) ? (statements, file) : nil
    }

    func file(of statements: [Statement]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for statement in statements { write(statement, to: &writer) }
        writer.endArray()
        return writer.finish()
    }

    // MARK: Overmatches

    /// Returns the same as ``AASAGenerator/overmatches()``, for Android 15 and later.
    public func overmatches() -> [Overmatch] { overmatches(of: statements(.associationFiles)) }

    /// Returns the same for the first `mostRoutes` routes only, as far as the bytes of the evaluated links suffice.
    func overmatches(
        of statements: [Statement],
        mostRoutes: Int = .max,
        within budget: WorkBudget = .unlimited
    ) -> [Overmatch] {
        statements.flatMap { statement in
            guard !budget.isUsedUp else { return [Overmatch]() }
            let index = PrefixIndex(statement.rules ?? [])
            let costs = (statement.rules ?? []).map(\.comparisonCost)
            var files: [[Int]: AssetLinks] = [:]
            let routes = router.appRoutes(of: statement.app, on: host)
            var search = OvermatchSearch(routes, .android, within: budget) { link in
                let numbers = Set(index.beginning(link.head)).sorted()
                guard budget.spend(numbers.reduce(0) { $0 + costs[$1] }) else { return .stays }
                let file = files[numbers] ?? parsed(statement, rules: numbers)
                files[numbers] = file
                let decision = file.decision(for: link.text, package: statement.package)
                switch decision.outcome {
                case .match: return .opens(decision.rule.flatMap { statement.rules?[numbers[$0]].route })
                case .manifest: return .opens(nil)
                case .exclude, .noMatch: return .stays
                }
            }
            return search.run(policy.detail, mostRoutes: mostRoutes)
        }
    }

    /// Returns the file with some of a statement's rules. A file may have thousands of rules, and those with other
    /// literal prefixes cannot decide.
    private func parsed(_ statement: Statement, rules numbers: [Int]) -> AssetLinks {
        var part = statement
        part.rules = statement.rules.map { rules in numbers.map { rules[$0] } }
        return AssetLinks(generated: file(of: [part]))
    }

    // MARK: Statements

    struct Statement {
        var app: RegisteredApp
        var package: String
        var fingerprints: [String]
        /// The dynamic rules; nil if the manifest decides.
        var rules: [AssociationRule]?
        /// Equal for apps with the same routes; nil if that is not known.
        var routes: Int?
    }

    /// Returns one statement for each package. Several rule sets for one package could not be distinguished, so apps of
    /// one package with different rules get none.
    ///
    /// - Parameter size: About as many steps as the file has bytes. When it is used up, statements are missing.
    func statements(_ budget: WorkBudget, size: WorkBudget = .unlimited) -> [Statement] {
        var statements: [Statement] = []
        // Once the budget is used up, nothing can be compared with them.
        var known: [(routes: AppRoutes, rules: [AssociationRule], size: Int)] = []
        for app in router.apps(on: host) {
            guard case .android(let package, let fingerprints) = app.product, !fingerprints.isEmpty else { continue }
            var rules: [AssociationRule]?
            var bytes = package.utf8.count + fingerprints.reduce(0) { $0 + $1.utf8.count }
            var number: Int?
            if policy.detail == .routes {
                let routes = router.appRoutes(of: app, on: host)
                number = known.firstIndex { $0.routes.means(routes, within: budget) }
                if let number {
                    rules = known[number].rules
                    bytes += known[number].size
                } else {
                    let own = self.rules(for: routes, budget)
                    let ownSize = own.reduce(0) { $0 + $1.size }
                    rules = own
                    bytes += ownSize
                    if !budget.isUsedUp {
                        number = known.count
                        known.append((routes, own, ownSize))
                    }
                }
            }
            guard size.spend(bytes) else { return statements }
            guard let same = statements.firstIndex(where: { $0.package == package }) else {
                statements.append(
                    Statement(app: app, package: package, fingerprints: fingerprints, rules: rules, routes: number)
                )
                continue
            }
            statements[same].fingerprints += fingerprints.filter { !statements[same].fingerprints.contains($0) }
            if statements[same].rules != rules { (statements[same].rules, statements[same].routes) = (nil, nil) }
        }
        return statements
    }

    /// Returns the planned rules, with a final rule that excludes the links that no route opens.
    private func rules(for routes: AppRoutes, _ budget: WorkBudget) -> [AssociationRule] {
        let planned = RulePlan<AndroidRules>(routes, budget).rules()
        var roots = planned.filter(\.isRoot)
        var rules = planned.filter { !$0.isRoot }
        if rules.contains(where: \.excludesRoot) {
            // `*` would match the root without its slash, which `/` does not exclude.
            roots = []
            for index in rules.indices where rules[index].takesEverything { rules[index].path = Glob("/*") }
        }
        guard rules.last?.takesEverything != true else { return rules }
        if roots.isEmpty {
            rules.append(AssociationRule(path: AndroidRules.everything.path, isExcluded: true))
        } else {
            // Only `*` matches the root without its slash. It must follow a rule that excludes all other paths.
            rules.append(AssociationRule(path: Glob("/?*"), isExcluded: true))
            rules += roots
        }
        return rules
    }

    // MARK: Writing

    private func write(_ statement: Statement, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.strings("relation", [Self.relation])
        writer.key("target")
        writer.beginObject()
        writer.member("namespace", "android_app")
        writer.member("package_name", statement.package)
        writer.strings("sha256_cert_fingerprints", statement.fingerprints)
        writer.endObject()
        if let rules = statement.rules {
            writer.key("relation_extensions")
            writer.beginObject()
            writer.key(escaping: Self.relation)
            writer.beginObject()
            writer.key("dynamic_app_link_components")
            writer.beginArray()
            for rule in rules { AndroidRules.write(rule, to: &writer) }
            writer.endArray()
            writer.endObject()
            writer.endObject()
        }
        writer.endObject()
    }
}

extension AssociationRule {
    fileprivate var excludesRoot: Bool { isExcluded && path == Glob("/") && query.isEmpty && fragment == nil }

    fileprivate var takesEverything: Bool {
        path == AndroidRules.everything.path && query.isEmpty && fragment == nil && !isExcluded && !isRoot
    }
}
