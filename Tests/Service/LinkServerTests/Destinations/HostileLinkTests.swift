import HTTPTypes
import LinkRouting
import LinkServer
import Testing

/// Text from the caller, in a link's path, query, fragment or host, never determines the destination's site.
@Suite(.timeLimit(.minutes(15)))
struct HostileLinkTests {
    private static let tenant = #"""
        formatVersion: 1
        tenant: acme
        settings:
          domains: [go.acme.test, "*.acme.link", {host: www.acme.test, serves: association}]
          schemes: [acme, {name: acmeopen, host: ignore}]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme, stores: [{kind: appStore, id: "123456789"}]}
            - {id: droid, platform: android, package: com.acme, stores: [{kind: playStore}]}
          destinations: {hosts: [www.acme.test, pages.test], schemes: [acme, acmeopen]}
          explain: public
        table:
          defaults: {fallback: {open: {screen: Home}, web: "https://www.acme.test/home", forward: all}}
          routes:
            - {id: path, path: "/p/{x}", open: {screen: S, uri: "acme://{x}"}, web: "https://www.acme.test/{x}"}
            - {id: inside, path: "/i/{x}", open: {screen: S, uri: "acme://h-{x}/{x}"}, web: "https://www.acme.test/a-{x}.html"}
            - {id: rest, path: "/r/{x...}", open: {screen: S, uri: "acme:{x}"}, web: "https://www.acme.test/{x}"}
            - {id: rooted, path: "/s/{x...}", open: {screen: S, uri: "acme:/{x}"}, web: "https://www.acme.test?{x}"}
            - {id: host, path: "/t/{x...}", open: {screen: S, uri: "acme://{x}"}, web: "https://www.acme.test#{x}"}
            - id: query
              path: /q
              query: {x: string}
              open: {screen: S, uri: "acme://h/{x}?x={x}#{x}", arguments: {x: "{x}"}}
              web: "https://www.acme.test/{x}?x={x}#{x}"
              store: true
              campaign: "{x}"
              data: {next: "{x}", script: "javascript:alert(1)"}
            - {id: names, path: /n, forward: [next, url, x], open: {screen: S}, web: "https://pages.test/n?x=1"}
            - {id: all, path: "/f/{rest...}", open: {screen: S}, web: "https://www.acme.test/f"}
            - {id: foreign, path: "/g/{rest...}", web: "https://pages.test/g"}
            - {id: shop, host: "{shop}.acme.link", path: /h, open: {screen: S, uri: "acme://{shop}"}, web: "https://www.acme.test/{shop}"}
            - {id: own, path: "/own/{rest...}", open: {screen: S}}
            - {id: piece, path: /d, fragment: "/{x}", open: {screen: S, uri: "acme:{x}"}, web: "https://www.acme.test/{x}"}
            - {id: blocked, path: "/b/{x}", block: "<script>alert('{x}')</script>\" & 'more'"}
        """#

    private static let oracle = DestinationOracle(
        hosts: ["www.acme.test", "pages.test"],
        schemes: ["acme", "acmeopen"]
    )

    /// Texts that can break out of a header, a host, a scheme or a path.
    private static let captures = [
        "x", "%0d%0aSet-Cookie:%20a=b", "%0D%0A%0D%0A%3Cscript%3E", "%0aLocation:%20https:%2F%2Fevil.test", "\r\nX: y",
        "%00", "\u{0}",
        "%7f", "%E5%98%8A%E5%98%8DSet-Cookie:a=b", "%C2%85", "%E2%80%A8", "%E2%80%AE", "%E2%80%8B", "//evil.test",
        "/evil.test", "///evil.test",
        "%2F%2Fevil.test", "%2f%2fevil.test%2f..", "%5C%5Cevil.test", "\\evil.test", "/\\evil.test", "/%5Cevil.test",
        "https://evil.test",
        "https:%2F%2Fevil.test", "https:evil.test", "@evil.test", "%40evil.test", "u:p@evil.test", "u%3Ap%40evil.test",
        ".evil.test",
        "%2Eevil.test", ":8080", "%3A8080", ":8080@evil.test", "%3A80%40evil.test", "evil.test%23", "evil.test%3F",
        "?next=//evil.test",
        "&next=//evil.test", "&x=2", "#@evil.test", "%23@evil.test", "%26admin=1", ";admin=1", "%3Badmin=1", "+", "%2B",
        "%20", "..", "../..", "%2e%2e",
        ".%2e", "..%2f..%2f", "..%5c..%5c", "..;", "..%3B%2F", "..%252f", "%252e%252e", ".", "%2e", "...",
        "javascript:alert(1)",
        "JavaScript:alert(1)", "javascript%3Aalert(1)", "java%0Ascript:alert(1)", "java%09script:alert(1)",
        "%01javascript:alert(1)",
        "javascript&colon;alert(1)", "data:text/html,%3Cscript%3E", "data:text/html;base64,PHNjcmlwdD4=", "vbscript:x",
        "file:///etc/passwd",
        "intent:%23Intent;scheme=https;S.browser_fallback_url=https:%2F%2Fevil.test;end", "intent://x", "blob:x", "{x}",
        "%7Bx%7D", "${x}", "%25%7Bx%7D",
        "%", "%z", "%zz", "%u0041", "%C0%AE%C0%AE", "%C0%AF", "%ED%A0%80", "%FF", "%F0%9F%92%A9", "é", "ｊavascript:x",
        "%EF%BC%8Fevil.test", "%E2%81%84evil.test",
        "%EF%BC%A0evil.test", "evil%E3%80%82test", "xn--e1awd7f", "[::1]", "%5B::1%5D", "127.0.0.1", "'", "%27", "\"",
        "%22", "<b>", "%3Cb%3E", "`", "|", "^",
        "*", "a=b=c", "%3D", "=", "", "%E0%A4%A", "a%2Fb%2Fc", "CON", "www.acme.test%2F@evil.test",
        String(repeating: "a", count: 4_000),
        String(repeating: "%2F", count: 1_300), String(repeating: "/", count: 3_000),
        String(repeating: "a", count: 8_300),
    ]

    private static let links = captures.flatMap { text in
        ["p", "i", "r", "s", "t", "f", "g", "own"].map { "/\($0)/\(text)" }
            + [
                "/q?x=\(text)", "/n?next=\(text)&url=\(text)", "/n?x=\(text)", "/f/a?\(text)",
                "/f/a?next=\(text)#\(text)",
                "/other?u=\(text)#\(text)", "/d#/\(text)", "/\(text)", text,
            ]
    }

    private static let heads = [
        "https://go.acme.test", "https://www.acme.test", "https://go.acme.test", "http://www.acme.test", "acme:/",
        "https://go.acme.test", "acmeopen://open", "https://x.acme.link", "https://go.acme.test",
    ]

    private static let callers = [
        #"{"platform": "ios"}"#, #"{"platform": "android", "installed": false}"#,
        #"{"platform": "ios", "installed": false}"#,
        #"{"platform": "windows"}"#, "{}",
    ]

    /// Objections to any URL of an answer. A custom-scheme link whose URI is the link itself comes from the caller.
    private func objections(to destination: JSONNode?, of link: String?) -> [String] {
        guard let destination else { return [] }
        let uri = destination["uri"]?.text
        return [
            destination["web"]?.text.flatMap(Self.oracle.objection(toPage:)),
            uri == link ? nil : uri.flatMap(Self.oracle.objection(toURI:)),
            destination["store"]?.text.flatMap(Self.oracle.objection(toStore:)),
        ].compactMap(\.self)
    }

    @Test func noCaptureLeadsElsewhere() async throws {
        try await withService { service in
            try await service.load(Self.tenant)
            // Each text occurs in 17 links and there are nine heads, so in total every place is combined with every
            // head.
            let batches = stride(from: 0, to: Self.links.count, by: 30).map { start in
                Self.links[start..<min(start + 30, Self.links.count)].enumerated().map { index, link in
                    Self.heads[(start + index) % Self.heads.count] + link
                }
            }
            for (number, links) in batches.enumerated() {
                let list = JSONNode.array(links.map(JSONNode.string)).json()
                let caller = Self.callers[number % Self.callers.count]
                let answer = try await service.resolve(#"{"links": \#(list), "context": \#(caller)}"#)
                #expect(answer.status == 200, "\(answer.text.prefix(400))")
                let results = answer.json?["results"]?.elements ?? []
                #expect(results.count == links.count)
                for (link, result) in zip(links, results) {
                    let found = objections(to: result["destination"], of: link)
                    #expect(found.isEmpty, "\(link): \(found)")
                    // The route's data is passed on unchanged, without captures.
                    let data = result["destination"]?["data"].flatMap { $0 == .null ? nil : $0.json() }
                    #expect(data == nil || data == #"{"next":"{x}","script":"javascript:alert(1)"}"#)
                }
            }
        }
    }

    private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"
    private static let redirectHeaders: Set = [
        "location", "cache-control", "content-length", "date", "referrer-policy", "x-request-id",
        "x-content-type-options",
    ]
    private static let pageHeaders: Set = [
        "content-type", "content-length", "cache-control", "content-security-policy", "referrer-policy", "x-request-id",
        "x-content-type-options", "date",
    ]

    /// A click redirects only to a page or a store; every other answer shows no part of the link.
    @Test func noClickLeadsElsewhere() async throws {
        try await withService { service in
            try await service.load(Self.tenant)
            for (number, path) in Self.links.enumerated() where number % 3 == 0 {
                let agent = number % 2 == 0 ? Self.iPhone : "curl/8"
                let headers: HTTPFields = [.userAgent: agent]
                let answer = try await service.publicPort(.get, path, host: "go.acme.test", headers: headers)
                let names = Set(answer.headers.map(\.name.canonicalName))
                #expect(
                    answer.headers.allSatisfy { $0.value.utf8.allSatisfy { (0x20..<0x7F).contains($0) } },
                    "\(path)"
                )
                switch answer.status {
                case 302:
                    let location = answer["Location"] ?? ""
                    let objection =
                        location.hasPrefix("https://apps.apple.com/")
                        ? Self.oracle.objection(toStore: location) : Self.oracle.objection(toPage: location)
                    #expect(objection == nil, "\(path): \(objection ?? "")")
                    #expect(names == Self.redirectHeaders && answer.body.isEmpty, "\(path): \(names)")
                case 400 where answer.json != nil, 404 where answer.json != nil, 414:
                    #expect(answer["Content-Type"] == "application/problem+json", "\(path)")
                    #expect(!answer.text.contains("evil"), "\(path): \(answer.text)")
                case 400, 403, 404:
                    #expect(names == Self.pageHeaders, "\(path): \(names)")
                    #expect(!answer.text.contains("evil"), "\(path): \(answer.text)")
                default: Issue.record("\(path): \(answer.status)")
                }
            }
        }
    }

    private struct Case {
        let link: String
        var web: String?
        var uri: String?
        var store: String?
        var outcome = "matched"
    }

    private static let appStore = "https://apps.apple.com/app/id123456789"

    private static let cases = [
        Case(
            link: "https://go.acme.test/p/%2F%2Fevil.test",
            web: "https://www.acme.test/%2F%2Fevil.test",
            uri: "acme://%2F%2Fevil.test"
        ),
        Case(link: "https://go.acme.test/p/@evil.test", web: "https://www.acme.test/@evil.test"),
        Case(link: "https://go.acme.test/p/:8080", web: "https://www.acme.test/:8080"),
        Case(link: "https://go.acme.test/p/..;a=b", web: "https://www.acme.test/..%3Ba=b", uri: "acme://..%3Ba%3Db"),
        Case(link: "https://go.acme.test/p/%0d%0a", outcome: "rejected"),
        Case(link: "https://go.acme.test/p/%2e%2e", outcome: "rejected"),
        Case(link: "https://go.acme.test/p/%C0%AE", outcome: "rejected"),
        Case(link: "https://go.acme.test/p/\\evil.test", outcome: "rejected"),
        Case(link: "https://go.acme.test@evil.test/p/x", outcome: "rejected"),
        Case(link: "https://go.acme.test:0443/p/x", outcome: "rejected"),
        Case(link: "https://go.acme.test:65979/p/x", outcome: "rejected"),
        Case(link: "https://go.acme.test:8443/p/x", outcome: "unmatched"),
        Case(link: "https://go.acme.test.evil.test/p/x", outcome: "unmatched"),
        Case(link: "https://go.аcme.test/p/x", outcome: "unmatched"),
        Case(link: "javascript:alert(1)", outcome: "unmatched"),
        Case(link: "intent://go.acme.test/p/x#Intent;scheme=https;end", outcome: "unmatched"),
        Case(
            link: "https://go.acme.test/r//evil.test",
            web: "https://www.acme.test//evil.test",
            uri: "acme:/evil.test"
        ),
        Case(link: "https://go.acme.test/r///evil.test", web: "https://www.acme.test///evil.test"),
        Case(link: "https://go.acme.test/s//evil.test", web: "https://www.acme.test?/evil.test"),
        Case(link: "https://go.acme.test/s/a%26b;c", web: "https://www.acme.test?a%26b%3Bc", uri: "acme:/a&b%3Bc"),
        Case(link: "https://go.acme.test/t/%23evil", web: "https://www.acme.test#%23evil", uri: "acme://%23evil"),
        Case(
            link: "https://go.acme.test/q?x=%0d%0aa",
            web: "https://www.acme.test/home?x=%0d%0aa",
            uri: "acme://q?x=%0d%0aa",
            outcome: "fallback"
        ),
        Case(
            link: "https://go.acme.test/q?x=%26b=c%23d'",
            web: "https://www.acme.test/&b=c%23d'?x=%26b%3Dc%23d%27#&b=c%23d'",
            uri: "acme://h/&b=c%23d'?x=%26b%3Dc%23d%27#&b=c%23d'",
            store: appStore + "?ct=%26b%3Dc%23d%27&mt=8"
        ),
        Case(
            link: "https://go.acme.test/q?x=..",
            web: "https://www.acme.test/home?x=..",
            store: appStore + "?ct=..&mt=8"
        ),
        Case(
            link: "https://go.acme.test/n?next=//evil.test&x=2&url=https://evil.test&z=3#f",
            web: "https://pages.test/n?x=1&next=//evil.test&url=https://evil.test",
            uri: "acme://n?next=//evil.test&x=2&url=https://evil.test"
        ),
        Case(link: "https://go.acme.test/g/x?next=//evil.test", web: "https://pages.test/g"),
        Case(link: "https://evil.acme.link/h", web: "https://www.acme.test/evil", uri: "acme://evil"),
        Case(
            link: "http://www.acme.test/own/x?q=1#f",
            web: "https://www.acme.test/own/x?q=1#f",
            uri: "acme://own/x?q=1#f"
        ),
    ]

    @Test func answerIsExactlyThis() async throws {
        try await withService { service in
            try await service.load(Self.tenant)
            for one in Self.cases {
                let message = JSONNode.object([
                    "url": .string(one.link), "context": .object(["platform": .string("ios")]),
                ])
                let answer = try await service.resolve(message.json()).json
                #expect(answer?["outcome"]?.text == one.outcome, "\(one.link)")
                #expect(answer?["destination"]?["web"]?.text == one.web, "\(one.link)")
                #expect(answer?["destination"]?["uri"]?.text == one.uri, "\(one.link)")
                #expect(answer?["destination"]?["store"]?.text == one.store, "\(one.link)")
            }
        }
    }

    /// Headers contain only ASCII, whatever is forwarded. The answer of `POST /resolve` keeps the bytes.
    @Test func forwardedBytesAreEscapedInAHeader() async throws {
        try await withService { service in
            try await service.load(Self.tenant)
            let click = try await service.publicPort(.get, "/f/a?q=%C3%A9|[%zz]&%0d%0a", host: "go.acme.test")
            #expect(click["Location"] == "https://www.acme.test/f?q=%C3%A9%7C%5B%zz%5D&%0d%0a")
            let answer = try await service.resolve(#"{"url": "https://go.acme.test/f/a?q=é|[%zz]"}"#)
            #expect(answer.json?["destination"]?["web"]?.text == "https://www.acme.test/f?q=é|[%zz]")
        }
    }

    private static let ownPages: [(link: String, page: String?)] = [
        ("https://www.site.test/x?q#f", "https://www.site.test/x?q#f"),
        ("http://www.site.test/x", "https://www.site.test/x"),
        ("http://www.site.test:80/x", "https://www.site.test/x"),
        ("HTTPS://WWW.SITE.TEST.:443/x", "https://www.site.test/x"),
        ("https://%77ww。site.test/x", "https://www.site.test/x"),
        ("https://bücher.test/ü", "https://xn--bcher-kva.test/ü"),
        ("https://a.sub.test/x", "https://a.sub.test/x"), ("https://ü.sub.test/x", nil),
        ("https://elsewhere.test/x", nil),
    ]

    /// A link of the website leads to its own page only if that page is allowed, and in canonical form.
    @Test func ownPageIsCanonicalAndAllowed() async throws {
        try await withService { service in
            try await service.load(
                """
                formatVersion: 1
                tenant: site
                settings:
                  domains:
                    - {host: www.site.test, serves: association}
                    - {host: bücher.test, serves: association}
                    - {host: "*.sub.test", serves: association}
                    - {host: elsewhere.test, serves: association}
                  schemes: [site]
                  destinations: {hosts: [www.site.test, bücher.test, "*.sub.test"]}
                table:
                  routes: [{id: a, path: "/{x...}", open: {screen: S}}]
                """
            )
            for (link, page) in Self.ownPages {
                let answer = try await service.resolve(JSONNode.object(["url": .string(link)]).json()).json
                #expect(answer?["outcome"]?.text == "matched", "\(link)")
                #expect(answer?["destination"]?["web"]?.text == page, "\(link)")
            }
        }
    }
}
