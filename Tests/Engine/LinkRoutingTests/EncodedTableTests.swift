import LinkRouting
import TestSupport
import Testing

/// Tables whose routes stay JSON until they are needed.
struct EncodedTableTests {
    /// Decodes a route at each call.
    private final class Source: RouteSource {
        private let routes: EncodedRoutes

        init(_ routes: EncodedRoutes) { self.routes = routes }

        func route(at place: Int) -> [Route] { [routes.decoded(at: place).route] }
    }

    private static func encoded(_ json: String) throws -> EncodedTable {
        let bytes = Array(json.utf8)
        var table: EncodedTable?
        try bytes.withUnsafeBufferPointer { buffer in
            try JSONReader.read(buffer, limits: JSONReader.Limits(maximumBytes: 1_000_000)) { reader in
                table = try EncodedTable(reading: &reader, of: bytes[...], path: "table")
            }
        }
        return try #require(table)
    }

    private static func table(_ routes: [String], defaults: String = "{}") -> String {
        #"{"defaults": \#(defaults), "routes": [\#(routes.joined(separator: ", "))]}"#
    }

    private static func router(_ json: String) throws -> Router {
        let table = try encoded(json)
        return Router(
            identity: try Fixture.identity(),
            table: table,
            routes: Source(table.routes),
            environment: .production
        )
    }

    // MARK: Equality

