extension RouteTable {
    /// What is wrong with the table under a tenant's settings: errors keep it from being published.
    ///
    /// Paths are relative to the table (`routes[3].web`).
    public func check(for identity: Identity) -> [Finding] {
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
        findings += overlaps()
        let steps = Router(identity: identity, table: self).worstCaseSteps
        if steps > Router.maximumSteps {
            findings.append(
                Finding(
                    .tooManySteps,
                    .error,
                    path: "routes",
                    message: "Some link needs \(steps) steps to resolve; at most \(Router.maximumSteps) are allowed.",
                    fix: "Put literal segments before parameters, or merge routes that differ only in their conditions."
                )
            )
        }
        return findings
    }

    /// Routes that another one answers for whatever the link and the caller are.
    private func overlaps() -> [Finding] {
        let placed = routes.indices.sorted { (PatternKey(routes[$0]), $0) < (PatternKey(routes[$1]), $1) }
        var byShape: [RouteShape: [Int]] = [:]
        var findings: [Finding] = []
        for index in placed {
            let route = routes[index]
            let shape = RouteShape(route)
            for earlier in byShape[shape, default: []] {
                let other = routes[earlier]
                if other.hasSameConditions(as: route) {
                    findings.append(
                        Finding(
                            .duplicateRoute,
                            .error,
                            path: "routes[\(index)]",
                            route: route.id,
                            message:
                                "'\(route.id)' and '\(other.id)' are for the same links and can never be told apart.",
                            fix: "Remove one, or give them different conditions."
                        )
                    )
                    break
                }
                if other.isUnconditional {
                    findings.append(
                        Finding(
                            .unreachableRoute,
                            .error,
                            path: "routes[\(index)]",
                            route: route.id,
                            message:
                                "'\(route.id)' can never be reached: '\(other.id)' comes first and has no conditions.",
                            fix: "Move '\(route.id)' before '\(other.id)', or remove it."
                        )
                    )
                    break
                }
            }
            byShape[shape, default: []].append(index)
        }
        return findings
    }
}

/// Which links a route is for, without the names of its parameters; `*` is for the same segments as a plain parameter.
private struct RouteShape: Hashable {
    private let host: HostPattern?
    private let segments: [Pattern.Segment]
    private let letterCase: Route.LetterCase
    private let needsTrailingSlash: Bool?

    init(_ route: Route) {
        switch route.host {
        case .label(let parameter, let suffix):
            host = .label(Pattern.Parameter(name: "", type: parameter?.type ?? .plain), suffix: suffix)
        default: host = route.host
        }
        segments = route.path.segments.map { segment in
            switch segment {
            case .literal(let literal): .literal(route.letterCase == .ignored ? literal.map(folded) : literal)
            case .parameter(let parameter): .parameter(Pattern.Parameter(name: "", type: parameter.type))
            case .any: .parameter(Pattern.Parameter(name: "", type: .plain))
            case .rest: .rest("")
            case .mixed(let mixed):
                .mixed(
                    Pattern.Mixed(
                        prefix: mixed.prefix,
                        pieces: mixed.pieces.map {
                            Pattern.Mixed.Piece(
                                parameter: Pattern.Parameter(name: "", type: $0.parameter.type),
                                literal: $0.literal
                            )
                        }
                    )
                )
            }
        }
        letterCase = route.letterCase
        needsTrailingSlash = route.trailingSlash == .strict ? route.path.hasTrailingSlash : nil
    }
}

extension Route {
    fileprivate func hasSameConditions(as other: Route) -> Bool {
        func tests(_ route: Route) -> Set<QueryCondition> {
            Set(
                route.query.map { condition in
                    guard case .capture(let parameter, let need) = condition.test else { return condition }
                    return QueryCondition(
                        name: condition.name,
                        test: .capture(Pattern.Parameter(name: "", type: parameter.type), need)
                    )
                }
            )
        }
        return tests(self) == tests(other) && fragment == other.fragment && when == other.when
    }

    fileprivate var isUnconditional: Bool {
        query.allSatisfy { condition in
            switch condition.test {
            // An optional capture refuses only a value that breaks its type; plain text never does.
            case .capture(let parameter, .optional), .capture(let parameter, .defaultsTo): parameter.type == .plain
            default: false
            }
        } && fragment == nil && when == nil && unsupported.isEmpty
    }
}

/// What can be wrong with one route by itself.
private struct RouteCheck {
    let route: Route
    let path: String
    let identity: Identity
    let fallback: Target?
    var findings: [Finding] = []

    mutating func run() {
        checkReservedPath()
        checkHost()
        checkApps()
        guard route.unsupported.isEmpty else {
            findings.append(
                Finding(
                    .unsupportedFeature,
                    .error,
                    path: "\(path).requires",
                    route: route.id,
                    message: "This engine lacks \(route.unsupported.joined(separator: ", ")).",
                    fix: "Use a newer fingerpost, or leave the route out."
                )
            )
            return
        }
        guard case .answer(let target) = route.behaviour else { return }
        var check = TargetCheck(path: path, route: route.id, known: Set(route.parameterNames), identity: identity)
        check.run(target)
        for (index, variant) in (route.experiment?.variants ?? []).enumerated() where variant.target != target {
            check.path = "\(path).experiment.variants[\(index)]"
            check.run(variant.target)
        }
        findings += check.findings
        let answersClicks = identity.domains.contains { $0.serves == .links }
        if answersClicks, target.web == nil, fallback?.web == nil {
            findings.append(
                Finding(
                    .missingWeb,
                    .warning,
                    path: path,
                    route: route.id,
                    message: "A click without the app has no page to go to and gets 404.",
                    fix: "Add 'web' to the route or to defaults.fallback."
                )
            )
        }
    }

