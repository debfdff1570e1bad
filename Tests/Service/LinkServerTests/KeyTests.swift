import Foundation
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore
import Testing

@testable import HTTPTransport
@testable import LinkServer

/// Keys: their scopes, who may create them, how they end, and the audit of all this.
@Suite(.timeLimit(.minutes(15)))
struct KeyTests {
    private static let keyRequest = #"{"name":"ci","tenant":"acme","scopes":["tables:write","tables:read"]}"#

    @Test func keyIsShownOnceAndWorks() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let made = try await session.post("/keys", Self.keyRequest)
            #expect(made.status == 201)
            let token = try #require(made.json?["key"]?.text)
            let id = try #require(made.json?["id"]?.text)
            #expect(try await service.adminPort(.get, "/admin/v1/tenants/acme/draft", key: token).status == 200)
            let listed = try await session.get("/keys")
            #expect(!listed.text.contains(token) && listed.text.contains(id))
            #expect(try await session.get("/keys/\(id)").json?["scopes"]?.elements?.count == 2)
            #expect(try await session.get("/keys/nobody").code == "unknown_key")
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"name":"","scopes":["admin"]}"#, #"{"name":"a","scopes":[]}"#, #"{"name":"a","scopes":["root"]}"#,
        #"{"name":"a","scopes":["admin"],"expiresAt":"2020-01-01T00:00:00Z"}"#,
        #"{"name":"a","scopes":["admin"],"expiresAt":"soon"}"#, #"{"name":"a","scopes":["admin"],"until":1}"#,
        #"{"name":"a","scopes":["admin"],"pathPrefixes":["blog"]}"#,
        #"{"name":"a","scopes":["admin"],"pathPrefixes":["/reset/{"]}"#,
        #"{"name":"a","scopes":["admin"],"environments":["A B"]}"#,
        #"{"name":"a","scopes":["admin"],"owners":["\#(String(repeating: "o", count: 8_192))"]}"#,
    ])
    func invalidRequestsSayWhy(body: String) async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            let answer = try await session.post("/keys", body)
            #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.text)")
        }
    }

    @Test func wholeKeyInAPathIsRefusedAndNotRepeated() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for (method, path) in [(HTTPRequest.Method.get, ""), (.delete, ""), (.post, "/rotate")] {
                let answer = try await session.send(method, "/keys/\(session.key)\(path)")
                #expect(answer.status == 422 && answer.code == "key_in_path", "\(answer.text)")
                #expect(!answer.text.contains(session.key))
            }
            let valid = try await session.get("/tenants")
            #expect(valid.status == 200)
        }
    }

    @Test(arguments: [
        (#""tenant":"acme","environments":["stagin"]"#, "Did you mean 'staging'?"),
        (#""tenant":"acme","environments":["production","prod"]"#, "Did you mean 'production'?"),
        (#""environments":["quality"]"#, "Its environments are production, staging."),
    ])
    func keyOfAnUnknownEnvironmentIsRefused(members: String, hint: String) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let answer = try await session.post("/keys", #"{"name":"ci","scopes":["publish"],\#(members)}"#)
            #expect(answer.status == 422 && answer.code == "unknown_environment", "\(answer.text)")
            #expect(answer.json?["detail"]?.text?.contains(hint) == true, "\(answer.text)")
        }
    }

    @Test func keyCannotGrantMoreThanItHas() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let session = try await AdminSession(service, scopes: [.keys, .tablesRead]) { request in
                request.tenant = TenantID("acme")
                request.environments = [.production]
                request.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: ["/blog/"])
            }
            let own = #""tenant":"acme","environments":["production"],"owners":["blog"],"pathPrefixes":["/blog/news/"]"#
            for (body, status) in [
                (#"{"name":"a","scopes":["tables:read"],\#(own)}"#, 201),
                (#"{"name":"a","scopes":["tables:write"],\#(own)}"#, 403),
                (#"{"name":"a","scopes":["tables:read"],"tenant":"shop"}"#, 403),
                (#"{"name":"a","scopes":["tables:read"]}"#, 403),
                (#"{"name":"a","scopes":["tables:read"],"tenant":"acme"}"#, 403),
                (#"{"name":"a","scopes":["tables:read"],\#(own.replacing("/blog/news/", with: "/"))}"#, 403),
                (#"{"name":"a","scopes":["tables:read"],\#(own.replacing(#"["blog"]"#, with: #"["shop"]"#))}"#, 403),
            ] {
                let answer = try await session.post("/keys", body)
                #expect(answer.status == status, "\(body): \(answer.text)")
            }
            let all = try await session.get("/keys").json?["keys"]?.elements ?? []
            #expect(all.allSatisfy { $0["tenant"]?.text == "acme" } && all.count == 2)
            let stranger = try await AdminSession(service)
            #expect(try await session.delete("/keys/\(stranger.id)").code == "unknown_key")
        }
    }

    @Test func keyExpiresWithItsCreator() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let end = Timestamp(milliseconds: service.clock.now.milliseconds + 3_600_000)
            let session = try await AdminSession(service, scopes: [.keys, .publish]) { $0.expiresAt = end }
            let body = #"{"name":"a","scopes":["publish"]"#
            #expect(try await session.post("/keys", body + "}").status == 403)
            #expect(try await session.post("/keys", body + #","expiresAt":"2099-01-01T00:00:00Z"}"#).status == 403)
            #expect(try await session.post("/keys", body + #","expiresAt":"\#(end)"}"#).status == 201)
            let rotated = try await session.post("/keys/\(session.id)/rotate")
            #expect(rotated.json?["expiresAt"]?.text == end.description)
        }
    }

    @Test func narrowKeyEndsNoWiderOne() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let admin = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            let narrow = try await AdminSession(service, scopes: [.keys]) { $0.tenant = TenantID("acme") }
            #expect(try await narrow.delete("/keys/\(admin.id)").status == 403)
            #expect(try await narrow.delete("/keys/\(narrow.id)").status == 200)
        }
    }

    @Test func narrowKeyTouchesNothingThatAllShare() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let session = try await AdminSession(service) { $0.environments = EnvironmentID("staging").map { [$0] } }
            let staging = "?environment=staging"
            #expect(try await session.put("settings\(staging)", yaml: AdminSession.settings).status == 403)
            #expect(try await session.put("suites/a\(staging)", yaml: "formatVersion: 1\ncases: []").status == 403)
            #expect(try await session.delete("suites/a\(staging)").status == 403)
            for answer in [try await session.post("revisions/prune"), try await session.get("exports")] {
                #expect(answer.status == 403 && answer.text.contains("affects the whole tenant"), "\(answer.text)")
            }
            #expect(try await session.get("/audit?tenant=acme").status == 403)
        }
    }

    @Test func revokedKeyEndsAtOnce() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let other = try await AdminSession(service)
            #expect(try await other.get("/tenants").status == 200)
            let ended = try await session.delete("/keys/\(other.id)")
            #expect(ended.json?["revokedAt"]?.text == service.clock.now.description)
            #expect(try await other.get("/tenants").code == "invalid_key")
            #expect(try await session.delete("/keys/\(other.id)").json?["revokedAt"] == ended.json?["revokedAt"])
        }
    }

    @Test func keyThatEndsWhileTheBodyComesChangesNothing() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let settings = #"{"domains":["other.acme.test"],"schemes":["acme"]}"#
            for (method, path, body) in [
                (HTTPRequest.Method.post, "/admin/v1/keys", Self.keyRequest),
                (.put, "/admin/v1/tenants/acme/settings", settings),
            ] {
                let session = try await AdminSession(service)
                let application = buildAdminApplication(
                    service.dependencies,
                    at: ListenAddress(host: "127.0.0.1", port: 0)
                ) { _ in }
                let head = HTTPRequest(
                    method: method,
                    scheme: "http",
                    authority: "localhost",
                    path: path,
                    headerFields: [.authorization: "Bearer \(session.key)", .contentLength: "\(body.utf8.count)"]
                )
                let late = LateBytes(bytes: ByteBuffer(string: body)) {
                    let ended = try await admin.delete("/keys/\(session.id)")
                    #expect(ended.status == 200)
                }
                let request = Request(head: head, body: RequestBody(asyncSequence: late))
                let answer = try await service.send(request, to: application)
                #expect(answer.status == 401 && answer.code == "invalid_key", "\(path): \(answer.text)")
            }
            #expect(try await admin.get("settings").headers[.eTag] == "\"1\"")
            let names = try await admin.get("/keys").json?["keys"]?.elements?.compactMap { $0["name"]?.text } ?? []
            #expect(!names.contains("ci"))
        }
    }

    @Test func rotatedKeysLiveSideBySideForAWhile() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let old = try await AdminSession(service, scopes: [.tablesRead]) { $0.tenant = TenantID("acme") }
            let rotated = try await session.post("/keys/\(old.id)/rotate", #"{"graceSeconds":60}"#)
            #expect(rotated.status == 201)
            let token = try #require(rotated.json?["key"]?.text)
            func status(_ key: String) async throws -> Int {
                try await service.adminPort(.get, "/admin/v1/tenants/acme/draft", key: key).status
            }
            #expect(try await status(old.key) == 200)
            #expect(try await status(token) == 200)
            service.clock.advance(seconds: 60)
            #expect(try await status(old.key) == 401)
            #expect(try await status(token) == 200)
            #expect(try await session.post("/keys/\(old.id)/rotate").code == "invalid_request")
        }
    }

    @Test func keyOfAnEnvironmentIsForThatOneOnly() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let staging = EnvironmentID("staging")
            let session = try await AdminSession(service) { $0.environments = staging.map { [$0] } }
            #expect(session.key.hasPrefix("fp_staging_"))
            #expect(try await session.get("draft").status == 403)
            #expect(try await session.get("draft?environment=staging").status == 200)
            #expect(try await session.get("revisions/1?environment=staging").code == "unknown_revision")
            #expect(try await session.post("revisions/1/promote?environment=staging&to=production").status == 403)
        }
    }

    @Test func keyOfAnOwnerWritesThoseRoutesOnly() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let session = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) { request in
                request.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: ["/blog/"])
            }
            let own = #"{"owner":"blog","path":"/blog/{slug}/new","open":{"screen":"New"}}"#
            #expect(try await session.send(.put, "draft/routes/fresh", own).status == 201)
            for (method, path, body) in [
                (HTTPRequest.Method.put, "draft/routes/other", own.replacing("/blog/", with: "/shop/")),
                (.put, "draft/routes/other", own.replacing(#""owner":"blog","#, with: "")),
                (.put, "draft/routes/item", own), (.delete, "draft/routes/home", ""),
                (.post, "draft/routes?mode=replace", #"{"id":"a","path":"/blog/x","owner":"blog"}"#),
            ] {
                let refused = try await session.send(method, path, body)
                #expect(refused.status == 403 && refused.code == "forbidden", "\(method) \(path): \(refused.text)")
            }
            // Nor the order of other routes, which decides between equal patterns.
            let routes = AdminSession.table.split(separator: "\n")
            let swapped = ([routes[0], routes[1], routes[3], routes[2]] + routes[4...]).joined(separator: "\n")
            #expect(try await session.put("draft?draft=order", yaml: swapped).status == 403)
            #expect(try await session.post("draft/publish").status == 201)
            let admin = try await AdminSession(service)
            _ = try await admin.delete("draft/routes/home")
            #expect(try await session.post("draft/publish").status == 403)
            // Another key has written the draft.
            #expect(try await session.delete("draft").status == 403)
        }
    }

    /// Links are matched by bytes, so another normalisation of an accent is another path.
    @Test func pathsOfAKeyAreComparedByTheirBytes() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let session = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) { request in
                request.routes = KeyGrant.RouteLimit(owners: nil, pathPrefixes: ["/caf\u{E9}/"])
            }
            for (path, status) in [("/caf\u{E9}/x", 201), ("/cafe\u{301}/x", 403)] {
                let route = #"{"path":"\#(path)","open":{"screen":"New"}}"#
                let answer = try await session.send(.put, "draft/routes/r\(status)", route)
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test func someTenantsAnswerToTheirOwnKeysOnly() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(
                try await session.put("settings", yaml: AdminSession.settings + "\nclientKey: required").status == 200
            )
            let body = #"{"url":"acme://item/7","context":{"platform":"ios"}}"#
            #expect(try await service.resolve(body).code == "missing_key")
            for (scope, tenant, status) in [
                (KeyGrant.Scope.resolve, "acme", 200), (.tablesRead, "acme", 403), (.resolve, "shop", 403),
            ] {
                let key = try await AdminSession(service, scopes: [scope]) { $0.tenant = TenantID(tenant) }.key
                #expect(try await service.resolve(body, headers: [.authorization: "Bearer \(key)"]).status == status)
            }
            // Refused requests are not recorded. Clicks need no key.
            #expect(try await service.events(of: "acme").count == 1)
            #expect(try await service.publicPort(.get, "/item/7", host: "go.acme.test").status == 302)
        }
    }

    @Test func otherEnvironmentsRequireKeysIfConfigured() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("draft?environment=staging", yaml: AdminSession.table).status == 200)
            #expect(try await session.post("draft/publish?environment=staging").status == 201)
            let live = #"{"url":"acme://item/7","context":{"platform":"ios"}}"#
            let staged = live.replacing(#"{"url""#, with: #"{"environment":"staging","url""#)
            let open = AdminSession.settings + "\nenvironmentKey: optional"
            #expect(try await session.put("settings", yaml: open).status == 200)
            #expect(try await service.resolve(staged).json?["environment"]?.text == "staging")
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 200)
            #expect(try await service.resolve(live).status == 200)
            #expect(try await service.resolve(staged).code == "missing_key")
            // The answer does not reveal whether an environment has content.
            let unknown = staged.replacing("staging", with: "elsewhere")
            #expect(try await service.resolve(unknown).code == "missing_key")
            let production = try await AdminSession(service, scopes: [.resolve]) { $0.environments = [.production] }.key
            let key = try await AdminSession(service, scopes: [.resolve]) { $0.tenant = TenantID("acme") }.key
            for (key, status) in [(production, 403), (key, 200)] {
                #expect(try await service.resolve(staged, headers: [.authorization: "Bearer \(key)"]).status == status)
            }
        }
    }

    // MARK: Audit

    @Test func everyChangeIsInTheAuditChain() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            _ = try await session.put("suites/a", yaml: "formatVersion: 1\ncases: []")
            let made = try await session.post("/keys", Self.keyRequest)
            _ = try await session.delete("/keys/\(made.json?["id"]?.text ?? "")")
            let rows = try await session.get("/audit?tenant=acme").json?["audit"]?.elements ?? []
            #expect(
                rows.compactMap { $0["action"]?.text }
                    == ["key.revoke", "key.create", "suite.write", "table.publish", "draft.write", "settings.write"]
            )
            #expect(
                rows.allSatisfy { $0["actor"]?["id"]?.text == session.id && $0["requestId"]?.text?.isEmpty == false }
            )
            #expect(rows[0]["before"]?["revokedAt"] == nil && rows[0]["after"]?["revokedAt"] != nil)
            #expect(rows[3]["after"]?["revision"]?.int == 1 && rows[3]["after"]?["contentHash"]?.text?.utf8.count == 64)
            let verdict = try await session.post("/audit/verify")
            #expect(verdict.json?["intact"]?.bool == true)
            #expect(verdict.json?["head"]?.text == rows[0]["hash"]?.text)
            for path in ["/audit/1", "/audit"] {
                #expect([404, 405].contains(try await session.delete(path).status))
            }
            let limited = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            #expect(try await limited.post("/audit/verify").status == 403)
            #expect(try await limited.get("/audit?tenant=shop").status == 403)
        }
    }

    // MARK: Repeated requests

    @Test func requestWithAnIdempotencyKeyIsDoneOnce() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let first = try await session.post("/keys", Self.keyRequest, headers: [name: "one"])
            let again = try await session.post("/keys", Self.keyRequest, headers: [name: "one"])
            #expect(first.status == 201 && again.status == 201)
            #expect(first.json?["id"] == again.json?["id"])
            // The secret is shown once and not stored.
            #expect(first.json?["key"]?.text != nil && again.json?["key"] == nil)
            for answer in [first, again] { #expect(answer["Content-Length"] == "\(answer.body.count)") }
            #expect(again["Idempotency-Replayed"] == "true" && first["Idempotency-Replayed"] == nil)
            let rotation = "/keys/\(try #require(first.json?["id"]?.text))/rotate"
            let rotated = try await session.post(rotation, "{}", headers: [name: "three"])
            let rotatedAgain = try await session.post(rotation, "{}", headers: [name: "three"])
            #expect(rotated.json?["key"]?.text != nil && rotated.json?["id"] == rotatedAgain.json?["id"])
            #expect(rotatedAgain.status == 201 && rotatedAgain.json?["key"] == nil)
            #expect(try await session.get("/keys").json?["keys"]?.elements?.count == 3)
            let other = try await session.post(
                "/keys",
                Self.keyRequest.replacing("ci", with: "cd"),
                headers: [name: "one"]
            )
            #expect(other.status == 422 && other.code == "idempotency_mismatch")
            // A failed request may be repeated with the same idempotency key.
            #expect(try await session.post("/keys", "{}", headers: [name: "two"]).status == 400)
            #expect(try await session.post("/keys", Self.keyRequest, headers: [name: "two"]).status == 201)
            // Idempotency keys are separate for each API key.
            let stranger = try await AdminSession(service)
            #expect(
                try await stranger.post("/keys", Self.keyRequest, headers: [name: "one"])["Idempotency-Replayed"] == nil
            )
            service.clock.advance(seconds: 86_401)
            #expect(
                try await session.post("/keys", Self.keyRequest, headers: [name: "one"])["Idempotency-Replayed"] == nil
            )
            #expect(try await session.post("/keys", Self.keyRequest, headers: [name: ""]).code == "invalid_request")
        }
    }

    /// A repeat of the first request would be answered, although a later one has undone it.
    @Test func idempotencyKeyIsForOneMethodAndPath() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let draft = AdminSession.tableJSON
            #expect(try await session.send(.put, "draft", draft, headers: [name: "one"]).status == 200)
            for answer in [
                try await session.delete("draft", headers: [name: "one"]),
                try await session.post("draft/publish", headers: [name: "one"]),
                try await session.send(.put, "draft?draft=other", draft, headers: [name: "one"]),
            ] {
                #expect(answer.status == 422 && answer.code == "idempotency_mismatch", "\(answer.text)")
            }
            #expect(try await session.get("drafts").json?["drafts"]?.elements?.count == 1)
            let again = try await session.send(.put, "draft", draft, headers: [name: "one"])
            #expect(again.status == 200 && again["Idempotency-Replayed"] == "true", "\(again.text)")
            #expect(try await session.delete("draft", headers: [name: "two"]).status == 204)
        }
    }
}

/// A body that arrives after `before` has run.
private struct LateBytes: AsyncSequence, Sendable {
    let bytes: ByteBuffer
    let before: @Sendable () async throws -> Void

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        var body: LateBytes?

        mutating func next() async throws -> ByteBuffer? {
            guard let body else { return nil }
            self.body = nil
            try await body.before()
            return body.bytes
        }
    }
}
