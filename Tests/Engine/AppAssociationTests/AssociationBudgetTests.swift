import AppAssociation
import LinkCatalog
import LinkRouting
import Testing

/// The work to generate files of large tables, counted in steps, which are the same on every machine.
struct AssociationBudgetTests {
    private static let settings = """
        formatVersion: 1
        settings:
          domains: [{host: www.acme.com, serves: association}]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}
            - {id: droid, platform: android, package: com.acme, fingerprints: ["\(fingerprint)"]}
        table:
          routes:

        """
    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    /// As many routes that open the app as routes that do not.
    private static func router(_ count: Int, open: (Int) -> String, closed: (Int) -> String) throws -> Router {
        let routes = (0..<count).map { number in
            "    - {id: o\(number), path: \"\(open(number))\", open: {screen: Item}}\n"
                + "    - {id: c\(number), path: \"\(closed(number))\"}\n"
        }
        let document = try TenantDocument(settings + routes.joined()).checked()
        return Router(
            identity: try #require(document.settings).identity,
            table: try #require(document.table, "\(document.findings)")
        )
    }

    /// Every pattern that opens the app overlaps every pattern that does not.
    private static func crossing(_ count: Int) throws -> Router {
        try router(count, open: { "/{a}/open-\($0)" }, closed: { "/closed-\($0)/{b}" })
    }

    private static func steps(_ router: Router) -> Int {
        let budget = WorkBudget.associationFiles
        let all = budget.steps
        _ = AASAGenerator.file(for: "www.acme.com", router: router, within: budget)
        _ = AssetLinksGenerator.file(for: "www.acme.com", router: router, within: budget)
        #expect(budget.undecided == 0)
        return all - budget.steps
    }

    private static let shapes: [(open: @Sendable (Int) -> String, closed: @Sendable (Int) -> String)] = [
        ({ "/item-\($0)/{id:int}" }, { "/legal-\($0)/{page}" }),
        ({ "/{lang(en,fr,de,es)}/item-\($0)/{id:int}" }, { "/{lang(en,fr,de,es)}/legal-\($0)/{page}" }),
        ({ "/{lang}/item-\($0)" }, { "/{lang}/legal-\($0)" }),
    ]

    /// Work is linear in the number of routes if no two routes share links.
    @Test(arguments: shapes.indices)
    func workGrowsWithTheTable(_ shape: Int) throws {
        let (open, closed) = Self.shapes[shape]
        let one = Self.steps(try Self.router(20, open: open, closed: closed))
        let two = Self.steps(try Self.router(40, open: open, closed: closed))
        #expect(two < one * 5 / 2 + 1_000, "\(one) steps, then \(two)")
    }

    /// Every route overlaps every other one, so the work exceeds the budget.
    @Test func undecidedRulesAreOmittedAndReported() throws {
        let router = try Self.crossing(40)
        let whole = WorkBudget.associationFiles
        let file = String(
            decoding: AASAGenerator.file(for: "www.acme.com", router: router, within: whole),
            as: UTF8.self
        )
        #expect(whole.undecided == 0)
        #expect(file.contains(#"{"/":"/closed-7/?*","exclude":true}"#))

        let small = WorkBudget(steps: 20_000)
        let cut = AASAGenerator.file(for: "www.acme.com", router: router, within: small)
        #expect(small.isUsedUp)
        #expect(small.undecided > 0)
        let parsed = try AppleAppSiteAssociation(parsing: cut)
        for number in [0, 39] {
            let decision = parsed.decision(for: "https://www.acme.com/x/open-\(number)", app: "ABCDE12345.com.acme")
            #expect(decision.outcome == .match)
        }
        let findings = router.table.checkAssociation(for: router.identity, within: WorkBudget(steps: 20_000))
        #expect(findings.contains { $0.code == .undecided && $0.severity == .warning })
    }

