import LinkRouting
import Testing

/// The check reports every case in which a changed route shadows other routes. The router verifies this.
struct ShadowingCheckTests {
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

    /// A table and its router, which are the same for many tests.
    private struct Setup {
        let table: RouteTable
        let router: Router

        init(_ routes: [Route]) {
            var table = ShadowingCheckTests.empty
            table.routes = routes
            self.table = table
            router = Router(identity: ShadowingCheckTests.identity, table: table)
        }

        /// The cases that the route `id` answers.
        func cases(
            of id: String,
            among cases: [(link: DeepLink, caller: LinkContext)] = ShadowingCheckTests.cases
        ) -> [(link: DeepLink, caller: LinkContext)] {
            cases.filter { router.resolve($0.link, in: $0.caller).route?.rawValue == id }
        }
    }

    private static let identity = fixture { try Fixture.identity() }
    private static let empty = fixture { try Fixture.table([]) }

    private static func fixture<Value>(_ make: () throws -> Value) -> Value {
        guard let value = try? make() else { preconditionFailure("the fixture is wrong") }
        return value
    }

    private static func route(_ id: String, _ place: String) -> Route {
        fixture { try Fixture.table([#"{"id": "\#(id)", \#(place), "open": {"screen": "S"}}"#]).routes[0] }
    }

    private static func isReported(from before: RouteTable, to after: RouteTable) -> Bool {
        var check = ShadowingCheck(from: before, to: after, of: identity)
        let own = Set(after.routes.map(\.id).filter { $0.rawValue == "own" })
        let shadowings = check.shadowings(by: own) {
            $0.id.rawValue.hasPrefix("own")
        } isProtected: { _, _ in
            true
        }
        return !shadowings.isEmpty
    }

    /// The tables without the new route, with the cases that the other route answers.
    private static let withoutOwn: [(name: String, setup: Setup, theirs: [(link: DeepLink, caller: LinkContext)])] =
        places.flatMap { other in
            [nil, #""path": "/{a...}""#, #""path": "/{a}", "host": "go.acme.com""#].map { cover in
                let setup = Setup((cover.map { [route("own-cover", $0)] } ?? []) + [route("theirs", other)])
                return ("\(other) beside \(cover ?? "nothing")", setup, setup.cases(of: "theirs"))
            }
        }

    /// A new route before or after another one, with or without an own route beside it.
    @Test(arguments: places)
    func linksTakenByANewRouteAreReported(place: String) {
        let own = Self.route("own", place)
        var (reported, taken) = (0, 0)
        for (name, before, theirs) in Self.withoutOwn {
            for routes in [[own] + before.table.routes, before.table.routes + [own]] {
                let after = Setup(routes)
                let isReported = Self.isReported(from: before.table, to: after.table)
                if isReported { reported += 1 }
                guard let link = after.cases(of: "own", among: theirs).first else { continue }
                taken += 1
                #expect(isReported, "\(place) takes \(link) from \(name)")
            }
        }
        // The check may report too much, but not always.
        #expect(reported >= taken && reported < Self.places.count * 6)
    }

    /// Tables with an own route before another one, by their places, with the cases that the other route answers.
    private static let withOwn: [[(own: String, setup: Setup, theirs: [(link: DeepLink, caller: LinkContext)])]] =
        [#""path": "/{a}""#, #""path": "/x""#, #""path": "/{a...}""#, #""path": "/x/{b}""#].map { other in
            places.map { place in
                let setup = Setup([route("own", place), route("theirs", other)])
                return (place, setup, setup.cases(of: "theirs"))
            }
        }

    /// An own route that changes into another one.
    @Test(arguments: places.indices)
    func linksTakenByAChangeAreReported(place: Int) {
        for tables in Self.withOwn {
            let after = tables[place]
            for before in tables {
                let isReported = Self.isReported(from: before.setup.table, to: after.setup.table)
                if before.own == after.own { #expect(!isReported, "\(after.own) takes nothing new") }
                guard !isReported, let link = after.setup.cases(of: "own", among: before.theirs).first else { continue }
                Issue.record("\(before.own) as \(after.own) takes \(link)")
            }
        }
    }
}
