import Foundation
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

@testable import Console

/// Every form of the console, sent with each scope, for another tenant, and with a missing or foreign token.
@Suite(.timeLimit(.minutes(15)))
struct ConsoleFormTests {
    /// A form, and the scopes that its request needs.
    private struct Form {
        let place: String
        let act: String
        var fields: [String: String] = [:]
        let scopes: Set<KeyGrant.Scope>
        /// What the admin port has to be asked before, so that there is something to act on.
        var before: (HTTPRequest.Method, path: String, body: String)?

        /// The place as in ``Console/places``.
        let name: String
    }

    private static let item = "id: item\nowner: shop\npath: /item/{id:int}\nopen:\n  screen: Other\n"
    private static let link = #"{"code": "spring", "target": "https://go.acme.test/item/7"}"#

    private static func forms(keyID: String) -> [Form] {
        let draft = (HTTPRequest.Method.put, path: "draft/routes/item", body: #"{"path": "/item/{id:int}"}"#)
        let link = (HTTPRequest.Method.post, path: "short-links", body: link)
        func form(
            _ name: String,
            _ act: String,
            _ fields: [String: String],
            _ scopes: Set<KeyGrant.Scope>,
            at place: String? = nil,
            before: (HTTPRequest.Method, path: String, body: String)? = nil
        ) -> Form {
            Form(place: place ?? name, act: act, fields: fields, scopes: scopes, before: before, name: name)
        }
        return [
            form("links", "create", ["target": "https://go.acme.test/item/8"], [.linksWrite]),
            form("links/many", "create", ["text": "https://go.acme.test/item/9"], [.linksWrite]),
            form(
                "links/:code",
                "save",
                ["target": "https://go.acme.test/item/8"],
                [.linksWrite],
                at: "links/spring",
                before: link
            ),
            form("links/:code", "archive", [:], [.linksWrite], at: "links/spring", before: link),
            form("links/:code", "restore", [:], [.linksWrite], at: "links/spring", before: link),
            form("links/:code", "block", ["reason": "fraud"], [.linksWrite], at: "links/spring", before: link),
            form(
                "routes/new",
                "save",
                ["text": "id: sale\npath: /sale\nopen: {screen: Sale}\n"],
                [.tablesWrite],
                before: (.delete, path: "draft/routes/sale", body: "")
            ),
            form("routes/edit/:route", "save", ["text": item], [.tablesWrite], at: "routes/edit/item"),
            form(
                "routes/edit/:route",
                "remove",
                [:],
                [.tablesRead, .tablesWrite],
                at: "routes/edit/blog",
                before: (
                    .put, path: "draft/routes/blog", body: #"{"path": "/blog/{slug}", "open": {"screen": "Post"}}"#
                )
            ),
            form("routes/publish", "publish", [:], [.publish], before: draft),
            form("routes/publish", "discard", [:], [.tablesRead, .tablesWrite], before: draft),
            form("routes/publish", "restore", ["text": AdminSession.tableJSON, "base": "1"], [.tablesWrite]),
            form("routes/revisions/:revision", "rollback", [:], [.publish], at: "routes/revisions/1"),
            form(
                "routes/revisions/:revision",
                "promote",
                ["to": "staging"],
                [.publish],
                at: "routes/revisions/1"
            ),
            form("setup/brand", "save", ["text": AdminSession.settings], [.admin]),
            form("setup/settings", "save", ["text": AdminSession.settings], [.admin]),
            form("setup/keys/new", "create", ["name": "new", "scope.keys": "yes"], [.keys]),
            form("setup/keys", "rotate", ["id": keyID], [.keys]),
            form("setup/keys", "revoke", ["id": keyID], [.keys]),
            form("setup/exports", "close", [:], [.exportsRead]),
            form("setup/retention", "drop", [:], [.admin]),
            form("setup/sessions", "end", ["id": String(repeating: "0", count: 64)], [.keys]),
        ]
    }

    @Test func everyFormIsTested() async throws {
        try await withService { service in
            let console = Console(service.dependencies, address: nil) { Data(count: $0) }
            let known = console.places.flatMap { place in place.value.acts.keys.map { "\(place.key) \($0)" } }
            let tested = Self.forms(keyID: "").map { "\($0.name) \($0.act)" }
            // The opposite of `save`, with the same request.
            #expect(Set(known).subtracting(tested) == ["links/:code revert"])
            #expect(Set(tested).subtracting(known).isEmpty)
            // A page names the scopes that its forms need, and that a person does not need to see it.
            let seen: [String: KeyGrant.Scope] = [
                "setup/keys": .keys, "setup/sessions": .keys, "setup/exports": .exportsRead,
            ]
            for (path, page) in console.places where !page.acts.isEmpty {
                let needed = Self.forms(keyID: "").filter { $0.name == path }.flatMap(\.scopes)
                #expect(Set(page.scopes) == Set(needed).subtracting([seen[path] ?? .tablesRead]), "\(path)")
            }
        }
    }

    /// A session does what its key may, and nothing else: the page answers as the admin API does.
    @Test func aFormDoesWhatTheKeyMay() async throws {
        try await withService { service in
            let operatorSession = try await AdminSession.acme(service)
            for form in Self.forms(keyID: "") {
                for scope in KeyGrant.Scope.allCases + [nil] {
                    // Nil: the scopes that the form needs.
                    let scopes = scope.map { [$0] } ?? form.scopes
                    let victim = try await AdminSession(service)
                    let session = try await AdminSession(service, scopes: scopes) { $0.tenant = TenantID("acme") }
                    if let before = form.before {
                        _ = try await operatorSession.send(before.0, before.path, before.body)
                    }
                    var fields = Self.forms(keyID: victim.id).first { $0.name == form.name && $0.act == form.act }?
                        .fields
                    fields?["act"] = form.act
                    let browser = ConsoleBrowser(service)
                    _ = try await browser.signIn(session.key)
                    fields?["formToken"] = try await browser.token()
                    let answer = try await browser.post("/console/acme/\(form.place)", fields ?? [:])
                    let may = scopes.isSuperset(of: form.scopes) || scopes.contains(.admin)
                    let hint = "\(form.name) \(form.act) \(scopes): \(answer.status) \(answer.text.suffix(600))"
                    if may {
                        #expect([200, 201, 303, 404].contains(answer.status), "\(hint)")
                        #expect(
                            answer.status != 404 || form.act == "end" || form.name.hasPrefix("setup/keys"),
                            "\(hint)"
                        )
                    } else {
                        #expect(answer.status == 403, "\(hint)")
                        #expect(answer.text.contains("scope"), "\(hint)")
                    }
                }
            }
        }
    }

