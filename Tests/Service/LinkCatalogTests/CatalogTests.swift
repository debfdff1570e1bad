import LinkCatalog
import LinkRouting
import Testing

/// Maps a link to its tenant: by the exact host, otherwise the longest `*.` domain, with the listed port, or by scheme.
/// There is no default tenant.
struct CatalogTests {
    private static let shop = """
        domains:
          - shop.example.com
          - "*.example.com"
          - {host: dev.example.com, port: 8443}
          - {host: dev.example, port: 8443}
          - {host: site.example.com, serves: association}
          - bücher.example
        schemes: [shop]
        """
    private static let taxi = """
        domains: ["*.eu.example.com", taxi.example]
        schemes: [taxi, com.example.taxi]
        """

    @Test(
        arguments: [
            ("https://shop.example.com/", "shop"),
            ("https://SHOP.Example.COM./", "shop"),
            ("https://shop.example.com:443/", "shop"),
            ("http://shop.example.com:80/", "shop"),
            ("https://any.example.com/", "shop"),
            ("https://a.b.example.com/", "shop"),
            ("https://a.eu.example.com/", "taxi"),
            ("https://a.b.eu.example.com/", "taxi"),
            ("https://eu.example.com/", "shop"),
            ("https://dev.example.com:8443/", "shop"),
            ("https://dev.example.com/", "shop"),
            ("https://bücher.example/", "shop"),
            ("https://BÜCHER.example/", "shop"),
            ("https://bu\u{308}cher.example/", "shop"),
            ("https://xn--bcher-kva.example/", "shop"),
            ("https://b%C3%BCcher.example/", "shop"),
            ("https://taxi.example/", "taxi"),
            ("shop://x", "shop"),
            ("SHOP:x", "shop"),
            ("com.example.taxi:/x", "taxi"),
            ("https://example.com/", nil),
            ("https://shop.example.com:8443/", nil),
            ("http://shop.example.com:443/", nil),
            ("https://notexample.com/", nil),
            ("https://xexample.com/", nil),
            ("https://bücher.example.net/", nil),
            ("https://com/", nil),
            // Unicode joins this letter and the following dot into one Character.
            ("https://shop.example.com%E0%B5%8E./", nil),
            ("https://x%E0%B5%8E.example.com/", "shop"),
            ("https://x%E0%B5%8E.eu.example.com/", "taxi"),
            ("shops://x", nil),
            ("https:/shop.example.com/", nil),
        ] as [(String, String?)]
    )
    func linkBelongsToTheTenantOfItsHostOrScheme(_ link: String, _ tenant: String?) throws {
        let resolution = try catalog().resolve(link, in: LinkContext(), explanation: .omitted)

        #expect(resolution.table?.tenant.rawValue == tenant)
        #expect(resolution.tenant == (tenant.flatMap { TenantID($0) } ?? .none))
    }

    @Test func hostListsItsFiles() throws {
        let catalog = try catalog()

        #expect(catalog.table(forHost: "site.example.com", port: nil)?.serves == .association)
        #expect(catalog.table(forHost: "shop.example.com", port: nil)?.serves == .links)
        #expect(catalog.table(forHost: "other.example", port: nil) == nil)
        #expect(catalog.table(forHost: "", port: nil) == nil)
        #expect(catalog.table(forHost: ".", port: nil) == nil)
        #expect(catalog.table(forHost: ".example.com", port: nil)?.serves == .links)
    }

    @Test(
        arguments: [
            ("example.com", "shop"), ("eu.example.com", "shop"), ("a.eu.example.com", "taxi"),
            ("x.example.com", "shop"),
            ("taxi.example", "taxi"), ("www.taxi.example", nil), ("example", nil),
        ] as [(String, String?)]
    )
    func associationFilesOfAWildcardAreServedOnItsParent(_ host: String, _ tenant: String?) throws {
        #expect(try catalog().tableForAssociation(ofHost: host)?.tenant.rawValue == tenant)
    }

