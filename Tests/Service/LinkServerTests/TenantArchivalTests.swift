import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// An archived tenant answers no links and cannot be changed. A removed one loses its tables and hosts.
@Suite(.timeLimit(.minutes(15)))
struct TenantArchivalTests {
    private func outcome(_ service: TestService) async throws -> String? {
        try await service.resolve(#"{"url":"acme://item/7","context":{"platform":"ios"}}"#).json?["outcome"]?.text
    }

    private func association(_ service: TestService) async throws -> Int {
        try await service.publicPort(.get, "/.well-known/apple-app-site-association", host: "www.acme.test").status
    }

    @Test func archivedTenantAnswersNoLinksUntilItIsActiveAgain() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await outcome(service) == "matched")
            #expect(try await association(service) == 200)
            for _ in 1...2 {
                #expect(try await session.post("archive").json?.json() == #"{"tenant":"acme","archived":true}"#)
            }
            #expect(try await outcome(service) == "unmatched")
            #expect(try await association(service) == 404)
            let listed = try await session.get("/tenants").json?["tenants"]?.elements?.first
            #expect(listed?["archivedAt"]?.text == service.clock.now.description)
            // What is stored can still be read.
            for path in ["settings", "table", "revisions", "suites", "drafts", "exports", "stats/totals"] {
                #expect(try await session.get(path).status == 200, "\(path)")
            }
            for _ in 1...2 {
                #expect(try await session.post("unarchive").json?.json() == #"{"tenant":"acme","archived":false}"#)
            }
            #expect(try await outcome(service) == "matched")
            #expect(try await association(service) == 200)
            #expect(try await session.get("/tenants").json?["tenants"]?.elements?.first?["archivedAt"] == nil)
            let audit = try await session.get("/audit?tenant=acme").json?["audit"]?.elements ?? []
            #expect(audit.prefix(2).map { $0["action"]?.text } == ["tenant.unarchive", "tenant.archive"])
        }
    }

    @Test func archivedTenantCannotBeChanged() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.post("archive").status == 200)
            let suite = "formatVersion: 1\ncases: [{link: \"acme://item/7\", expect: {route: item}}]"
            let answers = [
                ("settings", try await session.put("settings", yaml: AdminSession.settings)),
                ("draft", try await session.put("draft", yaml: AdminSession.table)),
                ("route", try await session.send(.put, "draft/routes/more", #"{"path":"/more"}"#)),
                ("suite", try await session.put("suites/a", yaml: suite)),
                ("publish", try await session.post("draft/publish")),
                ("rollback", try await session.post("revisions/1/rollback")),
                ("promote", try await session.post("revisions/1/promote?to=staging")),
                (
                    "apply",
                    try await session.post("apply", #"{"removeOthers":true,"table":\#(AdminSession.tableJSON)}"#)
                ),
                ("key", try await session.post("/keys", #"{"name":"n","tenant":"acme","scopes":["resolve"]}"#)),
            ]
            for (name, answer) in answers where name != "publish" {
                #expect(answer.status == 409 && answer.code == "tenant_archived", "\(name): \(answer.text)")
            }
            // There is no draft to publish.
            #expect(try await session.get("revisions").json?["revisions"]?.elements?.count == 1)
            #expect(try await outcome(service) == "unmatched")
        }
    }

    @Test func removedTenantReleasesItsHostsAndKeepsItsName() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            _ = try await outcome(service)
            let active = try await session.service.adminPort(.delete, "/admin/v1/tenants/acme", key: session.key)
            #expect(active.status == 409 && active.code == "tenant_not_archived", "\(active.text)")
            #expect(try await outcome(service) == "matched")
            #expect(try await session.post("archive").status == 200)
            let other = AdminSession.settings.replacing("go.acme.test", with: "go.other.test")
            var neighbour = session
            neighbour.tenant = "other"
            #expect(try await neighbour.put("settings", yaml: other).code == "domain_taken")
            for status in [204, 404] {
                let removed = try await service.adminPort(.delete, "/admin/v1/tenants/acme", key: session.key)
                #expect(removed.status == status, "\(removed.text)")
            }
            #expect(try await neighbour.put("settings", yaml: other).status == 201)
            for path in ["settings", "table", "draft", "revisions", "suites", "events"] {
                #expect(try await session.get(path).status == 404, "\(path)")
            }
            let taken = try await session.put("settings", yaml: "{}")
            #expect(taken.status == 409 && taken.code == "tenant_archived" && taken.text.contains("was removed"))
            #expect(try await session.post("unarchive").code == "unknown_tenant")
            let listed = try await session.get("/tenants").json?["tenants"]?.elements ?? []
            #expect(!listed.contains { $0["id"]?.text == "acme" } && listed.contains { $0["id"]?.text == "other" })
            // Retention and exports of its events go on.
            let rules = service.dependencies.linkResolver.catalog.current.retentionRules
            #expect(rules[TenantID("acme") ?? .none]?.days == 400)
            #expect(try await service.events(of: "acme").count == 2)
        }
    }

    @Test func retentionDeletesTheShortLinksOfARemovedTenant() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let acme = try #require(TenantID("acme"))
            let (links, retention) = (service.dependencies.shortLinks, service.dependencies.retention)
            let new = NewShortLink(
                code: ShortCode("spring"),
                content: ShortLink.Content(target: "https://go.acme.test/item/7"),
                createdAt: service.clock.now,
                createdBy: .system
            )
            _ = try await links.create([new], of: acme)
            #expect(try await session.post("archive").status == 200)
            _ = try await retention.applyRetention()
            #expect(try await links.count(of: acme) == 1)
            let removed = try await service.adminPort(.delete, "/admin/v1/tenants/acme", key: session.key)
            #expect(removed.status == 204)
            _ = try await retention.applyRetention()
            #expect(try await links.count(of: acme) == 0)
        }
    }

    @Test func onlyKeysForAllTenantsArchiveAndRemove() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let own = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            let reader = try await AdminSession(service, scopes: [.tablesRead])
            for session in [own, reader] {
                #expect(try await session.post("archive").status == 403)
                #expect(try await session.post("unarchive").status == 403)
                let removed = try await service.adminPort(.delete, "/admin/v1/tenants/acme", key: session.key)
                #expect(removed.status == 403)
            }
            #expect(try await outcome(service) == "matched")
            #expect(try await admin.post("archive").status == 200)
        }
    }
}