    private mutating func checkReservedPath() {
        guard let first = route.path.segments.first else { return }
        let names = [".well-known", "_fp"] + (route.path.segments.count == 1 ? ["apple-app-site-association"] : [])
        let reserved = names.first { name in
            switch first {
            case .literal(let literal): areEqual(literal[...], name.utf8, route.letterCase)
            case .parameter(let parameter):
                parameter.type.isSet && parameter.type.accepts(Array(name.utf8)[...], route.letterCase)
            default: false
            }
        }
        guard let reserved else { return }
        findings.append(
            Finding(
                .reservedPath,
                .error,
                path: "\(path).path",
                route: route.id,
                message: "'/\(reserved)' is answered by Fingerpost itself on every host.",
                fix: "Choose another first segment."
            )
        )
    }

    private mutating func checkHost() {
        let isOwn =
            switch route.host {
            case nil: true
            case .exact(let host):
                identity.domain(for: host.ascii) != nil || identity.domains.contains { $0.host == host.ascii }
            case .label(_, let suffix):
                identity.domains.contains {
                    $0.coversSubdomains && (suffix.ascii == $0.host || $0.name.isParent(of: suffix.ascii))
                }
            }
        guard !isOwn, let host = route.host else { return }
        findings.append(
            Finding(
                .foreignHost,
                .error,
                path: "\(path).host",
                route: route.id,
                message: "No domain of the tenant covers '\(host)', so the route can never hold.",
                fix: "Add the domain to the settings, or correct the host."
            )
        )
    }

    private mutating func checkApps() {
        var named = route.when.map(\.apps) ?? []
        if case .answer(let target) = route.behaviour, case .byApp(let minimums) = target.minimumVersion {
            named += minimums.keys.sorted()
        }
        for app in named where !identity.apps.contains(where: { $0.id == app }) {
            findings.append(
                Finding(
                    .unknownApp,
                    .error,
                    path: path,
                    route: route.id,
                    message: "The settings have no app '\(app)'.",
                    fix: "Known are: \(identity.apps.map(\.id.rawValue).joined(separator: ", "))."
                )
            )
        }
    }
}

/// What can be wrong with where a route or fallback goes.
private struct TargetCheck {
    var path: String
    let route: RouteID?
    /// The parameters that its templates may use.
    let known: Set<String>
    let identity: Identity
    var findings: [Finding] = []

    mutating func run(_ target: Target) {
        var names = target.campaign?.parameterNames ?? []
        if let open = target.open {
            for argument in open.arguments + open.stack.flatMap(\.arguments) {
                if case .template(let template) = argument.value { names += template.parameterNames }
            }
            if let uri = open.uri {
                names += uri.parameterNames
                checkDestination(uri, "open.uri")
            }
        }
        for page in target.web?.all ?? [] {
            names += page.parameterNames
            checkDestination(page, "web")
        }
        var told: Set<String> = []
        for name in names where !known.contains(name) && told.insert(name).inserted {
            let captured =
                known.isEmpty ? "It captures nothing." : "It captures \(known.sorted().joined(separator: ", "))."
            add(.unknownParameter, at: nil, "A template names '{\(name)}', which is not captured here.", captured)
        }
    }

    private mutating func checkDestination(_ url: URLTemplate, _ key: String) {
        guard let host = url.host else {
            guard
                !identity.destinations.schemes.contains(url.scheme)
                    || DestinationPolicy.forbiddenSchemes.contains(url.scheme)
            else { return }
            add(
                .destinationNotAllowed,
                at: key,
                "'\(url.scheme):' is not among the schemes that links may lead to.",
                "Add it to settings.destinations.schemes, or use one of the tenant's own."
            )
            return
        }
        guard url.scheme == "https" || identity.destinations.allowsPlainHTTP else {
            add(.destinationNotAllowed, at: key, "'http' sends people over an open line.", "Write https://….")
            return
        }
        guard identity.destinations.allows(host: host) else {
            add(
                .destinationNotAllowed,
                at: key,
                "'\(host)' is not among the hosts that links may lead to.",
                "Add it to settings.destinations.hosts."
            )
            return
        }
        if key == "web", identity.domain(for: host)?.serves == .links {
            add(
                .webLoop,
                at: key,
                "'\(host)' itself answers clicks: the page would be a link again.",
                "Send people to the website's own host."
            )
        }
    }

    private mutating func add(_ code: Finding.Code, at key: String?, _ message: String, _ fix: String) {
        findings.append(
            Finding(code, .error, path: key.map { "\(path).\($0)" } ?? path, route: route, message: message, fix: fix)
        )
    }
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

extension ParameterType {
    fileprivate var isSet: Bool {
        guard case .oneOf = self else { return false }
        return true
    }
}
