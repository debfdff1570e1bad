import LinkCatalog
import LinkRouting
import Testing

struct LinkSuiteTests {
    @Test func suiteIsReadWithItsPlaces() throws {
        let suite = try LinkSuite(
            """
            formatVersion: 1
            suite: links
            tenant: shop
            cases:
              - link: shop://a
                note: why
                expect: {outcome: matched, route: a}
              - {link: "shop://", expect: {outcome: fallback}}
            """
        )

        #expect(suite.name == "links")
        #expect(suite.tenant == TenantID("shop"))
        #expect(suite.cases.map(\.link) == ["shop://a", "shop://"])
        #expect(suite.cases.map(\.position.line) == [5, 8])
        #expect(suite.cases[0].expectations.map(\.key) == [.outcome, .route])
        #expect(suite.cases[0].context == .object([:]))
    }

    @Test func contextOfACaseIsLaidOverTheSuites() throws {
        let suite = try LinkSuite(
            """
            formatVersion: 1
            context: {platform: ios, locale: [fr], authenticated: true, traits: {userType: paid}}
            cases:
              - {link: "a:b", expect: {outcome: matched}}
              - {link: "a:b", context: {platform: android, authenticated: null, traits: {x: 1}}, expect: {outcome: matched}}
            """
        )
        let contexts = try suite.cases.map { one in
            var warnings: [String] = []
            return try LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)
        }

