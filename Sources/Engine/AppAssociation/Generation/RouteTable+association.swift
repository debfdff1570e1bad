public import LinkRouting

extension RouteTable {
    /// Whether a check also returns advice, which takes a while to compute.
    public enum Advice: Sendable {
        case omitted
        case included
    }

    /// Checks the association files generated from the table.
    ///
    /// An error means that no device would read a file. A warning means that a file cannot express the table. Advice
    /// lists links that a file opens beyond the table. Paths are relative to the table.
    ///
    /// - Parameter budget: The budget for generating the files. Validation has a budget of its own, so that the files
    ///   are the same with and without it.
    public func checkAssociation(
        for identity: Identity,
        advice: Advice = .omitted,
        within budget: WorkBudget = .associationFiles
    ) -> [Finding] {
        checkAssociation(for: identity, advice: advice, within: budget, maximumBytes: AssociationFiles.maximumBytes)
    }

    package func checkAssociation(
        for identity: Identity,
        advice: Advice = .omitted,
        within budget: WorkBudget,
        maximumBytes: Int
    ) -> [Finding] {
        let router = Router(identity: identity, table: self)
        var check = AssociationCheck(router: router, advice: advice, budget: budget, maximumBytes: maximumBytes)
        check.run()
        return check.findings
    }
}

/// One check of the files of all hosts. Each file is generated once. Hosts that share their files are checked once,
/// since generation takes most of the time.
private struct AssociationCheck {
    private let router: Router
    private let advice: RouteTable.Advice
    private let budget: WorkBudget
    /// The budget for validating all files.
    private let validationBudget: WorkBudget
    /// The budget for overmatches in all files, in bytes of links. A route with short segments takes some 10,000.
    private let overmatchBudget: WorkBudget
    /// The size of all files.
    private let size: WorkBudget
    private let maximumBytes: Int
    private(set) var findings: [Finding] = []
    private var overmatches: [Overmatch] = []

    /// The maximum number of routes of each file in the search for overmatches. A longer list of examples is of no use,
    /// and the search takes a while.
    private static let mostOvermatchingRoutes = 32
    /// The maximum number of opening routes for which an Android file is checked. An Apple file for as many routes is
    /// too large already, and Android's has no size limit.
    private static let mostAndroidRoutes = 2_000
    /// The maximum product of the numbers of routes, apps and hosts.
    private static let mostLooks = 50_000_000

    init(router: Router, advice: RouteTable.Advice, budget: WorkBudget, maximumBytes: Int) {
        self.router = router
        self.maximumBytes = maximumBytes
        size = WorkBudget(steps: maximumBytes)
        self.budget = budget
        self.advice = advice
        validationBudget = budget.other(steps: WorkBudget.associationValidation.steps)
        overmatchBudget = budget.other(steps: 8_000_000)
    }

    mutating func run() {
        var hosts: [String] = []
        var known: Set<String> = []
        var forFiles: Set<String> = []
        for domain in router.identity.domains {
            if domain.port == nil {
                if domain.serves == .association { forFiles.insert(domain.host) }
                if known.insert(domain.host).inserted { hosts.append(domain.host) }
            } else if domain.serves == .association {
                checkPort(of: domain)
            }
        }
        guard isFeasible(hosts) else { return }
        var seen: Set<HostRoutes> = []
        for host in hosts {
            if forFiles.contains(host) { checkNaming(host) }
            let routes = HostRoutes(host, router, budget)
            // The check was cancelled, so further results are not used.
            guard !budget.isCancelled else { break }
            guard seen.insert(routes).inserted else { continue }
            checkApple(host)
            checkAndroid(host)
            guard !size.isUsedUp else {
                tellTotalSize(upTo: host)
                break
            }
        }
        checkFingerprints(on: hosts)
        tellOvermatches()
        tellUndecided()
    }

    /// Returns whether the table is small enough for a check, and reports it otherwise. Every route is examined for
    /// every app of every host, however little has to be proved about it.
    private mutating func isFeasible(_ hosts: [String]) -> Bool {
        let (routes, apps) = (router.table.routes.count, router.identity.apps.count)
        let (some, overflows) = hosts.count.multipliedReportingOverflow(by: max(1, apps))
        let (all, overflowsToo) = some.multipliedReportingOverflow(by: max(1, routes))
        guard hosts.count > AssociationFiles.maximumHosts || overflows || overflowsToo || all > Self.mostLooks else {
            return true
        }
        findings.append(
            Finding(
                .associationTooLarge,
                .error,
                path: "routes",
                message:
                    "\(routes) routes for \(apps) apps on \(hosts.count) hosts are too many for association files: "
                    + "the limits are \(AssociationFiles.maximumHosts) hosts and a product of \(Self.mostLooks).",
                fix: "Split the hosts among several tenants, list 'domains' for each app, or use fewer routes."
            )
        )
        return false
    }

