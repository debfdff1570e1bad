import LinkRouting
import TestSupport
import Testing

@testable import AppAssociation

/// For any table, the generated file refuses no link that a route opens in an app, and every link that it opens beyond
/// the table has a cause that is listed.
///
/// Some links are excluded, here and from the guarantee: links with an empty segment (`//`), links where a parameter's
/// value consists of encoded slashes only, and on Android links with an encoded slash in the path.
struct AssociationPropertyTests {
    private static let seeds = RandomCases.seeds(UInt64(100))
    private static let tablesPerSeed = 100

    @Test(arguments: seeds)
    func openedLinkIsRefusedByNeitherFile(_ seed: UInt64) throws {
        var chance = Chance(seed)
        var opened = [0, 0]
        for _ in 0..<Self.tablesPerSeed {
            let world = try RandomTable(&chance)
            let file = chance.one(of: RandomTable.files)
            let bytes = AASAGenerator.file(for: file.host, router: world.router)
            let errors = AppleAppSiteAssociation.validate(bytes).filter { $0.severity == .error }
            let product = try AppleAppSiteAssociation(parsing: bytes)
            guard errors.isEmpty else {
                Issue.record("\(errors)\n\(String(decoding: bytes, as: UTF8.self))\n\(world)")
                return
            }
            let apple = try AssociationSimulator(bytes)
            let androidBytes = AssetLinksGenerator.file(for: file.host, router: world.router)
            let androids = try AndroidSimulator.Version.allCases.map { try AndroidSimulator(androidBytes, $0) }
            for _ in 0..<8 {
                let url = world.url(on: chance.one(of: file.covers), &chance)
                if world.opens(url, in: "ios", .ios, &chance) {
                    opened[0] += 1
                    let decision = apple.decision(for: "ABCDE12345.com.example.app", url)
                    let app = "ABCDE12345.com.example.app"
                    guard case .opens = decision, product.decision(for: url, app: app).outcome == .match else {
                        Issue.record("iOS, \(url): \(decision)\n\(world)")
                        return
                    }
                }
                guard !url.hasEncodedSlashInPath, world.opens(url, in: "android", .android, &chance) else { continue }
                opened[1] += 1
                for android in androids {
                    let decision = try android.decision(for: "com.example.app", url)
                    switch decision {
                    case .opens, .manifest: break
                    case .excluded, .noMatch, .appNotListed:
                        Issue.record(
                            """
                            Android \(android.version), \(url): \(decision)
                            \(String(decoding: androidBytes, as: UTF8.self))
                            \(world)
                            """
                        )
                        return
                    }
                }
            }
        }
        // Guards against a vacuous test.
        #expect(opened.allSatisfy { $0 > 100 })
    }

    @Test(arguments: seeds)
    func causeOfEveryOverOpenLinkIsListed(_ seed: UInt64) throws {
        var chance = Chance(seed &+ 1_000)
        var seen: [Platform: Int] = [:]
        for _ in 0..<10 {
            let world = try RandomTable(&chance)
            let file = chance.one(of: RandomTable.files)
            let judges = try OvermatchOracle.all(for: file.host, world.router)
            for _ in 0..<12 {
                let url = world.url(on: chance.one(of: file.covers), &chance, spelling: .canonical)
                for judge in judges {
                    guard let cause = judge.cause(of: url) else { continue }
                    seen[judge.platform, default: 0] += 1
                    guard judge.listed.contains(cause) else {
                        Issue.record("\(judge.platform), \(url): \(cause)\nlisted: \(judge.listed)\n\(world)")
                        return
                    }
                }
            }
        }
        // Guards against a vacuous test.
        #expect(seen.values.reduce(0, +) > 5)
    }
}

/// The same for tables as people write them, with links that are near their routes.
struct AssociationRoundTripTests {
    private static let apps = """
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app}
            - {id: droid, platform: android, package: com.example.app, fingerprints: ["\(fingerprint)"]}

        """
    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    private static let tables: [[String]] = [
        ["path: \"/legal/{page...}\"", "path: \"/{path...}\", open: {screen: Home}"],
        ["path: /blog/new", "path: \"/blog/{id}\", open: {screen: Post}"],
        ["path: \"/user/{id}/delete\"", "path: \"/user/{x...}\", open: {screen: User}"],
        ["path: \"/user/{id}/files/{rest...}\"", "path: \"/{x...}\", open: {screen: Home}"],
        ["path: \"/{lang(en,de)}/legal/{page...}\"", "path: \"/{lang(en,de)}/{x...}\", open: {screen: Home}"],
        ["path: \"/Login/{x...}\", caseSensitive: false", "path: \"/{x...}\", open: {screen: Home}"],
        ["path: /", "path: \"/{x...}\", open: {screen: Home}"],
        ["path: \"/item/{id:int}\", open: {screen: Item}", "path: \"/item/{id:int}/edit\"", "path: /"],
        ["path: \"/c++/{id}\", open: {screen: Item}", "path: /c++/new"],
        ["path: \"/news/{year:int}/{slug}.html\"", "path: \"/news/{x...}\", open: {screen: News}"],
        [
            "path: /a, query: {web: {equals: \"1\"}}", "path: /a, open: {screen: A}",
            "path: \"/a/{x...}\", open: {screen: A}",
        ],
    ]

