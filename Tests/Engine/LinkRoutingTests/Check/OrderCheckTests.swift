import Testing

@testable import LinkRouting

/// Routes that earlier routes make unreachable, and routes that only their order distinguishes.
struct OrderCheckTests {
    private static let open = #""open": {"screen": "S"}, "web": "https://www.acme.com/""#

    /// The routes are named a, b, c …; each text adds members to the id and the target.
    private static func table(_ routes: [String]) throws -> RouteTable {
        try Fixture.table(zip("abcdefgh", routes).map { #"{"id": "\#($0)", \#($1), \#(open)}"# })
    }

    // MARK: Unreachable

    /// The finding's code, its route, and the route that precedes it.
    private static let unreachable: [(routes: [String], code: String, route: String, related: String)] = [
        // The same links.
        ([#""path": "/{x}""#, #""path": "/*""#], "duplicate_route", "b", "a"),
        ([#""path": "/{x(p,q)}""#, #""path": "/{y(q,p)}""#], "duplicate_route", "b", "a"),
        ([#""path": "/x/{a:int}""#, #""path": "/x/{b:int}""#], "duplicate_route", "b", "a"),
        (
            [
                #""path": "/x", "when": {"platform": ["ios", "android"]}"#,
                #""path": "/x", "when": {"platform": ["android", "ios"]}"#,
            ],
            "duplicate_route", "b", "a"
        ),
        // One wider route that sorts earlier, wherever it is in the document.
        ([#""path": "/{x(item-1,item-2)}""#, #""path": "/item-{x}""#], "unreachable_route", "a", "b"),
        ([#""path": "/{x:int(1..3)}""#, #""path": "/{y(1,2,3)}""#], "duplicate_route", "a", "b"),
        ([#""path": "/x/{a:int}""#, #""path": "/x/{b:string(1..)}""#], "unreachable_route", "a", "b"),
        ([#""path": "/x/{id:uuid}""#, #""path": "/x/{b:string(36)}""#], "unreachable_route", "a", "b"),
        ([#""path": "/{x:date}""#, #""path": "/{y:string(4..10)}""#], "unreachable_route", "a", "b"),
        ([#""path": "/{x:bool}""#, #""path": "/{y(true,false,maybe)}""#], "unreachable_route", "a", "b"),
        ([#""path": "/{x}/{y}.html""#, #""path": "/{a:string(1..)}/{b...}""#], "unreachable_route", "a", "b"),
        ([#""path": "/{x:alnum}""#, #""path": "/{y:hex}""#], "unreachable_route", "b", "a"),
        ([#""path": "/x/{a...}""#, #""path": "/x/{b...}", "query": {"q": "present"}"#], "unreachable_route", "b", "a"),
        // Several routes together.
        (
            [#""path": "/{tab(list,detail)}""#, #""path": "/list""#, #""path": "/detail""#], "unreachable_route", "a",
            "b"
        ),
        (
            [
                #""path": "/{tab(list,catalogue)}", "caseSensitive": false"#,
                #""path": "/list", "caseSensitive": false"#,
                #""path": "/catalogue", "caseSensitive": false"#,
            ], "unreachable_route", "a", "b"
        ),
        (
            [#""path": "/{x:int}""#, #""path": "/{a:int(..0)}""#, #""path": "/{b:int(1..)}""#], "unreachable_route",
            "a", "b"
        ),
        (
            [#""path": "/{x}""#, #""path": "/{a:string(..3)}""#, #""path": "/{b:string(4..)}""#], "unreachable_route",
            "a", "b"
        ),
        (
            [
                #""path": "/p", "query": {"q": "absent"}"#, #""path": "/p", "query": {"q": "present"}"#,
                #""path": "/p""#,
            ],
            "unreachable_route", "c", "a"
        ),
        (
            [
                #""path": "/p", "trailingSlash": "strict""#, #""path": "/p/", "trailingSlash": "strict""#,
                #""path": "/p""#,
            ], "unreachable_route", "c", "a"
        ),
        (
            [
                #""path": "/p", "when": {"platform": "ios"}"#, #""path": "/p", "when": {"platform": "android"}"#,
                #""path": "/p", "when": {"platform": ["ios", "android"]}"#,
            ], "unreachable_route", "c", "a"
        ),
        (
            [
                #""path": "/p", "when": {"appVersion": {"until": "2.0"}}"#,
                #""path": "/p", "when": {"appVersion": {"from": "2.0"}}"#,
                #""path": "/p", "when": {"appVersion": {"from": "1.0"}}"#,
            ], "unreachable_route", "c", "a"
        ),
        // Letter case, slash, query, fragment, host, conditions.
        ([#""path": "/AbC", "caseSensitive": false"#, #""path": "/abc""#], "unreachable_route", "b", "a"),
        (
            [#""path": "/x/{a}", "trailingSlash": "strict""#, #""path": "/x/{b:string(1..)}""#], "unreachable_route",
            "a", "b"
        ),
        (
            [
                #""path": "/p", "query": {"q": {"oneOf": ["1", "2"]}}"#,
                #""path": "/p", "query": {"q": {"equals": "2"}}"#,
            ],
            "unreachable_route", "b", "a"
        ),
        ([#""path": "/p", "query": {"q": "string?"}"#, #""path": "/p""#], "duplicate_route", "b", "a"),
        (
            [#""path": "/p", "query": {"q": "int"}"#, #""path": "/p", "query": {"q": "int(1..5)"}"#],
            "unreachable_route", "b", "a"
        ),
        ([#""path": "/p", "fragment": "/{x}""#, #""path": "/p", "fragment": "/a""#], "unreachable_route", "b", "a"),
        (
            [#""path": "/p", "host": "b.acme.link""#, #""path": "/p", "host": "{x(b)}.acme.link""#],
            "duplicate_route", "b", "a"
        ),
        (
            [#""path": "/p", "host": "{x}.acme.link""#, #""path": "/p", "host": "{x:int}.acme.link""#],
            "unreachable_route", "b", "a"
        ),
        (
            [
                #""path": "/p", "when": {"platform": "ios"}"#,
                #""path": "/p", "when": {"platform": "ios", "country": "GB"}"#,
            ], "unreachable_route", "b", "a"
        ),
        (
            [
                #""path": "/p", "when": {"not": {"platform": "ios"}}"#,
                #""path": "/p", "when": {"platform": ["android", "other"]}"#,
            ],
            "unreachable_route", "b", "a"
        ),
        (
            [
                #""path": "/p", "when": {"rollout": {"percent": 50, "salt": "s"}}"#,
                #""path": "/p", "when": {"rollout": {"percent": 20, "salt": "s"}}"#,
            ],
            "unreachable_route", "b", "a"
        ),
        (
            [#""path": "/p", "when": {"locale": ["en", "fr"]}"#, #""path": "/p", "when": {"locale": "fr"}"#],
            "unreachable_route", "b", "a"
        ),
        (
            [
                #""path": "/p", "when": {"traits": {"t": ["x", "y"]}}"#,
                #""path": "/p", "when": {"traits": {"t": "x"}}"#,
            ],
            "unreachable_route", "b", "a"
        ),
    ]

    @Test(arguments: unreachable)
    func unreachableRouteIsFound(_ routes: [String], _ code: String, _ route: String, _ related: String) throws {
        let table = try Self.table(routes)
        let identity = try Fixture.identity()
        let finding = try #require(table.check(for: identity).first { $0.severity == .error })

        #expect(finding.code.rawValue == code)
        #expect(finding.severity == .error)
        #expect(finding.route?.rawValue == route)
        #expect(finding.relatedRoute?.rawValue == related)
        let example = try #require(finding.example)
        // Without the earlier routes, the route would match the example.
        let alone = Router(
            identity: identity,
            table: RouteTable(routes: table.routes.filter { $0.id == finding.route })
        )
        let contexts = [Platform.ios, .android].flatMap { platform in
            ["install-0", "install-1", "install-2"].map { key in
                LinkContext(
                    platform: platform,
                    appVersion: Version("1.5"),
                    locale: ["fr"].compactMap { LanguageTag($0) },
                    country: "GB",
                    traits: ["t": ["x"]],
                    stickyKey: key
                )
            }
        }
        let whole = Router(identity: identity, table: table)
        #expect(contexts.contains { alone.resolve(example, in: $0).route == finding.route })
        #expect(contexts.allSatisfy { whole.resolve(example, in: $0).route != finding.route })
    }

    // MARK: Overlapping

    private static let overlapping: [(routes: [String], example: String, caller: LinkContext)] = [
        ([#""path": "/{a:int}""#, #""path": "/{b:alnum}""#], "https://go.acme.com/1", LinkContext()),
        ([#""path": "/{a(p,q)}""#, #""path": "/{b(q,r)}""#], "https://go.acme.com/q", LinkContext()),
        ([#""path": "/{a:int(1..10)}""#, #""path": "/{b:int(5..20)}""#], "https://go.acme.com/5", LinkContext()),
        ([#""path": "/item-{a}""#, #""path": "/{b}-item""#], "https://go.acme.com/item-x-item", LinkContext()),
        ([#""path": "/{a:int}/{b}""#, #""path": "/{c:hex}/{d}""#], "https://go.acme.com/1/x", LinkContext()),
        (
            [#""path": "/p", "query": {"a": "present"}"#, #""path": "/p", "query": {"b": "present"}"#],
            "https://go.acme.com/p?a=~&b=~", LinkContext()
        ),
        (
            [
                #""path": "/p", "query": {"a": "int"}"#,
                #""path": "/p", "query": {"a": "present", "b": {"equals": "x"}}"#,
            ], "https://go.acme.com/p?a=1&b=x", LinkContext()
        ),
        (
            [#""path": "/p", "host": "{x:int}.acme.link""#, #""path": "/p", "host": "{y:alnum}.acme.link""#],
            "https://1.acme.link/p", LinkContext()
        ),
        (
            [#""path": "/p", "when": {"platform": "ios"}"#, #""path": "/p", "when": {"country": "GB"}"#],
            "https://go.acme.com/p", LinkContext(platform: .ios, country: "GB")
        ),
        (
            [#""path": "/p", "when": {"rollout": 10}"#, #""path": "/p", "when": {"authenticated": true}"#],
            "https://go.acme.com/p", LinkContext(authenticated: true, stickyKey: "install-3")
        ),
        (
            [#""path": "/p", "fragment": "/{x:int}""#, #""path": "/p", "fragment": "/{y:hex}""#],
            "https://go.acme.com/p#/1", LinkContext()
        ),
    ]

    @Test(arguments: overlapping)
    func overlapIsShownByALink(_ routes: [String], _ example: String, _ caller: LinkContext) throws {
        let table = try Self.table(routes)
        let identity = try Fixture.identity()
        let findings = table.check(for: identity)
        #expect(findings.map(\.code) == [.overlappingRoutes])
        let finding = try #require(findings.first)
        #expect(finding.severity == .warning)
        #expect(finding.path == "routes[1]")
        #expect(finding.example == example)

        let swapped = try table.swapping(#require(RouteID("a")), #require(RouteID("b")))
        #expect(Router(identity: identity, table: table).resolve(example, in: caller).route?.rawValue == "a")
        #expect(Router(identity: identity, table: swapped).resolve(example, in: caller).route?.rawValue == "b")
    }

    // MARK: No findings

    @Test(arguments: [
        // Distinguished by the pattern, by a condition, or intentionally with the narrower route first.
        [#""path": "/list""#, #""path": "/{tab(list,detail)}""#, #""path": "/{x}""#, #""path": "/{x...}""#],
        [#""path": "/p", "query": {"q": "present"}"#, #""path": "/p""#],
        [#""path": "/p", "query": {"a": "present"}"#, #""path": "/p", "query": {"b": "present", "a": "absent"}"#],
        [#""path": "/p", "query": {"a": {"equals": "1"}}"#, #""path": "/p", "query": {"a": {"equals": "2"}}"#],
        [
            #""path": "/p", "when": {"platform": "ios"}"#, #""path": "/p", "when": {"platform": "android"}"#,
            #""path": "/p""#,
        ],
        [
            #""path": "/p", "when": {"platform": "ios"}"#, #""path": "/p", "when": {"not": {"platform": "ios"}}"#,
            #""path": "/p""#,
        ],
        [
            #""path": "/p", "when": {"appVersion": {"until": "2"}}"#,
            #""path": "/p", "when": {"appVersion": {"from": "2"}}"#,
        ],
        [#""path": "/p", "when": {"traits": {"t": "x"}}"#, #""path": "/p", "when": {"not": {"traits": {"t": "x"}}}"#],
        [#""path": "/p", "when": {"locale": "en"}"#, #""path": "/p", "when": {"not": {"locale": "en"}}"#],
        [#""path": "/p", "host": "go.acme.com""#, #""path": "/p", "host": "{x}.acme.link""#, #""path": "/p""#],
        [#""path": "/{a:int(..9)}""#, #""path": "/{b:int(10..)}""#, #""path": "/{b:number}""#],
        // Not all values are covered, or not in all contexts.
        [#""path": "/list""#, #""path": "/detail""#, #""path": "/{tab(list,detail,map)}""#],
        [#""path": "/list", "query": {"q": "present"}"#, #""path": "/detail""#, #""path": "/{tab(list,detail)}""#],
        [
            #""path": "/p", "when": {"authenticated": true}"#, #""path": "/p", "when": {"authenticated": false}"#,
            #""path": "/p""#,
        ],
        // A link such as /a//b has an empty segment, which only a rest parameter matches.
        [#""path": "/a""#, #""path": "/a/{x}""#, #""path": "/a/{x}/{y...}""#, #""path": "/a/{z...}""#],
        [#""path": "/{x:alnum(2)}""#, #""path": "/{y:alnum(3..)}""#, #""path": "/{z:alnum}""#],
    ])
    func distinguishableRoutesHaveNoFinding(_ routes: [String]) throws {
        #expect(try Self.table(routes).check(for: try Fixture.identity()) == [])
    }

    @Test func routeBehindAllHostsOfTheTenantIsFound() throws {
        let table = try Self.table([#""path": "/p""#, #""path": "/p", "host": "go.acme.com""#])
        let oneHost = try Fixture.identity(
            #"{"domains": ["go.acme.com"], "destinations": {"hosts": ["www.acme.com"]}}"#
        )

        #expect(table.check(for: oneHost).map(\.code) == [.duplicateRoute])
        #expect(table.check(for: try Fixture.identity()) == [])
    }

    @Test func atMostAHundredOverlapsAreReported() throws {
        let table = try Fixture.table(
            (0..<300).map { #"{"id": "r\#($0)", "path": "/p", "query": {"q\#($0)": "present"}, \#(Self.open)}"# }
        )

        #expect(table.check(for: try Fixture.identity()).count == 100)
    }

    /// Each condition covers part of the previous ones, in some of its sixteen combinations.
    @Test func conditionsWithManyWaysAreWorkedOutInTime() throws {
        func when(_ salt: Int) -> String {
            let ways = (0..<8).map {
                #"{"appBuild": {"from": \#($0 + 60 - salt)}, "country": ["G\#($0)"], "device": "phone"}"#
            }
            let others = (0..<8).map { #"{"osVersion": {"from": "\#($0 + 60 - salt)"}, "traits": {"t": "\#($0)"}}"# }
            return #"[{"anyOf": [\#(ways.joined(separator: ","))], "not": {"platform": "ios"}}, "#
                + #"{"anyOf": [\#(others.joined(separator: ","))]}]"#
        }
        let router = try Fixture.router(
            (0..<60).map { #"{"id": "r\#($0)", "path": "/p", "when": \#(when($0)), \#(Self.open)}"# }
        )
        var check = OrderCheck(router, .tableCheck)
        check.run(now: nil)

        #expect(check.findings.allSatisfy { $0.severity == .warning })
    }

    /// Comparing a route with many conditions or listed values counts as comparing many routes.
    @Test(arguments: ManyConditions.allCases, [(count: 1, isUndecided: false), (count: 60, isUndecided: true)])
    func manyConditionsCountAsManyRoutes(_ conditions: ManyConditions, _ size: (count: Int, isUndecided: Bool)) throws {
        let router = try Fixture.router(
            (0..<20).map { #"{"id": "r\#($0)", \#(conditions.part(of: $0, size.count)), \#(Self.open)}"# }
        )
        var check = OrderCheck(router, .tableCheck, OrderCheck.Limits(evaluations: 2_000, comparisons: 400))
        check.run(now: nil)

        #expect(check.findings.contains { $0.code == .undecided } == size.isUndecided)
        #expect(check.findings.allSatisfy { $0.severity == .warning })
    }

    /// 64 conditions are not too many to compare 40 routes for one path.
    @Test func manyConditionsAreCompared() throws {
        let router = try Fixture.router(
            (0..<40).map { #"{"id": "r\#($0)", \#(ManyConditions.items.part(of: $0, 64)), \#(Self.open)}"# }
        )
        var check = OrderCheck(router, .tableCheck)
        check.run(now: nil)

        #expect(check.findings.allSatisfy { $0.code == .overlappingRoutes })
    }

    enum ManyConditions: CaseIterable {
        case items, listedItems, listedSegments

        func part(of route: Int, _ count: Int) -> String {
            switch self {
            case .items:
                let items = (0..<count).map { #""q\#((route * 7 + $0) % 997)": {"equals": "\#(route * $0 % 13)"}"# }
                return #""path": "/p", "query": {\#(items.joined(separator: ","))}"#
            case .listedItems:
                let values = (0..<count * 10).map { #""v\#(route)_\#($0)""# }
                return #""path": "/p", "query": {"q": {"oneOf": [\#(values.joined(separator: ","))]}}"#
            case .listedSegments:
                return #""path": "/{k(\#((0..<count * 10).map { "a\(route)_\($0)" }.joined(separator: ",")))}""#
            }
        }
    }

    @Test(arguments: [
        ("/{k(a,b,c)}", "/{k(C,d)}", false, []), ("/{k(a,b,c)}", "/{k(c,d)}", false, ["r1"]),
        ("/{k(a,b,c)}", "/{k(C,d)}", true, ["r1"]),
    ])
    func listsThatShareAValueOverlap(_ one: String, _ other: String, _ ignoresCase: Bool, _ expected: [String]) throws {
        let letterCase = #""caseSensitive": \#(!ignoresCase)"#
        let table = try Fixture.table([
            #"{"id": "r0", "path": "\#(one)", \#(letterCase), \#(Self.open)}"#,
            #"{"id": "r1", "path": "\#(other)", \#(letterCase), \#(Self.open)}"#,
        ])
        let overlaps = table.check(for: try Fixture.identity()).filter { $0.code == .overlappingRoutes }

        #expect(overlaps.compactMap(\.route?.rawValue) == expected)
    }
}
