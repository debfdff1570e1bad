import LinkRouting
import Testing

struct ResolutionTraceTests {
    private static let routes = [
        #"{"id": "host", "host": "{shop:slug}.acme.link", "path": "/p/{id:int(1..9)}", "open": {"screen": "S"}}"#,
        #"{"id": "user", "path": "/user/{id}", "open": {"screen": "S"}}"#,
        #"{"id": "typed", "path": "/p/{id:int(1..9)}", "open": {"screen": "S"}}"#,
        #"{"id": "mixed", "path": "/p/item-{id:int}", "open": {"screen": "S"}}"#,
        #"{"id": "short", "path": "/p", "open": {"screen": "S"}}"#,
        #"{"id": "long", "path": "/p/*/more", "open": {"screen": "S"}}"#,
        #"{"id": "slash", "path": "/p/{any}/", "trailingSlash": "strict", "open": {"screen": "S"}}"#,
        #"{"id": "query", "path": "/p/{any}", "query": {"page": "int"}, "open": {"screen": "S"}}"#,
        #"{"id": "fragment", "path": "/p/{any}", "fragment": "top", "open": {"screen": "S"}}"#,
        #"{"id": "when", "path": "/p/{any}", "when": {"device": "tv", "country": "GB"}, "open": {"screen": "S"}}"#,
        #"{"id": "unknown", "path": "/p/{any}", "when": {"country": "GB"}, "open": {"screen": "S"}}"#,
    ]

    @Test func everyFailureHasItsPosition() throws {
        let resolution = try Fixture.router(Self.routes).resolve(
            "https://go.acme.com/p/77?page=x",
            in: LinkContext(platform: .ios, device: .phone),
            explanation: .included
        )
        let trace = try #require(resolution.trace)
        let entries = Dictionary(uniqueKeysWithValues: trace.entries.map { ($0.route.rawValue, $0) })
        func expect(
            _ id: String,
            _ failed: ResolutionTrace.Failure,
            _ at: ResolutionTrace.Location?,
            _ parameter: String?,
            _ expected: String,
            _ found: String?
        ) throws {
            let route = try #require(RouteID(id))
            #expect(
                entries[id]
                    == ResolutionTrace.Entry(
                        route: route,
                        failed: failed,
                        at: at,
                        parameter: parameter,
                        expected: expected,
                        found: found
                    )
            )
        }
        try expect("host", .host, nil, nil, "{shop:slug}.acme.link", "go.acme.com")
        try expect("user", .path, .segment(0), nil, "user", "p")
        try expect("typed", .type, .segment(1), "id", "int(1..9)", "77")
        try expect("mixed", .path, .segment(1), nil, "item-{id:int}", "77")
        try expect("short", .path, .segment(1), nil, "the end of the path", "77")
        try expect("long", .path, .segment(2), nil, "more", nil)
        try expect("slash", .trailingSlash, nil, nil, "a trailing slash", "no trailing slash")
        try expect("query", .query, .name("page"), "page", "int", "x")
        try expect("fragment", .fragment, nil, nil, "top", nil)
        try expect("when", .when, .name("device"), nil, "tv", "phone")
        try expect("unknown", .unknown, .name("country"), nil, "GB", nil)
        #expect(trace.entries.count == Self.routes.count && !trace.isTruncated)
    }

    @Test func longestAgreementComesFirst() throws {
        let router = try Fixture.router(paths: ["/x", "/a", "/a/x", "/a/b/x", "/a/b/{c:int}", "/y/b/c"])
        let trace = try #require(
            router.resolve("https://go.acme.com/a/b/c", in: LinkContext(platform: .ios), explanation: .included).trace
        )
        #expect(trace.entries.map(\.route.rawValue) == ["r3", "r4", "r2", "r1", "r5", "r0"])
    }

    @Test func traceIsLimitedToFiftyEntries() throws {
        let router = try Fixture.router(paths: (0..<60).map { "/p\($0)" })
        let trace = try #require(
            router.resolve("https://go.acme.com/x", in: LinkContext(), explanation: .included).trace
        )
        #expect(trace.entries.count == 50 && trace.isTruncated)
    }

    /// A lookup evaluates only the routes with the link's path, but a trace each.
    @Test(.timeLimit(.minutes(5))) func traceOfCostlyRoutesIsCut() throws {
        let values = (0..<16).map { #""v\#($0)""# }.joined(separator: ",")
        let traits = (0..<62).map { _ in #"{"traits": {"t": [\#(values)]}}"# }.joined(separator: ",")
        let router = try Fixture.router(
            (0..<100).map {
                #"{"id": "r\#($0)", "path": "/p\#($0)", "when": {"anyOf": [\#(traits)]}, "open": {"screen": "S"}}"#
            }
        )
        let context = LinkContext(traits: ["t": ["x"]])
        let trace = try #require(
            router.resolve("https://go.acme.com/y", in: context, explanation: .included).trace
        )

        #expect(trace.entries.first?.route == RouteID("r0"))
        #expect((2...40).contains(trace.entries.count))
        #expect(trace.isTruncated)
    }

    @Test func longTextsAreShortened() throws {
        let values = (0..<900).map { "\"é\($0)\"" }.joined(separator: ",")
        let router = try Fixture.router([
            #"{"id": "a", "path": "/a", "query": {"q": {"oneOf": [\#(values)]}}, "open": {"screen": "S"}}"#
        ])
        let link = "https://go.acme.com/a?q=x" + String(repeating: "é", count: 700)
        let trace = try #require(router.resolve(link, in: LinkContext(), explanation: .included).trace)
        let entry = try #require(trace.entries.first)

        #expect(entry.found == "x" + String(repeating: "é", count: 510) + "…")
        #expect(entry.expected.hasPrefix("é0 | é1 | ") && entry.expected.hasSuffix("…"))
        #expect((1_023...1_024).contains(entry.expected.utf8.count))
    }

    @Test func winnerIsNotListedAndNothingIsTracedUnasked() throws {
        let router = try Fixture.router(paths: ["/a", "/{x}"])
        let resolution = router.resolve("https://go.acme.com/a", in: LinkContext(), explanation: .included)
        #expect(resolution.pattern == "/a")
        #expect(resolution.trace?.entries.contains { $0.route == resolution.route } == false)
        #expect(router.resolve("https://go.acme.com/a", in: LinkContext()).trace == nil)
    }
}
