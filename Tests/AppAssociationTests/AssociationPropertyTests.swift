import AppAssociation
import LinkRouting
import Testing

/// No URL that a route opens in the app is refused by the generated file, whatever the table is.
struct AssociationPropertyTests {
    private static let hosts = ["a.example", "b.example", "x.wild.example", "wild.example"]
    private static let patternSegments = [
        "a", "b", "Ab", "é", "a%2Fb", "x y", "a+b", "100%25", "a\\*b", "q%3Fr", "$x", "{p}", "{p:int}", "{p(a,b)}",
        "i-{p}", "{p}.{q}", "*",
    ]
    private static let linkSegments = [
        "a", "b", "Ab", "AB", "ab", "é", "%C3%A9", "e%CC%81", "a%2Fb", "a%2fb", "x%20y", "a+b", "100%25", "a*b",
        "a%2Ab", "q%3Fr",
        "$x", "%24x", "7", "-7", "i-7", "f.txt", "%61",
    ]
    private static let queries = ["", "?x=1", "?x=2&y", "#f", "?x=1#f"]

    @Test(arguments: 0..<40)
    func openedURLIsNeverRefused(_ seed: UInt64) throws {
        var chance = Chance(seed)
        var opened = 0
        for _ in 0..<40 {
            let router = try router(&chance)
            for host in Self.hosts {
                let file = try AssociationSimulator(AppleFileGenerator.file(for: host, router: router))
                for _ in 0..<20 {
                    let url = url(on: host, &chance)
                    let answer = router.resolve(url, in: context(&chance))
                    guard isOpened(answer, router) else { continue }
                    opened += 1
                    let decision = file.decision(for: "ABCDE12345.com.example.app", url)
                    guard case .opens = decision else {
                        let routes = router.table.routes.map { "\($0.host.map(\.description) ?? "")\($0.path)" }
                        Issue.record("\(url): \(decision) of \(routes)")
                        return
                    }
                }
            }
        }
        // The test is of something.
        #expect(opened > 200)
    }

    /// The file of `*.wild.example` is read from `wild.example` for every host below.
    @Test(arguments: 0..<10)
    func parentFileRefusesNoURLBelow(_ seed: UInt64) throws {
        var chance = Chance(seed &+ 1_000)
        for _ in 0..<40 {
            let router = try router(&chance)
            let file = try AssociationSimulator(AppleFileGenerator.file(for: "wild.example", router: router))
            for _ in 0..<20 {
                let url = url(on: "x.wild.example", &chance)
                guard isOpened(router.resolve(url, in: context(&chance)), router) else { continue }
                let decision = file.decision(for: "ABCDE12345.com.example.app", url)
                guard case .opens = decision else {
                    Issue.record("\(url): \(decision)")
                    return
                }
            }
        }
    }

    private func isOpened(_ answer: Resolution, _ router: Router) -> Bool {
        guard let action = answer.action, [.openApp, .signIn, .updateApp].contains(action) else { return false }
        return answer.outcome == .matched || router.table.defaults.fallback?.association == .open
    }

    // MARK: Given

    private func router(_ chance: inout Chance) throws -> Router {
        let domains = ["a.example", "b.example", "wild.example"].map { host in
            Domain(
                host: host,
                unicodeHost: host,
                coversSubdomains: host == "wild.example",
                port: nil,
                serves: .association
            )
        }
        let parent = Domain(
            host: "wild.example",
            unicodeHost: "wild.example",
            coversSubdomains: false,
            port: nil,
            serves: .association
        )
        let app = App(
            id: try #require(AppID("ios")),
            product: .ios(teamID: "ABCDE12345", bundleID: "com.example.app"),
            domains: chance.one(of: [nil, ["a.example", "b.example", "wild.example", "*.wild.example"]])
        )
        var table = RouteTable()
        for index in 0..<(1 + chance.below(8)) {
            var route = Route(id: try #require(RouteID("r\(index)")), path: try pattern(&chance))
            route.host = try chance.one(of: [
                nil, nil, nil, "a.example", "x.wild.example", "{h}.wild.example", "*.wild.example",
            ])
            .map { try HostPattern($0) }
            route.letterCase = chance.one(of: [.sensitive, .sensitive, .ignored])
            route.trailingSlash = chance.one(of: [.ignored, .ignored, .strict])
            if chance.below(5) == 0 { route.query = [QueryCondition(name: "x", test: .oneOf(["1"]))] }
            if chance.below(8) == 0 { route.fragment = .equals("f") }
            if chance.below(8) == 0 { route.when = .authenticated(true) }
            var target = Target(open: Open(screen: "S"))
            if chance.below(6) == 0 { target.signIn = .required }
            if chance.below(6) == 0 { target.minimumVersion = .everyApp(.version(try #require(Version("2.0")))) }
            switch chance.below(5) {
            case 0, 1: route.behaviour = .answer(Target())
            case 2 where chance.below(2) == 0: route.behaviour = .block(reason: "no")
            default: route.behaviour = .answer(target)
            }
            table.routes.append(route)
        }
        if chance.below(3) == 0 {
            table.defaults.fallback = Target(open: Open(screen: "F"), association: chance.one(of: [.open, .closed]))
        }
        return Router(identity: Identity(domains: domains + [parent], apps: [app]), table: table)
    }

    private func pattern(_ chance: inout Chance) throws -> Pattern {
        var path = ""
        for index in 0..<chance.below(4) {
            // Each parameter once.
            let segment = chance.one(of: Self.patternSegments)
                .replacing("{p", with: "{p\(index)").replacing("{q", with: "{q\(index)")
            path += "/" + segment
        }
        if chance.below(4) == 0 { path += "/{rest...}" } else if chance.below(4) == 0 { path += "/" }
        return try Pattern(path.isEmpty ? "/" : path)
    }

    /// Without doubled slashes, which iOS takes for single ones.
    private func url(on host: String, _ chance: inout Chance) -> String {
        let count = chance.below(5)
        var url = "https://" + host
        for _ in 0..<count { url += "/" + chance.one(of: Self.linkSegments) }
        if chance.below(3) == 0 { url += "/" }
        return url + chance.one(of: Self.queries)
    }

    private func context(_ chance: inout Chance) -> Context {
        Context(
            app: AppID("ios"),
            platform: .ios,
            appVersion: chance.one(of: [nil, Version("1.0"), Version("3.0")]),
            authenticated: chance.one(of: [nil, true, false])
        )
    }
}

/// Chance that a seed repeats.
struct Chance {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