    // MARK: Files

    private mutating func checkApple(_ host: String) {
        let generator = AASAGenerator(host: host, router: router)
        guard let (entries, file) = generator.make(within: budget, size: size) else { return }
        guard file.count <= AppleAppSiteAssociation.maximumBytes else {
            return tellSize(file.count, of: host, AASAGenerator.contributions(of: entries))
        }
        tellErrors(AppleAppSiteAssociation.validate(file, within: validationBudget), "apple-app-site-association", host)
        findOvermatches { generator.overmatches(of: entries, mostRoutes: $0, within: $1) }
    }

    private mutating func checkAndroid(_ host: String) {
        let generator = AssetLinksGenerator(host: host, router: router)
        guard let (statements, file) = generator.make(within: budget, size: size) else { return }
        var isSmall = true
        var unnamed: [Finding] = []
        for app in router.apps(on: host) {
            _ = budget.isWanted()
            guard !budget.isCancelled else { return }
            guard case .android(_, let fingerprints) = app.product else { continue }
            let routes = router.appRoutes(of: app, on: host)
            if routes.entries.count(where: \.opens) > Self.mostAndroidRoutes { isSmall = false }
            if fingerprints.isEmpty, let opening = routes.entries.first(where: \.opens)?.route {
                unnamed.append(finding(withoutFingerprints: app, opening, routes.hosts.samples.first ?? host, of: host))
            }
        }
        if isSmall { check(file, of: generator, statements) }
        findings += unnamed
    }

    /// Checks what Android reads. It drops a larger file, so nothing else about that matters.
    private mutating func check(
        _ file: [UInt8],
        of generator: AssetLinksGenerator,
        _ statements: [AssetLinksGenerator.Statement]
    ) {
        guard file.count <= AssetLinks.maximumBytes else {
            return tellErrors(AssetLinks.findings(onSize: file.count), "assetlinks.json", generator.host)
        }
        // Apps with the same routes have the same rules and the same overmatches, which are examined once.
        var seen: Set<Int> = []
        let isFirst = statements.map { $0.routes.map { seen.insert($0).inserted } ?? true }
        var checked = statements
        for index in checked.indices where !isFirst[index] { checked[index].rules = nil }
        let findings = AssetLinks.validate(generator.file(of: checked), within: validationBudget)
        tellErrors(findings, "assetlinks.json", generator.host)
        let different = zip(statements, isFirst).filter(\.1).map(\.0)
        findOvermatches { generator.overmatches(of: different, mostRoutes: $0, within: $1) }
    }

    private func finding(
        withoutFingerprints app: RegisteredApp,
        _ opening: Route,
        _ sampleHost: String,
        of host: String
    ) -> Finding {
        let link = SampleLink(of: opening, on: sampleHost).url
        return Finding(
            .associationNotExpressed,
            .warning,
            path: path(of: opening),
            route: opening.id,
            message:
                "The assetlinks.json of '\(host)' cannot name '\(app.id)', which has no fingerprints: Android "
                + "opens links such as \(link) in the browser.",
            fix: "Add the SHA-256 fingerprints of the app's signing certificate to its settings.",
            example: link
        )
    }

    private mutating func tellSize(_ size: Int, of host: String, _ contributions: [AASAGenerator.Contribution]) {
        let largest = contributions.prefix(3).map { "'\($0.beginning)' \($0.bytes) in \($0.rules) rules" }
        findings.append(
            Finding(
                .associationTooLarge,
                .error,
                path: "routes",
                message: "The apple-app-site-association file of '\(host)' would have \(size) bytes; iOS reads at most "
                    + "\(AppleAppSiteAssociation.maximumBytes). Most of them are from "
                    + "\(largest.joined(separator: ", ")).",
                fix: "Merge routes that open the app into patterns such as /product/{id}, or set "
                    + "'settings.association.detail' to 'coarse', which publishes one rule for all paths."
            )
        )
    }

    private mutating func tellTotalSize(upTo host: String) {
        findings.append(
            Finding(
                .associationTooLarge,
                .error,
                path: "routes",
                message: "The association files of all hosts up to '\(host)' would have more than "
                    + "\(maximumBytes) bytes together: each repeats the rules of each Android app, and "
                    + "routes with a 'host' give each host a file of its own.",
                fix: "Merge routes that open the app into patterns such as /product/{id}, list 'domains' for each app, "
                    + "or set 'settings.association.detail' to 'coarse'."
            )
        )
    }

