/// Finds problems of a single route.
struct RouteCheck {
    let route: Route
    let path: String
    let identity: Identity
    let fallback: RouteTarget?
    private var findings: [Finding] = []
    /// Whether clicks of the route lead to the page of the table's fallback, at least on one platform.
    private(set) var leadsToFallback = false
    /// Whether the route has no destination: neither a screen nor a page nor a store.
    private(set) var isWithoutTarget = false

    init(_ route: Route, path: String, _ identity: Identity, fallback: RouteTarget?) {
        self.route = route
        self.path = path
        self.identity = identity
        self.fallback = fallback
    }

    mutating func run(_ list: inout FindingList) {
        checkRoute()
        list.add(findings)
        findings = []
        guard route.unsupported.isEmpty, case .answer(let target) = route.behaviour else { return }
        var check = TargetCheck(path: path, route: route.id, known: Set(route.parameterNames), identity: identity)
        check.run(target, &list)
        if let preview = route.preview { check.run(preview, &list) }
        for (index, variant) in (route.experiment?.variants ?? []).enumerated() where variant.target != target {
            check.path = "\(path).experiment.variants[\(index)]"
            check.run(variant.target, &list)
        }
        checkStores(of: target)
        isWithoutTarget = target.isEmpty && route.experiment == nil
        if answersClicks { checkWeb(target) }
        list.add(findings)
    }

    private mutating func checkRoute() {
        checkReservedPath()
        checkHost()
        checkApps()
        checkConditions()
        findings += SyntaxCheck(route: route, path: path).findings
        checkValues()
        guard !route.unsupported.isEmpty else { return }
        findings.append(
            Finding(
                .unsupportedFeature,
                .error,
                path: "\(path).requires",
                route: route.id,
                message:
                    "This engine does not support \(route.unsupported.listed(first: 20)), so links that match the "
                    + "route stay undecided.",
                fix: "Upgrade Fingerpost, or remove the route."
            )
        )
    }

    /// Checks that a route that leads to the store can do so for each app.
    private mutating func checkStores(of target: RouteTarget) {
        guard target.store != nil else { return }
        let platforms = platforms
        let lacking = identity.apps.filter { $0.kind == .app && $0.stores.isEmpty && platforms.contains($0.platform) }
        guard let first = lacking.first else { return }
        let example = first.platform == .ios ? "{kind: appStore, id: \"123456789\"}" : "{kind: playStore}"
        findings.append(
            Finding(
                .missingStore,
                .warning,
                path: "\(path).store",
                route: route.id,
                message: "These apps have no store page, so the route's links do not lead to the store: "
                    + "\(lacking.map(\.id.rawValue).listed(first: 20)).",
                fix: "Add 'stores' to the apps in the settings, such as \(example)."
            )
        )
    }

    /// Checks that every click leads to a page: the route's own, or the fallback's on a platform without one.
    private mutating func checkWeb(_ target: RouteTarget) {
        let withoutOwn = platforms.filter { target.web?.page(on: $0) == nil }
        let lacking = withoutOwn.filter { fallback?.web?.page(on: $0) == nil }
        leadsToFallback = lacking.count < withoutOwn.count
        guard !lacking.isEmpty else { return }
        let names = lacking.map(\.rawValue).joined(separator: ", ")
        findings.append(
            Finding(
                .missingWeb,
                .warning,
                path: path,
                route: route.id,
                message: lacking.count == platforms.count
                    ? "A click on a device without the app has no page to go to."
                    : "On these platforms, a click without the app has no page to go to: \(names).",
                fix: target.web == nil
                    ? "Add 'web' to the route, or to defaults.fallback for all routes without one."
                    : "Add a 'default' page to 'web'."
            )
        )
    }

    /// The platforms from which the route can be reached.
    private var platforms: [Platform] {
        guard let alternatives = route.when?.alternatives else { return Platform.allCases }
        return Platform.allCases.filter { platform in
            alternatives.contains { facts in
                guard case .choices(let platforms)? = facts.sets[.platform] else { return true }
                return platforms.contains(platform.rawValue)
            }
        }
    }

    /// Whether links of the route may be on a domain whose clicks the server answers.
    private var answersClicks: Bool {
        guard case .exact(let host)? = route.host else { return identity.domains.contains { $0.serves == .links } }
        return identity.domain(for: host.ascii)?.serves == .links
    }

    private mutating func checkReservedPath() {
        guard
            let reserved = answersClicks
                ? reservedName(of: 0, [".well-known", "_fp"]) ?? associationFile : associationFile
        else { return }
        let isElsewhere = associationFile == nil && identity.domains.contains { $0.serves == .association }
        findings.append(
            Finding(
                .reservedPath,
                .error,
                path: "\(path).path",
                route: route.id,
                message:
                    "Fingerpost itself answers '/\(reserved)' on every host that it serves, so such links never reach the "
                    + "route.",
                fix: isElsewhere
                    ? "Choose another first segment, or limit the route to a 'host' with 'serves: association'."
                    : "Choose another first segment."
            )
        )
    }

    /// The file that every host serves at the route's path; nil for other paths.
    private var associationFile: String? {
        switch route.path.segments.count {
        case 1: return reservedName(of: 0, ["apple-app-site-association"])
        case 2:
            guard let folder = reservedName(of: 0, [".well-known"]) else { return nil }
            return reservedName(of: 1, ["apple-app-site-association", "assetlinks.json"]).map { "\(folder)/\($0)" }
        default: return nil
        }
    }