    @Test func exactHostKeepsItsOwnAssociationFiles() throws {
        let catalog = Catalog([
            try table("parent", "domains: [example.com]"), try table("below", "domains: ['*.example.com']"),
        ])

        #expect(catalog.tableForAssociation(ofHost: "example.com")?.tenant.rawValue == "parent")
        #expect(catalog.tableForAssociation(ofHost: "a.example.com")?.tenant.rawValue == "below")
    }

    @Test(
        arguments: [
            ("https://shop.example.com/a/../b", "shop", DeepLink.Rejection.Code.dotSegment),
            ("https://a.eu.example.com/<x>", "taxi", .forbiddenCharacter),
            ("https://bücher.example/%00", "shop", .controlCharacter),
            ("https://dev.example:8443/a/../b", "shop", .dotSegment),
            ("https://dev.example:8443/?\(String(repeating: "a", count: 8_192))", "shop", .tooLong),
            ("https://dev.example/a/../b", nil, .dotSegment),
            ("https://shop.example.com:8443/a/../b", nil, .dotSegment),
            ("https://shop.example.com:99999/", "shop", .badPort),
            ("shop://x/../y", "shop", .dotSegment),
            ("taxi://user@x", "taxi", .userInfo),
            ("https://user@shop.example.com/", nil, .userInfo),
            ("https://other.example/%zz", nil, .invalidEscape),
            ("other://%zz", nil, .invalidEscape),
            ("/no/scheme", nil, .noScheme),
        ] as [(String, String?, DeepLink.Rejection.Code)]
    )
    func rejectedLinkIsAttributedAsFarAsItCouldBeRead(
        _ link: String,
        _ tenant: String?,
        _ code: DeepLink.Rejection.Code
    ) throws {
        let answer = try catalog().resolve(link, in: LinkContext(), explanation: .omitted)

        #expect(answer.resolution.outcome == .rejected)
        #expect(answer.resolution.rejection?.code == code)
        #expect(answer.link == nil)
        #expect(answer.table?.tenant.rawValue == tenant)
    }

    @Test func tenantWithoutATableIsKnownAndUnmatched() throws {
        let snapshot = CatalogSnapshot(
            version: 1,
            tenants: [
                CatalogSnapshot.Tenant(
                    try #require(TenantID("new")),
                    settingsRevision: 4,
                    settings: #"{"domains": ["new.example"]}"#,
                    live: []
                )
            ]
        )
        let answer = snapshot.catalog().resolve("https://new.example/", in: LinkContext(), explanation: .omitted)

        #expect(answer.resolution.outcome == .unmatched)
        #expect(answer.table?.tenant == TenantID("new"))
        #expect(answer.table?.revision == nil)
        #expect(answer.table?.settingsRevision == 4)
    }

    @Test func hostsAreAnsweredFromTheProductionTable() throws {
        let staging = try table("shop", "domains: [shop.example]", environment: "staging")
        let production = try table("shop", "domains: [shop.example]")

        for tables in [[staging, production], [production, staging]] {
            let catalog = Catalog(tables)
            #expect(catalog.table(forHost: "shop.example", port: nil)?.table.environment == .production)
            #expect(catalog.table(of: production.tenant)?.environment == .production)
        }
    }

    @Test func emptyCatalogOwnsNothing() {
        let answer = Catalog().resolve("https://shop.example.com/", in: LinkContext(), explanation: .included)

        #expect(answer.resolution.outcome == .unmatched)
        #expect(answer.tenant == .none)
        #expect(answer.environment == .production)
    }

    private func catalog() throws -> Catalog {
        Catalog([try table("shop", Self.shop), try table("taxi", Self.taxi)])
    }

    private func table(_ tenant: String, _ settings: String, environment: String = "production") throws
        -> PublishedTable
    {
        PublishedTable(
            tenant: try #require(TenantID(tenant)),
            environment: try #require(EnvironmentID(environment)),
            revision: Revision(rawValue: 1),
            settingsRevision: 1,
            settings: try Settings(DocumentField(try Document.readYAML(settings), path: "settings")),
            table: RouteTable()
        )
    }
}
