import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// Short links on the admin port.
@Suite(.timeLimit(.minutes(15)))
struct ShortLinkAdminTests {
    private static let table = """
        defaults: {fallback: {web: "https://www.acme.test/"}}
        routes:
          - {id: home, path: /, open: {screen: Home}}
          - {id: go, path: "/s/{code...}", follow: shortLinks}
          - {id: item, owner: shop, path: "/item/{id:int}", open: {screen: Item}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
        """
    private static let lines: HTTPFields = [.contentType: "application/x-ndjson"]

    private func acme(_ service: TestService) async throws -> AdminSession {
        let session = try await AdminSession.acme(service)
        #expect(try await session.put("draft", yaml: Self.table).status == 200)
        #expect(try await session.post("draft/publish").status == 201)
        return session
    }

    private func audit(_ session: AdminSession) async throws -> [String] {
        let rows = try await session.get("/audit?tenant=acme").json?["audit"]?.elements ?? []
        return rows.compactMap { $0["action"]?.text }.filter { $0.contains("short_link") }
    }

    // MARK: One link

    @Test func linkIsCreatedReadEditedAndEnded() async throws {
        try await withService { service in
            let session = try await acme(service)
            let body =
                #"{"code":"spring","target":"https://go.acme.test/item/7","tags":["mail"],"utm":{"source":"mail"}}"#
            let created = try await session.post("short-links", body)
            #expect(created.status == 201 && created["ETag"] == "\"1\"", "\(created.text)")
            #expect(created.json?["url"]?.text == "https://go.acme.test/s/spring")
            #expect(created.json?["createdBy"]?["name"]?.text == "test")

            let shown = try await session.get("short-links/spring")
            #expect(shown.status == 200 && shown.json?["clicks"]?["total"]?.int == 0, "\(shown.text)")
            #expect(shown.json?["clicks"]?["days"]?.elements?.count == 30)

            let edit = #"{"target":"https://go.acme.test/item/8"}"#
            let stale = try await session.send(.put, "short-links/spring", edit, headers: [.ifMatch: "\"9\""])
            #expect(stale.status == 412 && stale.code == "stale", "\(stale.text)")
            let edited = try await session.send(.put, "short-links/spring", edit, headers: [.ifMatch: "\"1\""])
            #expect(edited.status == 200 && edited["ETag"] == "\"2\"", "\(edited.text)")
            #expect(edited.json?["target"]?.text == "https://go.acme.test/item/8" && edited.json?["tags"] == nil)

            for (path, status) in [("archive", "archived"), ("restore", "active")] {
                let changed = try await session.post("short-links/spring/\(path)")
                #expect(changed.status == 200 && changed.json?["status"]?.text == status, "\(changed.text)")
                // Doing it again changes nothing.
                let again = try await session.post("short-links/spring/\(path)")
                #expect(again["ETag"] == changed["ETag"])
            }
            #expect(try await audit(session).isEmpty)
            let reason = #"{"reason":"Reported."}"#
            let late = try await session.send(
                .post,
                "short-links/spring/block",
                reason,
                headers: [.ifMatch: "\"1\""]
            )
            #expect(late.status == 412, "\(late.text)")
            #expect(try await session.post("short-links/none/block", reason).status == 404)
            #expect(try await audit(session).isEmpty)
            let blocked = try await session.post("short-links/spring/block", reason)
            #expect(blocked.json?["status"]?.text == "blocked" && blocked.json?["blockReason"]?.text == "Reported.")
            #expect(try await session.post("short-links/spring/block", reason)["ETag"] == blocked["ETag"])
            #expect(try await audit(session) == ["block_short_link"])

            let changes = try await session.get("short-links/spring/history").json?["changes"]?.elements ?? []
            #expect(changes.compactMap { $0["version"]?.int } == [5, 4, 3, 2, 1])

            // Archiving and restoring keeps the block.
            for (path, status) in [("archive", "archived"), ("restore", "blocked"), ("restore", "active")] {
                let changed = try await session.post("short-links/spring/\(path)")
                #expect(changed.json?["status"]?.text == status, "\(changed.text)")
                #expect(changed.json?["blockReason"]?.text == (status == "active" ? nil : "Reported."))
            }
            #expect(changes.first?["actor"]?["name"]?.text == "test")
        }
    }