    /// Each Android app has the rules of all routes in each file, so apps, routes and hosts multiply.
    @Test func filesOfATenantHaveALimitTogether() throws {
        let one = try Self.router(20, open: { "/item-\($0)/{id}" }, closed: { "/closed-\($0)" })
        var table = one.table
        let hosts = (0..<4).map { "h\($0).example" }
        table.routes += try hosts.map { host in
            Route(
                id: try #require(RouteID(host.replacing(".", with: "-"))),
                host: try HostPattern(host),
                path: try RoutePattern("/own"),
                behaviour: .answer(RouteTarget(open: Open(screen: "A")))
            )
        }
        func router(apps: Int) throws -> Router {
            let droid = try #require(one.identity.apps.first { $0.platform == .android })
            var identity = one.identity
            identity.domains += hosts.map {
                Domain(host: $0, unicodeHost: $0, coversSubdomains: false, port: nil, serves: .association)
            }
            identity.apps = try (0..<apps).map { number in
                var app = droid
                app.id = try #require(AppID("droid-\(number)"))
                app.product = .android(package: "com.acme.a\(number)", fingerprints: [Self.fingerprint])
                return app
            }
            return Router(identity: identity, table: table)
        }
        func tooLarge(_ router: Router) -> [Finding] {
            table.checkAssociation(for: router.identity, within: .associationFiles, maximumBytes: 50_000)
                .filter { $0.code == .associationTooLarge }
        }
        func files(_ router: Router) -> AssociationFiles {
            AssociationFiles(router: router, within: .associationFiles, maximumBytes: 50_000)
        }
        let few = try router(apps: 4)
        #expect(tooLarge(few) == [])
        #expect(files(few).byHost.count == 5)
        #expect(files(few).byHost == AssociationFiles(router: few).byHost)
        let bytes = files(few).byHost.values.reduce(0) { $0 + $1.apple.count + $1.android.count }
        #expect((10_000..<50_000).contains(bytes), "\(bytes)")

        let many = try router(apps: 40)
        let refused = try #require(tooLarge(many).first)
        #expect(refused.severity == .error)
        #expect(refused.message.contains("50000 bytes"), "\(refused.message)")
        #expect(files(many).byHost.isEmpty)
        #expect(AssociationFiles(router: many).byHost.count == 5)
    }

    /// Hosts with the same rules share their files, so that the files of a suite's links are those that are served.
    @Test func filesAreGeneratedOnceForAllHostsThatShareThem() throws {
        let one = try Self.router(20, open: { "/item-\($0)/{id}" }, closed: { "/closed-\($0)" })
        var identity = one.identity
        identity.domains += ["h0.example", "h1.example"].map {
            Domain(host: $0, unicodeHost: $0, coversSubdomains: false, port: nil, serves: .links)
        }
        let router = Router(identity: identity, table: one.table)
        for app in identity.apps {
            let budget = WorkBudget(steps: 10_000_000)
            var files = GeneratedAssociationFiles(router: router, within: budget)
            func steps(_ host: String) -> Int {
                let before = budget.steps
                let handler = files.handler(of: "https://\(host)/item-7/1", on: host, for: .init(app))
                #expect(handler == .app, "\(host)")
                return before - budget.steps
            }
            #expect(steps("www.acme.com") > 20)
            #expect(steps("h0.example") == 1 && steps("h1.example") == 1 && steps("h1.example") == 0)
        }
    }

    /// A text of listed values is in the file once, whatever the number of rules that use it.
    @Test func sizeIsThatOfTheFiles() throws {
        let values = (0..<200).map { "value-\($0)" }.joined(separator: ",")
        let router = try Self.router(1, open: { "/{a\($0)(\(values))}" }, closed: { "/closed-\($0)" })
        let bytes = AssociationFiles(router: router).byHost.values.reduce(0) { $0 + $1.apple.count + $1.android.count }
        #expect(AssociationFiles(router: router, within: .unlimited, maximumBytes: bytes / 2).byHost.isEmpty)
        #expect(!AssociationFiles(router: router, within: .unlimited, maximumBytes: 2 * bytes).byHost.isEmpty)
    }

    @Test func cancelledWorkEndsAtOnce() throws {
        let router = try Self.crossing(40)
        var checks = 0
        let budget = WorkBudget(steps: .max) {
            checks += 1
            return checks > 2
        }
        _ = AASAGenerator.file(for: "www.acme.com", router: router, within: budget)
        #expect(budget.isUsedUp)
        #expect(checks == 3)
    }

    /// One budget covers all hosts, and hosts with equal rules share their files.
    @Test func filesOfAllHostsAreMadeTogether() throws {
        let router = try Examples.router("shop")
        let files = AssociationFiles(router: router)
        #expect(Set(files.byHost.keys) == Set(router.identity.domains.map(\.host)))
        for (host, pair) in files.byHost {
            #expect(pair.apple == AASAGenerator.file(for: host, router: router))
            #expect(pair.android == AssetLinksGenerator.file(for: host, router: router))
        }
    }

    /// Each host costs a step, even if all hosts share the same files.
    @Test func eachHostTakesAStep() throws {
        let one = try Self.router(1, open: { "/a\($0)" }, closed: { "/b\($0)" })
        var identity = one.identity
        for number in 0..<600 {
            identity.domains.append(
                Domain(
                    host: "h\(number).example",
                    unicodeHost: "h\(number).example",
                    coversSubdomains: false,
                    port: nil,
                    serves: .association
                )
            )
        }
        func steps(_ identity: Identity) -> Int {
            let budget = WorkBudget.associationFiles
            let all = budget.steps
            _ = one.table.checkAssociation(for: identity, within: budget)
            return all - budget.steps
        }
        #expect(steps(identity) == steps(one.identity) + 600)
    }

    @Test func checkOfACancelledTableEndsAtOnce() throws {
        let router = try Self.crossing(200)
        let budget = WorkBudget(steps: .max) { true }
        _ = router.table.check(for: router.identity, within: budget)
        #expect(budget.isUsedUp)
    }
}
