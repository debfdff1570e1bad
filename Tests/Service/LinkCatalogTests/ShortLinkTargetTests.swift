import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// Where short links may lead, and which links of them a limited key may write.
struct ShortLinkTargetTests {
    private static let table = """
        defaults: {fallback: {web: "https://www.acme.test/"}}
        routes:
          - {id: home, path: /, open: {screen: Home}}
          - {id: go, path: "/s/{code}", follow: shortLinks}
          - {id: item, owner: shop, path: "/item/{id:int}", open: {screen: Item}}
          - {id: offer, owner: shop, path: "/offer/{id}", when: {country: [DE]}, block: Not here.}
          - {id: offers, owner: shop, path: "/offer/{id}", open: {screen: Offer}}
          - {id: gone, owner: shop, path: /gone, block: It is over.}
          - {id: ios, owner: shop, path: /ios, when: {platform: ios}, open: {screen: Phone}}
          - {id: mail, owner: mail, path: "/blog/{slug}", query: {utm_source: {equals: mail}}, open: {screen: Mail}}
          - {id: early, owner: mail, path: /blog/early, when: {platform: ios}, open: {screen: Early}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
        """
    private static let settings = """
        domains: [go.acme.test, "*.links.acme.test", {host: www.acme.test, serves: association}]
        schemes: [acme]
        destinations: {hosts: [go.acme.test, www.acme.test, shop.partner.test, go.other.test, bücher.test], schemes: [acme]}
        """

    private static func published(_ tenant: TenantID, _ settings: String, _ table: String) throws -> PublishedTable {
        PublishedTable(
            tenant: tenant,
            environment: .production,
            revision: nil,
            settingsRevision: 1,
            settings: try Settings(DocumentField(try Document.read(settings), path: "settings")),
            table: try RouteTable(DocumentField(try Document.read(table), path: "table"))
        )
    }

    private static func targets(
        _ routes: String = table,
        within limits: [KeyGrant.RouteLimit] = []
    ) throws -> ShortLinkTargets {
        let other = try published(tenant("other"), "domains: [go.other.test]", "routes: [{id: all, path: \"/{x...}\"}]")
        let own = try published(tenant("acme"), settings, routes)
        return ShortLinkTargets(own, in: Catalog([own, other]), within: limits)
    }

    private static func refusal(
        _ content: ShortLink.Content,
        _ targets: ShortLinkTargets
    ) -> ShortLinkTargets.Refusal? {
        do throws(ShortLinkTargets.Refusal) {
            try targets.require(content)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "https://go.acme.test/item/7", "http://go.acme.test/item/7", "https://GO.acme.test/item/7?x=%2F#part",
        "https://a.links.acme.test/item/7", "https://www.acme.test/item/7", "https://go.acme.test/",
        // Some callers get an answer.
        "https://go.acme.test/ios", "https://go.acme.test/offer/7",
        // Pages.
        "https://www.acme.test/careers?x=1", "https://shop.partner.test/sale",
    ])
    func linkMayLeadTo(_ target: String) throws {
        #expect(Self.refusal(ShortLink.Content(target: target), try Self.targets()) == nil)
    }

    @Test(arguments: [
        ("acme://item/7", "has the scheme 'acme'"), ("javascript:alert(1)", "has the scheme 'javascript'"),
        ("//evil.test/", "no scheme"), ("/item/7", "no scheme"), ("go.acme.test/item/7", "no scheme"),
        ("https:///item/7", "needs a host"), ("https://go.%61cme.test/item/7", "percent-encoded"),
        ("https://user@go.acme.test/item/7", "user name"), ("https://go.acme.test/item/\u{7}", "control character"),
        ("https://go.acme.test/item/%0A", "control character"), ("https://go.acme.test/a/../b", "a segment"),
        ("https://go.acme.test/" + String(repeating: "a", count: 9_000), "at most 8192"),
        ("https://go.acme.test/nothing", "No route answers"), ("https://a.links.acme.test/x", "No route answers"),
        ("https://go.acme.test/item/x", "No route answers"), ("https://go.acme.test/s/spring", "leads to another link"),
        ("https://go.acme.test/gone", "blocks"), ("https://evil.test/", "neither a link of this tenant"),
        ("https://other.test/", "neither a link of this tenant"),
        // Another tenant's link, even though the settings allow its host.
        ("https://go.other.test/x", "belongs to another tenant"),
        ("http://shop.partner.test/sale", "Write 'https://shop.partner.test…'"), ("https://bücher.test/", "not ASCII"),
    ])
    func linkMayNotLeadTo(_ target: String, _ reason: String) throws {
        let refusal = Self.refusal(ShortLink.Content(target: target), try Self.targets())
        guard case .invalid(let text) = refusal else {
            Issue.record("\(target): \(String(describing: refusal))")
            return
        }
        #expect(text.contains(reason), "\(target): \(text)")
    }