    private mutating func tellUndecided() {
        guard budget.undecided > 0 else { return }
        findings.append(
            Finding(
                .undecided,
                .warning,
                path: "routes",
                message:
                    "For \(budget.undecided) exclusions in the association files, it takes too long to prove that "
                    + "they exclude no link that the table opens. They are left out: the app opens those links, and "
                    + "forwards them.",
                fix: "No action is needed. To avoid this, use fewer patterns that begin with a parameter, or set "
                    + "'settings.association.detail' to 'coarse'."
            )
        )
    }

    private mutating func tellErrors(_ all: [AssociationFinding], _ name: String, _ host: String) {
        // A file whose rules only exclude is intended: the table opens nothing in that app.
        for error in all where error.severity == .error && error.code != .androidExcludeOnly {
            findings.append(
                Finding(
                    .associationInvalid,
                    .warning,
                    path: "routes",
                    message: "The \(name) of '\(host)' would have an error at '\(error.pointer)' (\(error.code)): "
                        + error.message,
                    fix: error.fix
                )
            )
        }
    }

    // MARK: Hosts

    private mutating func checkPort(of domain: Domain) {
        findings.append(
            Finding(
                .associationNotExpressed,
                .warning,
                path: "routes",
                message: "Devices fetch association files only from port 443, so no link on "
                    + "'\(domain.host):\(domain.port ?? 0)' opens an app directly.",
                fix: "List the domain without its port, or remove 'serves: association'."
            )
        )
    }

    /// Reports a host that serves association files only, if the files name no app.
    private mutating func checkNaming(_ host: String) {
        let identity = router.identity
        let apps = identity.apps.filter { $0.isPart(of: router.environment) }
        guard !apps.isEmpty, !apps.contains(where: { $0.isNamed(on: host, of: identity) }) else { return }
        findings.append(
            Finding(
                .associationNotExpressed,
                .warning,
                path: "routes",
                message: "The association files of '\(host)' name no app: all apps list other domains.",
                fix: "Add '\(host)' to the 'domains' of an app, or remove it from the settings."
            )
        )
    }

    // MARK: Apps

    /// Reports apps with a fingerprint of an example, if a file names them.
    private mutating func checkFingerprints(on hosts: [String]) {
        let identity = router.identity
        for app in identity.apps where app.isPart(of: router.environment) {
            guard case .android(_, let texts) = app.product,
                let example = texts.compactMap({ CertificateFingerprint($0) }).first(where: \.isPlaceholder),
                hosts.contains(where: { app.isNamed(on: $0, of: identity) })
            else { continue }
            findings.append(
                Finding(
                    .exampleFingerprint,
                    .warning,
                    path: "routes",
                    message: "The app '\(app.id)' has the fingerprint of an example, \(example), so Android does not "
                        + "verify the app, and opens its links in the browser.",
                    fix: "Replace it with the SHA-256 fingerprint of the app's signing certificate; the Play Console "
                        + "shows it under App signing."
                )
            )
        }
    }

    // MARK: Overmatches

    /// Searches for overmatches, except in a coarse file, which opens more links on purpose.
    private mutating func findOvermatches(_ search: (_ mostRoutes: Int, _ budget: WorkBudget) -> [Overmatch]) {
        guard advice == .included, router.identity.association.detail == .routes else { return }
        overmatches += search(Self.mostOvermatchingRoutes, overmatchBudget)
    }

    private mutating func tellOvermatches() {
        let platforms = [Platform.ios, .android]
        for platform in platforms {
            let found = overmatches.filter { one in
                router.identity.apps.contains { $0.id == one.app && $0.platform == platform }
            }
            guard let first = found.first else { continue }
            let kinds = Set(found.map { Kind(route: $0.route, reason: $0.reason) }).count
            let route = router.table.routes.first { $0.id == first.route }
            let opens = platform == .ios ? "iOS" : "Android"
            findings.append(
                Finding(
                    .associationOvermatch,
                    .info,
                    path: route.map(path) ?? "routes",
                    route: first.route,
                    message:
                        "\(opens) opens \(kinds == 1 ? "a kind" : "\(kinds) kinds") of links in the app that no "
                        + "route opens, such as \(first.example) (\(first.reason.explanation)).",
                    fix: "No action is needed; 'fingerpost association build --over-open' lists them.",
                    example: first.example
                )
            )
        }
    }

    private struct Kind: Hashable {
        let route: RouteID?
        let reason: Overmatch.Reason
    }

    private func path(of route: Route) -> String {
        router.table.routes.firstIndex { $0.id == route.id }.map { "routes[\($0)]" } ?? "routes"
    }
}
