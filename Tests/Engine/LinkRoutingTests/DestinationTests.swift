import LinkRouting
import Testing

struct DestinationTests {
    private func destination(
        _ route: String,
        _ link: String,
        in context: LinkContext = LinkContext(platform: .ios),
        defaults: String = "{}",
        settings: String = Fixture.acme
    ) throws -> ResolvedDestination? {
        try Fixture.router([#"{"id": "a", \#(route)}"#], defaults: defaults, settings: settings).resolve(
            link,
            in: context
        ).destination
    }

    @Test(arguments: [
        ("https://go.acme.com/a/7?q=1&r=%2B#f", "acme://a/7?q=1&r=%2B#f"), ("https://go.acme.com/", "acme://"),
        ("https://go.acme.com", "acme://"),
        ("https://go.acme.com/a%20b/7", "acme:///a%20b/7"), ("https://go.acme.com/a@b", "acme:///a@b"),
        ("https://go.acme.com//a", "acme:////a"),
        ("https://go.acme.com/a/", "acme://a/"), ("acme:a/7?x", "acme:a/7?x"), ("ACME://A", "ACME://A"),
        ("acmeopen://open/a", "acmeopen://open/a"),
    ]) func appURIIsTheLinkUnderTheFirstScheme(_ link: String, _ uri: String) throws {
        let route = #""path": "/{path...}", "open": {"screen": "S"}"#
        let resolved = try destination(route, link)
        #expect(resolved?.uri == uri)
        let path = { (text: String) in
            let parsed = try DeepLink.parse(text)
            return (0..<parsed.segmentCount).map(parsed.segmentText)
        }
        #expect(try path(uri) == path(link), "the app sees the same path")
    }

    @Test(arguments: [
        // forward, template, query and fragment of the link, resulting URL
        ("\"all\"", "https://www.acme.com/p", "?a=1&b=%zz&a=2#f", "https://www.acme.com/p?a=1&b=%zz&a=2#f"),
        ("\"none\"", "https://www.acme.com/p", "?a=1#f", "https://www.acme.com/p"),
        ("[\"b\"]", "https://www.acme.com/p", "?a=1&b=2#f", "https://www.acme.com/p?b=2"),
        ("\"all\"", "https://www.acme.com/p?a=9", "?a=1&b=2", "https://www.acme.com/p?a=9&b=2"),
        ("\"all\"", "https://www.acme.com/p?a=9", "?%61=1", "https://www.acme.com/p?a=9"),
        ("\"all\"", "https://www.acme.com/p#own", "?a=1#f", "https://www.acme.com/p?a=1#own"),
        ("\"all\"", "https://www.acme.com/p?x", "?&a", "https://www.acme.com/p?x&&a"),
        ("\"all\"", "https://shop.example/p", "?a=1#f", "https://shop.example/p"),
        ("[\"a\"]", "https://shop.example/p", "?a=1&b=2", "https://shop.example/p?a=1"),
    ]) func routeDecidesWhichQueryItemsAreForwarded(
        _ forward: String,
        _ web: String,
        _ link: String,
        _ expected: String
    ) throws {
        let settings = Fixture.acme.dropLast(1) + #", "destinations": {"hosts": ["www.acme.com", "shop.example"]}}"#
        let route = #""path": "/a", "web": "\#(web)", "forward": \#(forward)"#
        #expect(try destination(route, "https://go.acme.com/a" + link, settings: String(settings))?.web == expected)
    }

    static let pages: [(route: String, link: String, platform: Platform, page: String)] = [
        // The route's own page is first, also on the website's host.
        (#""web": "https://www.acme.com/own""#, "https://www.acme.com/p?q=1", .ios, "https://www.acme.com/own?q=1"),
        // A link on the website's host is its own page, with its query.
        (#""open": {"screen": "S"}"#, "https://www.acme.com/p?q=1", .ios, "https://www.acme.com/p?q=1"),
        (#""open": {"screen": "S"}"#, "https://www.acme.com/none?q=1", .ios, "https://www.acme.com/none?q=1"),
        // Other hosts have the fallback's page.
        (#""open": {"screen": "S"}"#, "https://go.acme.com/p?q=1", .ios, "https://www.acme.com/home"),
        (#""open": {"screen": "S"}"#, "https://go.acme.com/none?q=1", .ios, "https://www.acme.com/home"),
        // A route with a page for another platform only has none for this one.
        (#""web": {"ios": "https://www.acme.com/ios"}"#, "https://go.acme.com/p", .ios, "https://www.acme.com/ios"),
        (
            #""web": {"ios": "https://www.acme.com/ios"}"#, "https://go.acme.com/p", .android,
            "https://www.acme.com/home"
        ),
        (#""web": {"ios": "https://www.acme.com/ios"}"#, "https://www.acme.com/p", .android, "https://www.acme.com/p"),
    ]

    @Test(arguments: pages) func pageIsTheFirstThatApplies(
        _ route: String,
        _ link: String,
        _ platform: Platform,
        _ page: String
    ) throws {
        let found = try destination(
            #""path": "/p", \#(route)"#,
            link,
            in: LinkContext(platform: platform, installed: false),
            defaults: #"{"fallback": {"web": "https://www.acme.com/home"}}"#
        )
        #expect(found?.web == page)
    }

    @Test func fallbackForwardsNothingByDefault() throws {
        let route = #""path": "/other", "open": {"screen": "S"}"#
        let fallback = { (more: String) in
            #"{"fallback": {"open": {"screen": "Home"}, "web": "https://www.acme.com/"\#(more)}}"#
        }
        #expect(
            try destination(route, "https://go.acme.com/a?q=1", defaults: fallback(""))?.web == "https://www.acme.com/"
        )
        #expect(
            try destination(route, "https://go.acme.com/a?q=1", defaults: fallback(#", "forward": "all""#))?.web
                == "https://www.acme.com/?q=1"
        )
    }

    @Test(arguments: [
        (LinkContext(platform: .ios, device: .phone), "ios"), (LinkContext(platform: .ios, device: .tablet), "ipad"),
        (LinkContext(platform: .android), "android"),
        (LinkContext(platform: .macos), "desktop"), (LinkContext(platform: .windows), "desktop"),
        (LinkContext(platform: .linux), "desktop"), (LinkContext(device: .desktop), "desktop"),
        (LinkContext(platform: .other), "default"), (LinkContext(), "default"),
    ]) func webPageIsTheCallersOwn(_ context: LinkContext, _ page: String) throws {
        let pages = ["ios", "ipad", "android", "desktop", "default"].map { #""\#($0)": "https://www.acme.com/\#($0)""# }
            .joined(separator: ",")
        #expect(
            try destination(#""path": "/a", "web": {\#(pages)}"#, "https://go.acme.com/a", in: context)?.web
                == "https://www.acme.com/\(page)"
        )
    }

    @Test func missingPageFallsBack() throws {
        let tablet = LinkContext(platform: .ios, device: .tablet)
        #expect(
            try destination(
                #""path": "/a", "web": {"ios": "https://www.acme.com/i"}"#,
                "https://go.acme.com/a",
                in: tablet
            )?.web == "https://www.acme.com/i"
        )
        let defaults = #"{"fallback": {"web": "https://www.acme.com/home"}}"#
        let open = #""path": "/a", "open": {"screen": "S"}"#
        #expect(try destination(open, "https://go.acme.com/a", defaults: defaults)?.web == "https://www.acme.com/home")
        #expect(try destination(open, "https://www.acme.com/a?q#f")?.web == "https://www.acme.com/a?q#f")
        #expect(try destination(open, "https://go.acme.com/a")?.web == nil)
        #expect(try destination(open, "acme://a")?.web == nil)
    }

    /// No result is outside the settings' allow-list, whatever the table says.
    @Test(
        arguments: [
            (#""web": "https://evil.example/{x}""#, nil, nil), (#""web": "http://www.acme.com/{x}""#, nil, nil),
            (#""web": "https://www.acme.com/{x}""#, "https://www.acme.com/..%2F", nil),
            (#""open": {"screen": "S", "uri": "evil://{x}"}"#, nil, nil),
            (#""open": {"screen": "S", "uri": "javascript:{x}"}"#, nil, nil),
            (#""open": {"screen": "S", "uri": "acme://screen?x={x}"}"#, nil, "acme://screen?x=7"),
        ] as [(String, String?, String?)]
    ) func onlyAllowedDestinationsComeOut(_ target: String, _ web: String?, _ uri: String?) throws {
        let resolved = try destination(#""path": "/a/{x}", "forward": "none", \#(target)"#, "https://go.acme.com/a/7")
        #expect(resolved?.web == (web == nil ? nil : "https://www.acme.com/7"))
        #expect(resolved?.uri == uri)
    }

    @Test func capturedDotsCannotClimb() throws {
        let route = #""path": "/a", "query": {"x": "string"}, "web": "https://www.acme.com/safe/{x}""#
        #expect(try destination(route, "https://go.acme.com/a?x=..")?.web == nil)
        #expect(try destination(route, "https://go.acme.com/a?x=../admin")?.web == nil)
        #expect(
            try destination(route, "https://go.acme.com/a?x=//evil.example")?.web?.hasPrefix(
                "https://www.acme.com/safe/%2F%2Fevil.example"
            ) == true
        )
    }

    @Test func argumentsKeepTheirTypes() throws {
        let route = #"""
            "path": "/p/{id:int}/{rest...}", "query": {"page": "int = 1", "ref": "string?"},
            "open": {"screen": "P",
                     "arguments": {"id": "{id}", "label": "n{id}", "rest": "{rest}", "page": "{page}", "ref": "{ref}",
                                   "flag": true, "list": [1]},
                     "stack": ["Home", "P", {"screen": "Q", "arguments": {"x": "{page}"}}]},
            "data": {"a": [1.50]}, "campaign": "c-{id}"
            """#
        let resolved = try #require(try destination(route, "https://go.acme.com/p/7/x/y"))
        let arguments = Dictionary(uniqueKeysWithValues: resolved.arguments.map { ($0.name, $0.value) })
        #expect(arguments["id"] == .parameter(.int(7)))
        #expect(arguments["label"] == .parameter(.string("n7")))
        #expect(arguments["rest"] == .parameter(.list(["x", "y"])))
        #expect(arguments["page"] == .parameter(.int(1)))
        #expect(arguments["ref"] == nil, "an absent optional capture drops its argument")
        #expect(arguments["flag"] == .constant(.bool(true)))
        #expect(resolved.stack.map(\.name) == ["Home", "P", "Q"])
        #expect(resolved.stack.map(\.arguments.count) == [0, 6, 1])
        #expect(resolved.data?.json() == #"{"a":[1.50]}"#)
        #expect(resolved.campaign == "c-7")
    }

    @Test(arguments: [
        ("acme://open/a", "/open/a"), ("acmeopen://open/a", "/a"), ("acmesome://open/a", "/a"),
        ("acmesome://APP/a", "/a"), ("acmesome://other/a", "/other/a"),
        ("acmeopen:open/a", "/open/a"), ("acmeopen://a", "/"),
    ]) func ignoredHostIsNoSegment(_ link: String, _ path: String) throws {
        #expect(
            try Fixture.router(paths: ["/a", "/open/a", "/other/a", "/"]).resolve(link, in: LinkContext()).pattern
                == path
        )
    }

    /// Otherwise the app, and Fingerpost itself, would drop the first segment.
    @Test(arguments: [
        (#""ignore""#, "https://go.acme.com/open/a", "acme:///open/a"),
        (#""ignore""#, "https://go.acme.com/", "acme:///"),
        (#"["open"]"#, "https://go.acme.com/Open/a", "acme:///Open/a"),
        (#"["open"]"#, "https://go.acme.com/other/a", "acme://other/a"),
        (#""segment""#, "https://go.acme.com/open/a", "acme://open/a"),
    ]) func uriOfASchemeThatIgnoresHostsHasNone(_ host: String, _ link: String, _ uri: String) throws {
        let settings = #"{"domains": ["go.acme.com"], "schemes": [{"name": "acme", "host": \#(host)}]}"#
        #expect(
            try destination(#""path": "/{path...}", "open": {"screen": "S"}"#, link, settings: settings)?.uri == uri
        )
    }

    /// Domain lookup goes by labels. The settings list as many domains as allowed, and both ends of the list are
    /// queried.
    @Test func domainOfAHostIsFoundAmongMany() throws {
        let names = (0..<1_000).map {
            #""*.d\#($0).example", "d\#($0).example", {"host": "p\#($0).example", "port": 8443}"#
        }
        let identity = try Fixture.identity(#"{"domains": [\#(names.joined(separator: ","))]}"#)
        for number in [0, 999] {
            #expect(identity.domain(for: "a.b.d\(number).example")?.coversSubdomains == true)
            #expect(identity.domain(for: "d\(number).example")?.coversSubdomains == false)
            #expect(identity.domain(for: "d\(number).example", port: 8443) == nil)
            #expect(identity.domain(for: "p\(number).example") == nil)
            #expect(identity.domain(for: "p\(number).example", port: 8443) != nil)
            #expect(identity.wildcard(of: "d\(number).example")?.coversSubdomains == true)
            #expect(identity.wildcard(of: "p\(number).example") == nil)
            #expect(identity.destinations.allows(host: "a.d\(number).example"))
            #expect(identity.destinations.allows(host: "p\(number).example"))
            #expect(!identity.destinations.allows(host: "a.p\(number).example"))
        }
        // Each host of 100 links has 118 labels. A linear search for each label would take seconds.
        let deep = Array(repeating: "a", count: 118).joined(separator: ".") + ".d999.example"
        for _ in 0..<100 { #expect(identity.domain(for: "\u{FC}." + deep)?.host == "d999.example") }
    }

    /// Comparison by bytes also applies to keys that are limited to an owner's routes.
    @Test func fragmentIsComparedByItsBytes() throws {
        let router = try Fixture.router([
            #"{"id": "a", "path": "/a", "fragment": "caf\u00e9", "open": {"screen": "S"}}"#
        ])
        let context = LinkContext(platform: .ios)
        #expect(router.resolve("https://go.acme.com/a#caf%C3%A9", in: context).outcome == .matched)
        #expect(router.resolve("https://go.acme.com/a#cafe%CC%81", in: context).outcome == .unmatched)
        #expect(FragmentCondition.equals("caf\u{E9}") != .equals("cafe\u{301}"))
        #expect(
            QueryCondition(name: "caf\u{E9}", test: .present) != QueryCondition(name: "cafe\u{301}", test: .present)
        )
        #expect(QueryCondition.Test.oneOf(["caf\u{E9}"]) != .oneOf(["cafe\u{301}"]))
    }

    @Test func changedDomainsAnswerAtOnce() throws {
        var identity = try Fixture.identity()
        identity.domains.removeAll { $0.coversSubdomains }
        #expect(identity.domain(for: "a.acme.link") == nil)
        #expect(identity.domain(for: "www.acme.com")?.serves == .association)
        identity.destinations.hosts = []
        #expect(!identity.destinations.allows(host: "go.acme.com"))
    }

    @Test func longestWildcardAnswersForAHost() throws {
        let identity = try Fixture.identity(
            #"{"domains": ["*.acme.link", "*.eu.acme.link", "x.eu.acme.link", {"host": "go.acme.com", "port": 8443}]}"#
        )
        #expect(identity.domain(for: "a.acme.link")?.host == "acme.link")
        #expect(identity.domain(for: "a.eu.acme.link")?.host == "eu.acme.link")
        #expect(identity.domain(for: "x.eu.acme.link")?.coversSubdomains == false)
        #expect(identity.domain(for: "acme.link") == nil)
        #expect(identity.domain(for: "evilacme.link") == nil)
        #expect(identity.domain(for: "go.acme.com") == nil)
        #expect(identity.domain(for: "go.acme.com", port: 8443) != nil)
    }

    /// A route may use a captured text in hundreds of arguments.
    @Test func filledArgumentsAreBounded() throws {
        let arguments = (0..<500).map { "\"a\($0)\": \"{id}\"" }.joined(separator: ",")
        let stack = Array(repeating: "\"S\"", count: 16).joined(separator: ",")
        let id = String(repeating: "x", count: 8_000)
        let open = #""open": {"screen": "S", "arguments": {\#(arguments)}, "stack": [\#(stack)]}"#
        let resolved = try #require(try destination("\"path\": \"/{id}\", \(open)", "acme:///\(id)"))
        #expect(resolved.arguments.count == 8, "64 KiB hold eight of these texts")
        #expect(resolved.stack.count == 16)
        #expect(resolved.stack.allSatisfy { $0.arguments.isEmpty })
    }

    @Test func filledTextsAreBounded() throws {
        let placeholders = String(repeating: "{id}", count: 60)
        let id = String(repeating: "x", count: 8_000)
        let route = #""path": "/{id}", "campaign": "a\#(placeholders)", "web": "https://www.acme.com/\#(placeholders)""#
        let open = #""open": {"screen": "S", "arguments": {"a": "{id}", "b": "x\#(placeholders)", "c": "{id}"}}"#
        let resolved = try #require(try destination("\(route), \(open)", "acme:///\(id)"))
        #expect(resolved.arguments.map(\.name) == ["a", "c"])
        #expect(resolved.campaign == nil)
        #expect(resolved.web == nil)
    }
}
