import LinkRouting
import Testing

struct OrderTests {
    /// Each pattern precedes the next one, whatever the document's order. All of them match `/x-1`, `/7` and so on, as
    /// needed.
    @Test(arguments: [
        ("/7", "/{a:int}.5", "/7"), ("/item-7", "/item-{id}", "/item-7"), ("/item-{id}", "/{a}-{b}", "/item-7"),
        ("/{a}-{b}", "/{tab(item-7,x)}", "/item-7"),
        ("/{tab(7,8)}", "/{id:int(1..9)}", "/7"), ("/{id:int(1..9)}", "/{id:int}", "/7"),
        ("/{id:alnum(1)}", "/{id:int}", "/7"), ("/{id:int}", "/{id}", "/7"),
        ("/{id}", "/*", "/7"), ("/*", "/{rest...}", "/7"), ("/7", "/{rest...}", "/7"), ("/7", "/7/{rest...}", "/7"),
        ("/7/*", "/7/{rest...}", "/7/8"),
        ("/{a}/new", "/{a}/{b}", "/7/new"), ("/7/{b}", "/{a}/new", "/7/new"), ("/{a:int}/{b}", "/{a}/new", "/7/new"),
    ]) func firstComesBeforeSecond(_ first: String, _ second: String, _ path: String) throws {
        #expect(try Fixture.router(paths: [first, second]).winner(path) == first)
        #expect(try Fixture.router(paths: [second, first]).winner(path) == first)
    }

    @Test func equalKeysKeepTheDocumentsOrder() throws {
        #expect(try Fixture.router(paths: ["/{id:int}", "/{code:hex}"]).winner("/7") == "/{id:int}")
        #expect(try Fixture.router(paths: ["/{code:hex}", "/{id:int}"]).winner("/7") == "/{code:hex}")
    }

    /// The routes de, en and zh-HK differ only in their languages; each of the others differs in more.
    private static let translations = [
        #"{"id": "de", "path": "/a", "when": {"locale": "de", "platform": "ios"}, "open": {"screen": "S"}}"#,
        #"{"id": "fr", "path": "/a", "when": {"locale": "fr", "platform": "ios"}, "owner": "x", "open": {"screen": "S"}}"#,
        #"{"id": "en", "path": "/a", "when": {"platform": "ios", "locale": ["en", "en-GB"]}, "open": {"screen": "T"}}"#,
        #"{"id": "es", "path": "/a", "when": {"locale": "es"}, "open": {"screen": "S"}}"#,
        #"{"id": "zh", "path": "/a", "when": {"locale": "zh-HK", "platform": "ios"}, "block": "Soon."}"#,
        #"{"id": "en-us", "path": "/a", "when": {"locale": "en-US", "platform": "ios"}, "open": {"screen": "S"}}"#,
        #"{"id": "en-2", "path": "/a", "when": {"locale": ["it", "en"], "platform": "ios"}, "open": {"screen": "S"}}"#,
        #"{"id": "any", "path": "/a", "open": {"screen": "S"}}"#,
    ]

    @Test(arguments: [
        ("de", "de"), ("en,de", "en"), ("de,en", "de"), ("en-AU,de", "en"), ("de-AT,en", "de"), ("zh-Hant-HK,de", "zh"),
        ("zh-TW,en", "en"), ("en-US,de", "en-us"), ("it,en", "en-2"), ("en,it", "en"),
        // Their order decides between routes that differ in more than the language.
        ("fr,en", "fr"), ("fr,de", "de"), ("es,en", "en"), ("es,it,de", "en-2"), ("es", "es"), ("pl", "any"),
        ("", "any"),
    ])
    func callerPrefersALanguage(_ languages: String, _ winner: String) throws {
        let context = LinkContext(
            platform: .ios,
            locale: languages.split(separator: ",").compactMap { LanguageTag($0) }
        )
        let router = try Fixture.router(Self.translations)
        let link = try DeepLink.parse("https://go.acme.com/a")
        #expect(router.resolve("https://go.acme.com/a", in: context).route?.rawValue == winner)
        #expect(router.winner(for: link, in: context)?.id.rawValue == winner)
    }

    @Test func traceNamesTheLanguageThatIsWantedLess() throws {
        let router = try Fixture.router(Self.translations)
        let context = LinkContext(platform: .ios, locale: ["en", "de"].compactMap { LanguageTag($0) })
        let trace = router.resolve("https://go.acme.com/a", in: context, explanation: .included).trace
        let entry = try #require(trace?.entries.first)
        #expect(entry.route.rawValue == "de" && entry.failed == .when && entry.at == .name("locale"))
        #expect(entry.expected == "de first" && entry.found == "en, de")
    }

