import LinkRouting
import Testing

/// The check reports every case in which a changed route takes links from other routes. The router verifies this.
struct TakingCheckTests {
    private static let places = [
        #""path": "/""#, #""path": "/x""#, #""path": "/X", "caseSensitive": false"#, #""path": "/x/y""#,
        #""path": "/{a}""#, #""path": "/*""#, #""path": "/{a:int}""#, #""path": "/{a:int(1..9)}""#,
        #""path": "/{a:alpha}""#,
        #""path": "/{a(x,7)}""#, #""path": "/{a(X)}", "caseSensitive": false"#, #""path": "/x-{a}""#,
        #""path": "/{a}-y""#,
        #""path": "/x/{b}""#, #""path": "/{a}/y""#, #""path": "/{a...}""#, #""path": "/x/{b...}""#,
        #""path": "/{a:slug}""#,
        #""path": "/x", "trailingSlash": "strict""#, #""path": "/x/", "trailingSlash": "strict""#,
        #""path": "/x", "query": {"q": "present"}"#, #""path": "/x", "query": {"q": "absent"}"#,
        #""path": "/x", "query": {"q": {"equals": "1"}}"#, #""path": "/{a}", "query": {"q": "int"}"#,
        #""path": "/x", "fragment": "f""#, #""path": "/x", "host": "go.acme.com""#,
        #""path": "/x", "host": "{t}.acme.link""#,
        #""path": "/{a}", "host": "b.acme.link""#, #""path": "/x", "when": {"platform": "ios"}"#,
        #""path": "/x", "when": {"platform": "android"}"#, #""path": "/{a}", "when": {"not": {"platform": "ios"}}"#,
    ]
    private static let links: [String] = [
        "https://go.acme.com", "https://b.acme.link", "https://b.c.acme.link", "acme:/",
    ]
    .flatMap { host in
        [
            "/", "/x", "/X", "/x/", "/y", "/7", "/12", "/x-y", "/X-y", "/ab-y", "/x/y", "/x/7", "/y/y", "/x/y/z",
            "/a-b-y",
            "/x?q=1", "/x?q=a", "/7?q=5", "/x#f", "/x#g", "/%78", "/x//y",
        ].map { host + $0 }
    }
    /// Each link in each context.
    private static let cases: [(link: DeepLink, caller: LinkContext)] = links.flatMap { text in
        guard let link = try? DeepLink.parse(text) else { preconditionFailure("'\(text)' is no link") }
        return [LinkContext(), LinkContext(platform: .ios)].map { (link, $0) }
    }

    private static func route(_ id: String, _ place: String) -> String {
        #"{"id": "\#(id)", \#(place), "open": {"screen": "S"}}"#
    }

    /// The cases that the other route answers.
    private static func casesOfTheirs(_ table: RouteTable, _ identity: Identity) -> [(
        link: DeepLink, caller: LinkContext
    )] {
        let router = Router(identity: identity, table: table)
        return cases.filter { router.resolve($0.link, in: $0.caller).route?.rawValue == "theirs" }
    }

    /// A case of the other route that our own route answers in `table`.
    private static func taken(
        of theirs: [(link: DeepLink, caller: LinkContext)],
        in table: RouteTable,
        _ identity: Identity
    ) -> String? {
        let router = Router(identity: identity, table: table)
        return theirs.first { router.resolve($0.link, in: $0.caller).route?.rawValue == "own" }
            .map { "\($0.link) \($0.caller)" }
    }

    private static func takings(_ before: RouteTable, _ after: RouteTable, _ identity: Identity) -> Bool {
        var check = TakingCheck(from: before, to: after, of: identity)
        let own = Set(after.routes.map(\.id).filter { $0.rawValue == "own" })
        let takings = check.takings(by: own) {
            $0.id.rawValue.hasPrefix("own")
        } isProtected: { _, _ in
            true
        }
        return !takings.isEmpty
    }

    /// A new route before or after another one, with or without an own route beside it.
    @Test(arguments: places)
    func linksTakenByANewRouteAreReported(place: String) throws {
        let identity = try Fixture.identity()
        var (reported, taken) = (0, 0)
        for other in Self.places {
            for cover in [nil, #""path": "/{a...}""#, #""path": "/{a}", "host": "go.acme.com""#] {
                let old = (cover.map { [Self.route("own-cover", $0)] } ?? []) + [Self.route("theirs", other)]
                let before = try Fixture.table(old)
                let theirs = Self.casesOfTheirs(before, identity)
                for after in [[Self.route("own", place)] + old, old + [Self.route("own", place)]] {
                    let after = try Fixture.table(after)
                    let isReported = Self.takings(before, after, identity)
                    if isReported { reported += 1 }
                    guard let link = Self.taken(of: theirs, in: after, identity) else { continue }
                    taken += 1
                    #expect(isReported, "\(place) takes \(link) from \(other) beside \(cover ?? "nothing")")
                }
            }
        }
        // The check may report too much, but not always.
        #expect(reported >= taken && reported < Self.places.count * 6)
    }

    /// An own route that changes into another one.
    @Test(arguments: places)
    func linksTakenByAChangeAreReported(place: String) throws {
        let identity = try Fixture.identity()
        for old in Self.places {
            for other in [#""path": "/{a}""#, #""path": "/x""#, #""path": "/{a...}""#, #""path": "/x/{b}""#] {
                let before = try Fixture.table([Self.route("own", old), Self.route("theirs", other)])
                let after = try Fixture.table([Self.route("own", place), Self.route("theirs", other)])
                let isReported = Self.takings(before, after, identity)
                if old == place { #expect(!isReported, "\(place) takes nothing new from \(other)") }
                guard !isReported,
                    let link = Self.taken(of: Self.casesOfTheirs(before, identity), in: after, identity)
                else { continue }
                Issue.record("\(old) as \(place) takes \(link) from \(other)")
            }
        }
    }
}