    @Test func codeIsRandomOrTakenOrReused() async throws {
        try await withService { service in
            let session = try await acme(service)
            let target = #""target":"https://go.acme.test/item/7""#
            let random = try await session.post("short-links", "{\(target)}")
            let code = try #require(random.json?["code"]?.text)
            #expect(random.status == 201 && code.utf8.count == ShortCode.randomLength)
            let taken = try await session.post("short-links", "{\"code\":\"\(code)\",\(target)}")
            #expect(taken.status == 409 && taken.code == "code_taken", "\(taken.text)")
            let reused = try await session.post("short-links", "{\(target),\"reuse\":true}")
            #expect(reused.status == 200 && reused.json?["code"]?.text == code, "\(reused.text)")
            let other = try await session.post("short-links", "{\(target),\"reuse\":true,\"utm\":{\"source\":\"x\"}}")
            #expect(other.status == 201 && other.json?["code"]?.text != code)

            let slash = try await session.post("short-links", "{\"code\":\"a/b\",\(target)}")
            #expect(slash.json?["url"]?.text == "https://go.acme.test/s/a/b", "\(slash.text)")
            #expect(try await session.get("short-links/a%2Fb").json?["code"]?.text == "a/b")
            // A code may be the name of an action.
            let export = try await session.post("short-links", "{\"code\":\"export\",\(target)}")
            #expect(export.status == 201, "\(export.text)")
            #expect(try await session.get("short-links/export").json?["code"]?.text == "export")
            for path in ["short-links/none", "short-links/%20", "short-links/none/history"] {
                let unknown = try await session.get(path)
                #expect(unknown.status == 404 && unknown.code == "unknown_short_link", "\(path): \(unknown.text)")
            }
            let edit = try await session.send(.put, "short-links/none", "{\(target)}")
            #expect(edit.status == 404 && edit.code == "unknown_short_link", "\(edit.text)")
        }
    }

    @Test(arguments: [
        #"{"target":"acme://item/7"}"#, #"{"target":"//evil.test/"}"#, #"{"target":"https://evil.test/"}"#,
        #"{"target":"https://go.acme.test/nothing"}"#, #"{"target":"https://go.acme.test/s/x"}"#, #"{}"#,
        #"{"target":"https://go.acme.test/item/7","title":7}"#, #"{"target":"https://go.acme.test/item/7","x":1}"#,
    ])
    func wrongLinkIsRefusedAndNothingIsStored(_ body: String) async throws {
        try await withService { service in
            let session = try await acme(service)
            let good = #"{"code":"good","target":"https://go.acme.test/item/7"}"#
            #expect(try await session.post("short-links", good).status == 201)
            let before = try await session.get("short-links").text
            let created = try await session.post("short-links", body)
            #expect(created.status == 422 && created.code == "invalid_short_link", "\(created.text)")
            let edited = try await session.send(.put, "short-links/good", body)
            #expect(edited.status == 422 && edited.code == "invalid_short_link", "\(edited.text)")
            #expect(try await session.get("short-links").text == before)
        }
    }

