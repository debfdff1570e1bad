import LinkRouting
import Testing

/// Links as a tenant's settings change them before they are compared with routes.
struct LinkReadingTests {
    private static let routes = [
        #"{"id": "item", "path": "/item/{id}", "query": {"a": "string?", "b": "string?"}, "open": {"screen": "Item"}}"#,
        #"{"id": "login", "path": "/login", "query": {"token": "string", "type": "string?"}, "sensitive": ["token"], "#
            + #""web": "https://www.acme.com/login"}"#,
        #"{"id": "page", "path": "/", "fragment": "/page/{page:int}", "query": {"t": "string?"}, "open": {"screen": "Page"}}"#,
    ]

    private static func resolution(_ link: String, _ links: String) throws -> Resolution {
        let settings =
            #"{"domains": ["go.acme.com"], "schemes": ["acme"], "destinations": {"hosts": ["www.acme.com"]}, "#
            + #""links": \#(links)}"#
        let router = Router(identity: try Fixture.identity(settings), table: try Fixture.table(routes))
        return router.resolve(link, in: LinkContext(), explanation: .included)
    }

    private static let damaged: [(link: String, parameters: [String], reading: [String])] = [
        ("https://go.acme.com/item/7.", ["id=7"], ["repair"]),
        ("https://go.acme.com/item/7),.", ["id=7"], ["repair"]),
        ("https://go.acme.com/item/(7))", ["id=(7)"], ["repair"]),
        ("https://go.acme.com/item/(7)", ["id=(7)"], []),
        ("https://go.acme.com/item/[7]].", ["id=[7]"], ["repair"]),
        ("https://go.acme.com/item/7?a=1&amp;b=2", ["id=7", "a=1", "b=2"], ["repair"]),
        ("https://go.acme.com/item/7?a=1&amp;amp;b=2)", ["id=7", "a=1"], ["repair"]),
        ("https://go.acme.com/item/7&amp;", ["id=7&amp;"], []),
        ("acme://item/7.", ["id=7"], ["repair"]),
        ("acme://item/7#x&amp;y", ["id=7"], ["repair"]),
        ("https://go.acme.com/item/7?a=(.)", ["id=7", "a=(.)"], []),
    ]

    @Test(arguments: damaged)
    func damageIsRepaired(_ link: String, _ parameters: [String], _ reading: [String]) throws {
        let resolution = try Self.resolution(link, #"{"repair": true}"#)
        #expect(resolution.parameters.map { "\($0.name)=\($0.text)" } == parameters)
        #expect(resolution.reading.names == reading)
    }

    private static let fragments: [(link: String, route: String?, parameters: [String], reading: [String])] = [
        ("https://go.acme.com/login#token=x&type=r", "login", ["token=x", "type=r"], ["fragmentParameters"]),
        ("https://go.acme.com/login?type=r#token=x#y", "login", ["token=x", "type=r"], ["fragmentParameters"]),
        ("https://go.acme.com/login?token=x#top", "login", ["token=x"], []),
        ("https://go.acme.com/#/page/7?t=1", "page", ["t=1", "page=7"], ["fragmentParameters"]),
        ("https://go.acme.com/#!/page/7", "page", ["page=7"], ["fragmentParameters"]),
        ("https://go.acme.com/#/page/7", "page", ["page=7"], []),
        ("acme:///#/page/7?t=1", "page", ["t=1", "page=7"], ["fragmentParameters"]),
        ("https://go.acme.com/login#", nil, [], []),
        ("https://go.acme.com/login#token=x&next=/a?type=r", "login", ["token=x"], ["fragmentParameters"]),
    ]

    @Test(arguments: fragments)
    func fragmentHasParameters(_ link: String, _ route: String?, _ parameters: [String], _ reading: [String]) throws {
        let resolution = try Self.resolution(link, #"{"fragmentParameters": true}"#)
        #expect(resolution.route?.rawValue == route)
        #expect(resolution.parameters.map { "\($0.name)=\($0.text)" } == parameters)
        #expect(resolution.reading.names == reading)
    }

    /// A browser does not send a fragment to a server, so its token must not get into a query.
    @Test func destinationsAreThoseOfTheLinkItself() throws {
        let settings =
            #"{"domains": ["go.acme.com", {"host": "www.acme.com", "serves": "association"}], "schemes": ["acme"], "#
            + #""links": {"fragmentParameters": true, "repair": true}}"#
        let route =
            #"{"id": "login", "path": "/login", "query": {"token": "string"}, "forward": ["token", "x"], "#
            + #""open": {"screen": "Login", "uri": "acme://login"}, "web": "https://www.acme.com/login"}"#
        let router = Router(identity: try Fixture.identity(settings), table: try Fixture.table([route]))
        let resolution = router.resolve("https://go.acme.com/login?x=1#token=secret", in: LinkContext())
        #expect(resolution.parameters.map(\.text) == ["secret"])
        #expect(resolution.destination?.web == "https://www.acme.com/login?x=1")
        #expect(resolution.destination?.uri == "acme://login?x=1")
    }

    @Test(arguments: [
        "https://go.acme.com/login#token=x", "https://go.acme.com/#/page/7?t=1", "https://go.acme.com/login.",
    ])
    func nothingIsChangedByDefault(_ link: String) throws {
        let resolution = try Self.resolution(link, "{}")
        #expect(resolution.route == nil && resolution.reading.isEmpty)
    }
}