    private static let blog = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)

    @Test(
        arguments: [
            ("https://go.acme.test/blog/new", [:], true),
            ("https://go.acme.test/blog/new", ["source": "web"], true),
            // These items make it the link of another owner's route.
            ("https://go.acme.test/blog/new?utm_source=mail", [:], false),
            ("https://go.acme.test/blog/new", ["source": "mail"], false),
            ("https://go.acme.test/blog/new?utm_source=web", ["source": "mail"], true),
            // For some callers, an earlier route of another owner answers.
            ("https://go.acme.test/blog/early", [:], false),
            ("https://go.acme.test/item/7", [:], false), ("https://go.acme.test/", [:], false),
            // Pages belong to nobody.
            ("https://shop.partner.test/sale", [:], false), ("https://www.acme.test/careers", [:], false),
        ] as [(String, [String: String], Bool)]
    )
    func limitedKeyWritesLinksOfItsRoutes(_ target: String, _ campaign: [String: String], _ isAllowed: Bool) throws {
        let content = ShortLink.Content(target: target, campaign: campaign)
        let refusal = Self.refusal(content, try Self.targets(within: [Self.blog]))
        guard !isAllowed else {
            #expect(refusal == nil)
            return
        }
        guard case .outsideLimit? = refusal else {
            Issue.record("\(target): \(String(describing: refusal))")
            return
        }
    }

    /// Whatever route answers a target for some caller, each limit covers it.
    @Test func limitedKeyReachesNoRouteOutside() throws {
        let paths = ["/a", "/{x}", "/a/{x}", "/{x...}", "/b", "/a/b"]
        let conditions = [
            "", ", when: {platform: ios}", ", when: {country: [DE]}", ", query: {utm_source: {equals: mail}}",
        ]
        for seed in RandomCases.seeds(UInt64(300)) {
            var random = SeededGenerator(seed: seed)
            func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
            let routes = (0..<8).map { number in
                let end = number == 7 ? ", follow: shortLinks" : ", open: {screen: S}"
                let path = number == 7 ? "/s/{code}" : pick(paths)
                return
                    "  - {id: r\(number), owner: \(pick(["blog", "shop"])), path: \"\(path)\"\(pick(conditions))\(end)}"
            }
            let text = "routes:\n" + routes.joined(separator: "\n")
            let targets = try Self.targets(text, within: [Self.blog])
            let router = try Self.published(tenant("acme"), Self.settings, text).router
            for path in ["/a", "/b", "/c", "/a/b", "/a/c", "/s/x", "/"] {
                let campaign = pick([[:], ["source": "mail"]] as [[String: String]])
                let content = ShortLink.Content(target: "https://go.acme.test\(path)", campaign: campaign)
                guard Self.refusal(content, targets) == nil else { continue }
                for (platform, country) in [(nil, nil), (.ios, nil), (nil, "DE"), (.ios, "DE")]
                    as [(Platform?, String?)]
                {
                    let context = LinkContext(platform: platform, country: country)
                    let link = try DeepLink.parse(content.landing.text)
                    let winner = router.winner(for: link, in: context)
                    #expect(winner.map { $0.owner == "blog" } ?? true, "\(text)\n\(content.target) \(campaign)")
                    #expect(winner?.behaviour != .follow(.shortLinks), "\(text)\n\(content.target)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("spring", ["https://go.acme.test/s/spring", "https://x.acme.test/promo/spring"]),
            ("a/b", []),
        ] as [(String, [String])]
    )
    func urlsAreThoseOfRoutesThatFollow(_ text: String, _ urls: [String]) throws {
        let code = try #require(ShortCode(text))
        let table = try Self.published(
            tenant("acme"),
            "domains: [go.acme.test, x.acme.test, {host: www.acme.test, serves: association}]",
            """
            routes:
              - {id: go, host: go.acme.test, path: "/s/{code}", follow: shortLinks}
              - {id: promo, path: "/promo/{code}", host: x.acme.test, follow: shortLinks}
              - {id: app, path: "/app/{code}", when: {platform: ios}, follow: shortLinks}
              - {id: both, path: "/{x}/{code}/more", follow: shortLinks}
            """
        )
        #expect(table.urls(of: code) == urls)
        #expect(table.urlPatterns == ["https://go.acme.test/s/{code}", "https://x.acme.test/promo/{code}"])
    }

    /// Routes × hosts that are tried are few, whatever the table has.
    @Test(
        arguments: [
            (40, 40, 0, 16), (2, 3, 0, 6), (17, 1, 0, 16),
            // The first 16 routes lead some callers only, and no others are tried.
            (1, 1, 16, 0), (1, 1, 15, 1),
        ]
    )
    func urlsAreBounded(_ routes: Int, _ hosts: Int, _ conditional: Int, _ count: Int) throws {
        let first = (0..<conditional).map {
            "  - {id: c\($0), path: \"/c\($0)/{code}\", when: {platform: ios}, follow: shortLinks}"
        }
        let others = (0..<routes).map { "  - {id: r\($0), path: \"/r\($0)/{code}\", follow: shortLinks}" }
        let domains = (0..<hosts).map { "h\($0).acme.test" }.joined(separator: ", ")
        let text = "routes:\n" + (first + others).joined(separator: "\n")
        let table = try Self.published(tenant("acme"), "domains: [\(domains)]", text)
        #expect(table.urls(of: try #require(ShortCode("x"))).count == count)
    }
}
