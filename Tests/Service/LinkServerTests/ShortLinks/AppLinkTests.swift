import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// `POST /_fp/links`: short links that apps make.
@Suite(.timeLimit(.minutes(15)))
struct AppLinkTests {
    private static let tenantFile = ShortLinkFollowTests.acme.replacing(
        "  schemes: [acme]\n  apps:",
        with: "  schemes: [acme]\n  shortLinks: {apps: [item]}\n  privacy: {recordInstall: true}\n  apps:"
    )

    private func make(
        _ service: TestService,
        _ target: String,
        install: String? = nil,
        utm: String? = nil,
        key: String?,
        from peer: String = "203.0.113.77"
    ) async throws -> TestResponse {
        var members = install.map { #", "install": "\#($0)""# } ?? ""
        members += utm.map { #", "utm": \#($0)"# } ?? ""
        return try await service.publicPort(
            .post,
            "/_fp/links",
            headers: key.map { [.authorization: "Bearer \($0)"] } ?? [:],
            body: #"{"tenant": "acme", "target": "\#(target)"\#(members)}"#,
            from: peer
        )
    }

    @Test func linkOfAnAppIsFollowedAndLivesOnWithItsClicks() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let answer = try await make(service, "https://go.acme.example/item/7", key: key)
            #expect(answer.status == 201, "\(answer.text)")
            let code = try #require(answer.json?["code"]?.text)
            #expect(code.utf8.count == ShortCode.randomLength)
            #expect(answer.json?["url"]?.text == "https://go.acme.example/s/\(code)")
            #expect(answer.json?["expires"]?.text == "2027-02-19T10:00:00.000Z")
            func isAnswered() async throws -> Bool {
                try await ShortLinkFollowTests.click(service, "/s/\(code)").status == 302
            }
            // Each click moves the end.
            for _ in 0..<3 {
                service.clock.advance(seconds: 80 * 86_400)
                #expect(try await isAnswered())
            }
            service.clock.advance(seconds: 91 * 86_400)
            #expect(try await ShortLinkFollowTests.click(service, "/s/\(code)").status == 410)
        }
    }

