import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// Clicks, resolutions and reports of links that lead to other links.
@Suite(.timeLimit(.minutes(15)))
struct ShortLinkFollowTests {
    static let acme = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: go.acme.example}, {host: www.acme.example, serves: association}]
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme}]
          destinations:
            schemes: [acme]
            hosts: [go.acme.example, www.acme.example, pages.example]
        table:
          routes:
            - {id: item, path: "/item/{id:int}", open: {screen: Item}, web: "https://www.acme.example/item/{id}"}
            - {id: chat, path: "/chat/{id:int}", open: {screen: Chat}}
            - {id: blocked, path: /blocked, block: Closed.}
            - {id: short, path: "/s/{code}", follow: shortLinks}
            - {id: deep, path: "/d/{code...}", caseSensitive: false, follow: shortLinks}
            - {id: contained, path: /, query: {link: string}, follow: "{link}"}
        """

    private static let fallback = """
        table:
          defaults: {fallback: {web: "https://www.acme.example/start"}}
        """

    static let bank = acme.replacing("acme", with: "bank")

    private static let creator = Actor(kind: .system, id: "test", name: "test")

    static func add(
        _ service: TestService,
        _ code: String,
        _ target: String,
        campaign: [String: String] = [:],
        expires: String? = nil,
        status: ShortLink.Status = .active,
        of name: String = "acme"
    ) async throws {
        let code = try #require(ShortCode(code))
        var content = ShortLink.Content(target: target, campaign: campaign)
        content.expires = expires.map(instant)
        let links = service.dependencies.linkResolver.shortLinks
        let new = NewShortLink(code: code, content: content, createdAt: service.clock.now, createdBy: creator)
        _ = try await links.create([new], of: tenant(name))
        _ = try await links.update(code, of: tenant(name), by: creator, at: service.clock.now) { link in
            var link = link
            link.status = status
            return link
        }
    }

    static func click(
        _ service: TestService,
        _ path: String,
        host: String = "go.acme.example",
        method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        try await service.publicPort(method, path, host: host)
    }

    struct Landing: Sendable, CustomTestStringConvertible {
        let target: String
        var status = 302
        var location: String?
        var testDescription: String { target }
    }

    /// A click lands where the target lands.
    @Test(arguments: [
        Landing(target: "https://go.acme.example/item/7", location: "https://www.acme.example/item/7"),
        // The page of the target is the target itself, but not the link that was clicked.
        Landing(target: "https://www.acme.example/item/7", location: "https://www.acme.example/item/7"),
        Landing(target: "https://www.acme.example/about", location: "https://www.acme.example/about"),
        Landing(target: "https://pages.example/a?b=1#c", location: "https://pages.example/a?b=1#c"),
        Landing(target: "https://go.acme.example/blocked", status: 403),
        // Only an app can show it.
        Landing(target: "https://go.acme.example/chat/7", status: 200),
        // Broken targets: another follow route, no route, other places.
        Landing(target: "https://go.acme.example/s/other", status: 404),
        Landing(target: "https://go.acme.example/?link=https://go.acme.example/item/7", status: 404),
        Landing(target: "https://go.acme.example/nowhere", status: 404),
        Landing(target: "https://evil.example/item/7", status: 404),
        Landing(target: "https://go.bank.example/item/7", status: 404),
        Landing(target: "http://pages.example/", status: 404),
        Landing(target: "acme://item/7", status: 404),
        Landing(target: "javascript:alert(1)", status: 404),
        Landing(target: "//pages.example/", status: 404),
        Landing(target: "https://pages.example@evil.example/", status: 404),
    ])
    func clickLandsWhereTheTargetLands(_ one: Landing) async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await service.load(Self.bank)
            try await Self.add(service, "spring", one.target)
            for method in [HTTPRequest.Method.get, .head] {
                let answer = try await Self.click(service, "/s/spring?gclid=1&fbclid=2", method: method)
                #expect(answer.status == one.status)
                #expect(answer["Location"] == one.location)
            }
        }
    }

    @Test func eventDescribesTheTarget() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            let target = "https://go.acme.example/item/7?utm_source=own"
            try await Self.add(service, "spring", target, campaign: ["source": "mail", "campaign": "Spring & Co"])
            let answer = try await Self.click(service, "/s/spring?utm_source=visitor")
            #expect(answer.status == 302)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.outcome == .matched && event.route == RouteID("item") && event.action == .openWeb)
            #expect(event.path == "/item/7" && event.parameters == #"{"id":7}"#)
            #expect(event.query == [Event.QueryItem(name: "utm_campaign", value: "Spring & Co")])
            #expect(event.linkLength == target.utf8.count + "&utm_campaign=Spring%20%26%20Co".utf8.count)
            #expect(event.shortLink?.text == "go.acme.example/spring")
            #expect(event.kind == .click && event.source == "click")
        }
    }

    @Test func pageGetsTheCampaignAndItsEventDescribesTheClick() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://pages.example/a?x#y", campaign: ["medium": "qr"])
            let answer = try await Self.click(service, "/s/spring?_fp=qr")
            #expect(answer["Location"] == "https://pages.example/a?x&utm_medium=qr#y")
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.route == RouteID("short") && event.path == "/s/{code}" && event.parameters == nil)
            #expect(event.query == [Event.QueryItem(name: "utm_medium", value: "qr")])
            #expect(event.shortLink?.text == "go.acme.example/spring" && event.source == "qr")
        }
    }

    @Test(arguments: [
        ("?_fp=qr", "", "qr"), ("?a=1&_fp=qr", "?a=1", "qr"), ("?_fp=qr&a=1", "?a=1", "qr"),
        ("?a=_fp=qr", "?a=_fp=qr", "click"), ("?_fp=x", "?_fp=x", "click"),
    ])
    func markOfAQRCodeIsRemoved(query: String, rest: String, source: String) async throws {
        try await withService { service in
            try await service.load(Self.acme)
            let answer = try await Self.click(service, "/item/7\(query)")
            #expect(answer["Location"] == "https://www.acme.example/item/7\(rest)")
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.source == source)
            #expect(event.linkLength == "https://go.acme.example/item/7\(rest)".utf8.count)
        }
    }

    /// A claim of another tenant stops no links to pages of the host; its routes are not asked. New ones are refused.
    @Test func pageStaysAPageWhoeverClaimsItsHost() async throws {
        try await withService { service in
            try await service.load(Self.acme.replacing("pages.example", with: "\"*.pages.example\""))
            let session = try await AdminSession(service)
            let target = "https://shop.pages.example/item/7"
            let created = try await session.post("short-links", #"{"code":"spring","target":"\#(target)"}"#)
            #expect(created.status == 201, "\(created.text)")
            let claim = "domains: [{host: shop.pages.example}, "
            try await service.load(Self.bank.replacing("domains: [", with: claim))
            let answer = try await Self.click(service, "/s/spring")
            #expect(answer.status == 302 && answer["Location"] == target)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.route == RouteID("short") && event.action == .openWeb)
            #expect(try await service.events(of: "bank").isEmpty)
            let refused = try await session.post("short-links", #"{"code":"summer","target":"\#(target)"}"#)
            #expect(refused.status == 422 && refused.code == "invalid_short_link", "\(refused.text)")
        }
    }

    /// Unknown codes, codes of others and invalid codes cannot be told apart from links without a route.
    @Test func unknownCodesAreUnmatchedLinks() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await service.load(Self.bank)
            try await Self.add(service, "theirs", "https://go.bank.example/item/7", of: "bank")
            let paths = ["/nowhere", "/s/unknown", "/s/theirs", "/s/a.b", "/s/" + String(repeating: "x", count: 65)]
            var pages: Set<String> = []
            var answers: Set<String> = []
            for path in paths {
                let page = try await Self.click(service, path)
                #expect(page.status == 404)
                pages.insert(page.text)
                let answer = try await service.resolve(#"{"url": "https://go.acme.example\#(path)"}"#)
                #expect(answer.json?["validFor"]?.int == (path == "/nowhere" ? 300 : 0))
                let members = (answer.json?.members ?? []).filter { $0.key != "id" && $0.key != "validFor" }
                answers.insert(JSONNode(.object(members)).json())
            }
            #expect(pages.count == 1 && answers.count == 1, "\(pages) \(answers)")
            let events = try await service.events(of: "acme")
            #expect(events.count == 2 * paths.count)
            #expect(events.allSatisfy { $0.outcome == .unmatched && $0.route == nil && $0.shortLink == nil })
        }
    }

    @Test func letterCaseIsThatOfTheRoute() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await Self.add(service, "a/Spring", "https://go.acme.example/item/7")
            #expect(try await Self.click(service, "/d/A/spring").status == 302)
            try await Self.add(service, "Spring", "https://go.acme.example/item/7")
            #expect(try await Self.click(service, "/s/Spring").status == 302)
            #expect(try await Self.click(service, "/s/spring").status == 404)
            #expect(try await service.events(of: "acme").first?.shortLink?.code == "a/Spring")
        }
    }

    struct Ending: Sendable, CustomTestStringConvertible {
        var expires: String?
        var status = ShortLink.Status.active
        let code: String
        let outcome: Outcome
        var action: Action?
        let text: String
        var testDescription: String { code }
    }

    @Test(arguments: [
        Ending(expires: "2026-11-21T00:00:00Z", code: "link_expired", outcome: .fallback, text: "has expired"),
        Ending(status: .archived, code: "link_archived", outcome: .fallback, text: "not in use any more"),
        Ending(
            status: .blocked(reason: "Reported <b>."),
            code: "link_blocked",
            outcome: .matched,
            action: .block,
            text: "Reported &lt;b&gt;."
        ),
    ])
    func endedLinkIsGone(_ one: Ending) async throws {
        try await withService { service in
            try await service.load(Self.acme)
            let target = "https://go.acme.example/item/7"
            try await Self.add(service, "spring", target, expires: one.expires, status: one.status)
            let page = try await Self.click(service, "/s/spring")
            #expect(page.status == 410 && page.text.contains(one.text) && page["Location"] == nil, "\(page.text)")
            let answer = try await service.resolve(#"{"url": "https://go.acme.example/s/spring"}"#).json
            #expect(answer?["outcome"]?.text == one.outcome.rawValue)
            #expect(answer?["action"]?.text == one.action?.rawValue)
            #expect(answer?["reason"]?["code"]?.text == one.code)
            #expect(answer?["reason"]?["message"]?.text?.isEmpty == false)
            #expect(answer?["destination"]?.value == .null && answer?["validFor"]?.int == 0)
            let events = try await service.events(of: "acme")
            #expect(events.map(\.reason) == [one.code, one.code])
            #expect(events.map(\.outcome) == [one.outcome, one.outcome])
            #expect(events.allSatisfy { $0.shortLink?.text == "go.acme.example/spring" })
        }
    }

    /// A link that contains its target leads to the tenant's own places only.
    @Test(
        arguments: [
            ("https://go.acme.example/item/7", "https://www.acme.example/item/7"),
            ("https%3A%2F%2Fgo.acme.example%2Fitem%2F7", "https://www.acme.example/item/7"),
            ("https://pages.example/a", "https://pages.example/a"),
            ("https://go.acme.example/s/spring", nil), ("https://go.bank.example/item/7", nil),
            ("https://evil.example/", nil), ("//evil.example/", nil), ("/item/7", nil), ("acme://item/7", nil),
            ("javascript:alert(1)", nil), ("https:%5C%5Cevil.example", nil), ("", nil),
        ] as [(String, String?)]
    )
    func containedLinkIsFollowed(link: String, location: String?) async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await service.load(Self.bank)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            let answer = try await Self.click(service, "/?link=\(link)&apn=com.example.acme")
            #expect(answer.status == (location == nil ? 404 : 302))
            #expect(answer["Location"] == location)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.shortLink == nil && event.query.isEmpty)
            #expect(event.outcome == (location == nil ? .unmatched : .matched))
            let resolved = try await service.resolve(#"{"url": "https://go.acme.example/?link=\#(link)"}"#).json
            #expect(resolved?["validFor"]?.int == 0 || link.isEmpty, "\(resolved?.json() ?? "")")
        }
    }

    @Test func containedLinkOfNineKibibytesIsRejected() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            let link = "https://go.acme.example/item/" + String(repeating: "7", count: 9 << 10)
            let body = #"{"url": "https://go.acme.example/?link=\#(link)"}"#
            #expect(try await service.resolve(body).json?["outcome"]?.text == "rejected")
        }
    }

    /// A visitor gets the fallback, and the link counts as broken. Pages of the tenant's website have no routes.
    @Test(arguments: [
        ("https://go.acme.example/nowhere", "https://www.acme.example/start", "broken", Outcome.fallback),
        ("https://www.acme.example/about", "https://www.acme.example/about", "followed", .matched),
    ])
    func targetWithoutARouteIsBroken(target: String, location: String, result: String, outcome: Outcome) async throws {
        try await withService { service in
            try await service.load(Self.acme.replacing("table:", with: Self.fallback))
            try await Self.add(service, "spring", target, campaign: ["source": "mail"])
            let answer = try await Self.click(service, "/s/spring")
            #expect(answer.status == 302)
            #expect(answer["Location"]?.hasPrefix(location) == true, "\(answer["Location"] ?? "")")
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.outcome == outcome && event.shortLink?.code == "spring")
            let metrics = try await service.opsPort("/metrics").text
            #expect(metrics.contains(#"fingerpost_short_links_total{result="\#(result)",tenant="acme"} 1"#))
        }
    }

    /// A link that leads nowhere keeps the secrets of its route.
    @Test(
        arguments: [
            ("full", "/r/{token}/{code}"), ("firstSegment", "/r"), ("shape", "/r/{slug}/{slug}"), ("none", nil),
        ] as [(String, String?)]
    )
    func sensitiveValuesOfALinkToNowhereAreNotRecorded(unmatchedPath: String, path: String?) async throws {
        let routes = """
            routes:
                - {id: secret, host: "{user}.links.acme.example", path: "/r/{token}/{code}", follow: shortLinks,
                   sensitive: [user, token]}
                - {id: open, host: "{user}.links.acme.example", path: /, query: {link: string}, follow: "{link}",
                   sensitive: [link]}
            """
        let privacy = "  privacy: {recordQuery: [link], unmatchedPath: \(unmatchedPath)}\n  schemes: [acme]"
        let file = Self.acme.replacing("  schemes: [acme]", with: privacy, maxReplacements: 1)
            .replacing("routes:", with: routes).replacing("domains: [", with: #"domains: ["*.links.acme.example", "#)
        try await withService { service in
            try await service.load(file)
            try await Self.add(service, "ended", "https://go.acme.example/item/7", status: .archived)
            try await Self.add(service, "broken", "https://go.acme.example/nowhere")
            for code in ["unknown", "ended", "broken"] {
                let answer = try await Self.click(service, "/r/s3cret/\(code)", host: "ann.links.acme.example")
                #expect(answer.status == (code == "ended" ? 410 : 404))
            }
            _ = try await Self.click(service, "/?link=https://evil.example/s3cret", host: "ann.links.acme.example")
            let events = try await service.events(of: "acme")
            #expect(events.count == 4)
            #expect(events.first?.path == path)
            #expect(
                events.allSatisfy { $0.query.isEmpty && $0.parameters == nil && $0.path?.contains("s3cret") != true }
            )
            #expect(events.prefix(3).allSatisfy { $0.host == "{user}.links.acme.example" })
            #expect(events.dropFirst().prefix(2).allSatisfy { $0.shortLink?.place == "{user}.links.acme.example" })
        }
    }

    @Test func batchLooksUpItsCodes() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            let urls = ["s/spring", "item/8", "s/unknown", "?link=https://go.acme.example/item/9", "s/spring"]
            let links = urls.map { "\"https://go.acme.example/\($0)\"" }.joined(separator: ", ")
            let answer = try await service.resolve(#"{"links": [\#(links)]}"#)
            let results = answer.json?["results"]?.elements ?? []
            #expect(results.map { $0["validFor"]?.int } == [0, 300, 0, 0, 0])
            #expect(results.map { $0["parameters"]?["id"]?.int } == [7, 8, nil, 9, 7])
            #expect(results.map { $0["outcome"]?.text } == ["matched", "matched", "unmatched", "matched", "matched"])
            let events = try await service.events(of: "acme")
            #expect(events.map { $0.shortLink?.code } == ["spring", nil, nil, nil, "spring"])
        }
    }

    @Test func traceIsThatOfTheClickedLink() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            let key = try service.makeKey(tenant: "acme", scopes: [.explain])
            let body = #"{"url": "https://go.acme.example/s/spring", "explain": true}"#
            let answer = try await service.resolve(body, headers: [.authorization: "Bearer \(key)"]).json
            #expect(answer?["route"]?["id"]?.text == "item")
            #expect(
                answer?["trace"]?.elements?.contains { $0["found"]?.text == "s" } == true,
                "\(answer?.json() ?? "")"
            )
        }
    }

    @Test func reportOfAnAppIsComparedWithTheTarget() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            let url = "https://go.acme.example/s/spring"
            let other = #""revision": 1, "settingsRevision": 1, "outcome": "unmatched""#
            let body = AppEventTests.batch(AppEventTests.event("a", url), AppEventTests.event("b", url, other))
            #expect(try await service.publicPort(.post, "/_fp/events", body: body).status == 200)
            let events = try await service.events(of: "acme")
            #expect(events.map(\.agreement) == [.same, .different])
            #expect(events.first?.path == "/item/7" && events.first?.parameters == #"{"id":7}"#)
            #expect(events.allSatisfy { $0.shortLink?.text == "go.acme.example/spring" })
        }
    }

    /// An address that tries codes of a tenant is refused; other addresses, tenants and links are answered.
    @Test func unknownCodesCountAgainstTheirAddress() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.unknownCode = RateLimit(perSecond: 1, burst: 3)
        try await withService(admitting: policy) { service in
            try await service.load(Self.acme)
            try await service.load(Self.bank)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            try await Self.add(service, "spring", "https://go.bank.example/item/7", of: "bank")
            for _ in 0..<9 { #expect(try await Self.click(service, "/s/spring").status == 302) }
            for index in 0..<3 { #expect(try await Self.click(service, "/s/guess\(index)").status == 404) }
            let refused = try await Self.click(service, "/s/guess9")
            #expect(refused.status == 429 && refused["Retry-After"] != nil)
            #expect(try await Self.click(service, "/s/spring").status == 429)
            #expect(try await Self.click(service, "/item/7").status == 302)
            #expect(try await Self.click(service, "/s/spring", host: "go.bank.example").status == 302)
            let other = try await service.publicPort(
                .get,
                "/s/spring",
                host: "go.acme.example",
                from: "198.51.100.7"
            )
            #expect(other.status == 302)
            service.clock.advance(seconds: 1)
            #expect(try await Self.click(service, "/s/spring").status == 302)
            let metrics = try await service.opsPort("/metrics").text
            for line in ["followed\",tenant=\"acme\"} 11", "unknown\",tenant=\"acme\"} 3"] {
                #expect(metrics.contains("fingerpost_short_links_total{result=\"\(line)"), "\(line)")
            }
            #expect(metrics.contains(#"fingerpost_rate_limited_total{scope="code"} 2"#))
        }
    }

    /// What a batch tries beyond the limit is waited for afterwards.
    @Test func unknownCodesOfABatchCountTogether() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.unknownCode = RateLimit(perSecond: 1, burst: 3)
        try await withService(admitting: policy) { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            func resolve(_ paths: String...) async throws -> Int {
                let links = paths.map { "\"https://go.acme.example/\($0)\"" }.joined(separator: ", ")
                return try await service.resolve(#"{"links": [\#(links)]}"#).status
            }
            #expect(try await resolve("s/a", "s/b") == 200)
            // One is left.
            #expect(try await resolve("s/a.b", "s/x", "s/y", "s/z") == 200)
            service.clock.advance(seconds: 2)
            // A text in another form hides no code.
            #expect(try await resolve("s/a.b", "s/spring") == 429)
            service.clock.advance(seconds: 1)
            #expect(try await resolve("s/a.b", "s/spring") == 200)
        }
    }

    /// Callers with a key, other links of a batch and reports of apps are answered behind a guesser's address.
    @Test func limitOfUnknownCodesFailsNothingElse() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.unknownCode = RateLimit(perSecond: 1, burst: 2)
        try await withService(admitting: policy) { service in
            try await service.load(Self.acme)
            try await Self.add(service, "spring", "https://go.acme.example/item/7")
            func outcomes(_ paths: String...) async throws -> [String?] {
                let links = paths.map { "\"https://go.acme.example/\($0)\"" }.joined(separator: ", ")
                let answer = try await service.resolve(#"{"links": [\#(links)]}"#)
                #expect(answer.status == 200)
                return answer.json?["results"]?.elements?.map { $0["outcome"]?.text } ?? []
            }
            #expect(
                try await outcomes("s/spring", "s/a", "s/b", "s/c", "s/spring", "item/8")
                    == ["matched", "unmatched", "unmatched", "unmatched", "matched", "matched"]
            )
            let single = #"{"url": "https://go.acme.example/s/spring"}"#
            #expect(try await service.resolve(single).status == 429)
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            let answer = try await service.resolve(single, headers: headers)
            #expect(answer.json?["outcome"]?.text == "matched")
            let unknown = #"{"url": "https://go.acme.example/s/unknown"}"#
            for _ in 0..<3 { #expect(try await service.resolve(unknown, headers: headers).status == 200) }
            let url = "https://go.acme.example/s/spring"
            let body = AppEventTests.batch(
                AppEventTests.event("a", "https://go.acme.example/s/unknown"),
                AppEventTests.event("b", url),
                AppEventTests.event("c", url)
            )
            #expect(try await service.publicPort(.post, "/_fp/events", body: body).status == 200)
            #expect(try await service.events(of: "acme").suffix(2).map(\.agreement) == [.same, .same])
            let metrics = try await service.opsPort("/metrics").text
            // Both of the batch, that with the key, and one for both reports.
            #expect(metrics.contains(#"fingerpost_short_links_total{result="followed",tenant="acme"} 4"#))
        }
    }

    /// What is no code is no guess, such as the files that browsers ask for.
    @Test func textInAnotherFormIsNoUnknownCode() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.unknownCode = RateLimit(perSecond: 1, burst: 1)
        try await withService(admitting: policy) { service in
            try await service.load(Self.acme.replacing("/s/{code}", with: "/{code}"))
            for path in ["/favicon.ico", "/robots.txt", "/a.b", "/" + String(repeating: "x", count: 65)] {
                #expect(try await Self.click(service, path).status == 404)
            }
            #expect(try await Self.click(service, "/unknown").status == 404)
            #expect(try await Self.click(service, "/unknown").status == 429)
            #expect(try await Self.click(service, "/favicon.ico").status == 404)
            let events = try await service.events(of: "acme")
            #expect(events.map(\.purpose) == [.probe, .probe, .live, .live, .live, .probe])
            let metrics = try await service.opsPort("/metrics").text
            #expect(metrics.contains(#"fingerpost_short_links_total{result="unknown",tenant="acme"} 1"#))
        }
    }
}