    /// One route for each key that a link or a context may fail, with a route for what it leaves.
    private static let routes = [
        #"{"id": "host", "path": "/a", "host": "*.acme.link", "open": {"screen": "host"}}"#,
        #"{"id": "label", "path": "/a", "host": "{shop(one,two)}.acme.link", "open": {"screen": "label"}}"#,
        #"{"id": "query", "path": "/a", "query": {"q": "int"}, "open": {"screen": "query"}}"#,
        #"{"id": "fragment", "path": "/a", "fragment": "top", "open": {"screen": "fragment"}}"#,
        #"{"id": "when", "path": "/a", "when": {"platform": "android"}, "open": {"screen": "when"}}"#,
        #"{"id": "de", "path": "/a", "when": {"locale": "de", "platform": "ios"}, "open": {"screen": "de"}}"#,
        #"{"id": "en", "path": "/a", "when": {"locale": "en", "platform": "ios"}, "open": {"screen": "en"}}"#,
        #"{"id": "or", "path": "/a", "when": [{"locale": "fr"}, {"locale": "it"}], "open": {"screen": "or"}}"#,
        #"{"id": "strict", "path": "/a/", "trailingSlash": "strict", "open": {"screen": "strict"}}"#,
        #"{"id": "rest", "path": "/a", "web": "https://www.acme.com/{path}"}"#,
        #"{"id": "case", "path": "/Cased/{id:int}", "caseSensitive": false, "block": "gone"}"#,
        #"{"id": "\u0065scaped", "p\u0061th": "/\u0065sc\/é", "note": null, "host": null, "open": {"screen": "E"}}"#,
        #"{"id": "future", "path": "/future", "requires": ["warp"], "warp": {"factor": [9, {"x": "\""}]}}"#,
    ]
    private static let defaults = ["{}", #"{"caseSensitive": false}"#, #"{"trailingSlash": "strict"}"#]
    private static let links = [
        "/a", "/A", "/a/", "/a?q=1", "/a?q=x", "/a#top", "/cased/7", "/Cased/x", "/esc/%C3%A9", "/future", "/", "/b",
    ]

    /// A caller who prefers the second of two routes that differ only in their language.
    private static let german = LinkContext(
        platform: .ios,
        locale: ["en", "de", "it"].compactMap { LanguageTag($0) }
    )

    @Test(arguments: defaults) func answersAreThoseOfTheDecodedTable(_ defaults: String) throws {
        let encoded = try Self.router(Self.table(Self.routes, defaults: defaults))
        let decoded = try Fixture.router(Self.routes, defaults: defaults)
        #expect(encoded.table == decoded.table)
        #expect(encoded.routesInOrder == decoded.routesInOrder)
        for host in ["go.acme.com", "one.acme.link", "three.acme.link"] {
            for link in Self.links {
                for context in [LinkContext(platform: .ios), LinkContext(platform: .android), Self.german] {
                    let url = "https://\(host)\(link)"
                    let answer = encoded.resolve(url, in: context, explanation: .included)
                    #expect(answer == decoded.resolve(url, in: context, explanation: .included), "\(url)")
                }
            }
        }
    }

    // MARK: Refusals

    /// What is wrong, and what the error says. The index needs these parts of a route, so they are read with the table.
    private static let refusals = [
        (#"{"routes": [7]}"#, "table.routes[0]: 7 is a number; write an object."),
        (#"{"routes": {}}"#, "table.routes: {} is an object; write a list."),
        (#"{"routes": [{"path": "/a"}]}"#, "table.routes[0]: 'id' is missing; add it."),
        (#"{"routes": [{"id": null, "path": "/a"}]}"#, "table.routes[0]: 'id' is missing; add it."),
        (#"{"routes": [{"id": 7, "path": "/a"}]}"#, "table.routes[0].id: 7 is a number; write a string."),
        (#"{"routes": [{"id": "A B", "path": "/a"}]}"#, #"table.routes[0].id: "A B" is not an id;"#),
        (#"{"routes": [{"id": "a"}]}"#, "table.routes[0]: 'path' is missing; add it."),
        (#"{"routes": [{"id": "a", "path": []}]}"#, "table.routes[0].path: [] is a list; write a string."),
        (#"{"routes": [{"id": "a", "path": "a"}]}"#, "table.routes[0].path: Pattern 'a': a path must start with '/'"),
        (
            #"{"routes": [{"id": "a", "path": "/a", "host": "a b"}]}"#,
            "table.routes[0].host: Pattern 'a b': 'a b':"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "caseSensitive": 1}]}"#,
            "table.routes[0].caseSensitive: 1 is a number; write true or false."
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a"}, {"path": "/b", "id": "\u0061"}]}"#,
            "table.routes[1]: duplicate id 'a', first used at routes[0]; give each route its own."
        ),
        (#"{"routes": [], "defaults": {}}"#, "table.defaults: it comes after 'routes', which must be the last member."),
        (#"{"defaults": {"trailingSlash": 1}, "routes": []}"#, "table.defaults.trailingSlash: 1 is not one of"),
    ]

    @Test(arguments: refusals) func tableIsRefused(_ json: String, _ problem: String) throws {
        let error = #expect(throws: DocumentError.self) { try Self.encoded(json) }
        let message = error.map { DocumentError(path: $0.path, position: .unknown, message: $0.message).description }
        #expect(message?.hasPrefix(problem) == true, "\(message ?? "")")
    }

    @Test func tableWithoutRoutesIsEmpty() throws {
        #expect(try Self.encoded(#"{"defaults": {}}"#).routes.count == 0)
        #expect(try Self.router("{}").resolve("https://go.acme.com/a", in: LinkContext()).outcome == .unmatched)
    }

    // MARK: Routes that cannot be read

    private static let unreadable = [
        (#""colour": 7"#, "unknown key 'colour'"),
        (#""when": {"platfrom": "ios"}"#, "unknown"),
        (#""query": {"q": "nothing(1)"}"#, "is not a type"),
        (#""open": {"screen": 7}"#, "write a string"),
        (#""web": "https://www.acme.com/{""#, "{"),
        (#""sensitive": ["id"]"#, "which the route does not capture"),
        (#""requires": {}"#, "write a string"),
    ]

    @Test(arguments: unreadable) func unreadableRouteKeepsItsPositionAndIsUndecided(_ part: String, _ problem: String)
        throws
    {
        let json = Self.table([
            #"{"id": "before", "path": "/a/b", "open": {"screen": "S"}}"#,
            #"{"id": "broken", "path": "/a/{rest...}", "caseSensitive": false, \#(part)}"#,
            #"{"id": "after", "path": "/{all...}", "open": {"screen": "S"}}"#,
        ])
        let routes = try Self.encoded(json).routes
        let error = #expect(throws: DocumentError.self) { try routes.check() }
        #expect(error?.path.hasPrefix("table.routes[1]") == true)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
        let router = try Self.router(json)
        func outcome(_ path: String) -> Outcome {
            router.resolve("https://go.acme.com\(path)", in: LinkContext(platform: .ios)).outcome
        }
        #expect(outcome("/a/b") == .matched)
        #expect(outcome("/A/c") == .undecided)
        #expect(outcome("/b") == .matched)
    }

    @Test func aReadableTablePassesTheCheck() throws {
        #expect(throws: Never.self) { try Self.encoded(Self.table(Self.routes)).routes.check() }
    }
}
