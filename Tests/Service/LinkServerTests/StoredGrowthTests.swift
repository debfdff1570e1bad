import GRDB
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// What a tenant's keys can make the server store is bounded, and a refused request says how to go on.
@Suite(.timeLimit(.minutes(15)))
struct StoredGrowthTests {
    private func tenantSession(
        _ service: TestService,
        scopes: Set<KeyGrant.Scope> = [.admin]
    ) async throws -> AdminSession {
        try await AdminSession(service, scopes: scopes) { $0.tenant = TenantID("acme") }
    }

    /// Changes a file beside the service, to reach a quota without its thousands of requests.
    private func fill(_ service: TestService, _ file: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: "\(service.directory)/\(file)")
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private static func numbers(upTo last: Int) -> String {
        "WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < \(last))"
    }

    private func auditRows(_ session: AdminSession) async throws -> [JSONNode] {
        try await session.get("/audit?tenant=acme&limit=1000").json?["audit"]?.elements ?? []
    }

    private func expectRefusalOfTheDay(_ answer: TestResponse, _ said: String) {
        #expect(answer.status == 429 && answer.code == "rate_limited", "\(answer.text)")
        #expect(answer.json?["scope"]?.text == "tenant" && answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        #expect(answer.json?["detail"]?.text?.contains(said) == true, "\(answer.text)")
    }

    // MARK: Revisions