    /// Neither another tenant's page nor a form without the session's token does anything.
    @Test func foreignTenantsAndTokensAreRefused() async throws {
        try await withService { service in
            let operatorSession = try await AdminSession.acme(service)
            let session = try await AdminSession(service, scopes: [.admin]) { $0.tenant = TenantID("acme") }
            let stranger = try await AdminSession(service, scopes: [.admin]) { $0.tenant = TenantID("blogs") }
            let (browser, foreign) = (ConsoleBrowser(service), ConsoleBrowser(service))
            _ = try await browser.signIn(session.key)
            _ = try await foreign.signIn(stranger.key)
            let tokens = (own: try await browser.token(), foreign: try await foreign.token())
            #expect(tokens.own != tokens.foreign)
            _ = try await operatorSession.send(.post, "short-links", Self.link)
            let before = try await state(operatorSession)
            for form in Self.forms(keyID: session.id) {
                let fields = form.fields.merging(["act": form.act]) { $1 }
                for token in [nil, "", tokens.foreign, String(tokens.own.dropLast()) + "x"] {
                    let answer = try await browser.post(
                        "/console/acme/\(form.place)",
                        fields.merging(token.map { ["formToken": $0] } ?? [:]) { $1 }
                    )
                    #expect(answer.status == 403, "\(form.name) \(form.act) \(token ?? "none"): \(answer.status)")
                }
                let answer = try await foreign.post(
                    "/console/acme/\(form.place)",
                    fields.merging(["formToken": tokens.foreign]) { $1 }
                )
                #expect(
                    [403, 404].contains(answer.status),
                    "\(form.name) \(form.act): \(answer.status) \(answer.text)"
                )
                let isTyped = form.fields.values.contains { $0.contains("go.acme.test") }
                #expect(isTyped || !answer.text.contains("go.acme.test"), "\(form.name) \(form.act): \(answer.text)")
            }
            #expect(try await state(operatorSession) == before)
        }
    }

    /// A page counts once against the limit of the session's key, however many requests it makes, and not at all without one.
    @Test(arguments: ["try?link=https%3A%2F%2Fgo.acme.test%2F", "routes/publish", "numbers", "setup/domains"])
    func aPageCountsOnceAgainstTheLimitOfTheKey(place: String) async throws {
        var policy = AdmissionPolicy.unlimited
        policy.key = RateLimit(perSecond: 1, burst: 3)
        try await withConsole(admitting: policy) { browser, session in
            _ = try await browser.signIn(session.key)
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await browser.get("/console/acme/\(place)").status) }
            #expect(statuses == [200, 200, 200, 429, 429])
        }
    }

    private func state(_ session: AdminSession) async throws -> [String] {
        var texts: [String] = []
        for path in ["settings", "draft", "revisions", "short-links", "table"] {
            texts.append(try await session.get(path).text)
        }
        return texts
    }
}

extension ConsoleBrowser {
    /// The hidden text of every form, from the form for signing out.
    fileprivate func token() async throws -> String { try await hidden("formToken", in: "/console/acme/try") }
}