    /// The example tables and the tables above, each with an app for both platforms.
    private static func routers() throws -> [Router] {
        let examples = try ["magazine", "taxi", "shop", "blogs", "sample"].map { name in
            let router = try Examples.router(name)
            var identity = router.identity
            let android = RegisteredApp(
                id: try #require(AppID("droid-of-test")),
                product: .android(package: "com.example.app", fingerprints: [fingerprint])
            )
            identity = Identity(
                domains: identity.domains,
                apps: identity.apps + [android],
                association: identity.association
            )
            return Router(identity: identity, table: router.table)
        }
        let ours = try tables.map { routes in
            let lines = zip("abcdef", routes).map { "    - {id: \($0), \($1)}" }.joined(separator: "\n")
            return try Examples.router(
                document: "settings:\n  domains: [a.example]\n\(apps)table:\n  routes:\n\(lines)"
            )
        }
        return examples + ours
    }

    @Test func noLinkIsRefusedAndEveryOverOpenLinkHasAListedCause() throws {
        var chance = Chance(7)
        var count = 0
        for router in try Self.routers() {
            for host in Set(router.identity.domains.map(\.host)).sorted() {
                for judge in try OvermatchOracle.all(for: host, router) {
                    for _ in 0..<200 {
                        let url = Self.link(near: chance.one(of: router.table.routes), host, &chance)
                        count += 1
                        #expect(!judge.refuses(url), "\(judge.platform) refuses \(url)")
                        guard let cause = judge.cause(of: url) else { continue }
                        #expect(judge.listed.contains(cause), "\(judge.platform) \(url): \(cause) of \(judge.listed)")
                    }
                }
            }
        }
        #expect(count > 5_000)
    }

    /// A link of the route, or one that differs from it in a segment, in its length, its letter case or its ending.
    private static func link(near route: Route, _ host: String, _ chance: inout Chance) -> String {
        let words = ["x", "new", "7", "terms", "a.html", "a.b.html", "en", "delete", "n-1", "Legal", "x%20y", "%C3%A9"]
        var path = ""
        for segment in route.path.segments {
            switch segment {
            case .literal(let bytes):
                let text = String(decoding: bytes, as: UTF8.self)
                path += "/" + chance.one(of: [text, text, text, text, text.uppercased(), text.lowercased(), "x"])
            case .parameter(let parameter):
                path += "/" + chance.one(of: [parameter.type.sample, parameter.type.sample, chance.one(of: words)])
            case .any: path += "/" + chance.one(of: words)
            case .mixed(let mixed):
                path += "/" + String(decoding: mixed.prefix, as: UTF8.self)
                for piece in mixed.pieces {
                    path += chance.one(of: [piece.parameter.type.sample, "a.b", "x"])
                    path += String(decoding: piece.literal, as: UTF8.self)
                }
            case .rest: for _ in 0..<chance.below(4) { path += "/" + chance.one(of: words) }
            }
        }
        if chance.below(4) == 0 { path += "/" + chance.one(of: words) }
        if chance.below(4) == 0 { path += "/" }
        let query = chance.one(of: ["", "", "?x=1", "?web=1", "?web=1&web=2", "?web", "?utm=y"])
        return "https://\(host)\(path)\(query)\(chance.one(of: ["", "", "", "#top"]))"
    }
}

extension OvermatchSearch.Cause: CustomStringConvertible {
    var description: String { "\(route?.rawValue ?? "-") \(reason.rawValue)" }
}

extension String {
    var hasEncodedSlashInPath: Bool { prefix { $0 != "?" && $0 != "#" }.lowercased().contains("%2f") }
}

/// The links that one app's file opens beyond the table, and the causes that the file's generator lists.
struct OvermatchOracle {
    let platform: Platform
    let listed: Set<OvermatchSearch.Cause>
    private let routes: AppRoutes
    private let opener: (String) -> OvermatchSearch.Verdict

