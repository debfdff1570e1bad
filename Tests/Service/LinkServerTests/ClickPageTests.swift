import HTTPTypes
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// The pages of links that lead nowhere: locked down by CSP, and without any part of the link.
@Suite(.timeLimit(.minutes(15)))
struct ClickPageTests {
    private func service(blocking reason: String, _ body: (TestService) async throws -> Void) async throws {
        try await withService { service in
            let route = JSONNode.object(["id": .string("b"), "path": .string("/b/{x}"), "block": .string(reason)])
            try await service.load(
                """
                {"formatVersion": 1, "tenant": "acme", "settings": {"domains": ["go.acme.test"]},
                 "table": {"routes": [\(route.json())]}}
                """
            )
            try await body(service)
        }
    }

    private func expectLocked(_ answer: TestResponse) {
        #expect(answer["Content-Type"] == "text/html; charset=utf-8")
        let policy = answer["Content-Security-Policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.hasSuffix("; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer["Referrer-Policy"] == "no-referrer")
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer["Location"] == nil)
    }

    @Test(arguments: [
        ("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"),
        ("\"onload=\"x", "&quot;onload=&quot;x"),
        ("</p></html><svg/onload=x>", "&lt;/p&gt;&lt;/html&gt;&lt;svg/onload=x&gt;"),
        ("&lt;b&gt; &#39;", "&amp;lt;b&amp;gt; &amp;#39;"), ("{{7*7}} ${x} {x}", "{{7*7}} ${x} {x}"), ("日本 é", "日本 é"),
        ("\u{1}\r\nX: y", "\u{1}\r\nX: y"),
        // A browser sees these brackets and quotes, although Unicode joins them with neighbouring characters.
        (
            "\u{600}<meta http-equiv=refresh content=0;url=https://evil.example/ \u{600}>",
            "\u{600}&lt;meta http-equiv=refresh content=0;url=https://evil.example/ \u{600}&gt;"
        ),
        ("<\u{301}a href='\u{200D}x'\u{FE0F}>", "&lt;\u{301}a href=&#39;\u{200D}x&#39;\u{FE0F}&gt;"),
    ])
    func blockedLinkShowsItsReasonAsPlainText(reason: String, shown: String) async throws {
        try await service(blocking: reason) { service in
            let answer = try await service.publicPort(.get, "/b/secret?token=secret", host: "go.acme.test")
            #expect(answer.status == 403)
            expectLocked(answer)
            #expect(answer.text.contains("<title>This link is blocked · go.acme.test</title>"))
            #expect(answer.text.contains("<h1>This link is blocked</h1><p dir=\"auto\">\(shown)</p>"), "\(answer.text)")
            let resolved = try await service.resolve(#"{"url": "https://go.acme.test/b/x"}"#)
            #expect(resolved["Content-Type"] == "application/json" && resolved["X-Content-Type-Options"] == "nosniff")
            #expect(resolved.json?["reason"]?["message"]?.text == reason)
            #expect(resolved.json?["destination"] == .null || resolved.json?["destination"] == nil)
        }
    }

    /// Every reason for rejecting a link, and links without a destination.
    @Test func noPageShowsAnythingOfTheLink() async throws {
        try await service(blocking: "no") { service in
            for path in [
                "/mark<er>", "/mark\"er", "/mark'er", "/marker%00", "/marker%0d%0a", "/marker/../x", "/marker/%2e%2e",
                "/marker%", "/marker%zz",
                "/marker%c0%af", "/marker\u{1}", "/marker\\", "/marker?<marker>", "/marker#<marker>", "/b/marker",
                "/nowhere/marker",
                "/" + String(repeating: "marker", count: 2_000), "/_fp/marker", "/.well-known/marker", "marker", "*",
                "https://marker.test/",
            ] {
                let answer = try await service.publicPort(.get, path, host: "go.acme.test")
                #expect([400, 403, 404, 414].contains(answer.status), "\(path): \(answer.status)")
                #expect(!answer.text.contains("mark"), "\(path): \(answer.text)")
                #expect(
                    answer["X-Content-Type-Options"] == "nosniff" && answer["Cache-Control"] == "no-store",
                    "\(path)"
                )
                if answer["Content-Type"]?.hasPrefix("text/html") == true { expectLocked(answer) }
            }
        }
    }

    private static let browser: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]

    /// A problem of a request that a browser sends is a page too, with the status and fields of the problem.
    @Test func browsersGetAPageForEveryProblem() async throws {
        try await service(blocking: "no") { service in
            for (path, host, status, title) in [
                ("/x", "nobody.test", 404, "Page not found. Please check the link."),
                ("/_fp/x", "go.acme.test", 404, "Page not found. Please check the link. · go.acme.test"),
                (
                    "/.well-known/apple-app-site-association", "nobody.test", 404,
                    "Page not found. Please check the link."
                ),
                ("/x", "<b>", 404, "Page not found. Please check the link."),
            ] {
                let answer = try await service.publicPort(.get, path, host: host, headers: Self.browser)
                #expect(answer.status == status)
                expectLocked(answer)
                #expect(answer.text.contains("<title>\(title)</title>"), "\(answer.text)")
                #expect(answer.text.contains("<p class=\"quiet\">Request \(answer["X-Request-ID"] ?? "none")</p>"))
            }
            for accept in [nil, "*/*", "application/json", "text/html;q=0, */*"] {
                let fields: HTTPFields = accept.map { [.accept: $0] } ?? [:]
                let answer = try await service.publicPort(.get, "/x", host: "nobody.test", headers: fields)
                #expect(answer["Content-Type"] == "application/problem+json")
            }
            let post = try await service.publicPort(.post, "/resolve", host: "x.test", headers: Self.browser)
            #expect(post["Content-Type"] == "application/problem+json")
        }
    }

    @Test func browsersGetAPageIfTheLogFails() async throws {
        try await withService(failing: { _ in .full }) { service in
            try await service.load(
                """
                {"formatVersion": 1, "tenant": "acme",
                 "settings": {"domains": ["go.acme.test"], "whenLogFails": "refuse"},
                 "table": {"routes": [{"id": "a", "path": "/a", "block": "x"}]}}
                """
            )
            let answer = try await service.publicPort(.get, "/a", host: "go.acme.test", headers: Self.browser)
            #expect(answer.status == 503 && answer["Retry-After"] == "1")
            expectLocked(answer)
            #expect(answer.text.contains("<h1>Temporarily unavailable. Please try again in a few seconds.</h1>"))
        }
    }

    @Test func headOfAPageHasTheSameHeaders() async throws {
        try await service(blocking: "no") { service in
            for path in ["/b/x", "/nowhere", "/%00"] {
                expectLocked(try await service.publicPort(.head, path, host: "go.acme.test"))
            }
        }
    }
}