    /// Returns the first of the names that a segment of the path lists; nil for a parameter of other values.
    private func reservedName(of index: Int, _ names: [String]) -> String? {
        guard route.path.segments.indices.contains(index) else { return nil }
        return names.first { name in
            switch route.path.segments[index] {
            case .literal(let literal): areEqual(literal[...], name.utf8, route.letterCase)
            case .parameter(let parameter):
                parameter.type.isSet && parameter.type.accepts(Array(name.utf8)[...], route.letterCase)
            default: false
            }
        }
    }

    private mutating func checkHost() {
        guard let host = route.host, HostSpace.spaces(of: host, identity).isEmpty else { return }
        findings.append(
            Finding(
                .foreignHost,
                .error,
                path: "\(path).host",
                route: route.id,
                message: "No domain of the tenant covers '\(host)', so the route can never match.",
                fix: "Add the domain to the settings, or correct the host of the route."
            )
        )
    }

    /// Finds conditions that contradict themselves or each other.
    private mutating func checkConditions() {
        if let alternatives = route.when?.alternatives {
            let contradictions = alternatives.map { $0.contradictions(identity.apps) }
            if contradictions.allSatisfy({ !$0.isEmpty }) {
                let names = Set(contradictions.joined().map(\.name)).sorted()
                addNeverTrue(
                    "when",
                    "no caller can satisfy the conditions in 'when' on \(names.joined(separator: " and ")).",
                    "Correct these conditions, or remove the route."
                )
            }
        }
        for segment in route.path.segments {
            // Every range has a number, so its numbers need not be listed.
            if case .parameter(let parameter) = segment, case .int = parameter.type { continue }
            guard SegmentTexts(SegmentForm(segment: segment, letterCase: route.letterCase)).isEmpty else { continue }
            addNeverTrue("path", "no segment of a link can match '\(segment)'.", "Correct the segment.")
        }
        var query: [ExactText: QuerySpace] = [:]
        for condition in route.query {
            query[ExactText(condition.name), default: QuerySpace()].narrow(to: condition.test)
        }
        for name in query.filter(\.value.isEmpty).keys.sorted() {
            addNeverTrue(
                "query",
                "no link can satisfy its conditions on the query item '\(name)'.",
                "Correct or remove these conditions."
            )
        }
        if case .pattern(let pattern) = route.fragment,
            pattern.forms(route.letterCase).contains(where: { SegmentTexts($0).isEmpty })
        {
            addNeverTrue("fragment", "no fragment can match '\(pattern)'.", "Correct the pattern.")
        }
    }

    /// Finds a path and conditions that probably do not mean what they say, and a reason that wants to be a template.
    private mutating func checkValues() {
        let pattern = route.path.description
        if pattern.last?.isWhitespace == true {
            findings.append(
                Finding(
                    .unlikelyValue,
                    .warning,
                    path: "\(path).path",
                    route: route.id,
                    message: "The path ends with white space, so only links that end with it match.",
                    fix: "Write '\(pattern.withoutSpaceAround)', or %20 at its end if a space is meant."
                )
            )
        }
        for (message, fix) in (route.when?.unlikelyValues ?? []).prefix(4) {
            findings.append(
                Finding(.unlikelyValue, .warning, path: "\(path).when", route: route.id, message: message, fix: fix)
            )
        }
        guard case .block(let reason) = route.behaviour,
            let name = TargetCheck.placeholders(in: reason).first(where: route.parameterNames.contains)
        else { return }
        findings.append(
            Finding(
                .literalBraces,
                .warning,
                path: "\(path).block",
                route: route.id,
                message: "The person who follows the link reads '{\(name)}': the reason is no template.",
                fix: "Write a reason without the value."
            )
        )
    }

    private mutating func addNeverTrue(_ key: String, _ problem: String, _ fix: String) {
        findings.append(
            Finding(
                .neverTrue,
                .error,
                path: "\(path).\(key)",
                route: route.id,
                message: "'\(route.id)' can never match: \(problem)",
                fix: fix
            )
        )
    }

    private mutating func checkApps() {
        var named = route.when.map(\.apps) ?? []
        if case .answer(let target) = route.behaviour, case .byApp(let minimums) = target.minimumVersion {
            named += minimums.keys.sorted()
        }
        let known = Set(identity.apps.map(\.id))
        for app in named where !known.contains(app) {
            findings.append(
                Finding(
                    .unknownApp,
                    .error,
                    path: path,
                    route: route.id,
                    message: "The settings define no app '\(app)'.",
                    fix: identity.apps.isEmpty
                        ? "Add it to 'apps' in the settings, which have no app yet."
                        : "Add it to the settings, or use one of: "
                            + "\(identity.apps.map(\.id.rawValue).listed(first: 20))."
                )
            )
        }
    }
}

extension RouteTarget {
    /// Whether the target has no destination: neither a screen nor a page nor a store.
    fileprivate var isEmpty: Bool { open == nil && web == nil && store == nil }
}

extension Condition {
    /// The apps that the condition names.
    fileprivate var apps: [AppID] {
        switch self {
        case .apps(let apps): apps
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.apps)
        case .not(let condition): condition.apps
        default: []
        }
    }
}

extension WebTarget {
    fileprivate func page(on platform: Platform) -> URLTemplate? {
        switch platform {
        case .ios: ios ?? `default`
        case .android: android ?? `default`
        case .macos, .windows, .linux: desktop ?? `default`
        case .other: `default`
        }
    }
}

extension ParameterType {
    fileprivate var isSet: Bool {
        guard case .oneOf = self else { return false }
        return true
    }
}
