import AppAssociation
import LinkRouting
import Testing

struct AASAGeneratorTests {
    private static let shop = """
        {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.yourapp"],"components":[\
        {"/":"/user/?*/delete","exclude":true},\
        {"/":"/product/?*","percentEncoded":false},\
        {"/":"/user/?*","percentEncoded":false},\
        {"/":"/reset/?*","percentEncoded":false},\
        {"/":"/home","percentEncoded":false},\
        {"/":"/settings","percentEncoded":false},\
        {"/":"/","percentEncoded":false}\
        ]}]},"webcredentials":{"apps":["ABCDE12345.com.example.yourapp"]}}
        """

    @Test(arguments: [
        (
            "taxi", "farechoice.taxi",
            """
            {"applinks":{"details":[{"appIDs":["TEAMID1234.taxi.farechoice.app"],"components":[\
            {"/":"/legal/*","exclude":true},\
            {"/":"/*","percentEncoded":false}\
            ]}]},"webcredentials":{"apps":["TEAMID1234.taxi.farechoice.app"]}}
            """
        ),
        (
            "magazine", "medium.com",
            """
            {"applinks":{"details":[{"appIDs":["2XNJA5XN6D.com.medium.reader","B5WFE29T5P.com.medium.hangtag.internal",\
            "2XNJA5XN6D.com.medium.internal","2XNJA5XN6D.com.medium.staging","2XNJA5XN6D.com.medium.reader.development"],\
            "components":[\
            {"/":"/m/global-identity","exclude":true},\
            {"/":"/m/callback/*","exclude":true},\
            {"/":"/m/connect/*","exclude":true},\
            {"/":"/m/account/*","exclude":true},\
            {"/":"/m/oauth/*","exclude":true},\
            {"/":"/*","percentEncoded":false}\
            ]}]},"webcredentials":{"apps":["2XNJA5XN6D.com.medium.reader","B5WFE29T5P.com.medium.hangtag.internal",\
            "2XNJA5XN6D.com.medium.internal","2XNJA5XN6D.com.medium.staging","2XNJA5XN6D.com.medium.reader.development"]}}
            """
        ),
        (
            "blogs", "app.example.com",
            """
            {"applinks":{"details":[{"appIDs":["BLOGS12345.com.example.blogs"],"components":[\
            {"/":"/blogs/?*","percentEncoded":false},\
            {"/":"/blogs","percentEncoded":false},\
            {"/":"/account","percentEncoded":false}\
            ]}]},"webcredentials":{"apps":["BLOGS12345.com.example.blogs"]}}
            """
        ),
        ("shop", "www.yourappdomain.com", shop),
        ("shop", "yourappdomain.com", shop),
        ("shop", "go.yourappdomain.com", shop),
    ])
    func exampleHasItsFile(_ tenant: String, _ host: String, _ file: String) throws {
        let bytes = AASAGenerator.file(for: host, router: try Examples.router(tenant))

        #expect(String(decoding: bytes, as: UTF8.self) == file)
        #expect(bytes.count < AppleAppSiteAssociation.maximumBytes)
    }

    @Test func tenantWithoutADomainHasNoFileToServe() throws {
        #expect(try Examples.router("sample").identity.domains == [])
    }

    @Test(arguments: [
        ("https://medium.com/m/callback/email", false), ("https://medium.com/m/callback", false),
        ("https://medium.com/m/oauth/x", false), ("https://medium.com/m/global-identity", false),
        ("https://medium.com/m/global-identity/", false), ("https://medium.com/m/global-identity/more", true),
        ("https://medium.com/@someone/a-story-1a2b", true), ("https://medium.com/m/signin", true),
        ("https://medium.com", true),
    ])
    func magazineOpensWhatItsLegacyFileOpened(_ url: String, _ opens: Bool) throws {
        let router = try Examples.router("magazine")
        let file = try AssociationSimulator(AASAGenerator.file(for: "medium.com", router: router))
        for app in router.identity.apps {
            guard case .ios(let team, let bundle) = app.product else { continue }
            switch file.decision(for: "\(team).\(bundle)", url) {
            case .opens: #expect(opens)
            case .excluded: #expect(!opens)
            case .noMatch, .appNotListed: Issue.record("\(url)")
            }
        }
    }

    // MARK: Rules

