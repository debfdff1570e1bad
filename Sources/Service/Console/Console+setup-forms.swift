import Foundation
import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import NIOCore

/// The forms of *Setup*: the settings as YAML, with the landing page beside the brand, and new keys.
extension Console {
    /// - Parameter name: Settings, or Brand, which shows the landing page beside them.
    func settings(_ name: String) -> @Sendable (Visit) async throws -> [String: any Sendable] {
        { visit in try await settings(visit, name) }
    }

    private func settings(_ visit: Visit, _ name: String) async throws -> [String: any Sendable] {
        let answer = try await visit.send("GET", visit.target("/settings"))
        let stored = try Document.yaml(try answer.json["settings"] ?? .object([:]))
        var shown = stored
        if let revision = visit.query["revision"] {
            let earlier = try await visit.get(visit.target("/settings", ["revision": revision]))
            shown = try Document.yaml(earlier["settings"] ?? .object([:]))
        }
        let domains = SetupList.domains.items(try answer.json)
        let host = domains.first { $0["serves"]?.text == "links" }?["host"]?.text
        let link = visit.field("link") ?? host.map { "https://\($0)/" } ?? ""
        return Self.frame(name).merging([
            "stored": stored, "version": answer.unquotedVersion, "link": link,
            "landing": visit.place("/setup/landing", ["link": link]),
            "form": ["text": shown, "version": answer.unquotedVersion],
        ]) { $1 }
    }

    @Sendable func saveSettings(_ visit: Visit) async throws -> ConsoleAnswer {
        let (text, version) = (visit.form["text"] ?? "", visit.field("version"))
        do {
            _ = try await visit.send("PUT", visit.target("/settings"), ("application/yaml", text), ifMatch: version)
        } catch let refusal as RefusedRequest where refusal.body["code"]?.text == "invalid_table" {
            // Lines of the live table, which the settings do not fit, are no lines of this text.
            let findings = refusal.findings.map { finding in
                JSONNode(.object((finding.members ?? []).filter { !["line", "column"].contains($0.key) }))
            }
            let body: JSONNode = .object(["detail": .string(refusal.detail), "findings": .array(findings)])
            throw RefusedRequest(status: refusal.status, body: body)
        }
        let page = visit.place == visit.place("/setup/brand") ? "/setup/brand" : "/setup/settings"
        return .redirect(to: visit.place(page, ["saved": version.flatMap { Int64($0) }.map { "\($0)" }]))
    }

    // MARK: Brand

    /// In the browser of another app, every link that opens the app has a page.
    private static let agent =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 350.0"

    /// The page that a phone would get for a link, inside of the page of the brand.
    @Sendable func landing(_ visit: Visit) async throws -> ConsoleAnswer {
        // The admin API decides whether the person may see the tenant.
        _ = try await visit.get(visit.target("/settings"))
        guard let tenant = TenantID(visit.tenant) else { throw Problem(.notFound, "There is no such tenant.") }
        let link = visit.field("link") ?? ""
        let text: String
        switch try await LandingPreview(dependencies).answer(to: link, of: tenant, userAgent: Self.agent) {
        case .page(let page): return .file(type: "text/html; charset=utf-8", Array(buffer: page.body))
        case .redirect(let target): text = "There is no page. The link leads to \(target)"
        case nil: text = "There is no page. Try a link on a host of this tenant that serves links."
        }
        return .file(type: "text/plain; charset=utf-8", Array(text.utf8))
    }

    // MARK: Keys

    @Sendable func newKey(_ visit: Visit) async throws -> [String: any Sendable] {
        let scopes = KeyGrant.Scope.allCases.map { scope in
            [
                "scope": scope.rawValue, "meaning": Self.meaning(of: scope),
                "isChosen": visit.form["scope." + scope.rawValue] != nil,
            ]
                as [String: any Sendable]
        }
        return Self.frame("Keys").merging(["scopes": scopes]) { $1 }
    }

    private static func meaning(of scope: KeyGrant.Scope) -> String {
        switch scope {
        case .resolve: "ask where links lead, from apps and servers"
        case .explain: "ask why, in the same answers"
        case .tablesRead: "see routes, drafts, revisions and settings"
        case .tablesWrite: "edit drafts"
        case .publish: "publish, roll back, promote"
        case .exportsRead: "see recorded links one by one, and exports"
        case .analyticsRead: "see counts"
        case .linksRead: "see short links"
        case .linksWrite: "make, change and end short links"
        case .linksCreate: "make short links from apps"
        case .keys: "make and revoke keys"
        case .admin: "everything, also settings and the audit log"
        }
    }

    @Sendable func createKey(_ visit: Visit) async throws -> ConsoleAnswer {
        func list(_ field: String) -> JSONNode? {
            visit.field(field).map { text in
                .array(text.split { $0 == "," || $0.isWhitespace }.map { .string(String($0)) })
            }
        }
        let scopes = KeyGrant.Scope.allCases.filter { visit.form["scope." + $0.rawValue] != nil }
        let key = try await visit.ask(
            "POST",
            "/admin/v1/keys",
            .object([
                "name": .string(visit.field("name") ?? ""), "tenant": .string(visit.tenant),
                "scopes": .array(scopes.map { .string($0.rawValue) }), "environments": list("environments"),
                "owners": list("owners"), "pathPrefixes": list("pathPrefixes"),
                "expiresAt": visit.field("expires").map { .string($0.contains("T") ? $0 : $0 + "T00:00:00Z") },
            ])
        )
        return secret(of: key, visit)
    }

    @Sendable func rotateKey(_ visit: Visit) async throws -> ConsoleAnswer {
        let id = (visit.field("id") ?? "").percentEncodedPart
        return secret(of: try await visit.ask("POST", "/admin/v1/keys/\(id)/rotate"), visit)
    }

    /// The only page that shows a key.
    private func secret(of key: JSONNode, _ visit: Visit) -> ConsoleAnswer {
        return .page(
            "setup-secret",
            Self.frame("Keys").merging(["made": key.shown ?? "", "address": visit.signInAddress]) { $1 },
            .created
        )
    }

    @Sendable func revokeKey(_ visit: Visit) async throws -> ConsoleAnswer {
        let id = visit.field("id") ?? ""
        _ = try await visit.ask("DELETE", "/admin/v1/keys/\(id.percentEncodedPart)")
        return .redirect(to: visit.place("/setup/keys", ["revoked": "yes"]))
    }
}