    @Test func whatIsLiveIsNotPublishedAgain() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let before = try await auditRows(session).count
            for _ in 0..<3 {
                let back = try await session.post("revisions/1/rollback", #"{"message":"again"}"#)
                #expect(
                    back.status == 200 && back.json?["revision"]?.int == 1 && back["ETag"] == "\"1\"",
                    "\(back.text)"
                )
                #expect(back.json?["changes"]?["words"]?.elements?.isEmpty == true)
            }
            #expect(try await auditRows(session).count == before)
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            for replayed in [nil, "true"] {
                let back = try await session.post("revisions/1/rollback", headers: [name: "same"])
                #expect(back.status == 200 && back["Idempotency-Replayed"] == replayed)
            }
            #expect(try await session.post("revisions/1/promote?to=staging").status == 201)
            let again = try await session.post("revisions/1/promote?to=staging")
            #expect(
                again.status == 200 && again.json?["revision"]?.int == 2 && again["ETag"] == "\"2\"",
                "\(again.text)"
            )
            // The checks come first.
            #expect(try await session.post("revisions/1/rollback", headers: [.ifMatch: "\"7\""]).code == "stale")
            #expect(try await session.get("revisions").json?["revisions"]?.elements?.count == 1)
        }
    }

    /// Whatever the order of the members in its text.
    @Test func draftThatChangesNothingMakesNoRevision() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let turned = AdminSession.table.replacing("{id: home, path: /,", with: "{path: /, id: home,")
            for table in [AdminSession.table, turned] {
                #expect(try await session.put("draft", yaml: table).status == 200)
                let published = try await session.post("draft/publish")
                #expect(published.status == 200 && published.json?["revision"]?.int == 1, "\(published.text)")
                #expect(try await session.get("drafts").json?["drafts"]?.elements?.isEmpty == true)
                #expect(try await auditRows(session).first?["action"]?.text == "draft.remove")
                #expect(try await session.post("draft/publish").code == "no_draft")
            }
            let applied = try await session.post("apply", #"{"table":\#(session.get("table").text)}"#)
            #expect(applied.status == 200, "\(applied.text)")
            #expect(try await session.get("revisions").json?["revisions"]?.elements?.count == 1)
        }
    }

    @Test func publicationWithoutRoomSaysWhatToDo() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            // 1,050 tables of 2 MB, all of them the newest of their environments.
            try fill(
                service,
                "catalog.db",
                """
                \(Self.numbers(upTo: 1_050))
                INSERT INTO revision_content SELECT 'acme', printf('%064d', n), 2000000, '{}' FROM number;
                \(Self.numbers(upTo: 1_050))
                INSERT INTO revision (tenant, number, environment, content_hash, route_count, message, actor_kind, actor_id,
                    actor_name, published_at)
                SELECT 'acme', n + 1, 'e' || (n % 21), printf('%064d', n), 0, '', 'key', 'k', 'K', 1 FROM number
                """
            )
            #expect(try await session.post("revisions/1/rollback").status == 200)
            let full = try await session.post("apply", #"{"removeOthers":true,"table":\#(AdminSession.tableJSON)}"#)
            #expect(full.status == 409 && full.code == "too_many_revisions", "\(full.text)")
            let advice = "'fingerpost revisions prune acme --keep 10 --older-than-days 0'"
            #expect(full.json?["detail"]?.text?.contains(advice) == true, "\(full.text)")
            let pruned = try await session.post("revisions/prune", #"{"keep":10,"olderThanDays":0}"#)
            #expect(pruned.json?["pruned"]?.elements?.count == 840)
            #expect(
                try await session.post("apply", #"{"removeOthers":true,"table":\#(AdminSession.tableJSON)}"#).status
                    == 201
            )
        }
    }

    @Test(arguments: ["message", "approvals", "override"])
    func noteIsBounded(_ member: String) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let text = JSONNode.string(String(repeating: "x", count: 17 << 10)).json()
            let value = ["message": text, "approvals": "[\(text)]", "override": #"{"reason":\#(text)}"#][member] ?? ""
            let table = #""table":\#(AdminSession.tableJSON)"#
            let refused = try await session.post("apply", #"{\#(table),"\#(member)":\#(value)}"#)
            #expect(refused.status == 400 && refused.code == "invalid_request", "\(refused.text)")
            #expect(refused.text.contains("at most 16384 bytes of JSON together; shorten them"), "\(refused.text)")
        }
    }

    // MARK: A day

    @Test func changesOfATenantsKeysAreBoundedADay() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let session = try await tenantSession(service)
            #expect(try await session.put("draft", yaml: AdminSession.table).status == 200)
            let made = try await session.post("/keys", #"{"name":"a","tenant":"acme","scopes":["publish"]}"#)
            try fill(service, "catalog.db", "UPDATE tenant SET audit_bytes = 16777216 WHERE id = 'acme'")
            let suite = "formatVersion: 1\ncases: []"
            for refused in [
                try await session.put("draft", yaml: AdminSession.table), try await session.delete("draft"),
                try await session.put("suites/a", yaml: suite), try await session.post("draft/publish"),
                try await session.put("settings", yaml: AdminSession.settings),
                try await session.post("/keys", #"{"name":"a","tenant":"acme","scopes":["publish"]}"#),
            ] {
                expectRefusalOfTheDay(refused, "with 16777216 bytes of audit rows")
            }
            #expect(try await session.delete("/keys/\(made.json?["id"]?.text ?? "")").status == 200)
            #expect(try await admin.put("suites/a", yaml: suite).status == 200)
            #expect(try await session.get("table").status == 200)
            service.clock.advance(seconds: 86_400)
            #expect(try await session.put("suites/b", yaml: suite).status == 200)
        }
    }

    @Test func keysOfATenantAreBoundedADay() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let (session, limited) = (
                try await tenantSession(service), try await tenantSession(service, scopes: [.keys])
            )
            let key = #"{"name":"a","tenant":"acme","scopes":["keys"]}"#
            try fill(
                service,
                "catalog.db",
                """
                \(Self.numbers(upTo: 998))
                INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, revoked_at)
                SELECT printf('k%011d', n), zeroblob(32), 'acme', '[]', 'a', \(service.clock.now.milliseconds), 1 FROM number
                """
            )
            expectRefusalOfTheDay(try await session.post("/keys", key), "created 1000 keys, ended ones included")
            expectRefusalOfTheDay(try await session.post("/keys/\(session.id)/rotate"), "created 1000 keys")
            // Keys with fewer permissions leave a half to the others.
            expectRefusalOfTheDay(try await limited.post("/keys", key), "created 500 keys")
            #expect(try await AdminSession(service).post("/keys", key).status == 201)
            service.clock.advance(seconds: 86_400)
            #expect(try await session.post("/keys", key).status == 201)
        }
    }

    @Test func erasuresAndExportsOfATenantAreBoundedADay() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let session = try await tenantSession(service)
            let settings = AdminSession.settings + "\nprivacy: {recordInstall: true}"
            #expect(try await session.put("settings", yaml: settings).status == 200)
            let now = service.clock.now.milliseconds
            try fill(
                service,
                "events/ledger.db",
                """
                \(Self.numbers(upTo: 1_000))
                INSERT INTO erasure (tenant, install, requested_at, request_id, last_seq, finished_at)
                SELECT 'acme', x'', \(now), 'r', 0, \(now) FROM number;
                INSERT INTO export_cursor (tenant, last_end, edge) VALUES ('acme', \(now + 2_880), 0);
                \(Self.numbers(upTo: 2_880))
                INSERT INTO export_window (tenant, window_end, window_start, first_seq, last_seq, format, level, software, exported_at)
                SELECT 'acme', \(now) + n, \(now), 1, 0, 'ndjson', 6, 'fingerpost test', \(now) FROM number
                """
            )
            let rows = try await auditRows(session).count
            let install = #"{"stickyKey": "install-42"}"#
            expectRefusalOfTheDay(try await session.post("erasures", install), "made 1000 erasures")
            #expect(try await auditRows(session).count == rows)
            expectRefusalOfTheDay(try await session.post("exports"), "ended 2880 export windows")
            #expect(try await admin.post("erasures", install).status == 201)
            #expect(try await admin.post("exports").status < 300)
            service.clock.advance(seconds: 86_400)
            #expect(try await session.post("erasures", install).status == 201)
            #expect(try await session.post("exports").status < 300)
        }
    }
}
