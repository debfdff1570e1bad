import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// From a draft to the live table and back, over HTTP.
@Suite(.timeLimit(.minutes(15)))
struct TableEditingTests {
    private static let item = #"{"path":"/item/{id:int}","owner":"shop","open":{"screen":"Changed"}}"#

    /// The message says what is probably wrong with the request, not only that it cannot be read.
    @Test func commonMistakesOfRequestsAreNamed() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let yaml = try await session.send(.put, "draft", "routes: []")
            #expect(yaml.code == "malformed_json", "\(yaml.text)")
            #expect(yaml.text.contains("If it is YAML, send 'Content-Type: application/yaml'."), "\(yaml.text)")
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let advice = "curl -d removes line ends; use --data-binary."
            for answer in [
                try await session.send(.put, "draft", "routes: []", headers: form),
                try await session.put("draft", yaml: AdminSession.table.replacing("\n", with: "")),
            ] {
                #expect(answer.status == 400 && answer.text.contains(advice), "\(answer.text)")
            }
            for answer in [yaml, try await session.put("draft", yaml: "routes:\n  - [")] {
                #expect(answer.status == 400 && !answer.text.contains(advice), "\(answer.text)")
            }
            for (authorization, message) in [
                (session.key, "Write 'Bearer' and a space before the key"),
                ("Basic dXNlcjpwYXNz", "Write 'Bearer' and a space before the key"),
                ("Bearer", "The key after 'Bearer' is missing."),
            ] {
                let refused = try await service.adminPort(
                    .get,
                    "/admin/v1/tenants",
                    key: nil,
                    headers: [.authorization: authorization]
                )
                #expect(refused.status == 401 && refused.text.contains(message), "\(refused.text)")
            }
            let link = try await service.resolve(#"{"link": "https://go.acme.test/item/7"}"#)
            #expect(
                link.status == 400 && link.text.contains("'link' is not known, and the link is missing; add 'url'"),
                "\(link.text)"
            )
            let none = try await service.resolve("{}")
            #expect(none.status == 400 && none.text.contains("the link is missing; add 'url'"), "\(none.text)")
            let both = try await service.resolve(#"{"url": "acme://item/7", "links": ["acme://item/7"]}"#)
            #expect(both.status == 400 && both.text.contains("write exactly one of 'url', 'links'"), "\(both.text)")
        }
    }

    /// YAML with a wrong content type, XML, and the text of a form.
    @Test func bodiesOfAnotherFormatAreNamed() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let yaml = "If it is YAML, send 'Content-Type: application/yaml'."
            for (body, type, message, isYAML) in [
                ("routes: []", "application/json", "a string needs double quotes", true),
                ("routes: []", "text/plain", "a string needs double quotes", true),
                ("- {id: a}", "text/plain", "", true), ("<routes/>", "application/xml", "this is HTML or XML", false),
                (#"{"routes": []"#, "application/json", "", false),
            ] {
                let headers: HTTPFields = [.contentType: type]
                let answer = try await session.send(.put, "draft", body, headers: headers)
                #expect(answer.code == "malformed_json" && answer.text.contains(message), "\(body): \(answer.text)")
                #expect(answer.text.contains(yaml) == isYAML, "\(body): \(answer.text)")
            }
            for body in ["url=acme://item/7", "acme://item/7", "<url>acme://item/7</url>", "{'url': 'acme://'}", ""] {
                let answer = try await service.resolve(body)
                #expect(answer.status == 400 && answer.code == "malformed_json", "\(body): \(answer.text)")
                #expect(answer.text.contains(#"Send an object such as {\"url\": \"https://…\"}."#), "\(answer.text)")
            }
        }
    }

    @Test func emptyFileAndBareReasonAreRefused() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for (path, body, detail) in [
                ("apply", "{}", "There is nothing to apply; send 'table', 'settings' or 'suites'."),
                ("apply", #"{"message":"x","basedOn":1,"suites":{}}"#, "There is nothing to apply;"),
                ("draft/publish", #"{"override":"yes"}"#, #"override: "yes" is not a reason; write {"reason": "…"}."#),
                ("apply", #"{"settings":{},"override":true}"#, "override: true is not a reason; write"),
                ("retention", #"{"force":"x"}"#, #"force: "x" is not a reason; write {"reason": "…"}."#),
            ] {
                let answer = try await session.post(path, body)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(path) \(body): \(answer.text)")
                #expect(answer.json?["detail"]?.text?.contains(detail) == true, "\(path) \(body): \(answer.text)")
            }
            #expect(try await session.get("settings")["ETag"] == "\"1\"")
        }
    }

    /// A tenant's file, or what a GET has answered.
    @Test func documentUnderItsKeyIsRefused() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let settings = try await session.get("settings").text
            let file = #"{"formatVersion":1,"tenant":"acme","settings":{},"table":\#(AdminSession.tableJSON)}"#
            for (path, body, key, code) in [
                ("settings", settings, "settings", "invalid_settings"),
                ("settings", file, "settings", "invalid_settings"),
                ("draft", file, "table", "invalid_table"),
            ] {
                let answer = try await session.send(.put, path, body)
                #expect(answer.status == 422 && answer.code == code, "\(answer.text)")
                #expect(answer.text.contains("The body has the key '\(key)': send only its value."), "\(answer.text)")
            }
            #expect(try await session.get("settings").text == settings)
        }
    }

    @Test func tenantHasItsContentsElsewhere() async throws {
        try await withService { service in
            let answer = try await AdminSession.acme(service).get("/tenants/acme")
            #expect(answer.status == 405 && answer["Allow"] == "DELETE", "\(answer.text)")
            #expect(answer.text.contains("It supports DELETE. …/settings and …/table have its contents."))
        }
    }

    /// What the key may not do, and where the resource is now.
    @Test func refusedKeysAndStaleWritesHaveAdvice() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let reader = try await AdminSession(service, scopes: [.tablesRead]) { $0.tenant = TenantID("acme") }
            let write = try await reader.put("draft", yaml: AdminSession.table)
            #expect(
                write.status == 403 && write.text.contains("This key lacks the scope 'tables:write'."),
                "\(write.text)"
            )
            #expect(write.text.contains("'fingerpost keys create --scope tables:write' creates one that has it."))
            #expect(write.json?["keyScopes"]?.elements?.compactMap(\.text) == ["tables:read"], "\(write.text)")
            let applied = try await reader.send(.post, "apply", #"{"table": {"routes": []}}"#)
            #expect(applied.status == 403 && applied.text.contains("--scope"), "\(applied.text)")
            let other = try await reader.send(.get, "/tenants/shop/table")
            #expect(other.text.contains("This key is for the tenant 'acme', not for 'shop'."), "\(other.text)")
            let stale = try await session.put("draft", yaml: AdminSession.table, headers: [.ifMatch: "\"live-9\""])
            #expect(stale.status == 412 && stale.text.contains("is now at version live-1. Read it again,"))
        }
    }

    @Test func unwrittenDraftEqualsTheLiveTable() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let draft = try await session.get("draft")
            #expect(draft["ETag"] == "\"live-1\"")
            #expect(draft.json?["routes"]?.elements?.count == 3)
            #expect(try await session.get("drafts").json?["drafts"]?.elements?.isEmpty == true)
            let written = try await session.send(.put, "draft/routes/item", Self.item)
            #expect(written.status == 200)
            let listed = try await session.get("drafts").json?["drafts"]?.elements?.first
            #expect(listed?["draft"]?.text == "main" && listed?["base"]?.int == 1 && listed?["routes"]?.int == 3)
            #expect(listed?["actor"]?["id"]?.text == session.id)
            #expect(try await session.delete("draft").status == 204)
            #expect(try await session.get("draft")["ETag"] == "\"live-1\"")
            #expect(try await session.delete("draft").code == "no_draft")
        }
    }

    /// A mistyped name is not answered like the live table. A `GET` of a draft begins a new one.
    @Test func draftOfAnotherNameMustExist() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let requests: [(HTTPRequest.Method, String)] = [
                (.post, "draft/plan"), (.post, "draft/test"), (.post, "draft/check"), (.get, "draft/routes"),
                (.get, "draft/routes/item"),
            ]
            for (method, path) in requests {
                let answer = try await session.send(method, "\(path)?draft=sprign")
                #expect(answer.status == 409 && answer.code == "no_draft", "\(path): \(answer.text)")
                #expect(answer.text.contains("There is no draft 'sprign'"), "\(path): \(answer.text)")
                for query in ["", "?draft=main"] {
                    #expect(try await session.send(method, path + query).status == 200, "\(path)\(query)")
                }
            }
            #expect(try await session.get("draft?draft=spring")["ETag"] == "\"live-1\"")
            #expect(try await session.send(.put, "draft/routes/item?draft=spring", Self.item).status == 200)
            for (method, path) in requests {
                #expect(try await session.send(method, "\(path)?draft=spring").status == 200, "\(path)")
            }
        }
    }

    @Test func everyWriteIsRefusedAfterAnotherWrite() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let first = try #require(try await session.get("draft")["ETag"])
            let write = try await session.put("draft", yaml: AdminSession.table, headers: [.ifMatch: first])
            let second = try #require(write["ETag"])
            #expect(write.status == 200 && second != first)
            for (method, path, body) in [
                (HTTPRequest.Method.put, "draft", AdminSession.table), (.put, "draft/routes/item", Self.item),
                (.delete, "draft/routes/item", ""), (.post, "draft/routes", #"{"id":"x","path":"/x"}"#),
                (.post, "draft/publish", ""), (.delete, "draft", ""),
            ] {
                let headers: HTTPFields = [
                    .ifMatch: first, .contentType: path == "draft" ? "application/yaml" : "application/json",
                ]
                let stale = try await session.send(method, path, body, headers: headers)
                #expect(stale.status == 412 && stale.code == "stale", "\(method) \(path): \(stale.text)")
            }
            // It is the live table.
            #expect(try await session.post("draft/publish", headers: [.ifMatch: second]).status == 200)
            for (method, path) in [(HTTPRequest.Method.put, "settings"), (.post, "revisions/1/rollback")] {
                let body = method == .put ? AdminSession.settings : ""
                let headers: HTTPFields = [.ifMatch: "\"7\"", .contentType: "application/yaml"]
                #expect(try await session.send(method, path, body, headers: headers).status == 412, "\(path)")
            }
            let wrong = try await session.post("draft/publish", headers: [.ifMatch: "soon"])
            #expect(wrong.code == "invalid_request")
        }
    }

    @Test func twoDraftsArePublishedOnTopOfEachOther() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.send(.put, "draft/routes/item?draft=one", Self.item).status == 200)
            let more = #"{"path":"/more","open":{"screen":"More"}}"#
            #expect(try await session.send(.put, "draft/routes/more?draft=two", more).status == 201)
            #expect(try await session.post("draft/publish?draft=one", #"{"message":"one"}"#).status == 201)
            let second = try await session.post("draft/publish?draft=two", #"{"message":"two","approvals":["Anna"]}"#)
            #expect(second.status == 201)
            #expect(second.json?["changes"]?["words"]?.elements?.map(\.text) == ["adds 'more' for /more"])
            #expect(second.json?["approvals"]?.elements?.map(\.text) == ["Anna"])
            let table = try await session.get("table")
            #expect(table["ETag"] == "\"3\"")
            #expect(table.json?["routes"]?.elements?.compactMap { $0["id"]?.text } == ["home", "item", "blog", "more"])
            #expect(table.json?["routes"]?.elements?[1]["open"]?["screen"]?.text == "Changed")
            #expect(try await session.route(of: "acme://more") == "more")
        }
    }

    @Test func sameRouteOnBothSidesIsAConflictWithBothVersions() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let other = Self.item.replacing("Changed", with: "Other")
            #expect(try await session.send(.put, "draft/routes/item?draft=one", Self.item).status == 200)
            #expect(try await session.send(.put, "draft/routes/item?draft=two", other).status == 200)
            #expect(try await session.post("draft/publish?draft=one").status == 201)
            for path in ["draft/plan?draft=two", "draft/publish?draft=two"] {
                let refused = try await session.post(path)
                #expect(refused.status == 412 && refused.code == "conflict")
                let conflict = try #require(refused.json?["conflicts"]?.elements?.first)
                #expect(conflict["subject"]?.text == "item" && conflict["kind"]?.text == "route")
                #expect(conflict["base"]?["open"]?["screen"]?.text == "Item")
                #expect(conflict["live"]?["open"]?["screen"]?.text == "Changed")
                #expect(conflict["draft"]?["open"]?["screen"]?.text == "Other")
            }
            // Nothing is lost: both versions still exist.
            #expect(try await session.get("table").json?["routes"]?.elements?[1]["open"]?["screen"]?.text == "Changed")
            #expect(
                try await session.get("draft/routes/item?draft=two").json?["open"]?["screen"]?.text == "Other"
            )
        }
    }

    @Test func planListsTheChangesOfPublishing() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let table = AdminSession.table.replacing("/item/{id:int}", with: "/thing/{id:int}")
            let plan = try await session.send(.post, "draft/plan", table, headers: [.contentType: "application/yaml"])
            #expect(plan.status == 200 && plan["ETag"] == "\"1\"")
            #expect(plan.json?["live"]?.int == 1)
            #expect(
                plan.json?["changes"]?["words"]?.elements?.map(\.text)
                    == [#"'item': path changes from "/item/{id:int}" to "/thing/{id:int}""#]
            )
            #expect(plan.json?["settings"]?.elements?.isEmpty == true)
            let both = "settings:\n  domains: [new.acme.test]\n  schemes: [acme]\ntable:\n  routes: []\n"
            let second = try await session.send(.post, "draft/plan", both, headers: [.contentType: "application/yaml"])
            let paths = second.json?["settings"]?.elements?.compactMap { $0["path"]?.text }
            #expect(paths == ["domains", "apps", "environments"])
            #expect(second.json?["changes"]?["removed"]?.elements?.count == 3)
            #expect(try await session.get("draft")["ETag"] == "\"live-1\"")
        }
    }

    @Test func rollbackPublishesAnOldTableUnderANewNumber() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            _ = try await session.delete("draft/routes/item")
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.route(of: "acme://item/7") == nil)
            let back = try await session.post(
                "revisions/1/rollback",
                #"{"message":"back"}"#,
                headers: [.ifMatch: "\"2\""]
            )
            #expect(back.status == 201 && back.json?["revision"]?.int == 3 && back.json?["originRevision"]?.int == 1)
            #expect(back.json?["origin"]?.text == "rollback" && back.json?["parent"]?.int == 2)
            #expect(try await session.route(of: "acme://item/7") == "item")
            let diff = try await session.get("revisions/2/diff")
            #expect(diff.json?["changes"]?["words"]?.elements?.map(\.text) == ["adds 'item' for /item/{id:int}"])
            #expect(
                try await session.get("revisions/1/diff?to=3").json?["changes"]?["words"]?.elements?.isEmpty == true
            )
            let rows = try await session.get("revisions").json?["revisions"]?.elements ?? []
            #expect(rows.compactMap { $0["revision"]?.int } == [3, 2, 1])
            #expect(rows[0]["contentHash"] == rows[2]["contentHash"])
        }
    }

    @Test func rollbackToRemovedSettingsIsRefusedWithAFinding() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let named =
                AdminSession.table
                + "\n  - {id: two, path: /two, host: two.acme.test, when: {apps: [ios]}, open: {screen: Two}}\n"
            let settings = AdminSession.settings.replacing("[go.acme.test,", with: "[go.acme.test, two.acme.test,")
            #expect(try await session.put("settings", yaml: settings).status == 200)
            #expect(try await session.put("draft", yaml: named).status == 200)
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.post("revisions/1/rollback").status == 201)
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 200)
            let refused = try await session.post("revisions/2/rollback")
            #expect(refused.status == 422 && refused.code == "invalid_table")
            #expect(refused.json?["findings"]?.elements?.contains { $0["code"]?.text == "foreign_host" } == true)
            #expect(try await session.get("table")["ETag"] == "\"3\"")
            #expect(try await session.post("revisions/99/rollback").code == "unknown_revision")
        }
    }

    @Test func unknownTenantIsNamedBeforeWhatItLacks() async throws {
        try await withService { service in
            var session = try await AdminSession.acme(service)
            session.tenant = "acmee"
            for path in ["revisions/1", "revisions/1/table", "revisions/1/diff", "revisions/1/plan", "suites/smoke"] {
                #expect(try await session.get(path).code == "unknown_tenant", "\(path)")
            }
            for path in ["revisions/1/rollback", "revisions/1/promote?to=staging"] {
                #expect(try await session.post(path).code == "unknown_tenant", "\(path)")
            }
        }
    }

    /// SQLite reads a text up to the first NUL, so the stored text would differ from the one sent.
    @Test func textsWithANULAreRefused() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("draft", yaml: AdminSession.table).status == 200)
            for body in [#"{"message":"a\u0000b"}"#, #"{"override":{"reason":"a\u0000b"}}"#] {
                let answer = try await session.post("draft/publish", body)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.text)")
            }
            let key = try await session.post("/keys", #"{"name":"a\u0000b","scopes":["publish"]}"#)
            #expect(key.status == 400 && key.code == "invalid_request")
        }
    }

    @Test func environmentsHaveTablesOfTheirOwn() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.get("table?environment=staging").code == "no_table")
            #expect(try await session.route(of: "acme://item/7", environment: "staging") == nil)
            let more = #"{"path":"/more","open":{"screen":"More"}}"#
            #expect(try await session.send(.put, "draft/routes/more?environment=staging", more).status == 201)
            let staged = try await session.post("draft/publish?environment=staging")
            #expect(staged.json?["environment"]?.text == "staging" && staged.json?["revision"]?.int == 2)
            #expect(try await session.route(of: "acme://more", environment: "staging") == "more")
            #expect(try await session.route(of: "acme://more") == nil)
            let promoted = try await session.post("revisions/2/promote?environment=staging&to=production")
            #expect(promoted.status == 201 && promoted.json?["origin"]?.text == "promotion")
            #expect(try await session.route(of: "acme://more") == "more")
            #expect(try await session.route(of: "acme://item/7") == nil)
            let events = try await service.events(of: "acme")
            #expect(Set(events.map(\.environment.rawValue)) == ["production", "staging"])
            let staging = try await session.get("revisions?environment=staging").json?["revisions"]?.elements ?? []
            #expect(staging.count == 1)
        }
    }

    @Test func pruningKeepsLiveRevisionsAndBases() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            _ = try await session.put("draft?draft=old", yaml: AdminSession.table)
            for number in 2...5 {
                _ = try await session.send(.put, "draft/routes/n\(number)", #"{"path":"/n\#(number)"}"#)
                #expect(try await session.post("draft/publish").status == 201)
            }
            _ = try await session.post("revisions/5/promote?to=staging")
            service.clock.advance(seconds: 10 * 86_400)
            let young = try await session.post("revisions/prune", #"{"keep":1,"olderThanDays":20}"#)
            #expect(young.json?["pruned"]?.elements?.isEmpty == true)
            let pruned = try await session.post("revisions/prune", #"{"keep":1,"olderThanDays":5}"#)
            // 1 is a draft's base, 5 is live in production, 6 is live in staging and the newest.
            #expect(pruned.json?["pruned"]?.elements?.compactMap(\.int) == [2, 3, 4])
            #expect(try await session.get("revisions/3").code == "unknown_revision")
            #expect(try await session.get("revisions/1/table").status == 200)
        }
    }

    @Test func failingSuitePreventsPublication() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite = """
                formatVersion: 1
                context: {platform: ios}
                cases:
                  - {link: "acme://item/7", expect: {route: item}}
                  - {link: "https://www.acme.test/item/7", app: ios, via: system, expect: {route: item}}
                """
            #expect(try await session.put("suites/items", yaml: suite).json?["cases"]?.int == 2)
            #expect(try await session.put("suites/bad", yaml: "cases: 3").status == 400)
            let fine = try await session.post("draft/test").json?["suites"]?.elements?.first
            #expect(fine?["cases"]?.int == 2 && fine?["failures"]?.elements?.isEmpty == true)
            let changed = Self.item.replacing("/item/", with: "/thing/")
            #expect(try await session.send(.put, "draft/routes/item", changed).status == 200)
            let plan = try await session.post("draft/plan")
            #expect(plan.json?["suiteFailures"]?.elements?.isEmpty == false)
            #expect(plan.json?["moves"]?.elements?.map { $0["after"]?.text } == ["browser"])
            let refused = try await session.post("draft/publish")
            #expect(refused.status == 422 && refused.code == "suites_failed")
            #expect(refused.json?["suiteFailures"]?.elements?.first?["suite"]?.text == "items")
            #expect(try await session.post("draft/publish", #"{"override":{}}"#).code == "invalid_request")
            let reason = #"{"override":{"reason":"moved"}}"#
            let published = try await session.post("draft/publish", reason)
            #expect(published.status == 201 && published.json?["overrideReason"]?.text == "moved")
            let audit = try await session.get("/audit?tenant=acme&limit=1").json?["audit"]?.elements?.first
            #expect(audit?["after"]?["overrideReason"]?.text == "moved")
            #expect(try await session.delete("suites/items").status == 204)
            #expect(try await session.get("suites/items").code == "unknown_suite")
        }
    }

    @Test func linkThatTheFileExcludesFailsItsCase() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite = """
                formatVersion: 1
                cases:
                  - {link: "https://www.acme.test/item/7", app: android, via: page, expect: {route: item}}
                  - {link: "https://www.acme.test/item/7", app: android, via: app, expect: {route: item}}
                """
            let result = try await session.post("draft/test", suite)
            let failures = result.json?["suites"]?.elements?.first?["failures"]?.elements ?? []
            #expect(failures.map { $0["expected"]?.text } == ["association"])
            #expect(failures.first?["difference"]?.text == "the settings have no app 'android'")
        }
    }

    @Test func routesComeAndGoAsLines() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let lines = try await session.get("draft/routes", accept: "application/x-ndjson")
            #expect(lines["Content-Type"] == "application/x-ndjson")
            #expect(lines.text.split(separator: "\n").count == 3)
            let more = (0..<500).map { #"{"id":"r\#($0)","path":"/r/\#($0)"}"# }.joined(separator: "\n") + "\n\n"
            let merged = try await session.post("draft/routes", more)
            #expect(merged.json?["routes"]?.int == 503)
            let replaced = try await session.post("draft/routes?mode=replace", lines.text)
            #expect(replaced.json?["routes"]?.int == 3)
            let twice = "{\"id\":\"a\",\"path\":\"/a\"}\n{\"id\":\"a\",\"path\":\"/b\"}"
            for (body, message) in [
                (twice, "duplicate route 'a'"),
                (String(repeating: "a", count: (1 << 20) + 1), "Line 1 of the body has more than"),
                ("{\"id\":\"a\",\"path\":\"/a\"}\n{", "Line 2 of the body"), (#"{"path":"/a"}"#, "id"),
                ("[]", "object"),
            ] {
                let wrong = try await session.post("draft/routes", body)
                #expect(wrong.status == 400 && wrong.text.contains(message), "\(wrong.text)")
            }
            #expect(try await session.post("draft/routes?mode=all", "").code == "invalid_request")
        }
    }

    @Test func listsComeInParts() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for number in 0..<5 {
                _ = try await session.send(.put, "draft/routes/p\(number)", #"{"path":"/p\#(number)"}"#)
                #expect(try await session.post("draft/publish").status == 201)
            }
            for (path, name, key) in [
                ("revisions", "revisions", "revision"), ("draft/routes", "routes", "id"),
                ("/audit?tenant=acme", "audit", "id"), ("settings/history", "settings", "settingsRevision"),
                ("/keys", "keys", "id"), ("/tenants", "tenants", "id"),
            ] {
                let joint = path.contains("?") ? "&" : "?"
                let whole = try await session.get("\(path)\(joint)limit=1000").json
                let all = (whole?[name]?.elements ?? []).compactMap { $0[key]?.json() }
                #expect(whole?["nextCursor"] == .null && !all.isEmpty, "\(path)")
                var found: [String] = []
                var cursor: String? = ""
                while let next = cursor {
                    let part = try await session.get("\(path)\(joint)limit=2" + (next.isEmpty ? "" : "&cursor=\(next)"))
                    let items = (part.json?[name]?.elements ?? []).compactMap { $0[key]?.json() }
                    #expect(items.count <= 2)
                    found += items
                    cursor = part.json?["nextCursor"]?.text
                }
                #expect(found == all, "\(path)")
            }
            for wrong in [
                "revisions?limit=0", "revisions?limit=many", "revisions?cursor=x", "draft/routes?cursor=nobody",
            ] {
                #expect(try await session.get(wrong).code == "invalid_request", "\(wrong)")
            }
        }
    }
}