        #expect(contexts[0].platform == .ios)
        #expect(contexts[0].authenticated == true)
        #expect(contexts[0].traits == ["userType": ["paid"]])
        #expect(contexts[1].platform == .android)
        #expect(contexts[1].authenticated == nil)
        #expect(contexts[1].locale == contexts[0].locale)
        #expect(contexts[1].traits == ["x": ["1"]])
    }

    @Test(arguments: [
        ("cases: []", "line 1, column 1: 'formatVersion' is missing; add 'formatVersion: 1'."),
        ("formatVersion: 1", "line 1, column 1: 'cases' is missing; add it."),
        ("formatVersion: 1\ncases: {}", "line 2, column 8: cases: {} is an object; write a list."),
        ("formatVersion: 1\ncases: [x]", #"line 2, column 9: cases[0]: "x" is a string; write an object."#),
        (
            "formatVersion: 1\ncases: [{expect: {outcome: matched}}]",
            "line 2, column 9: cases[0]: 'link' is missing; add it."
        ),
        ("formatVersion: 1\ncases: [{link: \"a:b\"}]", "line 2, column 9: cases[0]: 'expect' is missing; add it."),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expect: {}}]",
            "line 2, column 9: cases[0]: the case has no expectation; add an outcome."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expects: {}}]",
            "line 2, column 23: cases[0].expects: unknown key 'expects'; did you mean 'expect'?"
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", route: item, expect: {}}]",
            "line 2, column 23: cases[0].route: 'route' belongs under 'expect'; indent it."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", rout: item, expect: {}}]",
            "line 2, column 23: cases[0].rout: unknown key 'rout'; did you mean 'route' under 'expect'?"
        ),
        (
            "formatVersion: 1\ncases: [{url: \"a:b\", expect: {outcome: matched}}]",
            "line 2, column 10: cases[0].url: unknown key 'url'; did you mean 'link'?"
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expect: {status: 200}}]",
            "line 2, column 40: cases[0].expect.status: 'status' is not an expectation; use one of: outcome, action, tenant, route, parameters, screen, arguments, stack, uri, web, store, data, campaign, fallbacks, reason, trace, continuation, experiment."
        ),
        (
            "formatVersion: 1\ncontext: {platform: iphone}\ncases: [{link: \"a:b\", expect: {outcome: matched}}]",
            #"line 2, column 21: context.platform: "iphone" is not one of: ios, android, macos, windows, linux, other."#
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", context: {plattform: ios}, expect: {outcome: matched}}]",
            "line 2, column 32: cases[0].context.plattform is not known and was ignored; did you mean 'platform'? In a suite this is an error, not a warning; correct it."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", environments: [], expect: {outcome: matched}}]",
            "line 2, column 37: cases[0].environments: without an environment, this never runs; name one, or remove 'environments' for all."
        ),
        (
            "formatVersion: 1\nenvironments: [production]\ncases: [{link: \"a:b\", environments: [beta], expect: {outcome: matched}}]",
            "line 3, column 37: cases[0].environments: the suite does not run in 'beta'; add it to the 'environments' of the suite."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expect: {outcome: match}}]",
            #"line 2, column 41: cases[0].expect.outcome: "match" is not one of: matched, fallback, unmatched, undecided, rejected; did you mean 'matched'?"#
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expect: {outcome: null}}]",
            "line 2, column 41: cases[0].expect.outcome: null is not one of: matched, fallback, unmatched, undecided, rejected."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", expect: {action: opened}}]",
            #"line 2, column 40: cases[0].expect.action: "opened" is not one of: open_app, open_web, open_store, update_app, sign_in, block."#
        ),
        (
            "formatVersion: 1\ncontext: {country: Germany}\ncases: []",
            "line 2, column 20: context.country: 'Germany' is not the code of a country in ISO 3166, so no caller comes from it. Write the two letters of ISO 3166, such as GB or DE."
        ),
        (
            "formatVersion: 1\ncases: [{link: \"a:b\", context: {locale: [de, german]}, expect: {outcome: matched}}]",
            "line 2, column 41: cases[0].context.locale: 'german' is not the code of a language in ISO 639, so no caller asks for it. Write de."
        ),
        (
            "formatVersion: 1\ntenant: acme\nsettings: {}",
            "line 3, column 1: settings: this is a tenant file; 'fingerpost check', 'plan' and 'apply' read it."
        ),
    ])
    func wrongSuiteIsRefused(_ text: String, _ message: String) {
        let error = #expect(throws: DocumentError.self) { try LinkSuite(text) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        "locale: [de-AT, '*']", "locale: se", "country: gb", "country: XK", "country: null, locale: null",
    ])
    func contextWithCodesIsRead(_ context: String) {
        let text = "formatVersion: 1\ncontext: {\(context)}\ncases: [{link: \"a:b\", expect: {action: null}}]"
        #expect(throws: Never.self) { try LinkSuite(text) }
    }

    /// A case runs in the environments of its suite, or in its own.
    @Test(arguments: [("production", ["a:1", "a:2"]), ("staging", ["a:1", "a:3"]), ("preview", ["a:1"])])
    func suiteIsLimitedToAnEnvironment(_ environment: String, _ links: [String]) throws {
        let suite = try LinkSuite(
            """
            formatVersion: 1
            cases:
              - {link: "a:1", expect: {outcome: matched}}
              - {link: "a:2", environments: [production], expect: {outcome: matched}}
              - {link: "a:3", environments: [staging, beta], expect: {outcome: matched}}
            """
        )
        let limited = suite.limited(to: try #require(EnvironmentID(environment)))
        #expect(limited?.cases.map(\.link) == links)
    }

    @Test func suiteWithoutACaseForAnEnvironmentIsNotRun() throws {
        let cases = "cases: [{link: \"a:1\", environments: [beta], expect: {outcome: matched}}]"
        #expect(try LinkSuite("formatVersion: 1\n\(cases)").limited(to: .production) == nil)
        let suite = "formatVersion: 1\nenvironments: [beta]\ncases: [{link: \"a:1\", expect: {outcome: matched}}]"
        #expect(try LinkSuite(suite).limited(to: .production) == nil)
    }

    // MARK: Expectations

    private static let answer = """
        {"outcome": "matched", "action": "open_app", "tenant": "shop", "reason": {"code": "dot_segment", "message": "…"},
         "route": {"id": "product", "pattern": "/product/{id:int}"}, "parameters": {"id": 123, "q": "x"},
         "experiment": {"id": "e", "variant": "a", "assigned": true},
         "destination": {"screen": "ProductDetail", "arguments": {"id": 123},
                         "stack": [{"screen": "Home"}, {"screen": "ProductDetail", "arguments": {"id": 123}}],
                         "uri": "shop://product/123", "web": null, "data": {"a": 1, "b": [2]}, "fallbacks": ["open_web"]},
         "continuation": {"token": "t", "expiresAt": "2026-11-21T10:00:00.000Z"},
         "trace": [{"route": "user", "failed": "path", "at": 0, "expected": "user", "found": "product"},
                   {"route": "shop", "failed": "type", "at": 1, "parameter": "id", "expected": "int", "found": "x"}]}
        """

    /// An expectation, and the message if the answer differs.
    @Test(
        arguments: [
            ("outcome: matched", nil),
            ("outcome: fallback", #""matched", expected "fallback""#),
            ("action: open_app", nil),
            ("action: null", #""open_app", expected null"#),
            ("tenant: shop", nil),
            ("tenant: taxi", #""shop", expected "taxi""#),
            ("route: product", nil),
            ("route: null", #""product", expected null"#),
            ("reason: dot_segment", nil),
            ("reason: user_info", #""dot_segment", expected "user_info""#),
            ("parameters: {q: x, id: 123}", nil),
            ("parameters: {id: 123}", #"{"id":123,"q":"x"}, expected {"id":123}"#),
            ("parameters: {q: x, id: '123'}", #"{"id":123,"q":"x"}, expected {"q":"x","id":"123"}"#),
            ("screen: ProductDetail", nil),
            ("screen: Home", #""ProductDetail", expected "Home""#),
            ("arguments: {id: 123}", nil),
            ("arguments: {}", #"{"id":123}, expected {}"#),
            ("stack: [Home, ProductDetail]", nil),
            ("stack: [Home]", #"["Home","ProductDetail"], expected ["Home"]"#),
            ("stack: [{screen: Home}, {screen: ProductDetail, arguments: {id: 123}}]", nil),
            (
                "stack: [{screen: Home}, {screen: ProductDetail}]",
                #"[{"screen":"Home"},{"screen":"ProductDetail","arguments":{"id":123}}], expected [{"screen":"Home"},{"screen":"ProductDetail"}]"#
            ),
            ("uri: shop://product/123", nil),
            ("uri: shop://product/124", #""shop://product/123", expected "shop://product/124""#),
            ("web: null", nil),
            ("web: https://x.example/", #"nothing, expected "https://x.example/""#),
            ("store: null", nil),
            ("store: https://x.example/", #"nothing, expected "https://x.example/""#),
            ("data: {b: [2], a: 1}", nil),
            ("data: {b: [2], a: 2}", #"{"a":1,"b":[2]}, expected {"b":[2],"a":2}"#),
            ("campaign: null", nil),
            ("fallbacks: [open_web]", nil),
            ("fallbacks: []", #"["open_web"], expected []"#),
            ("experiment: {id: e, variant: a, assigned: true}", nil),
            ("continuation: true", nil),
            ("continuation: false", "there is one"),
            ("trace: {route: user, failed: path}", nil),
            ("trace: [{route: user, at: 0}, {route: shop, parameter: id, expected: int}]", nil),
            ("trace: {route: user, failed: type}", #"no trace entry matches {"route":"user","failed":"type"}"#),
            (
                "trace: [{route: user}, {route: other}]", #"no trace entry matches {"route":"other"}"#
            ),
        ] as [(String, String?)]
    )
    func failedExpectationHasTheDifference(_ expectation: String, _ difference: String?) throws {
        let suite = try LinkSuite("formatVersion: 1\ncases:\n  - {link: \"a:b\", expect: {\(expectation)}}\n")
        let answer = try Document.readJSON(Self.answer)

        #expect(try #require(suite.cases[0].expectations.first).difference(in: answer) == difference)
    }

    @Test(
        arguments: [
            ("continuation: true", "there is none"), ("continuation: false", nil), ("route: null", nil),
            ("screen: Home", #"nothing, expected "Home""#), ("stack: [Home]", #"nothing, expected ["Home"]"#),
            ("stack: []", "nothing, expected []"), ("reason: null", nil),
            ("trace: {route: a}", #"no trace entry matches {"route":"a"}"#),
        ] as [(String, String?)]
    )
    func answerWithoutADestinationIsCompared(_ expectation: String, _ difference: String?) throws {
        let suite = try LinkSuite("formatVersion: 1\ncases:\n  - {link: \"a:b\", expect: {\(expectation)}}\n")
        let answer = try Document.readJSON(#"{"outcome": "unmatched", "action": null, "destination": null}"#)

        #expect(try #require(suite.cases[0].expectations.first).difference(in: answer) == difference)
    }
}