    @Test func checkNamesRoutesThatLanguagesOrder() throws {
        let findings = try Fixture.table(Self.translations).check(
            for: try Fixture.identity(),
            now: Timestamp("2026-01-01T00:00:00Z")
        )
        let finding = try #require(findings.first { $0.code == .languageOrder })
        #expect(finding.route?.rawValue == "de" && finding.path == "routes[0].when" && finding.severity == .info)
        #expect(finding.message.hasSuffix("not their order in the document: 'de', 'en', 'zh', 'en-us', 'en-2'."))
        #expect(findings.filter { $0.code == .languageOrder }.count == 1)
        #expect(
            !findings.contains {
                $0.code == .overlappingRoutes && $0.route?.rawValue == "en" && $0.relatedRoute?.rawValue == "de"
            }
        )
    }

    @Test func hostComesFirst() throws {
        func route(_ id: String, _ host: String?, _ path: String) -> String {
            let host = host.map { #""host": "\#($0)", "# } ?? ""
            return #"{"id": "\#(id)", \#(host)"path": "\#(path)", "open": {"screen": "S"}}"#
        }
        let router = try Fixture.router([
            route("none", nil, "/a"), route("label", "{s}.acme.link", "/{x}"),
            route("exact", "b.acme.link", "/{rest...}"),
        ])
        #expect(router.resolve("https://b.acme.link/a", in: LinkContext()).route?.rawValue == "exact")
        #expect(router.resolve("https://c.acme.link/a", in: LinkContext()).route?.rawValue == "label")
        #expect(router.resolve("https://c.acme.link/a/b", in: LinkContext()).route?.rawValue == nil)
        #expect(router.resolve("https://go.acme.com/a", in: LinkContext()).route?.rawValue == "none")
    }

    @Test func anyFailureMovesOn() throws {
        let router = try Fixture.router([
            #"{"id": "when", "path": "/a/7", "when": {"platform": "android"}, "open": {"screen": "S"}}"#,
            #"{"id": "query", "path": "/a/7", "query": {"q": "present"}, "open": {"screen": "S"}}"#,
            #"{"id": "fragment", "path": "/a/{id:int}", "fragment": "top", "open": {"screen": "S"}}"#,
            #"{"id": "slash", "path": "/a/{id}/", "trailingSlash": "strict", "open": {"screen": "S"}}"#,
            #"{"id": "rest", "path": "/a/{rest...}", "open": {"screen": "S"}}"#,
        ])
        func winner(_ path: String, _ platform: Platform = .ios) -> String? {
            router.resolve("https://go.acme.com" + path, in: LinkContext(platform: platform)).route?.rawValue
        }
        #expect(winner("/a/7", .android) == "when")
        #expect(winner("/a/7?q") == "query")
        #expect(winner("/a/7#top") == "fragment")
        #expect(winner("/a/7/") == "slash")
        #expect(winner("/a/7") == "rest")
        #expect(winner("/a") == "rest")
        #expect(winner("/b") == nil)
    }

    @Test(arguments: [
        ("/a", "/a/", true), ("/a/", "/a", true), ("/a", "/a//", true), ("/", "/", true), ("/", "//", true),
        ("/{x}", "//", false), ("/*", "//", false),
        ("/a/{rest...}", "/a//", true), ("/a/{rest...}", "/a", true), ("/a/{rest...}", "/ab", false),
        ("/{rest...}", "/", true), ("/a", "/A", false),
        ("/a/*/b", "/a/x/b", true), ("/a/*/b", "/a//b", false), ("/café", "/caf%C3%A9", true),
        ("/café", "/cafe\u{301}", false), ("/a%2Fb", "/a%2fb", true), ("/a%2Fb", "/a/b", false),
    ]) func pathMatchesOrNot(_ pattern: String, _ path: String, _ matches: Bool) throws {
        #expect((try Fixture.router(paths: [pattern]).winner(path) != nil) == matches)
    }

    @Test func caseIsIgnoredForASCIILettersOnly() throws {
        let router = try Fixture.router([
            #"{"id": "a", "path": "/Été/{tab(List,x)}/item-{id}", "caseSensitive": false, "open": {"screen": "S"}}"#
        ])
        #expect(router.winner("/ÉTé/LIST/ITEM-Ab") != nil)
        #expect(router.winner("/été/LIST/ITEM-Ab") == nil)
        #expect(
            router.resolve("https://go.acme.com/ÉTé/LIST/ITEM-Ab", in: LinkContext()).parameters.map(\.text) == [
                "LIST", "Ab",
            ]
        )
    }
}
