import LinkRouting
import Testing

struct TableCheckTests {
    private static let open = #""open": {"screen": "S"}, "web": "https://www.acme.com/""#

    private func findings(_ routes: [String], defaults: String = "{}") throws -> [Finding] {
        try Fixture.table(routes, defaults: defaults).check(for: try Fixture.identity())
    }

    static let mistakes: [(routes: [String], code: String, path: String)] = [
        (
            [#"{"id": "a", "path": "/{x}", \#(open)}"#, #"{"id": "b", "path": "/{y}", \#(open)}"#], "duplicate_route",
            "routes[1]"
        ),
        (
            [#"{"id": "a", "path": "/{x}", \#(open)}"#, #"{"id": "b", "path": "/*", \#(open)}"#], "duplicate_route",
            "routes[1]"
        ),
        (
            [
                #"{"id": "a", "path": "/A", "caseSensitive": false, \#(open)}"#,
                #"{"id": "b", "path": "/a", "caseSensitive": false, \#(open)}"#,
            ], "duplicate_route", "routes[1]"
        ),
        (
            [
                #"{"id": "a", "path": "/{x}", \#(open)}"#,
                #"{"id": "b", "path": "/{y}", "query": {"q": "present"}, \#(open)}"#,
            ], "unreachable_route", "routes[1]"
        ),
        ([#"{"id": "a", "path": "/a", "web": "https://www.acme.com/{nope}"}"#], "unknown_parameter", "routes[0].web"),
        (
            [
                #"{"id": "a", "path": "/a/{x}", "open": {"screen": "S", "arguments": {"y": "{y}"}}, "web": "https://www.acme.com/"}"#
            ], "unknown_parameter", "routes[0].open.arguments.y"
        ),
        (
            [
                #"{"id": "a", "path": "/a/{x}", "open": {"screen": "S", "stack": ["T", {"screen": "U", "arguments": {"y": "{y}"}}]}, "web": "https://www.acme.com/"}"#
            ], "unknown_parameter", "routes[0].open.stack[1].arguments.y"
        ),
        ([#"{"id": "a", "path": "/.well-known/{x}", \#(open)}"#], "reserved_path", "routes[0].path"),
        ([#"{"id": "a", "path": "/_fp", \#(open)}"#], "reserved_path", "routes[0].path"),
        ([#"{"id": "a", "path": "/apple-app-site-association", \#(open)}"#], "reserved_path", "routes[0].path"),
        ([#"{"id": "a", "path": "/{x(_fp,a)}", \#(open)}"#], "reserved_path", "routes[0].path"),
        ([#"{"id": "a", "host": "other.example", "path": "/a", \#(open)}"#], "foreign_host", "routes[0].host"),
        ([#"{"id": "a", "host": "{x}.other.example", "path": "/a", \#(open)}"#], "foreign_host", "routes[0].host"),
        ([#"{"id": "a", "path": "/a", "web": "https://evil.example/"}"#], "destination_not_allowed", "routes[0].web"),
        ([#"{"id": "a", "path": "/a", "web": "http://www.acme.com/"}"#], "destination_not_allowed", "routes[0].web"),
        (
            [#"{"id": "a", "path": "/a", "open": {"screen": "S", "uri": "evil://x"}, "web": "https://www.acme.com/"}"#],
            "destination_not_allowed", "routes[0].open.uri"
        ),
        ([#"{"id": "a", "path": "/a", "web": "https://go.acme.com/b"}"#], "web_loop", "routes[0].web"),
        (
            [#"{"id": "a", "path": "/a", "preview": {"image": "https://evil.example/x"}, \#(open)}"#],
            "destination_not_allowed", "routes[0].preview.image"
        ),
        (
            [#"{"id": "a", "path": "/a", "preview": {"title": "{x}"}, \#(open)}"#], "unknown_parameter",
            "routes[0].preview.title"
        ),
        ([#"{"id": "a", "path": "/a", "when": {"apps": ["nope"]}, \#(open)}"#], "unknown_app", "routes[0]"),
        ([#"{"id": "a", "path": "/a", "minimumVersion": {"nope": "1"}, \#(open)}"#], "unknown_app", "routes[0]"),
        ([#"{"id": "a", "path": "/a", "open": {"screen": "S"}}"#], "missing_web", "routes[0]"),
        (
            [
                #"{"id": "a", "path": "/a", "web": {"ios": "https://www.acme.com/", "android": "https://www.acme.com/"}}"#
            ],
            "missing_web", "routes[0]"
        ),
        (
            [#"{"id": "a", "path": "/p/[0-9]+", "web": "https://www.acme.com/"}"#], "foreign_syntax",
            "routes[0].path"
        ),
        ([#"{"id": "a", "path": "/b/(x|y)", "web": "https://www.acme.com/"}"#], "foreign_syntax", "routes[0].path"),
        ([#"{"id": "a", "path": "/user/:id", "web": "https://www.acme.com/"}"#], "foreign_syntax", "routes[0].path"),
        ([#"{"id": "a", "path": "/a", "requires": ["warp"]}"#], "unsupported_feature", "routes[0].requires"),
    ]

    /// On a website, Fingerpost answers its two files only.
    @Test(arguments: [
        ("/.well-known/*", "www.acme.com", false), ("/.well-known/{path...}", "www.acme.com", false),
        ("/_fp/x", "www.acme.com", false), ("/.well-known", "www.acme.com", false),
        ("/.well-known/assetlinks.json", "www.acme.com", true), ("/apple-app-site-association", "www.acme.com", true),
        ("/.well-known/apple-app-site-association", "www.acme.com", true), ("/.well-known/*", "go.acme.com", true),
    ])
    func pathOfAWebsiteIsNotReserved(_ path: String, _ host: String, _ isReserved: Bool) throws {
        let found = try findings([#"{"id": "a", "path": "\#(path)", "host": "\#(host)", \#(Self.open)}"#])
        #expect(found.map(\.code) == (isReserved ? [Finding.Code.reservedPath] : []))
    }

    @Test func fixOfAReservedPathNamesTheWebsite() throws {
        let found = try findings([#"{"id": "a", "path": "/.well-known/{x}", \#(Self.open)}"#])
        #expect(found.first?.fix.contains("'serves: association'") == true)
    }

    private static let warnings: Set = ["missing_web"]

    @Test(arguments: mistakes) func mistakeIsFound(_ routes: [String], _ code: String, _ path: String) throws {
        let findings = try findings(routes)
        #expect(findings.map(\.code.rawValue) == [code])
        #expect(findings.first?.path == path)
        #expect(findings.first?.severity == (Self.warnings.contains(code) ? .warning : .error))
        #expect(findings.first?.fix.isEmpty == false)
    }

    /// Other tests cover tables with too many steps, the order of routes and conditions that are never true.
    /// ScreenCheckTests cover screens, LinkCatalogTests texts that cannot be read, AppAssociationTests the files, and
    /// LinkServerTests old clients and short links.
    @Test func everyCodeIsTested() {
        let others = [
            Finding.Code.tooManySteps, .overlappingRoutes, .languageOrder, .neverTrue, .timeEnded, .invalid,
            .associationTooLarge,
            .associationInvalid, .associationNotExpressed, .exampleFingerprint, .associationOvermatch,
            .undecided, .fallbackPage, .missingStore, .missingTarget, .similarScreen, .unknownScreen, .missingArgument,
            .unknownArgument, .mistypedArgument, .unusedScreen, .oldClient, .shortLinkBreaks, .literalBraces,
            .unlikelyValue, .noSecondHost,
        ]
        let tested = Self.mistakes.map(\.code) + others.map(\.rawValue)
        #expect(Set(tested) == Set(Finding.Code.allCases.map(\.rawValue)))
    }

    /// Values that are valid, but probably do not mean what their author thinks.
    @Test(
        arguments: [
            (#""store": {"campaign": "{x}"}"#, "literal_braces", .warning, #"campaign: "{x}""#),
            (#""open": {"screen": "{x}"}"#, "literal_braces", .warning, #"arguments: {x: "{x}"}"#),
            (#""open": {"screen": "S", "stack": ["T{y}"]}"#, "literal_braces", .warning, #"arguments: {y: "{y}"}"#),
            (#""open": {"screen": "S", "arguments": {"id": {"x": null}}}"#, "literal_braces", .error, #""{x}""#),
            (#""open": {"screen": "S", "arguments": {"id": {"y": null}}}"#, "literal_braces", .warning, #""{y}""#),
            (#""open": {"screen": "S", "arguments": {"id": [{"x": null}]}}"#, "literal_braces", .error, #""{x}""#),
            (
                #""open": {"screen": "S", "arguments": {"f": {"id": "{x}"}}}"#, "literal_braces", .warning,
                #"{x: "{x}"}"#
            ),
            (#""data": {"a": {"x": null}}"#, "literal_braces", .error, #""{x}""#),
            (#""data": {"a": ["{x}"]}"#, "literal_braces", .warning, #"{x: "{x}"}"#),
            (
                #""store": {"campaign": "\#(String(repeating: "c", count: 31))"}"#, "unlikely_value", .warning,
                "Shorten it to 30"
            ),
            (
                #""store": true, "campaign": "\#(String(repeating: "c", count: 31)){x}""#, "unlikely_value", .warning,
                "Shorten it to 30"
            ),
            (#""when": {"country": "UK"}"#, "unlikely_value", .warning, "Write GB"),
            (
                #""when": {"anyOf": [{"not": {"country": ["DE", "en"]}}]}"#, "unlikely_value", .warning,
                "Write GB or US."
            ),
            (#""when": {"country": "QX"}"#, "unlikely_value", .warning, "ISO 3166"),
            (#""when": {"country": "XX"}"#, "unlikely_value", .warning, "ISO 3166"),
            (#""when": {"country": "zz"}"#, "unlikely_value", .warning, "ISO 3166"),
            (#""when": {"locale": "jp"}"#, "unlikely_value", .warning, "Write ja."),
            (#""when": {"locale": "gr-CY"}"#, "unlikely_value", .warning, "Write el-CY."),
            (#""when": {"locale": ["de", "us-US"]}"#, "unlikely_value", .warning, "Write en-US."),
            (#""when": {"not": {"locale": "German"}}"#, "unlikely_value", .warning, "Write de."),
            (#""when": {"locale": "eng"}"#, "unlikely_value", .warning, "Write en."),
            (#""when": {"locale": "xx"}"#, "unlikely_value", .warning, "Write the two letters of ISO 639-1"),
            (#""when": {"locale": "klingon"}"#, "unlikely_value", .warning, "Write the two letters of ISO 639-1"),
            (#""when": {"locale": "en-UK"}"#, "unlikely_value", .warning, "Write GB"),
            (#""when": {"locale": "ko-Hang-ko"}"#, "unlikely_value", .warning, "Write KR."),
            (#""when": {"rollout": 0.1}"#, "unlikely_value", .warning, "Write 10 for 10 %"),
            (#""when": {"rollout": {"percent": 0.05, "salt": "s"}}"#, "unlikely_value", .warning, "Write 5 for 5 %"),
        ] as [(String, String, Finding.Severity, String)]
    )
    func unlikelyMeaningIsFound(_ keys: String, _ code: String, _ severity: Finding.Severity, _ fix: String) throws {
        let found = try findings([#"{"id": "a", "path": "/a/{x}", "web": "https://www.acme.com/", \#(keys)}"#])
            .filter { $0.code != .missingStore }
        #expect(found.map(\.code.rawValue) == [code])
        #expect(found.first?.severity == severity)
        #expect(found.first?.fix.contains(fix) == true, "\(found)")
    }

    @Test(arguments: [
        ("/a ", "/a"), ("/a/ ", "/a/"), ("/ ", "/"), ("/a\u{A0}", "/a"), ("/a%20", nil), ("/a b", nil), ("/ a", nil),
    ])
    func spaceAtTheEndOfAPathIsFound(_ path: String, _ meant: String?) throws {
        let found = try findings([#"{"id": "a", "path": "\#(path)", \#(Self.open)}"#])
        #expect(found.map(\.code) == (meant == nil ? [] : [Finding.Code.unlikelyValue]))
        #expect(found.allSatisfy { $0.severity == .warning && $0.path == "routes[0].path" })
        #expect(found.first?.fix == meant.map { "Write '\($0)', or %20 at its end if a space is meant." })
    }

    @Test func reasonWithAPlaceholderIsFound() throws {
        let found = try findings([#"{"id": "a", "path": "/a/{x}", "block": "No {x} for {you}."}"#])
        #expect(found.map(\.code) == [.literalBraces] && found.first?.path == "routes[0].block")
    }

    @Test(arguments: [
        #""open": {"screen": "S", "arguments": {"id": "{x}", "none": {"y": null, "z": 1}, "empty": {}}}"#,
        #""data": {"y": {"z": null}, "t": "{y} and {}"}"#, #""when": {"country": ["GB", "ua", "XK"]}"#,
        #""when": {"locale": ["se", "uk", "FIL", "en-GB", "zh-Hant-TW", "es-419", "de-CH-1996", "iw", "en-EU", "sr-CS"]}"#,
        #""when": {"locale": ["en-x-uk", "x-klingon"]}"#,
        #""store": {"campaign": "\#(String(repeating: "c", count: 30))"}"#, #""campaign": "c{x}", "store": true"#,
        #""when": {"rollout": 1}"#, #""when": {"rollout": 0.0}, "note": "{x}""#,
    ])
    func likelyMeaningHasNoFinding(_ keys: String) throws {
        let route = #"{"id": "a", "path": "/a/{x}", "web": "https://www.acme.com/", \#(keys)}"#
        #expect(try findings([route]).filter { [.literalBraces, .unlikelyValue].contains($0.code) } == [])
    }

    @Test(arguments: [
        ("ABCDE12345.com.acme.app", "Write com.acme.app;"), ("ZYXWV98765.com.acme.app", "Write com.acme.app;"),
        ("com.acme.app", nil), ("ABCDEFGHIJ.app", nil), ("ABCDE12345X.com.acme", nil),
    ])
    func bundleIDWithATeamIsFound(_ bundleID: String, _ fix: String?) throws {
        let identity = try Fixture.identity(
            #"{"apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "\#(bundleID)"}]}"#
        )
        let found = RouteTable(routes: []).check(for: identity)
        #expect(found.map(\.path) == (fix == nil ? [] : ["settings.apps[0].bundleID"]))
        #expect(found.allSatisfy { $0.code == .unlikelyValue && $0.severity == .error })
        #expect(found.first?.fix.hasPrefix(fix ?? "-") ?? true)
    }

    @Test(arguments: [
        [
            #"{"id": "a", "path": "/{x}", "when": {"platform": "ios"}, \#(open)}"#,
            #"{"id": "b", "path": "/{y}", \#(open)}"#,
        ],
        [#"{"id": "a", "path": "/{x}", "query": {"q": "int?"}, \#(open)}"#, #"{"id": "b", "path": "/{y}", \#(open)}"#],
        [#"{"id": "a", "path": "/a", \#(open)}"#, #"{"id": "b", "path": "/A", \#(open)}"#],
        [#"{"id": "a", "path": "/a", "host": "{x}.acme.link", \#(open)}"#, #"{"id": "b", "path": "/a", \#(open)}"#],
        [#"{"id": "a", "path": "/apple-app-site-association/x", \#(open)}"#],
        [#"{"id": "a", "path": "/{path...}", \#(open)}"#],
        [#"{"id": "a", "path": "/a", "host": "www.acme.com", "open": {"screen": "S"}}"#],
        [#"{"id": "a", "path": "/a", "when": {"platform": "ios"}, "web": {"ios": "https://www.acme.com/"}}"#],
        [#"{"id": "a", "path": "/a", "host": "{x}.acme.com", \#(open)}"#],
    ]) func distinguishableRoutesHaveNoFinding(_ routes: [String]) throws {
        #expect(try findings(routes) == [])
    }

    /// Advice, so only with a time. Routes that answer no clicks, or have a page on each platform, do not count.
    @Test func routesWhoseClicksLeadToTheFallbackAreReported() throws {
        let routes = [
            #"{"id": "a", "path": "/a", "open": {"screen": "S"}}"#,
            #"{"id": "b", "path": "/b", "web": {"ios": "https://www.acme.com/b"}}"#,
            #"{"id": "c", "path": "/c", \#(Self.open)}"#,
            #"{"id": "d", "path": "/d", "host": "www.acme.com", "open": {"screen": "S"}}"#,
        ]
        let table = try Fixture.table(routes, defaults: #"{"fallback": {"web": "https://www.acme.com/home"}}"#)
        let identity = try Fixture.identity()
        let found = table.check(for: identity, now: Timestamp(milliseconds: 0))
        #expect(found.map(\.code) == [.fallbackPage] && found.first?.severity == .info)
        #expect(
            found.first?.message == "Without the app, clicks on links of 2 routes lead to https://www.acme.com/home, "
                + "not to a page of their own: a, b."
        )
        #expect(table.check(for: identity) == [])
    }

    /// Advice, so only with a time. A route with an experiment or a place for some people has a target.
    @Test func routesWithoutATargetAreReported() throws {
        let routes = [
            #"{"id": "a", "path": "/a"}"#, #"{"id": "b", "path": "/b", \#(Self.open)}"#,
            #"{"id": "c", "path": "/c"}"#, #"{"id": "d", "path": "/d", "block": "Gone."}"#,
        ]
        let table = try Fixture.table(routes, defaults: #"{"fallback": {"web": "https://www.acme.com/"}}"#)
        let identity = try Fixture.identity()
        let found = table.check(for: identity, now: Timestamp(milliseconds: 0)).filter { $0.code == .missingTarget }
        #expect(found.map(\.message) == ["Links of routes without a target do not open the app: a, c."])
        #expect(found.first?.severity == .info && found.first?.route?.rawValue == "a")
        #expect(!table.check(for: identity).map(\.code).contains(.missingTarget))
    }

    /// Advice, so only with a time, for tenants with an iOS app and routes that open it.
    @Test(
        arguments: [
            (#""go.acme.com""#, "ios", #""open": {"screen": "S"}"#, true),
            (#""*.acme.link""#, "ios", #""open": {"screen": "S"}"#, true),
            (#""go.acme.com", "open.acme.com""#, "ios", #""open": {"screen": "S"}"#, false),
            (#""go.acme.com""#, "android", #""open": {"screen": "S"}"#, false),
            (#""go.acme.com""#, "ios", #""block": "Gone.""#, false),
        ]
    )
    func aMissingSecondHostIsReported(hosts: String, platform: String, target: String, isReported: Bool) throws {
        let app =
            platform == "ios" ? #""teamID": "ABCDE12345", "bundleID": "com.acme.app""# : #""package": "com.acme.app""#
        let identity = try Fixture.identity(
            #"{"domains": [\#(hosts), {"host": "www.acme.com", "serves": "association"}], "apps": [{"id": "app", "platform": "\#(platform)", \#(app)}]}"#
        )
        let table = try Fixture.table([#"{"id": "a", "path": "/a", \#(target)}"#])
        let found = table.check(for: identity, now: Timestamp(milliseconds: 0)).filter { $0.code == .noSecondHost }
        #expect(found.map(\.path) == (isReported ? ["settings.domains"] : []))
        #expect(found.allSatisfy { $0.severity == .info })
        #expect(!table.check(for: identity).map(\.code).contains(.noSecondHost))
    }

    /// Advice, so only with a time.
    @Test func screensWithTheSameLettersAreReported() throws {
        func routes(_ screens: String...) -> [String] {
            screens.enumerated().map {
                #"{"id": "r\#($0)", "path": "/\#($0)", "open": {"screen": "\#($1)"}, "web": "https://www.acme.com/"}"#
            }
        }
        let table = try Fixture.table(routes("Prodcut", "Item", "Product", "Items", "Product", "item"))
        let identity = try Fixture.identity()
        let found = table.check(for: identity, now: Timestamp(milliseconds: 0))
        #expect(found.map(\.code) == [.similarScreen, .similarScreen])
        #expect(found.map(\.path) == ["routes[0].open", "routes[5].open"])
        #expect(
            found.first?.message == "The screen 'Prodcut' has the same letters as 'Product', which is used 2 times."
        )
        #expect(found.first?.severity == .warning)
        #expect(table.check(for: identity) == [])
    }

    @Test(arguments: ["ios", "android"]) func appWithoutAStorePageIsReportedIfARouteLeadsThere(_ platform: String)
        throws
    {
        let route =
            #"{"id": "a", "path": "/a", "store": true, "web": "https://www.acme.com/", "when": {"platform": "ios"}}"#
        let table = try Fixture.table([route])
        let app =
            platform == "ios" ? #""teamID": "ABCDE12345", "bundleID": "com.acme.app""# : #""package": "com.acme.app""#
        let identity = try Fixture.identity(
            #"{"domains": ["go.acme.com", {"host": "www.acme.com", "serves": "association"}], "apps": [{"id": "app", "platform": "\#(platform)", \#(app)}]}"#
        )
        let found = table.check(for: identity)
        // The route answers iOS only, so the store of the Android app does not matter.
        #expect(found.map(\.code) == (platform == "ios" ? [.missingStore] : []))
        #expect(found.allSatisfy { $0.path == "routes[0].store" && $0.fix.contains("{kind: appStore, id: ") })
    }

    /// A list of hosts replaces the tenant's own domains, so it must have these as well.
    @Test(arguments: [
        ("", "ww.acme.com", "Did you mean 'www.acme.com'? If not, add the host to settings.destinations.hosts.", true),
        ("", "evil.example", "Add the host to settings.destinations.hosts.", true),
        (
            #", "destinations": {"hosts": ["www.acme.com"]}"#, "evil.example",
            "Add the host to settings.destinations.hosts.", false
        ),
    ])
    func hostThatTheSettingsLackIsExplained(_ policy: String, _ host: String, _ fix: String, _ isDefault: Bool) throws {
        let identity = try Fixture.identity(
            #"{"domains": ["go.acme.com", {"host": "www.acme.com", "serves": "association"}]\#(policy)}"#
        )
        let table = try Fixture.table([#"{"id": "a", "path": "/a", "web": "https://\#(host)/"}"#])
        let rest = " That list replaces the default, which is the tenant's own domains: name these too."
        let found = table.check(for: identity).filter { $0.code == .destinationNotAllowed }
        #expect(found.map(\.fix) == [fix + (isDefault ? rest : "")])
    }

    @Test func fallbackIsCheckedToo() throws {
        let found = try findings([], defaults: #"{"fallback": {"web": "https://evil.example/{x}"}}"#)
        #expect(Set(found.map(\.code)) == [.destinationNotAllowed, .unknownParameter])
        #expect(found.allSatisfy { $0.path.hasPrefix("defaults.fallback") })
    }

    /// Ten routes: their conditions count, and what the longest link takes once. So do the values that several lists may have.
    @Test(arguments: [
        (#""path": "/p""#, 0, 613), (#""path": "/p", "query": {"q": {"oneOf": [LIST]}}"#, 31, 7033),
        (#""path": "/p", "query": {"q": {"oneOf": [LIST]}}"#, 320, 9923),
        (#""path": "/p", "query": {ITEMS}"#, 7, 6963), (#""path": "/p", "query": {ITEMS}"#, 64, 10383),
        (#""path": "/{k(PATH)}/x{r}""#, 320, 801), (#""path": "/p", "fragment": "/{f...}""#, 0, 8983),
        (#""path": "/p", "fragment": "/{f}-{g}""#, 0, 14003), (#""path": "/p", "fragment": "x""#, 0, 8893),
        (#""path": "/p", "host": "{h(PATH)}.acme.link""#, 320, 723), (#""path": "/{a}-{b(PATH)}-{c:int}""#, 32, 3221),
    ])
    func valuesAndConditionsTakeSteps(_ place: String, _ count: Int, _ steps: Int) throws {
        let router = try Fixture.router(
            (0..<10).map { route in
                let place = place.replacing(
                    "LIST",
                    with: (0..<count).map { "\"\(route)_\($0)\"" }.joined(separator: ",")
                )
                .replacing("PATH", with: (0..<count).map { "\(route)_\($0)" }.joined(separator: ","))
                .replacing("ITEMS", with: (0..<count).map { "\"q\(route)_\($0)\": \"present\"" }.joined(separator: ","))
                return #"{"id": "r\#(route)", \#(place), \#(Self.open)}"#
            }
        )

        #expect(router.worstCaseSteps == steps)
    }

    @Test func tableWithTooManyStepsIsRefused() throws {
        // Eleven segments of two kinds each, in all combinations.
        let routes = (0..<2_048).map { number in
            let path = (0..<11).map { number >> $0 & 1 == 0 ? "{a\($0):int}" : "{a\($0):alnum}" }.joined(separator: "/")
            return #"{"id": "r\#(number)", "path": "/\#(path)", \#(Self.open)}"#
        }
        let found = try findings(routes)
        #expect(found.map(\.code) == [.tooManySteps])
        #expect(try findings(Array(routes.prefix(100))).allSatisfy { $0.code == .overlappingRoutes })
    }
}
