import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// A key that is limited to some routes cannot take links from others, whatever it writes.
@Suite(.timeLimit(.minutes(15)))
struct LimitedKeyTests {
    private static let table = """
        routes:
          - {id: product, owner: shop, path: "/product/{id}", open: {screen: Product}}
          - {id: reset, owner: identity, path: "/reset/{t}", audience: server, sensitive: [t], open: {screen: Reset}}
          - {id: deal, owner: shop, path: "/blog/deals/{id}", open: {screen: Deal}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
          - {id: banner, owner: blog, path: /product/of-the-month, open: {screen: Month}}
          - {id: tagged, owner: shop, path: /news, query: {tag: {equals: shoes}}, open: {screen: Shoes}}
          - {id: fleet, owner: shop, path: "/num/{n:int}", open: {screen: Number}}
          - {id: pages, owner: web, path: "/pages/{page...}", web: "https://www.acme.test/"}
        """

    /// Publishes that table for the tenant. Returns a session of a key with this limit.
    private func session(
        _ service: TestService,
        owners: Set<ExactText>? = ["blog"],
        prefixes: [PathPrefix]? = nil
    ) async throws -> AdminSession {
        let admin = try await AdminSession.acme(service)
        #expect(try await admin.put("draft", yaml: Self.table).status == 200)
        #expect(try await admin.post("draft/publish").status == 201)
        return try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) { request in
            request.routes = KeyGrant.RouteLimit(owners: owners, pathPrefixes: prefixes)
        }
    }

    @Test(arguments: [
        // Before another owner's route for the same path, and before it only for some callers.
        ("a?before=reset", #""path":"/reset/{t}","when":{"platform":"ios"}"#),
        ("b?before=product", #""path":"/product/{id}""#),
        ("c?before=reset", #""path":"/{x}/{t}","host":"go.acme.test""#),
        // More specific, whatever its position.
        ("d", #""path":"/product/7""#), ("e", #""path":"/product/{id:int}""#), ("f", #""path":"/product/sale-{n}""#),
        ("g", #""path":"/PRODUCT/{id(a,b)}","caseSensitive":false"#),
        ("i", #""path":"/product/{id}","host":"go.acme.test""#), ("j", #""path":"/pages/a/b/c""#),
        ("k", #""path":"/pages""#), ("l", #""path":"/news","host":"go.acme.test","query":{"tag":{"present":true}}"#),
        ("m", #""path":"/num/{n:int(1..9)}""#), ("n?before=reset", #""path":"/reset/{t}","query":{"x":"absent"}"#),
        ("o?before=reset", #""path":"/reset/{t}","fragment":"x""#),
    ])
    func routeThatTakesLinksOfOthersIsRefused(place: String, parts: String) async throws {
        try await withService { service in
            let session = try await session(service)
            let route = "{\"owner\":\"blog\",\(parts),\"open\":{\"screen\":\"Taken\"}}"
            let early = try await session.send(.put, "draft/routes/\(place)", route)
            #expect(early.status == 403 && early.code == "forbidden", "\(place): \(early.text)")
            // The limit is also checked at publication, so another key's draft cannot bypass it.
            let admin = try await AdminSession(service)
            #expect(try await admin.send(.put, "draft/routes/\(place)", route).status == 201, "\(place)")
            let published = try await session.post("draft/publish")
            #expect(published.status == 403 || published.status == 422, "\(place): \(published.text)")
            #expect(try await admin.get("revisions").json?["revisions"]?.elements?.count == 2)
        }
    }

    @Test(arguments: [
        ("a", #""path":"/blog/{slug}/new""#), ("b", #""path":"/blog/special""#), ("c", #""path":"/authors/{name}""#),
        ("d", #""path":"/product/{id}/reviews""#), ("e?before=fleet", #""path":"/num/{n:alpha}""#),
        ("f?before=banner", #""path":"/product/of-the-month","when":{"platform":"ios"}"#),
        ("g", #""path":"/news/{x}""#),
        // After the other route, which answers first.
        ("h", #""path":"/{x}/{t}""#), ("i", #""path":"/{all...}""#),
        ("j?before=tagged", #""path":"/news","query":{"tag":{"equals":"hats"}}"#),
    ])
    func routeThatTakesNothingIsWritten(place: String, parts: String) async throws {
        try await withService { service in
            let session = try await session(service)
            let route = "{\"owner\":\"blog\",\(parts),\"open\":{\"screen\":\"Own\"}}"
            let written = try await session.send(.put, "draft/routes/\(place)", route)
            #expect(written.status == 201, "\(parts): \(written.text)")
            let published = try await session.post("draft/publish")
            #expect(published.status == 201, "\(parts): \(published.text)")
        }
    }

    /// Somebody else placed `banner` among the shop's paths. The owner may change its screen and conditions.
    @Test func ownRouteIsChangedButNotWidened() async throws {
        try await withService { service in
            let session = try await session(service)
            for (parts, status) in [
                (#""path":"/product/of-the-month","open":{"screen":"Other"}"#, 200),
                (#""path":"/product/of-the-month","when":{"platform":"ios"}"#, 200),
                (#""path":"/product/{id(a,of-the-month)}""#, 403), (#""path":"/product/of-the-year""#, 403),
                (#""path":"/product/of-the-month","caseSensitive":false"#, 403),
            ] {
                let written = try await session.send(.put, "draft/routes/banner", "{\"owner\":\"blog\",\(parts)}")
                #expect(written.status == status, "\(parts): \(written.text)")
            }
            let renamed = #"{"owner":"shop","path":"/product/of-the-month"}"#
            #expect(try await session.send(.put, "draft/routes/banner", renamed).status == 403)
            let grabbed = #"{"owner":"blog","path":"/product/{id}"}"#
            #expect(try await session.send(.put, "draft/routes/product", grabbed).status == 403)
            let defaults = "defaults: {fallback: {web: \"https://www.acme.test/\"}}\n" + Self.table
            #expect(try await session.put("draft", yaml: defaults).status == 403)
        }
    }

    /// The key may use its path prefixes, except for the more specific routes of others below them.
    @Test func pathPrefixesMayBeTakenFromWiderRoutes() async throws {
        try await withService { service in
            let session = try await session(service, prefixes: ["/pages/blog/", "/blog/"])
            for (id, path, status) in [
                ("a", "/pages/blog/new", 201), ("b", "/pages/shop/new", 403), ("c", "/blog/deals/7", 403),
                ("d", "/blog/deals", 201),
            ] {
                let route = #"{"owner":"blog","path":"\#(path)","open":{"screen":"Own"}}"#
                let written = try await session.send(.put, "draft/routes/\(id)", route)
                #expect(written.status == status, "\(path): \(written.text)")
            }
            #expect(try await session.post("draft/publish").status == 201)
        }
    }

    /// A link in other letter cases, or without the last segment, is not below the prefix.
    @Test func wildcardsGiveWayToLinksBelowThePrefixOnly() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let short =
                #"routes: [{id: short, owner: shop, path: "/{code:alnum}"}, {id: sub, owner: shop, path: "/{a}/{b}"}]"#
            #expect(try await admin.put("draft", yaml: short).status == 200)
            #expect(try await admin.post("draft/publish").status == 201)
            func session(_ prefix: PathPrefix) async throws -> AdminSession {
                try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) {
                    $0.routes = .init(owners: nil, pathPrefixes: [prefix])
                }
            }
            let (below, including) = (try await session("/abc/"), try await session("/abc"))
            for (session, route, status) in [
                (below, #""path":"/abc/""#, 403), (below, #""path":"/abc/{r...}""#, 403),
                (below, #""path":"/abc/x""#, 201),
                (below, #""path":"/abc/y","caseSensitive":false"#, 403), (below, #""path":"/abc/{r}""#, 201),
                (including, #""path":"/abc""#, 201), (including, #""path":"/abc/{r...}""#, 201),
                (including, #""path":"/abc/z","caseSensitive":false"#, 403),
            ] {
                let written = try await session.send(
                    .put,
                    "draft/routes/own",
                    "{\(route),\"open\":{\"screen\":\"Own\"}}"
                )
                #expect(written.status == status, "\(route): \(written.text)")
                if status == 201 { #expect(try await session.delete("draft/routes/own").status == 204) }
            }
        }
    }

    // MARK: Keys of keys

    /// A child for a longer path could take links from routes that give way to that path only. Its creator's limit stays
    /// in force.
    @Test(arguments: [
        (nil as [String]?, "/reset/", "/reset/{t}"), (nil, "/reset/a", "/reset/a"), (nil, "/num/1", "/num/1"),
        (["/reset/", "/num/"], "/reset/a", "/reset/a"), (["/reset/", "/num/"], "/num/1", "/num/1"),
        (nil, "/pages/", "/pages/x"), (nil, "/pages/x/", "/pages/x/y"),
    ])
    func keyMakesNoKeyThatMayDoMore(prefixes: [String]?, childPrefix: String, path: String) async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            #expect(try await admin.put("draft", yaml: Self.table).status == 200)
            #expect(try await admin.post("draft/publish").status == 201)
            let scopes: Set<KeyGrant.Scope> = [.tablesRead, .tablesWrite, .publish, .keys]
            let parent = try await AdminSession(service, scopes: scopes) {
                $0.routes = .init(owners: ["blog"], pathPrefixes: prefixes?.map { PathPrefix(stringLiteral: $0) })
            }
            let request = #""scopes":["tables:read","tables:write","publish","keys"],"owners":["blog"]"#
            let made = try await parent.post(
                "/keys",
                #"{"name":"child",\#(request),"pathPrefixes":["\#(childPrefix)"]}"#
            )
            #expect(made.status == 201, "\(made.text)")
            let child = AdminSession(service, made)
            let grandchild = AdminSession(
                service,
                try await child.post("/keys", #"{"name":"grandchild",\#(request),"pathPrefixes":["\#(childPrefix)"]}"#)
            )
            let rotated = AdminSession(service, try await child.post("/keys/\(child.id)/rotate"))
            let before = path.hasPrefix("/reset") ? "?before=reset" : path.hasPrefix("/num") ? "?before=fleet" : ""
            let route = #"{"owner":"blog","path":"\#(path)","when":{"platform":"ios"},"open":{"screen":"Taken"}}"#
            for session in [parent, child, grandchild, rotated] {
                let written = try await session.send(.put, "draft/routes/taken\(before)", route)
                #expect(written.status == 403 && written.code == "forbidden", "\(written.text)")
            }
            // A key of the operator's may take what its own path permits.
            let own = try await AdminSession(service, scopes: scopes) {
                $0.routes = .init(owners: ["blog"], pathPrefixes: ["\(childPrefix)"])
            }
            let written = try await own.send(.put, "draft/routes/taken\(before)", route)
            #expect(written.status == (["/reset/", "/pages/"].contains(childPrefix) ? 403 : 201), "\(written.text)")
            // So the draft has the route, whose publication is refused to the others.
            if written.status == 201 {
                for session in [parent, child, grandchild, rotated] {
                    #expect(try await session.post("draft/publish").status == 403)
                }
                #expect(try await own.post("draft/publish").status == 201)
            }
        }
    }

    /// To end or to replace a key, another key must be permitted everything that it permits.
    @Test func keyForALongerPathIsNotEndedByOneForAShorterPath() async throws {
        try await withService { service in
            _ = try await session(service)
            let own = try await AdminSession(service) {
                $0.routes = .init(owners: ["blog"], pathPrefixes: ["/reset/a"])
            }
            let key = try await AdminSession(service) { $0.routes = .init(owners: ["blog"], pathPrefixes: ["/reset/"]) }
            #expect(try await key.post("/keys/\(own.id)/rotate").status == 403)
            #expect(try await key.delete("/keys/\(own.id)").status == 403)
            let child = try await key.post(
                "/keys",
                #"{"name":"a","scopes":["tables:read"],"owners":["blog"],"pathPrefixes":["/reset/a"]}"#
            )
            #expect(child.json?["creatorLimits"]?.json() == #"[{"owners":["blog"],"pathPrefixes":["/reset/"]}]"#)
            let id = child.json?["id"]?.text ?? ""
            #expect(try await key.post("/keys/\(id)/rotate").status == 201)
            #expect(try await key.delete("/keys/\(id)").status == 200)
        }
    }

    // MARK: Shared by all routes

    @Test func limitedKeyReadsNothingThatIsRecordedOfOthers() async throws {
        try await withService { service in
            _ = try await session(service)
            let limited = try await AdminSession(service) { $0.routes = .init(owners: ["blog"], pathPrefixes: nil) }
            for path in [
                "events", "events/tail", "events/1/explain", "stats/totals", "stats/top/route", "stats/unmatched",
                "exports",
            ] {
                let answer = try await limited.get(path)
                #expect(answer.status == 403 && answer.code == "forbidden", "\(path): \(answer.text)")
            }
            #expect(try await limited.post("draft/replay").status == 403)
        }
    }

    @Test func limitedKeyOverridesNoSuitesAndClaimsNoApprovals() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let staging = try #require(EnvironmentID("staging"))
            let route = try await AdminSession(service) { $0.routes = .init(owners: ["blog"], pathPrefixes: nil) }
            let place = try await AdminSession(service) { $0.environments = [staging] }
            for (session, query) in [(route, ""), (place, "?environment=staging")] {
                #expect(
                    try await session.send(.put, "draft/routes/blog\(query)", #"{"owner":"blog","path":"/blog/x"}"#)
                        .status < 300
                )
                for note in [#"{"approvals":["ceo@corp"]}"#, #"{"override":{"reason":"x"}}"#] {
                    let answer = try await session.post("draft/publish\(query)", note)
                    #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
                }
                #expect(try await session.post("draft/publish\(query)").status == 201)
            }
            _ = try await admin.send(.put, "draft/routes/new", #"{"path":"/new"}"#)
            let claimed = try await admin.post("draft/publish", #"{"approvals":["ceo@corp"]}"#)
            #expect(claimed.json?["approvalsClaimedBy"]?["id"]?.text == admin.id, "\(claimed.text)")
            let audit = try await admin.get("/audit?limit=1").json?["audit"]?.elements?.first
            #expect(audit?["after"]?["approvalsClaimedBy"]?.text == admin.id)
        }
    }
}