    /// Previews are no clicks, and people decide about the end of a link that they have changed.
    @Test func endIsMovedOnlyByClicksAndOnlyUntilSomebodyChangesTheLink() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let answer = try await make(service, "https://go.acme.example/item/7", key: key)
            let code = try #require(answer.json?["code"]?.text.flatMap { ShortCode($0) })
            let links = service.dependencies.linkResolver.shortLinks
            func stored() async throws -> ShortLink? {
                try await links.link(code, of: tenant("acme"), ignoringCase: false)
            }
            service.clock.advance(seconds: 80 * 86_400)
            let preview: HTTPFields = [.userAgent: "WhatsApp/2.23.20.0"]
            let path = "/s/\(code)"
            _ = try await service.publicPort(.get, path, host: "go.acme.example", headers: preview)
            #expect(try await stored()?.content.expires == instant("2027-02-19T10:00:00Z"))
            #expect(try await ShortLinkFollowTests.click(service, path).status == 302)
            #expect(try await stored()?.content.expires == instant("2027-05-10T10:00:00Z"))
            #expect(try await stored()?.version == 1)
            let end = instant("2027-02-16T10:00:00Z")
            _ = try await links.update(code, of: tenant("acme"), by: .system, at: service.clock.now) { link in
                var link = link
                link.content.expires = end
                return link
            }
            #expect(try await ShortLinkFollowTests.click(service, path).status == 302)
            #expect(try await stored()?.content.expires == end)
        }
    }

    @Test(
        arguments: [
            ("https://go.acme.example/chat/7", 422), ("https://www.acme.example/about", 422),
            ("https://pages.example/", 422), ("https://go.acme.example/s/other", 422), ("acme://item/7", 422),
            ("https://evil.example/", 422), ("https://www.acme.example/item/7", 201),
        ] as [(String, Int)]
    )
    func targetMustBeOfARouteThatTheSettingsName(target: String, status: Int) async throws {
        try await withService { service in
            try await service.load(Self.tenantFile)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let answer = try await make(service, target, key: key)
            #expect(answer.status == status, "\(answer.text)")
            let count = try await service.dependencies.linkResolver.shortLinks.count(of: tenant("acme"))
            #expect(count == (status == 201 ? 1 : 0))
        }
    }

    /// The routes may depend on who follows the link.
    @Test(arguments: [("[item]", 422), ("[item, sale]", 201)])
    func eachRouteThatMayMatchTheTargetMustBeNamed(apps: String, status: Int) async throws {
        try await withService { service in
            let sale = #"- {id: sale, path: "/item/{id:int}", when: {platform: ios}, open: {screen: Sale}}"#
            let file = Self.tenantFile.replacing("apps: [item]", with: "apps: \(apps)")
            try await service.load(file.replacing("  routes:\n", with: "  routes:\n    \(sale)\n"))
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let answer = try await make(service, "https://go.acme.example/item/7", key: key)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.text.contains("'sale'") == (status == 422), "\(answer.text)")
        }
    }

    /// Everybody can read the key of an app, and write a visitor's data into the campaign.
    @Test func campaignOfAnAppIsRecordedOnlyIfTheSettingsSaySo() async throws {
        let named = Self.tenantFile.replacing("recordInstall: true", with: "recordQuery: [utm_medium]")
        try await withService { service in
            try await service.load(named)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let utm = #"{"source": "mail@acme.example", "medium": "app"}"#
            let answer = try await make(service, "https://go.acme.example/item/7", utm: utm, key: key)
            let code = try #require(answer.json?["code"]?.text)
            #expect(try await ShortLinkFollowTests.click(service, "/s/\(code)").status == 302)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.query == [Event.QueryItem(name: "utm_medium", value: "app")])
        }
    }

    @Test func keyNeedsTheScope() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile)
            let target = "https://go.acme.example/item/7"
            #expect(try await make(service, target, key: nil).status == 401)
            for scopes in [[.resolve], [.linksRead], [.linksWrite]] as [Set<KeyGrant.Scope>] {
                let key = try service.makeKey(tenant: "acme", scopes: scopes)
                let answer = try await make(service, target, key: key)
                #expect(answer.status == 403 && answer.text.contains("links:create"), "\(answer.text)")
            }
        }
    }

    @Test func installGetsItsOwnLinksAgainAndNotTooManyNewOnes() async throws {
        try await withService { service in
            try await service.load(Self.tenantFile)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            func code(_ number: Int, _ install: String?) async throws -> String? {
                let target = "https://go.acme.example/item/\(number)"
                return try await make(service, target, install: install, key: key).json?["code"]?.text
            }
            let first = try await code(1, "a")
            #expect(try await code(1, "a") == first)
            #expect(try await code(1, "b") != first)
            #expect(try await code(1, nil) != code(1, nil))
            for number in 2...20 { #expect(try await code(number, "a") != nil) }
            let refused = try await make(service, "https://go.acme.example/item/99", install: "a", key: key)
            #expect(refused.status == 429)
            // Its own links are no new ones.
            #expect(try await code(1, "a") == first)
            service.clock.advance(seconds: 86_401)
            #expect(try await code(99, "a") != nil)
        }
    }

    @Test func addressMakesFewLinks() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.newLink = RateLimit(perSecond: 1, burst: 2)
        try await withService(admitting: policy) { service in
            try await service.load(Self.tenantFile)
            let key = try service.makeKey(tenant: "acme", scopes: [.linksCreate])
            let target = "https://go.acme.example/item/7"
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await make(service, target, key: key).status) }
            #expect(statuses == [201, 201, 429])
            #expect(try await make(service, target, key: key, from: "198.51.100.7").status == 201)
        }
    }
}
