import Foundation
import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

@testable import Console

/// The pages of the admin port, as a browser asks for them.
@Suite(.timeLimit(.minutes(15)))
struct ConsoleTests {
    private static let fetchSite = HTTPField.Name.constant("Sec-Fetch-Site")

    @Test func aKeySignsIn() async throws {
        try await withConsole { browser, session in
            let first = try await browser.get("/console/acme/try?link=%2Fx&platform=ios")
            #expect(first.status == 303)
            #expect(first["Location"] == "/console/sign-in?next=/console/acme/try%3Flink%3D%252Fx%26platform%3Dios")
            let form = try await browser.get(first["Location"] ?? "")
            #expect(
                form.text.contains(#"name="next" value="/console/acme/try?link=%2Fx&amp;platform=ios""#),
                "\(form.text)"
            )
            let signed = try await browser.signIn(session.key, next: "/console/acme/try?link=%2Fx&platform=ios")
            #expect(signed.status == 303 && signed["Location"] == "/console/acme/try?link=%2Fx&platform=ios")
            let cookie = try #require(signed["Set-Cookie"])
            #expect(
                cookie.hasPrefix("fingerpost=") && cookie.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax")
            )
            #expect(!cookie.contains(session.key))
            let page = try await browser.get("/console/acme/try")
            #expect(page.status == 200 && page.text.contains("<h1>Try a link</h1>"), "\(page.text)")
            #expect(page["Cache-Control"] == "no-store" && page["Referrer-Policy"] == "same-origin")
            #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            let tenants = try await browser.get("/console")
            #expect(tenants.text.contains(#"<a href="/console/acme/try">acme</a>"#), "\(tenants.text)")
            // The cookie opens nothing else.
            let api = try await browser.get("/admin/v1/tenants")
            #expect(api.status == 401)
        }
    }

    @Test func aWrongKeyDoesNotSignIn() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.authentication = RateLimit(perSecond: 1, burst: 3)
        try await withConsole(admitting: policy) { browser, _ in
            for attempt in 0..<5 {
                let answer = try await browser.signIn("fp_production_nonsense")
                #expect(answer.status == (attempt < 3 ? 401 : 429), "\(attempt): \(answer.text)")
                #expect(answer.text.contains(#"role="alert""#) && answer["Set-Cookie"] == nil)
            }
        }
    }

    @Test func aSessionEndsWithItsKey() async throws {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            #expect(try await browser.get("/console/acme/try").status == 200)
            #expect(try await session.delete("/keys/\(session.id)").status == 200)
            #expect(try await browser.get("/console/acme/try")["Location"]?.hasPrefix("/console/sign-in?next=") == true)
        }
    }

    @Test(arguments: [(11 * 3_600, 200), (12 * 3_600 + 1, 303)]) func anUnusedSessionEnds(seconds: Int64, status: Int)
        async throws
    {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            session.service.clock.advance(seconds: seconds)
            #expect(try await browser.get("/console/acme/try").status == status)
        }
    }

    @Test func aUsedSessionLastsThirtyDays() async throws {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            for _ in 0..<71 {
                session.service.clock.advance(seconds: 10 * 3_600)
                #expect(try await browser.get("/console/acme/try").status == 200)
            }
            session.service.clock.advance(seconds: 10 * 3_600 + 1)
            #expect(try await browser.get("/console/acme/try").status == 303)
        }
    }

    @Test func aLinkSignsInOnce() async throws {
        try await withConsole { browser, session in
            let made = try await session.service.adminPort(.post, "/console/links", key: session.key)
            let path = try #require(made.json?["path"]?.text)
            #expect(made.status == 201 && made.json?["url"] == .null)
            let token = String(path.drop { $0 != "=" }.dropFirst())
            for _ in 0..<2 {
                let page = try await browser.get(path)
                #expect(page.status == 200 && page["Referrer-Policy"] == "no-referrer" && page["Set-Cookie"] == nil)
                #expect(page.text.contains(#"name="token" value="\#(token)""#))
            }
            // The token is not one of a session.
            let asSession = try await session.service.adminPort(
                .get,
                "/console",
                key: nil,
                headers: [.cookie: "fingerpost=\(token)"]
            )
            #expect(asSession.status == 303)
            // A page without referrer has no origin either.
            let opened = try await browser.post(
                "/console/open",
                ["token": token],
                headers: [.origin: "null", Self.fetchSite: "same-origin"]
            )
            #expect(opened["Location"] == "/console")
            #expect(try await browser.get("/console/acme/try").status == 200)
            let again = try await ConsoleBrowser(session.service).post("/console/open", ["token": token])
            #expect(again.status == 403 && again.text.contains("has been used"), "\(again.text)")
            let late = try await session.service.adminPort(.post, "/console/links", key: session.key)
            let lateToken = try #require(late.json?["path"]?.text).drop { $0 != "=" }.dropFirst()
            session.service.clock.advance(seconds: 301)
            #expect(try await browser.post("/console/open", ["token": String(lateToken)]).status == 403)
            #expect(try await session.service.adminPort(.post, "/console/links", key: nil).status == 401)
            #expect(try await session.service.adminPort(.post, "/console/links", key: "fp_x").status == 401)
        }
    }

    @Test func formsOfOtherSitesAreRefused() async throws {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            let token = try await browser.formToken()
            #expect(token.count == 64)
            for (fields, headers) in [
                ([:], [:]), (["formToken": String(repeating: "0", count: 64)], [:]),
                (["formToken": token], [.origin: "https://evil.example"]),
                (["formToken": token], [.origin: "null"]),
                (["formToken": token], [Self.fetchSite: "cross-site"]),
                (["formToken": token], [Self.fetchSite: "same-site"]),
            ] as [([String: String], HTTPFields)] {
                let answer = try await browser.post("/console/sign-out", fields, headers: headers)
                #expect(answer.status == 403, "\(fields) \(headers)")
            }
            #expect(try await browser.get("/console/acme/try").status == 200)
            let out = try await browser.post(
                "/console/sign-out",
                ["formToken": token],
                headers: [.origin: "http://localhost"]
            )
            #expect(out.status == 303 && out["Location"] == "/console/sign-in")
            #expect(try await browser.get("/console/acme/try").status == 303)
        }
    }

    /// A link of a stranger asks, and neither replaces what is stored nor chooses rights.
    @Test(arguments: [
        ("setup/settings?text=STRANGE&version=STRANGE", "STRANGE"), ("setup/brand?text=STRANGE", "STRANGE"),
        ("routes/edit/item?text=STRANGE&version=STRANGE", "STRANGE"), ("routes/new?text=STRANGE", "STRANGE"),
        ("routes/publish?message=STRANGE&reason=STRANGE", "STRANGE"),
        ("setup/keys/new?name=ci&scope.admin=yes&scope.keys=yes", " checked"),
        ("setup/keys?revoked=STRANGE", "STRANGE"),
    ])
    func aLinkFillsNoStoredField(place: String, text: String) async throws {
        try await withConsole { browser, session in
            let change = #"{"path": "/item/{id:int}", "open": {"screen": "Other"}}"#
            #expect(try await session.send(.put, "draft/routes/item", change).status == 200)
            _ = try await browser.signIn(session.key)
            let page = try await browser.get("/console/acme/\(place)")
            #expect(page.status == 200 && !page.text.contains(text), "\(page.text)")
        }
    }

    /// What a person has typed outlives the session.
    @Test func aFormOfAnEndedSessionIsSentAgain() async throws {
        try await withConsole { browser, session in
            let text = "id: item\npath: /item/{id:int}\nopen: {screen: \"A & B\"}\n"
            let fields = ["act": "save", "text": text, "formToken": "of an ended session"]
            _ = try await browser.signIn(session.key)
            session.service.clock.advance(seconds: 12 * 3_600 + 1)
            let large = try await browser.post(
                "/console/acme/routes/edit/item",
                ["act": "save", "text": String(repeating: "a", count: 100_000)]
            )
            #expect(large.status == 401 && large.text.contains("too large to be kept"))
            let asked = try await browser.post("/console/acme/routes/edit/item", fields)
            #expect(asked.status == 401 && asked.text.contains(#"name="next" value="/console/acme/routes/edit/item""#))
            let sent = "act=save&text=\(text.percentEncoded)"
            #expect(
                asked.text.contains(#"name="sent" value="act=save&amp;text="#)
                    && !asked.text.contains("ended%20session")
            )
            let wrong = try await browser.post("/console/sign-in", ["key": "fp_x", "next": "/console", "sent": sent])
            #expect(wrong.status == 401 && wrong.text.contains(#"name="sent" value="act=save"#))
            let signed = try await browser.post(
                "/console/sign-in",
                ["key": session.key, "next": "/console/acme/routes/edit/item", "sent": sent]
            )
            #expect(signed.status == 200 && signed["Set-Cookie"] != nil)
            #expect(
                signed.text.contains(#"action="/console/acme/routes/edit/item""#) && signed.text.contains("A &amp; B")
            )
            #expect(try await session.get("draft/routes/item").json?["open"]?["screen"]?.text == "Item")
            let token = try await browser.formToken()
            let again = try await browser.post(
                "/console/acme/routes/edit/item",
                ["act": "save", "text": text, "formToken": token]
            )
            #expect(again.status == 303)
            #expect(try await session.get("draft/routes/item").json?["open"]?["screen"]?.text == "A & B")
        }
    }

    @Test(arguments: [
        "//evil.example", "https://evil.example/console", "/console\\evil", "/consoleevil", "/console/\r\nX: y",
        "/admin/v1",
    ])
    func signingInLeadsToTheConsoleOnly(next: String) async throws {
        try await withConsole { browser, session in
            let answer = try await browser.signIn(session.key, next: next)
            #expect(answer["Location"] == "/console")
        }
    }

    @Test func onlyTheConsolesHostIsAnswered() async throws {
        try await withService { service in
            let console = Console(service.dependencies, address: ConsoleAddress("https://links.acme.test/")) {
                Data(count: $0)
            }
            for (host, address, status) in [
                ("localhost", nil, 200), ("127.0.0.1:8081", nil, 200), ("[::1]:8081", nil, 200),
                ("evil.example", nil, 403),
                ("links.acme.test", console, 200), ("Links.acme.test", console, 200), ("localhost", console, 403),
                ("links.acme.test:444", console, 403),
            ] as [(String, Console?, Int)] {
                let port = buildAdminApplication(
                    service.dependencies,
                    at: ListenAddress(host: "127.0.0.1", port: 0),
                    addPages: {
                        (address ?? Console(service.dependencies, address: nil) { Data(count: $0) }).addRoutes(to: $0)
                    }
                ) { _ in }
                let answer = try await service.send(.get, "/console/sign-in", host, [:], "", to: port)
                #expect(answer.status == status, "\(host)")
            }
        }
        for text in [
            "http://a.example", "https://a.example/x", "https://", "https://a.example?b", "https://u@a.example", "",
        ] {
            #expect(ConsoleAddress(text) == nil, "\(text)")
        }
    }

    @Test func aLinkIsTried() async throws {
        try await withConsole(scopes: [.tablesRead]) { browser, session in
            _ = try await browser.signIn(session.key)
            let link = "https%3A%2F%2Fgo.acme.test%2Fitem%2F7"
            let page = try await browser.get("/console/acme/try?link=\(link)&platform=android&table=1").text
            for text in [
                #"value="https://go.acme.test/item/7""#, #"<option selected>android</option>"#,
                #"<span class="state matched">matched</span> <a href="/console/acme/routes/edit/item"><code>item</code></a>"#,
                "Screen <code>Item</code>",
                #"<span class="parameter">id</span> = 7"#, #"<li class="match">"#,
                #"<span class="parameter">{id:int}</span>"#, "<dt>iPhone</dt>", "<dt>Android</dt>", "<dt>iOS</dt>",
                "xcrun simctl openurl booted &#39;https://go.acme.test/item/7&#39;",
            ] {
                #expect(page.contains(text), "\(text) is missing in \(page)")
            }
            let miss = try await browser.get("/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2Fitem%2Fx").text
            #expect(miss.contains(#"<span class="failing">x</span>"#), "\(miss)")
            #expect(
                miss.contains("segment 2 {id}: &#39;x&#39;, expected int")
                    || miss.contains("segment 2 {id}: 'x', expected int")
            )
            let broken = try await browser.get("/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2F&table=nonsense")
            #expect(broken.text.contains("write live, draft, or the number of a revision"), "\(broken.text)")
            #expect(broken.text.contains(#"value="nonsense""#))
            let none = try await browser.get("/console/nobody/try?link=x")
            #expect(none.text.contains("nobody"))
        }
    }

    @Test func aMissingRightIsNamed() async throws {
        try await withConsole(scopes: [.exportsRead]) { browser, session in
            _ = try await browser.signIn(session.key)
            let page = try await browser.get("/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2F").text
            #expect(page.contains("tables:read"), "\(page)")
        }
        try await withConsole(scopes: [.tablesRead]) { browser, session in
            _ = try await browser.signIn(session.key)
            for (place, scopes) in [
                ("routes/new", "tables:write"), ("routes/publish", "tables:write and publish"), ("try", nil),
            ] as [(String, String?)] {
                let page = try await browser.get("/console/acme/\(place)").text
                #expect(page.contains("a key needs the scope") == (scopes != nil), "\(place): \(page)")
                if let scopes { #expect(page.contains("the scope \(scopes):"), "\(place): \(page)") }
            }
        }
    }

    @Test func aDraftShowsTheLinksThatItsAssociationFilesMove() async throws {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            let page = #"{"path": "/item/{id:int}", "owner": "shop", "web": "https://www.acme.test/{id}"}"#
            #expect(try await session.send(.put, "draft/routes/item", page).status == 200)
            let shown = try await browser.get("/console/acme/routes/publish?association=yes").text
            #expect(shown.contains("now app, then browser") && shown.contains("https://go.acme.test/item/"), "\(shown)")
            let first = try await browser.get("/")
            #expect(first.status == 303 && first["Location"] == "/console")
        }
    }

    @Test func hostileTextsStayTexts() async throws {
        try await withConsole { browser, session in
            _ = try await browser.signIn(session.key)
            let hostile = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E%7B%7B%7Bx%7D%7D%7D%00%ff%F0%9F"
            for query in [
                "link=\(hostile)", "link=https%3A%2F%2Fgo.acme.test%2F\(hostile)",
                "link=x&app=\(hostile)&version=\(hostile)",
                "link=x&table=\(hostile)", "link=x&language=\(hostile)&platform=\(hostile)", "link=x&link=y&&=&%zz",
            ] {
                let page = try await browser.get("/console/acme/try?\(query)")
                #expect(page.status == 200 && !page.text.contains("<script>alert"), "\(query): \(page.status)")
            }
            for path in [
                "/console/\(hostile)/try?link=x", "/console/open?token=\(hostile)", "/console/sign-in?next=\(hostile)",
            ] {
                #expect(try await !browser.get(path).text.contains("<script>alert"))
            }
            let large = String(repeating: "a", count: 270_000)
            #expect(try await browser.signIn(large).status == 413)
        }
    }

    @Test func filesOfPagesAreKept() async throws {
        try await withConsole { browser, _ in
            for (name, type) in [("css", "text/css"), ("js", "text/javascript")] {
                let file = try await browser.get("/console/console.\(name)")
                #expect(file.status == 200 && file["Content-Type"]?.hasPrefix(type) == true && !file.body.isEmpty)
                #expect(file["Cache-Control"]?.contains("immutable") == true)
            }
        }
    }
}