    @Test(arguments: [
        ("path: \"/a/{x}\"", #"{"/":"/a/?*","percentEncoded":false}"#),
        ("path: \"/a/{x:int}\"", #"{"/":"/a/?*","percentEncoded":false}"#),
        ("path: /a/*/b", #"{"/":"/a/?*/b","percentEncoded":false}"#),
        ("path: \"/f/{n}.{e}\"", #"{"/":"/f/?*.?*","percentEncoded":false}"#),
        ("path: \"/a/{x...}\"", #"{"/":"/a/*","percentEncoded":false}"#),
        ("path: \"/{tab(list,detail)}\"", #"{"/":"/$(tab)","percentEncoded":false}"#),
        ("path: /Über", #"{"/":"/Über","percentEncoded":false}"#),
        ("path: \"/a\\\\*b\"", #"{"/":"/a?b","percentEncoded":false}"#),
        ("path: /a%3Fb", #"{"/":"/a?b","percentEncoded":false}"#),
        ("path: /$x", #"{"/":"/?x","percentEncoded":false}"#),
        ("path: /a%2Fb", #"{"/":"/a/b","percentEncoded":false}"#),
        ("path: /a%2F", #"{"/":"/a*","percentEncoded":false}"#),
        ("path: /A, caseSensitive: false", #"{"/":"/A","caseSensitive":false,"percentEncoded":false}"#),
        // A condition is included only if iOS is no stricter about it than the table.
        ("path: /a, query: {x: present}", #"{"/":"/a","percentEncoded":false}"#),
        ("path: /a, query: {x: absent}", #"{"/":"/a","?":{"x":""},"percentEncoded":false}"#),
        ("path: /a, query: {x: {equals: a*b}}", #"{"/":"/a","?":{"x":"a?b"},"percentEncoded":false}"#),
        ("path: /a, query: {x: {oneOf: [a, b]}}", #"{"/":"/a","?":{"x":"$(x)"},"percentEncoded":false}"#),
        ("path: /a, query: {x: {oneOf: [a, \"\"]}}", #"{"/":"/a","percentEncoded":false}"#),
        ("path: /a, query: {x: int}", #"{"/":"/a","?":{"x":"?*"},"percentEncoded":false}"#),
        ("path: /a, query: {x: string}", #"{"/":"/a","percentEncoded":false}"#),
        ("path: /a, query: {x: \"int?\"}", #"{"/":"/a","percentEncoded":false}"#),
        ("path: /a, fragment: f g", ##"{"/":"/a","#":"f g","percentEncoded":false}"##),
        ("path: /a, fragment: \"/f/{x}\"", ##"{"/":"/a","#":"/f/?**","percentEncoded":false}"##),
    ])
    func openingRouteBecomesARule(_ route: String, _ rule: String) throws {
        #expect(try components("- {id: r, \(route), open: {screen: A}}") == "[\(rule)]")
    }

    /// Once for all codes. The targets are not in the table.
    @Test(arguments: [
        ("path: \"/s/{code}\", follow: shortLinks", #"{"/":"/s/?*","percentEncoded":false}"#),
        ("path: /, query: {link: string}, follow: \"{link}\"", #"{"/":"/","percentEncoded":false}"#),
    ])
    func followingRouteBecomesARule(_ route: String, _ rule: String) throws {
        #expect(try components("- {id: r, \(route)}") == "[\(rule)]")
    }

    /// Beside a route that opens everything else.
    @Test(arguments: [
        ("path: /a", #"{"/":"/a","exclude":true}"#),
        ("path: /", #"{"/":"/","exclude":true}"#),
        ("path: /a, block: no", #"{"/":"/a","exclude":true}"#),
        ("path: \"/a/{x...}\"", #"{"/":"/a/*","exclude":true}"#),
        ("path: /über uns", #"{"/":"/%C3%BCber%20uns","exclude":true}"#),
        ("path: /a%2Fb", #"{"/":"/a%2Fb","exclude":true}"#),
        ("path: /A, caseSensitive: false", #"{"/":"/A","exclude":true,"caseSensitive":false}"#),
        ("path: \"/{tab(list,detail)}\"", #"{"/":"/$(tab)","exclude":true}"#),
        ("path: /a, query: {x: {equals: 1 2}}", #"{"/":"/a","?":{"x":"1%202"},"exclude":true}"#),
        ("path: /a, query: {x: present}", #"{"/":"/a","?":{"x":"?*"},"exclude":true}"#),
        ("path: /a, fragment: f", ##"{"/":"/a","#":"f","exclude":true}"##),
        ("path: /a, when: {platform: ios}", #"{"/":"/a","exclude":true}"#),
        ("path: /a, host: a.example", #"{"/":"/a","exclude":true}"#),
        // An exclusion is omitted if it would refuse links that the other route opens.
        ("path: \"/a/{x}\"", ""),
        ("path: \"/a/{x}/c\"", ""),
        ("path: \"/a\\\\*b\"", ""),
        ("path: /a, when: {authenticated: true}", ""),
        ("path: /a, when: {platform: android}", ""),
        ("path: /a, query: {x: absent}", ""),
        ("path: /a, query: {x: int}", ""),
        ("path: /a, query: {x: {equals: \"\"}}", ""),
        ("path: /a, fragment: \"/f\"", ""),
        ("path: /a/, trailingSlash: strict", ""),
        ("path: /a, host: b.example", ""),
    ])
    func closedRouteBecomesAnExclusionWhereItRefusesNothingElse(_ route: String, _ rule: String) throws {
        let all = #"{"/":"/*","percentEncoded":false}"#
        let rules = try components("- {id: r, \(route)}\n- {id: all, path: \"/{x...}\", open: {screen: A}}")

        #expect(rules == "[\(rule.isEmpty ? "" : rule + ",")\(all)]")
    }

    @Test(
        arguments: [
            // `*` crosses slashes, so the exclusion would refuse /user/a/b/delete, which the second route opens.
            (
                [#"path: "/user/{id}/delete""#, #"path: "/user/{x...}", open: {screen: A}"#],
                #"[{"/":"/user/*","percentEncoded":false}]"#
            ),
            // No route opens that link here.
            (
                [#"path: "/user/{id}/delete""#, #"path: "/user/{x}", open: {screen: A}"#],
                #"[{"/":"/user/?*/delete","exclude":true},{"/":"/user/?*","percentEncoded":false}]"#
            ),
            // The closed route comes later in the table; its exclusion comes before the rule that it overlaps.
            (
                [#"path: "/a/{x:int}", open: {screen: A}"#, #"path: "/a/{y}/c""#],
                #"[{"/":"/a/?*/c","exclude":true},{"/":"/a/?*","percentEncoded":false}]"#
            ),
            // An exclusion is redundant if no rule opens its links or another exclusion covers it.
            ([#"path: /b"#, #"path: /a, open: {screen: A}"#], #"[{"/":"/a","percentEncoded":false}]"#),
            (
                ["path: /a/b", #"path: "/a/{x...}""#, #"path: "/{x...}", open: {screen: A}"#],
                #"[{"/":"/a/*","exclude":true},{"/":"/*","percentEncoded":false}]"#
            ),
            // A rule is redundant if other rules cover it, alone or together.
            (
                [#"path: "/a/{x:int}", open: {screen: A}"#, #"path: "/a/{x}", open: {screen: A}"#, "path: /a/b"],
                #"[{"/":"/a/b","exclude":true},{"/":"/a/?*","percentEncoded":false}]"#
            ),
            (
                [
                    "path: /a, open: {screen: A}", #"path: "/a/{x}", open: {screen: A}"#,
                    #"path: "/a/{x...}", open: {screen: A}"#,
                ],
                #"[{"/":"/a/*","percentEncoded":false}]"#
            ),
            // A route opens no links that an earlier closed route matches.
            (
                [#"path: "/a/{x}""#, #"path: "/a/{x}/{y}", open: {screen: A}"#],
                #"[{"/":"/a/?*/?*","percentEncoded":false}]"#
            ),
        ] as [([String], String)]
    )
    func rulesAreMinimal(_ routes: [String], _ expected: String) throws {
        let list = routes.enumerated().map { "- {id: r\($0), \($1)}" }.joined(separator: "\n")

        #expect(try components(list) == expected)
    }

    @Test(arguments: [
        ("open", #"[{"/":"/*","percentEncoded":false}]"#),
        ("closed", #"[{"/":"/a","percentEncoded":false}]"#),
    ])
    func fallbackOpensTheRestOnlyIfConfigured(_ association: String, _ rules: String) throws {
        let fallback = "{fallback: {association: \(association), open: {screen: F}}}"

        #expect(try components("- {id: a, path: /a, open: {screen: A}}", defaults: fallback) == rules)
    }

    @Test func hostOfARouteNarrowsItsRuleToThatFile() throws {
        let routes = """
            - {id: a, path: /a, host: a.example, open: {screen: A}}
            - {id: b, path: /b, host: b.example, open: {screen: A}}
            """

        #expect(try components(routes, host: "a.example") == #"[{"/":"/a","percentEncoded":false}]"#)
        #expect(try components(routes, host: "b.example") == #"[{"/":"/b","percentEncoded":false}]"#)
    }

    @Test func fileOfAWildcardIsForAllHostsBelow() throws {
        let routes = """
            - {id: x, path: /x, host: x.wild.example, open: {screen: A}}
            - {id: l, path: /l, host: "{shop}.wild.example", open: {screen: A}}
            - {id: a, path: /a, host: a.example, open: {screen: A}}
            """

        #expect(
            try components(routes, host: "wild.example")
                == #"[{"/":"/x","percentEncoded":false},{"/":"/l","percentEncoded":false}]"#
        )
        #expect(try components(routes, host: "y.wild.example") == #"[{"/":"/l","percentEncoded":false}]"#)
    }

    @Test func manyRoutesStayCheap() throws {
        var table = RouteTable()
        for index in 0..<20_000 {
            table.routes.append(
                Route(
                    id: try #require(RouteID("r\(index)")),
                    path: try RoutePattern("/r\(index % 10_000)"),
                    behaviour: .answer(RouteTarget(open: Open(screen: "A")))
                )
            )
        }
        let identity = try Examples.router("taxi").identity
        let bytes = AASAGenerator.file(
            for: "farechoice.taxi",
            router: Router(identity: identity, table: table)
        )
        let file = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 24))

        #expect(file["applinks"]?["details"]?.elements?.first?["components"]?.elements?.count == 10_000)
    }

    @Test func manyListsOfOneNameStayCheap() throws {
        let count = 2_000
        let table = RouteTable(
            routes: try (0..<count).map { index in
                Route(
                    id: try #require(RouteID("r\(index)")),
                    path: try RoutePattern("/r\(index)/{k(a\(index),b\(index))}"),
                    behaviour: .answer(RouteTarget(open: Open(screen: "A")))
                )
            }
        )
        let identity = try Examples.router("taxi").identity
        let bytes = AASAGenerator.file(for: "farechoice.taxi", router: Router(identity: identity, table: table))
        let file = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 24))

        let variables = file["applinks"]?["substitutionVariables"]?.members ?? []
        #expect(variables.map(\.key) == ["k"] + (2...count).map { "k\($0)" })
    }

    // MARK: Apps

    private static let apps = """
        settings:
          domains: [a.example, b.example, "*.wild.example"]
          destinations: {hosts: [w.example]}
          apps:
            - {id: all, platform: ios, teamID: ALLAPPS123, bundleID: com.all}
            - {id: only-a, platform: ios, teamID: ONLYAAA123, bundleID: com.a, domains: [a.example]}
            - {id: wild, platform: ios, teamID: WILDAPP123, bundleID: com.wild, domains: ["*.wild.example"]}
            - {id: clip, platform: ios, kind: clip, teamID: ALLAPPS123, bundleID: com.all.Clip}
            - {id: staging, platform: ios, teamID: STAGING123, bundleID: com.staging, environment: staging}
            - {id: android, platform: android, package: com.all}
        table: {routes: [{id: all, path: "/{x...}", open: {screen: A}, web: "https://w.example/"}]}
        """

    @Test(arguments: [
        ("a.example", ["ALLAPPS123.com.all", "ONLYAAA123.com.a"]), ("b.example", ["ALLAPPS123.com.all"]),
        ("x.wild.example", ["ALLAPPS123.com.all", "WILDAPP123.com.wild"]),
        ("wild.example", ["ALLAPPS123.com.all", "WILDAPP123.com.wild"]),
    ])
    func fileNamesTheAppsOfItsHost(_ host: String, _ apps: [String]) throws {
        let bytes = AASAGenerator.file(for: host, router: try Examples.router(document: Self.apps))
        let file = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        let names = JSONNode.array(apps.map { .string($0) })

        #expect(file["applinks"]?["details"]?.elements?.map { $0["appIDs"] } == [names])
        #expect(file["webcredentials"]?["apps"] == names)
        // An App Clip cannot belong to the file of a wildcard domain.
        let clips = host == "wild.example" ? nil : JSONNode.array([.string("ALLAPPS123.com.all.Clip")])
        #expect(file["appclips"]?["apps"] == clips)
    }

    @Test func tenantWithoutAppsHasAnEmptyFile() throws {
        let router = try Examples.router(
            document:
                "settings: {domains: [a.example]}\ntable: {routes: [{id: a, path: /a, web: \"https://a.example/b\"}]}"
                .replacing("a.example]", with: "{host: a.example, serves: association}]")
        )
        let bytes = AASAGenerator.file(for: "a.example", router: router)

        #expect(String(decoding: bytes, as: UTF8.self) == #"{"applinks":{"details":[]}}"#)
    }

    // MARK: Setup

    /// The `components` of a file.
    private func components(_ routes: String, defaults: String = "{}", host: String = "a.example") throws -> String {
        let table = routes.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let router = try Examples.router(
            document: """
                settings:
                  domains:
                    - {host: a.example, serves: association}
                    - {host: b.example, serves: association}
                    - {host: "*.wild.example", serves: association}
                  schemes: [app]
                  apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app}]
                table:
                  defaults: \(defaults)
                  routes:
                \(table)
                """
        )
        let bytes = AASAGenerator.file(for: host, router: router)
        let file = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return try #require(file["applinks"]?["details"]?.elements?.first?["components"]).json()
    }
}