    /// Of links that end in the past, only those of other services are stored.
    @Test func endIsInTheFutureUnlessTheLinkIsOlder() async throws {
        try await withService { service in
            let session = try await acme(service)
            let members = #""target":"https://go.acme.test/item/7","expires":"2026-11-21T10:00:00Z""#
            for answer in [
                try await session.post("short-links", #"{"code":"a",\#(members)}"#),
                try await session.post("short-links", #"{"code":"a",\#(members)}"#, headers: Self.lines),
            ] {
                #expect(answer.text.contains("invalid_short_link"), "\(answer.text)")
                #expect(answer.text.contains("expires: '2026-11-21T10:00:00.000Z' is in the past"), "\(answer.text)")
            }
            let old = #"{"code":"old","createdAt":"2026-11-21T09:00:00Z",\#(members)}"#
            let imported = try await session.post("short-links", old, headers: Self.lines)
            #expect(imported.text.contains(#""status":"created""#), "\(imported.text)")
            #expect(try await session.get("short-links/old").json?["status"]?.text == "expired")

            // Its end may stay as it is, or be later.
            func edit(_ members: String) async throws -> TestResponse {
                try await session.send(.put, "short-links/old", "{\(members)}")
            }
            #expect(try await edit(members + #","title":"Old""#).json?["title"]?.text == "Old")
            let earlier = try await edit(members.replacing("T10", with: "T09"))
            #expect(earlier.status == 422 && earlier.code == "invalid_short_link", "\(earlier.text)")
            #expect(try await edit(members.replacing("2026", with: "2027")).json?["status"]?.text == "active")
            #expect(try await session.get("short-links").json?["shortLinks"]?.elements?.count == 1)
        }
    }

    @Test func repeatedRequestCreatesOneLink() async throws {
        try await withService { service in
            let session = try await acme(service)
            let headers: HTTPFields = [.init("Idempotency-Key") ?? .accept: "once"]
            let body = #"{"target":"https://go.acme.test/item/7"}"#
            let first = try await session.post("short-links", body, headers: headers)
            let second = try await session.post("short-links", body, headers: headers)
            #expect(first.status == 201 && second.json?["code"] == first.json?["code"])
            #expect(try await session.get("short-links").json?["shortLinks"]?.elements?.count == 1)
        }
    }

    @Test func archivedTenantTakesNoLinks() async throws {
        try await withService { service in
            let session = try await acme(service)
            let body = #"{"code":"spring","target":"https://go.acme.test/item/7"}"#
            #expect(try await session.post("short-links", body).status == 201)
            #expect(try await session.post("archive").status == 200)
            for answer in [
                try await session.post("short-links", body),
                try await session.post("short-links", body, headers: Self.lines),
                try await session.send(.put, "short-links/spring", #"{"target":"https://go.acme.test/item/8"}"#),
                try await session.post("short-links/spring/archive"),
            ] {
                #expect(answer.status == 409 && answer.code == "tenant_archived", "\(answer.text)")
            }
            #expect(try await session.get("short-links/spring").status == 200)
            var other = session
            other.tenant = "nobody"
            #expect(try await other.post("short-links", body).code == "unknown_tenant")
            #expect(try await other.get("short-links").code == "unknown_tenant")
        }
    }

    // MARK: Many links

    @Test func brokenLinesDoNotStopTheOthers() async throws {
        try await withService { service in
            let session = try await acme(service)
            let body = """
                {"code":"a","target":"https://go.acme.test/item/1","createdAt":"2020-01-01T00:00:00Z","archived":true}
                {"code":"b","target":"https://evil.test/"}

                {"code":"a","target":"https://go.acme.test/item/2"}
                {"code":
                {"target":"https://go.acme.test/item/9","reuse":true}
                {"code":"c","target":"https://go.acme.test/item/3"}
                """
            let answer = try await session.post("short-links", body, headers: Self.lines)
            #expect(answer.status == 200 && answer["Content-Type"] == "application/x-ndjson", "\(answer.text)")
            let results = try answer.text.split(separator: "\n").map {
                try JSONReader.parse(String($0), limits: JSONReader.Limits(maximumBytes: 1 << 16))
            }
            #expect(results.compactMap { $0["line"]?.int } == [1, 2, 4, 5, 6, 7])
            #expect(
                results.compactMap { $0["status"]?.text } == [
                    "created", "error", "error", "error", "created", "created",
                ]
            )
            #expect(
                results.map { $0["error"]?["code"]?.text } == [
                    nil, "invalid_short_link", "code_taken", "malformed_json", nil, nil,
                ]
            )
            #expect(results[1]["code"]?.text == "b")
            let first = try await session.get("short-links/a").json
            #expect(first?["status"]?.text == "archived" && first?["createdAt"]?.text == "2020-01-01T00:00:00.000Z")
            #expect(try await audit(session) == ["import_short_links"])
            let rows = try await session.get("/audit?tenant=acme").json?["audit"]?.elements ?? []
            let row = rows.first { $0["action"]?.text == "import_short_links" }
            #expect(row?["after"]?["lines"]?.int == 4, "\(row?.json() ?? "")")
            let broken = try await session.post("short-links", #"{"target":"//"}"#, headers: Self.lines)
            #expect(broken.status == 200, "\(broken.text)")
            #expect(try await audit(session) == ["import_short_links"])

            // What is listed can be imported.
            let listed = try await session.get("short-links").json?["shortLinks"]?.elements ?? []
            #expect(listed.count == 3)
            let copied = listed.map { $0.json() }.joined(separator: "\n")
            let again = try await session.post("short-links", copied, headers: Self.lines)
            #expect(
                again.text.split(separator: "\n").allSatisfy { $0.contains(#""status":"exists""#) },
                "\(again.text)"
            )
        }
    }

    @Test func moreThan10000LinesAreRefused() async throws {
        try await withService { service in
            let session = try await acme(service)
            let line = #"{"target":"https://go.acme.test/item/1"}"# + "\n"
            let many = try await session.post(
                "short-links",
                String(repeating: line, count: 10_001),
                headers: Self.lines
            )
            #expect(many.status == 413 && many.code == "body_too_large", "\(many.text)")
            #expect(try await session.get("short-links").json?["shortLinks"]?.elements?.isEmpty == true)
            let most = try await session.post(
                "short-links",
                String(repeating: line, count: 10_000),
                headers: Self.lines
            )
            #expect(most.status == 200 && most.body.count { $0 == UInt8(ascii: "\n") } == 10_000)
        }
    }

    @Test func listIsFilteredAndHasPages() async throws {
        try await withService { service in
            let session = try await acme(service)
            for number in 1...5 {
                let tag = number.isMultiple(of: 2) ? "even" : "odd"
                let body =
                    #"{"code":"c\#(number)","target":"https://go.acme.test/item/\#(number)","tags":["\#(tag)"],"title":"No \#(number)"}"#
                #expect(try await session.post("short-links", body).status == 201)
            }
            #expect(try await session.post("short-links/c1/archive").status == 200)
            func codes(_ query: String) async throws -> [String] {
                let list = try await session.get("short-links?\(query)").json?["shortLinks"]?.elements ?? []
                return list.compactMap { $0["code"]?.text }
            }
            #expect(try await codes("tag=even") == ["c4", "c2"])
            #expect(try await codes("q=NO%203") == ["c3"])
            #expect(try await codes("status=archived") == ["c1"])
            let first = try await session.get("short-links?limit=2").json
            #expect(first?["nextCursor"]?.text == "c4")
            #expect(first?["urls"]?.elements?.first?.text == "https://go.acme.test/s/{code...}")
            #expect(try await codes("limit=2&cursor=c4") == ["c3", "c2"])
            let ending = #"{"code":"soon","target":"https://go.acme.test/item/6","expires":"2026-11-21T11:00:00Z"}"#
            #expect(try await session.post("short-links", ending).json?["status"]?.text == "active")
            #expect(try await codes("status=expired").isEmpty)
            #expect(try await codes("status=active&limit=2") == ["soon", "c5"])
            service.clock.advance(seconds: 3_600)
            #expect(try await session.get("short-links/soon").json?["status"]?.text == "expired")
            #expect(try await codes("status=expired") == ["soon"])
            #expect(try await codes("status=active&limit=2") == ["c5", "c4"])
            #expect(try await session.post("short-links/soon/archive").json?["status"]?.text == "archived")
            #expect(try await codes("status=archived") == ["soon", "c1"])
            for query in ["status=x", "cursor=%20", "limit=0"] {
                #expect(try await session.get("short-links?\(query)").code == "invalid_request", "\(query)")
            }
        }
    }

    // MARK: Keys

    @Test func keyNeedsTheScopeAndProduction() async throws {
        try await withService { service in
            _ = try await acme(service)
            let reader = try await AdminSession(service, scopes: [.linksRead])
            let body = #"{"code":"spring","target":"https://go.acme.test/item/7"}"#
            let refused = try await reader.post("short-links", body)
            #expect(refused.status == 403 && refused.text.contains("'links:write'"), "\(refused.text)")
            let writer = try await AdminSession(service, scopes: [.linksWrite])
            #expect(try await writer.post("short-links", body).status == 201)
            #expect(try await writer.get("short-links").status == 403)
            #expect(try await reader.get("short-links/spring").status == 200)
            let staging = try #require(EnvironmentID("staging"))
            let elsewhere = try await AdminSession(service) { $0.environments = [staging] }
            #expect(try await elsewhere.post("short-links", body).status == 403)
            let app = try await AdminSession(service, scopes: [.linksCreate])
            #expect(try await app.post("short-links", body).status == 403)
        }
    }

    /// Whatever a limited key sends, the links with targets of other routes stay as they are, and none is added.
    @Test func limitedKeyWritesOnlyLinksOfItsRoutes() async throws {
        try await withService { service in
            let admin = try await acme(service)
            let session = try await AdminSession(service) { request in
                request.tenant = TenantID("acme")
                request.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)
            }
            let targets = [
                "https://go.acme.test/item/1", "https://go.acme.test/blog/a", "https://go.acme.test/",
                "https://www.acme.test/careers", "https://go.acme.test/blog/b",
            ]
            for (number, target) in targets.enumerated() {
                let body = #"{"code":"own\#(number)","target":"\#(target)"}"#
                #expect(try await admin.post("short-links", body).status == 201)
            }
            func outside() async throws -> [JSONNode] {
                let links = try await admin.get("short-links?limit=1000").json?["shortLinks"]?.elements ?? []
                return links.filter { $0["target"]?.text?.contains("/blog/") != true }
            }
            let before = try await outside()
            #expect(before.count == 3)
            var random = SeededGenerator(seed: 36)
            var changed = 0
            for number in RandomCases.seeds(150) {
                let target = targets[Int.random(in: targets.indices, using: &random)]
                let code = "own\(Int.random(in: targets.indices, using: &random))"
                let new = #"{"code":"new\#(number)","target":"\#(target)"}"#
                let answer =
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: try await session.post("short-links", new)
                    case 1: try await session.post("short-links", new + "\n", headers: Self.lines)
                    case 2: try await session.send(.put, "short-links/\(code)", #"{"target":"\#(target)"}"#)
                    case 3: try await session.post("short-links/\(code)/archive")
                    case 4: try await session.post("short-links/\(code)/restore")
                    default: try await session.post("short-links/\(code)/block", #"{"reason":"x"}"#)
                    }
                #expect([200, 201, 403].contains(answer.status), "\(answer.text)")
                if answer.status < 300 { changed += 1 }
                #expect(try await outside() == before)
            }
            #expect(changed > 10)
            let row = try await session.post("short-links", #"{"target":"\#(targets[0])"}"# + "\n", headers: Self.lines)
            #expect(row.text.contains(#""code":"forbidden""#), "\(row.text)")
        }
    }

    // MARK: Changes of the table

    @Test func planWarnsAboutLinksThatWouldBreak() async throws {
        try await withService { service in
            let session = try await acme(service)
            for number in 1...7 {
                let body = #"{"code":"c\#(number)","target":"https://go.acme.test/item/\#(number)"}"#
                #expect(try await session.post("short-links", body).status == 201)
            }
            #expect(try await session.post("short-links/c7/archive").status == 200)
            #expect(try await session.delete("draft/routes/item").status == 204)
            func warnings(_ answer: TestResponse) -> [JSONNode] {
                (answer.json?["findings"]?.elements ?? []).filter { $0["code"]?.text == "short_link_breaks" }
            }
            for path in ["draft/check", "draft/plan", "draft/publish"] {
                let found = warnings(try await session.post(path))
                #expect(found.count == 1, "\(path)")
                let message = found.first?["message"]?.text ?? ""
                #expect(message.hasPrefix("6 short links lead"), "\(message)")
                #expect(message.matches(of: /'c\d'/).count == 5, "\(message)")
                #expect(found.first?["severity"]?.text == "warning")
            }
            // They are broken now, so another table does not break them.
            #expect(try await session.delete("draft/routes/blog").status == 204)
            #expect(warnings(try await session.post("draft/plan")).isEmpty)
        }
    }

    @Test func checkEndsWhenItsTimeIsOver() async throws {
        try await withService { service in
            let session = try await acme(service)
            let body = (1...200).map { #"{"target":"https://go.acme.test/item/\#($0)"}"# }.joined(separator: "\n")
            #expect(try await session.post("short-links", body, headers: Self.lines).status == 200)
            #expect(try await session.delete("draft/routes/item").status == 204)
            service.clock.setStep(.milliseconds(700))
            let found = try await session.post("draft/plan").json?["findings"]?.elements ?? []
            let message = found.first { $0["code"]?.text == "short_link_breaks" }?["message"]?.text ?? ""
            #expect(message.contains("(limited)"), "\(message)")
        }
    }

    // MARK: Statistics

    @Test func linksAreRankedByClicks() async throws {
        try await withService { service in
            let session = try await acme(service)
            for (code, tag) in [("a", "mail"), ("b", "web"), ("c", "mail")] {
                let body = #"{"code":"\#(code)","target":"https://go.acme.test/item/1","tags":["\#(tag)"]}"#
                #expect(try await session.post("short-links", body).status == 201)
            }
            for code in ["c", "b", "c", "b", "c", "a"] {
                let click = try await service.publicPort(.get, "/s/\(code)", host: "go.acme.test")
                #expect(click.status == 302, "\(click.text)")
            }
            func ranking(_ query: String) async throws -> [String] {
                let links = try await session.get("stats/short-links\(query)").json?["links"]?.elements ?? []
                return links.map { "\($0["code"]?.text ?? "") \($0["clicks"]?.int ?? 0)" }
            }
            #expect(try await ranking("") == ["c 3", "b 2", "a 1"])
            #expect(try await ranking("?limit=1") == ["c 3"])
            #expect(try await ranking("?tag=mail&days=1") == ["c 3", "a 1"])
            #expect(try await ranking("?purpose=test").isEmpty)
            #expect(try await session.get("stats/short-links?days=0").code == "invalid_request")
            let shown = try await session.get("short-links/c").json?["clicks"]
            #expect(shown?["total"]?.int == 3 && shown?["days"]?.elements?.last?["count"]?.int == 3)
            #expect(shown?["last"]?.text == service.clock.now.description)
        }
    }
}