    static func all(for host: String, _ router: Router) throws -> [OvermatchOracle] {
        let apple = AASAGenerator(host: host, router: router)
        let entries = apple.entries(.associationFiles)
        let appleFile = try AppleAppSiteAssociation(parsing: apple.file(of: entries))
        let android = AssetLinksGenerator(host: host, router: router)
        let statements = android.statements(.associationFiles)
        let androidFile = try AssetLinks(parsing: android.file(of: statements))
        var judges: [OvermatchOracle] = []
        let appleFound = apple.overmatches()
        for entry in entries {
            guard let app = entry.apps.first, let id = entry.ids.first else { continue }
            judges.append(
                OvermatchOracle(.ios, router.appRoutes(of: app, on: host), appleFound) { link in
                    let decision = appleFile.decision(for: link, app: id)
                    guard decision.outcome == .match else { return .stays }
                    return .opens(decision.rule.flatMap { entry.rules[$0].route })
                }
            )
        }
        let androidFound = android.overmatches()
        for statement in statements {
            judges.append(
                OvermatchOracle(.android, router.appRoutes(of: statement.app, on: host), androidFound) { link in
                    let decision = androidFile.decision(for: link, package: statement.package)
                    guard decision.outcome == .match else { return .stays }
                    return .opens(decision.rule.flatMap { statement.rules?[$0].route })
                }
            )
        }
        return judges
    }

    private init(
        _ platform: Platform,
        _ routes: AppRoutes,
        _ found: [Overmatch],
        opener: @escaping (String) -> OvermatchSearch.Verdict
    ) {
        self.platform = platform
        self.routes = routes
        self.opener = opener
        listed = Set(
            found.filter { $0.app == routes.app.id }.map { OvermatchSearch.Cause(route: $0.route, reason: $0.reason) }
        )
    }

    /// Returns whether the table opens a link that the file does not.
    func refuses(_ url: String) -> Bool {
        guard let link = try? DeepLink.parse(url), routes.opens(link), !url.dropFirst("https://".count).contains("//"),
            case .stays = opener(url)
        else { return false }
        return true
    }

    /// Returns why the file opens the link beyond the table; nil if it does not, or if the link is one of the
    /// documented exceptions.
    func cause(of url: String) -> OvermatchSearch.Cause? {
        guard !url.hasEncodedSlashInPath, !url.dropFirst("https://".count).contains("//"),
            let link = try? DeepLink.parse(url), !routes.opens(link), case .opens(let route) = opener(url)
        else { return nil }
        return routes.cause(of: link, openedBy: route, platform)
    }
}

/// A random table on the hosts of one tenant, and links that match its routes exactly or almost.
struct RandomTable: CustomStringConvertible {
    let router: Router

    /// Hosts that serve a file, each with hosts that it covers.
    static let files: [(host: String, covers: [String])] = [
        ("a.example", ["a.example"]), ("wild.example", ["wild.example", "x.wild.example", "y.wild.example"]),
    ]

    private static let segments = [
        "a", "b", "Ab", "é", "a%2Fb", "%2Fa", "x y", "a+b", "100%25", "a\\*b", "q%3Fr", "$x", "{p}", "{p:int}",
        "{p:alnum}",
        "{p:int(1..9)}", "{p:string(3)}", "{p(a,b)}", "{p(list,a*)}", "i-{p}", "i-{p:int}", "{p}.{q}", "*",
    ]
    private static let values = [
        "a", "b", "AB", "list", "7", "-7", "i-7", "f.txt", "é", "e\u{301}", "a/b", "/a", "a/", "x y", "a*b", "q?r",
        "$x",
        "a&b", "100%",
    ]

    init(_ chance: inout Chance) throws {
        var table = RouteTable()
        table.defaults.plusSign = chance.one(of: [.plus, .plus, .space])
        for index in 0..<(1 + chance.below(7)) {
            table.routes.append(try Self.route(index, &chance))
        }
        if chance.below(3) == 0 {
            table.defaults.fallback = RouteTarget(
                open: Open(screen: "F"),
                association: chance.one(of: [.open, .closed])
            )
        }
        let hosts = [("a.example", false), ("wild.example", true), ("wild.example", false)]
        let identity = Identity(
            domains: hosts.map { host, isWild in
                Domain(host: host, unicodeHost: host, coversSubdomains: isWild, port: nil, serves: .association)
            },
            apps: [
                RegisteredApp(
                    id: try #require(AppID("ios")),
                    product: .ios(teamID: "ABCDE12345", bundleID: "com.example.app")
                ),
                RegisteredApp(
                    id: try #require(AppID("android")),
                    product: .android(
                        package: "com.example.app",
                        fingerprints: [Array(repeating: "AA", count: 32).joined(separator: ":")]
                    )
                ),
            ]
        )
        router = Router(identity: identity, table: table)
    }

