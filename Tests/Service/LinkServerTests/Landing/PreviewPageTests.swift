import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// The pages that programs get which show links in chats.
@Suite(.timeLimit(.minutes(15)))
struct PreviewPageTests {
    private static let facebook = "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"

    /// - Parameter defaults: What the table's defaults contain besides the fallback.
    private static func acme(_ defaults: String = "") -> String {
        """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: go.acme.example}, {host: www.acme.example, serves: association}]
          schemes: [acme]
          apps:
            - id: ios
              platform: ios
              teamID: ABCDE12345
              bundleID: com.example.acme
              stores: [{kind: appStore, id: "123456789"}]
            - {id: clip, platform: ios, kind: clip, teamID: ABCDE12345, bundleID: com.example.acme.Clip}
            - {id: android, platform: android, package: com.example.acme}
          destinations:
            schemes: [acme]
            hosts: [go.acme.example, www.acme.example, cdn.acme.example, pages.example]
        table:
          defaults: {\(defaults)}
          routes:
            - id: item
              path: "/item/{id:int}/{name}"
              open: {screen: Item}
              web: "https://www.acme.example/item/{id}"
              preview: {title: "{name}", description: 'Item "{id}"', image: "https://cdn.acme.example/{id}.png"}
            - {id: plain, path: /plain, web: "https://www.acme.example/plain"}
            - {id: blocked, path: /blocked, block: Closed.}
            - {id: short, path: "/s/{code}", follow: shortLinks}
        """
    }

    private static let common = #"preview: {title: Acme, image: "https://cdn.acme.example/acme.png"}"#

    private func get(
        _ path: String,
        by agent: String = Self.facebook,
        headers: HTTPFields = [:],
        _ service: TestService
    ) async throws -> TestResponse {
        var headers = headers
        headers[.userAgent] = agent
        return try await service.publicPort(.get, path, host: "go.acme.example", headers: headers)
    }

