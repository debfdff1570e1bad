import LinkRouting
import Testing

/// Routes that follow other links: the engine says which, and leaves the rest to a server.
struct FollowTests {
    private static let routes = [
        #"{"id": "go", "path": "/s/{code}", "follow": "shortLinks"}"#,
        #"{"id": "deep", "path": "/deep/{code...}", "caseSensitive": false, "follow": "shortLinks"}"#,
        #"{"id": "wrapped", "path": "/", "query": {"link": "string"}, "follow": "{link}"}"#,
        #"{"id": "fixed", "path": "/s/fixed", "web": "https://www.acme.com/fixed"}"#,
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let route: String?
        let followed: FollowedText?
        var testDescription: String { path }
    }

    static let cases = [
        Case(path: "/s/spring", route: "go", followed: .code("spring", ignoringCase: false)),
        Case(path: "/s/sp%72ing/", route: "go", followed: .code("spring", ignoringCase: false)),
        Case(path: "/s/a%20b", route: "go", followed: .code("a b", ignoringCase: false)),
        Case(path: "/deep/a/B", route: "deep", followed: .code("a/B", ignoringCase: true)),
        Case(
            path: "/?link=https%3A%2F%2Fwww.acme.com%2Fitem%3Fa%3D1%26b%3D2&apn=com.acme.app",
            route: "wrapped",
            followed: .link("https://www.acme.com/item?a=1&b=2")
        ),
        Case(path: "/s/fixed", route: "fixed", followed: nil), Case(path: "/s", route: nil, followed: nil),
        Case(path: "/?other=1", route: nil, followed: nil),
    ]

    @Test(arguments: cases) func followedTextIsThatOfTheParameter(_ test: Case) throws {
        let resolution = try Fixture.router(Self.routes).resolve(
            "https://go.acme.com" + test.path,
            in: LinkContext(platform: .ios)
        )
        #expect(resolution.route?.rawValue == test.route)
        #expect(resolution.followed == test.followed)
        #expect((resolution.outcome == .undecided) == (test.followed != nil))
        #expect(resolution.validFor == 0 || test.followed == nil)
        #expect(!resolution.parameters.contains { !$0.isSensitive })
    }

    @Test func withoutTheFollowedLinkTheFallbackAnswers() throws {
        let fallback = #"{"fallback": {"web": "https://www.acme.com/"}}"#
        let link = try DeepLink.parse("https://go.acme.com/s/none")
        let context = LinkContext(platform: .ios)
        for defaults in ["{}", fallback] {
            let router = try Fixture.router(Self.routes, defaults: defaults)
            let others = try Fixture.router([Self.routes[3]], defaults: defaults)
            #expect(router.resolveWithoutRoute(link, in: context) == others.resolve(link, in: context))
        }
    }

    @Test(arguments: [
        (#""path": "/s/{id}", "follow": "shortLinks""#, "follow", "write {code} in 'path'"),
        (
            #""path": "/s/{code}", "follow": "links""#, "follow",
            #"is not 'shortLinks' or a captured parameter such as "{code}""#
        ),
        (#""path": "/s", "follow": "{link}""#, "follow", "names 'link', which the route does not capture"),
        (#""path": "/s/{code}", "follow": true"#, "follow", "write a string"),
        (
            #""path": "/s/{code}", "follow": "shortLinks", "web": "https://www.acme.com/""#, "web",
            "remove 'web' or 'follow'"
        ),
        (#""path": "/s/{code}", "follow": "shortLinks", "block": "No.""#, "block", "remove 'block' or 'follow'"),
        (
            #""path": "/s/{code}", "follow": "shortLinks", "experiment": {"id": "x", "variants": [{"name": "a"}]}"#,
            "experiment", "remove 'experiment' or 'follow'"
        ),
    ]) func mistakesAreNamed(_ members: String, _ key: String, _ hint: String) throws {
        let error = #expect(throws: RouteTable.DecodingErrors.self) {
            try Fixture.table([#"{"id": "a", \#(members)}"#])
        }
        let first = try #require(error?.errors.first)
        #expect(first.path == "routes[0].\(key)")
        #expect(first.message.contains(hint), "\(first)")
    }
}