    private static func route(_ index: Int, _ chance: inout Chance) throws -> Route {
        var route = Route(id: try #require(RouteID("r\(index)")), path: try pattern(&chance))
        route.host = try chance.one(of: [
            nil, nil, nil, nil, "a.example", "x.wild.example", "{h}.wild.example", "{h:int}.wild.example",
            "*.wild.example",
        ])
        .map { try HostPattern($0) }
        route.letterCase = chance.one(of: [.sensitive, .sensitive, .ignored])
        route.trailingSlash = chance.one(of: [.ignored, .ignored, .strict])
        if chance.below(4) == 0 { route.query = [query("x", &chance)] }
        if chance.below(8) == 0 { route.query.append(query(chance.one(of: ["y", "a b", "é"]), &chance)) }
        if chance.below(8) == 0 {
            route.fragment = chance.one(of: [
                .equals("f"), .equals("f g"), .equals(""), .pattern(try RoutePattern("/s/{t}")),
                .pattern(try RoutePattern("/")),
            ])
        }
        if chance.below(5) == 0 { route.when = condition(&chance) }
        let target = RouteTarget(
            open: Open(screen: "S"),
            minimumVersion: chance.one(of: [nil, nil, .everyApp(.version(try #require(Version("2.0"))))]),
            signIn: chance.one(of: [.optional, .optional, .required])
        )
        route.behaviour = chance.one(of: [
            .answer(target), .answer(target), .answer(target), .answer(RouteTarget()), .block(reason: "no"),
        ])
        return route
    }

    private static func pattern(_ chance: inout Chance) throws -> RoutePattern {
        var path = ""
        for index in 0..<chance.below(4) {
            // Uses each parameter once.
            let segment = chance.one(of: segments)
                .replacing("{p", with: "{p\(index)").replacing("{q", with: "{q\(index)")
            path += "/" + segment
        }
        if chance.below(4) == 0 { path += "/{rest...}" } else if chance.below(4) == 0 { path += "/" }
        return try RoutePattern(path.isEmpty ? "/" : path)
    }

    private static func query(_ name: String, _ chance: inout Chance) -> QueryCondition {
        let plain = RoutePattern.Parameter(name: "c", type: .plain)
        let int = RoutePattern.Parameter(name: "c", type: .int(nil))
        return QueryCondition(
            name: name,
            test: chance.one(of: [
                .present, .absent, .oneOf(["1"]), .oneOf(["1", "2"]), .oneOf(["1", ""]), .oneOf([""]), .oneOf(["a b*"]),
                .oneOf(["a&b"]), .oneOf(["a;b", "1"]), .capture(plain, .required), .capture(int, .required),
                .capture(int, .optional), .capture(plain, .defaultsTo("z")),
                .capture(RoutePattern.Parameter(name: "c", type: .oneOf(["1", "2"])), .required),
            ])
        )
    }

    private static func condition(_ chance: inout Chance) -> Condition {
        let simple: [Condition] = [
            .platform([.ios]), .platform([.android]), .platform([.ios, .android]), .authenticated(true),
            .apps([AppID("ios")].compactMap(\.self)), .appVersion(.init(from: Version("2.0"), until: nil)),
            .rollout(.init(basisPoints: 0, salt: "s")), .time(from: nil, until: nil),
        ]
        let one = chance.one(of: simple)
        let other = chance.one(of: simple)
        return chance.one(of: [one, one, .not(one), .all([one, other]), .any([one, .not(other)])])
    }

    // MARK: Links

    /// The spelling of characters that a URL need not escape.
    enum Spelling {
        /// Unescaped, as programs write them.
        case canonical
        /// Escaped at random.
        case random
    }

    /// A link with the shape of a route, or almost.
    func url(on host: String, _ chance: inout Chance, spelling: Spelling = .random) -> String {
        chance.spelling = spelling
        let route = chance.one(of: router.table.routes)
        var path = ""
        for segment in route.path.segments {
            switch segment {
            case .literal(let bytes): path += "/" + Self.spelled(bytes, &chance)
            case .parameter(let parameter): path += "/" + Self.value(of: parameter, &chance)
            case .any: path += "/" + Self.spelled(chance.one(of: Self.values).utf8, &chance)
            case .mixed(let mixed):
                path += "/" + Self.spelled(mixed.prefix, &chance)
                for piece in mixed.pieces {
                    path += Self.value(of: piece.parameter, &chance) + Self.spelled(piece.literal, &chance)
                }
            case .rest:
                for _ in 0..<chance.below(3) { path += "/" + Self.spelled(chance.one(of: Self.values).utf8, &chance) }
            }
        }
        if chance.below(8) == 0 { path += "/" + Self.spelled(chance.one(of: Self.values).utf8, &chance) }
        if chance.below(3) == 0, !path.hasSuffix("/") { path += "/" }
        return "https://\(host)\(path)\(query(of: route, &chance))\(fragment(of: route, &chance))"
    }

    private static func value(of parameter: RoutePattern.Parameter, _ chance: inout Chance) -> String {
        if case .oneOf(let values) = parameter.type, chance.below(4) > 0 {
            return spelled(chance.one(of: values.texts).utf8, &chance)
        }
        return spelled(chance.one(of: chance.below(2) == 0 ? values : ["7", "a1", "abc"]).utf8, &chance)
    }

    /// Adds unnecessary escapes with upper-case or lower-case digits.
    private static func spelled(_ text: some Sequence<UInt8>, _ chance: inout Chance) -> String {
        text.map { byte in
            let mustEscape = !"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~$+*".utf8.contains(
                byte
            )
            guard mustEscape || chance.spelling == .random && chance.below(8) == 0, byte != UInt8(ascii: ".") else {
                return String(decoding: [byte], as: UTF8.self)
            }
            let hex = String(byte, radix: 16, uppercase: chance.spelling == .canonical || chance.below(2) == 0)
            return (byte < 16 ? "%0" : "%") + hex
        }.joined()
    }

    private func query(of route: Route, _ chance: inout Chance) -> String {
        var items: [String] = []
        for condition in route.query {
            for _ in 0..<chance.one(of: [0, 1, 1, 1, 2]) {
                let value = chance.one(of: ["1", "1", "2", "", "7", "a b*", "a&b", "a;b", "z"])
                var (name, spelled) = (
                    Self.spelled(condition.name.utf8, &chance), Self.spelled(value.utf8, &chance)
                )
                switch chance.spelling {
                case .canonical: spelled.replace("*", with: "%2A")
                case .random:
                    name.replace("%20", with: chance.one(of: ["+", "%20"]))
                    spelled.replace("%20", with: chance.one(of: ["+", "%20"]))
                }
                items.append(chance.below(6) == 0 ? name : "\(name)=\(spelled)")
            }
        }
        if chance.below(4) == 0 { items.insert(chance.one(of: ["z", "utm=1", "x=1", "x", "b=%zz"]), at: 0) }
        return items.isEmpty ? "" : "?" + items.joined(separator: "&")
    }

    private func fragment(of route: Route, _ chance: inout Chance) -> String {
        guard route.fragment != nil || chance.below(6) == 0 else { return "" }
        return chance.one(of: ["#f", "#f%20g", "#", "#/s/1", "#/s/1/", "#/", ""])
    }

    // MARK: Expected result

    /// Whether the table opens the link in the app in at least one of several contexts.
    func opens(_ url: String, in app: String, _ platform: Platform, _ chance: inout Chance) -> Bool {
        (0..<3).contains { _ in
            let context = LinkContext(
                app: AppID(app),
                platform: platform,
                appVersion: chance.one(of: [nil, Version("1.0"), Version("3.0")]),
                authenticated: chance.one(of: [nil, true, false])
            )
            let answer = router.resolve(url, in: context)
            guard let action = answer.action, [.openApp, .signIn, .updateApp].contains(action) else { return false }
            return answer.outcome == .matched || router.table.defaults.fallback?.association == .open
        }
    }

    var description: String {
        router.table.routes.map { route in
            "\(route.host.map(\.description) ?? "")\(route.path) \(route.query) \(String(describing: route.fragment)) "
                + "\(String(describing: route.when)) \(route.letterCase) \(route.trailingSlash) "
                + "\({ if case .answer(let target) = route.behaviour { target.open != nil } else { false } }())"
        }.joined(separator: "\n")
    }
}

/// A small seeded random number generator, so that every run uses the same tables.
struct Chance {
    private var state: UInt64
    /// The spelling of the links that are generated.
    var spelling = RandomTable.Spelling.random

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