    @Test func pageNamesTheLinkAndItsApps() async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let answer = try await get("/item/7/a,b?_fp=qr", service)
            #expect(answer.status == 200)
            #expect(answer["Location"] == nil && answer["Cache-Control"] == "no-store")
            #expect(answer["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'none'; ") == true)
            let banner =
                "app-id=123456789, app-argument=https://go.acme.example/item/7/a%2Cb, "
                + "app-clip-bundle-id=com.example.acme.Clip, app-clip-display=card"
            #expect(
                answer.text == """
                    <!doctype html><html><meta charset="utf-8"><title>a,b</title>
                    <link rel="canonical" href="https://go.acme.example/item/7/a,b">
                    <meta name="description" content="Item &quot;7&quot;">
                    <meta name="twitter:card" content="summary_large_image">
                    <meta name="twitter:title" content="a,b">
                    <meta name="twitter:description" content="Item &quot;7&quot;">
                    <meta name="twitter:image" content="https://cdn.acme.example/7.png">
                    <meta name="apple-itunes-app" content="\(banner)">
                    <meta property="og:type" content="website">
                    <meta property="og:site_name" content="go.acme.example">
                    <meta property="og:url" content="https://go.acme.example/item/7/a,b">
                    <meta property="og:title" content="a,b">
                    <meta property="og:description" content="Item &quot;7&quot;">
                    <meta property="og:image" content="https://cdn.acme.example/7.png">
                    <meta property="al:ios:url" content="acme://item/7/a,b">
                    <meta property="al:ios:app_store_id" content="123456789">
                    <meta property="al:ios:app_name" content="go.acme.example">
                    <meta property="al:android:url" content="acme://item/7/a,b">
                    <meta property="al:android:package" content="com.example.acme">
                    <meta property="al:android:app_name" content="go.acme.example">
                    <h1><a href="https://www.acme.example/item/7">a,b</a></h1>
                    <p>Item &quot;7&quot;</p>
                    </html>

                    """
            )
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.purpose == .preview && event.botClass == "preview" && event.source == "qr")
            #expect(event.route == RouteID("item") && event.outcome == .matched)
        }
    }

    /// Without an app and an image.
    @Test func pageOfAWebsiteNamesNoApp() async throws {
        try await withService { service in
            try await service.load(Self.acme("preview: {title: Acme}"))
            let text = try await get("/plain", service).text
            #expect(text.contains(#"<meta name="twitter:card" content="summary">"#))
            #expect(text.contains(#"<h1><a href="https://www.acme.example/plain">Acme</a></h1>"#))
            for absent in ["al:", "apple-itunes-app", "image", "description"] { #expect(!text.contains(absent)) }
        }
    }

    @Test(arguments: [
        ("%3Cscript%3Ealert(1)%3C%2Fscript%3E", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("%22%3E%3Cb%3E", "&quot;&gt;&lt;b&gt;"), ("'onload='x", "&#39;onload=&#39;x"), ("&lt;", "&amp;lt;"),
        ("%7B%7B7*7%7D%7D", "{{7*7}}"), ("%D8%80%3Cb%20%D8%80%3E", "\u{600}&lt;b \u{600}&gt;"), ("%E6%97%A5", "日"),
    ])
    func capturedValueIsText(_ written: String, _ shown: String) async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let text = try await get("/item/7/\(written)", service).text
            #expect(text.contains("<title>\(shown)</title>") && text.contains(#"og:title" content="\#(shown)">"#))
            #expect(!text.contains("<script") && !text.contains("<b"))
        }
    }

    struct Visit: Sendable, CustomTestStringConvertible {
        var path = "/item/7/x"
        var agent = PreviewPageTests.facebook
        var headers: HTTPFields = [:]
        var defaults = ""
        let status: Int
        var testDescription: String { "\(path) \(agent) \(defaults)" }
    }

    @Test(arguments: [
        Visit(status: 200), Visit(agent: "Slackbot-LinkExpanding 1.0", status: 200),
        Visit(path: "/plain", defaults: common, status: 200),
        // Without a title, and for links that lead nowhere, such a program is answered like others.
        Visit(path: "/plain", status: 302),
        Visit(path: "/plain", defaults: #"preview: {description: x}"#, status: 302),
        Visit(path: "/nowhere", defaults: common, status: 404),
        Visit(
            path: "/nowhere",
            defaults: common + #", fallback: {web: "https://www.acme.example/"}"#,
            status: 200
        ),
        Visit(path: "/blocked", defaults: common, status: 403), Visit(path: "/%zz", defaults: common, status: 400),
        Visit(path: "/s/unknown", defaults: common, status: 404),
        Visit(agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", status: 302),
        Visit(agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", headers: [.purpose: "preview"], status: 302),
        Visit(agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", status: 302),
    ])
    func programsThatShowLinksGetPreviews(_ visit: Visit) async throws {
        try await withService { service in
            try await service.load(Self.acme(visit.defaults))
            let answer = try await get(visit.path, by: visit.agent, headers: visit.headers, service)
            #expect(answer.status == visit.status)
            let head = try await service.publicPort(
                .head,
                visit.path,
                host: "go.acme.example",
                headers: [.userAgent: visit.agent]
            )
            #expect(head.status == visit.status && head.text.isEmpty)
        }
    }

    // MARK: Short links

    private func add(
        _ code: String,
        _ target: String,
        _ preview: LinkPreview?,
        expires: String? = nil,
        _ service: TestService
    ) async throws {
        let creator = Actor(kind: .system, id: "test", name: "test")
        let content = ShortLink.Content(target: target, preview: preview, expires: expires.map(instant))
        let code = try #require(ShortCode(code))
        let link = NewShortLink(code: code, content: content, createdAt: service.clock.now, createdBy: creator)
        _ = try await service.dependencies.linkResolver.shortLinks.create([link], of: tenant("acme"))
    }

    private func shown(_ code: String, _ service: TestService) async throws -> LinkPreview {
        let answer = try await get("/s/\(code)", service)
        #expect(answer.status == 200)
        #expect(answer.text.contains(#"og:url" content="https://go.acme.example/s/\#(code)">"#))
        func content(_ name: String) -> String? {
            answer.text.split(separator: #"property="og:\#(name)" content=""#).dropFirst().first.map {
                String($0.prefix { $0 != "\"" })
            }
        }
        return LinkPreview(title: content("title"), description: content("description"), image: content("image"))
    }

    @Test func shortLinkReplacesWhatItsTargetShows() async throws {
        try await withService { service in
            try await service.load(Self.acme(Self.common))
            let item = "https://go.acme.example/item/7/shoe"
            let own = LinkPreview(title: "Sale", image: "https://www.acme.example/sale.png")
            try await add("own", item, own, service)
            #expect(
                try await shown("own", service)
                    == LinkPreview(title: "Sale", description: "Item &quot;7&quot;", image: own.image)
            )
            try await add("none", item, nil, service)
            #expect(
                try await shown("none", service)
                    == LinkPreview(
                        title: "shoe",
                        description: "Item &quot;7&quot;",
                        image: "https://cdn.acme.example/7.png"
                    )
            )
            // The settings do not allow this host.
            let foreign = LinkPreview(description: "A page", image: "https://evil.example/x.png")
            try await add("page", "https://pages.example/a", foreign, service)
            #expect(
                try await shown("page", service)
                    == LinkPreview(title: "Acme", description: "A page", image: "https://cdn.acme.example/acme.png")
            )
        }
    }

    @Test func endedShortLinkHasNoPreview() async throws {
        try await withService { service in
            try await service.load(Self.acme(Self.common))
            let expires = "2026-01-01T00:00:00Z"
            try await add("old", "https://pages.example/a", LinkPreview(title: "Old"), expires: expires, service)
            let answer = try await get("/s/old", service)
            #expect(answer.status == 410 && !answer.text.contains("Old"))
        }
    }
}

extension HTTPField.Name {
    fileprivate static var purpose: HTTPField.Name {
        guard let name = HTTPField.Name("Purpose") else { preconditionFailure("the name is valid") }
        return name
    }
}
