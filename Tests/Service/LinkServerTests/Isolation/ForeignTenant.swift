import Foundation
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// A tenant with one item of everything that the service stores. The names are recognisable in any answer.
struct ForeignTenant {
    let names: ForeignNames
    /// With access to all tenants.
    let admin: AdminSession
    /// A key for this tenant only.
    let token: String
    /// Texts that must not occur in any answer to another tenant: names, ids, hashes, in lower case.
    let marks: [String]

    private static let settings = """
        domains: [go.zebra.test, {host: www.zebra.test, serves: association}]
        schemes: [zebrascheme]
        apps:
          - {id: zebra-app, platform: ios, teamID: ZEBRA12345, bundleID: com.zebra, stores: [{kind: appStore, id: "987654321"}]}
        privacy: {recordQuery: [zebraq], recordInstall: true, unmatchedPath: full}
        environments: [zebra-env]
        clientKey: required
        """
    private static let table = """
        defaults: {fallback: {web: "https://www.zebra.test/"}}
        routes:
          - {id: zebra-home, path: /, open: {screen: ZebraHome}}
          - {id: zebra-route, owner: zebra-team, tags: [zebra-tag], path: "/zebra/{x}", signIn: required, open: {screen: ZebraScreen}}
        """

    init(_ service: TestService) async throws {
        var admin = try await AdminSession(service) { $0.name = "zebra-boss" }
        admin.tenant = "zebra-co"
        #expect(try await admin.put("settings", yaml: Self.settings).status == 201)
        for note in ["zebra-first", "zebra-second"] {
            let table = Self.table.replacing("ZebraHome", with: note)
            #expect(try await admin.put("draft", yaml: table).status == 200)
            #expect(try await admin.post("draft/publish", #"{"message": "\#(note)"}"#).status == 201)
        }
        let drafted = try await admin.put(
            "draft?draft=zebra-draft",
            yaml: Self.table.replacing("/zebra/", with: "/zebras/")
        )
        #expect(try await admin.put("draft?environment=zebra-env", yaml: Self.table).status == 200)
        let suite = """
            formatVersion: 1
            suite: zebra-suite
            tenant: zebra-co
            cases:
              - {link: "https://go.zebra.test/", expect: {route: zebra-home}}
            """
        #expect(try await admin.put("suites/zebra-suite", yaml: suite).status == 200)
        let short = #"{"code": "zebra-code", "target": "https://go.zebra.test/zebra/1", "title": "zebra-title"}"#
        #expect(try await admin.post("short-links", short).status == 201)
        let made = try await admin.post(
            "/keys",
            #"{"name": "zebra-key", "tenant": "zebra-co", "scopes": ["admin"]}"#,
            headers: [.init("Idempotency-Key") ?? .accept: "zebra-idempotency"]
        )
        let token = try #require(made.json?["key"]?.text)
        let key = try #require(made.json?["id"]?.text)
        let link =
            #"{"url": "https://go.zebra.test/zebra/1?zebraq=zebra", "context": {"app": "zebra-app", "stickyKey": "zebra-install"}}"#
        let resolved = try await service.resolve(link, headers: [.authorization: "Bearer \(token)"])
        let event = try #require(resolved.json?["id"]?.text)
        let export = try #require(try await admin.post("exports").json?["name"]?.text)
        #expect(try await admin.post("erasures", #"{"stickyKey": "zebra-gone"}"#).status == 201)
        let now = service.dependencies.linkResolver.now()
        let session = Session(
            hash: Data(0xC0..<0xE0),
            key: KeyID(rawValue: key),
            sealedKey: Data("zebra-sealed".utf8),
            isLink: false,
            createdAt: now,
            usedAt: now,
            endsAt: Timestamp(milliseconds: now.milliseconds + 86_400_000)
        )
        try await service.dependencies.store.saveSession(session)
        names = ForeignNames(
            tenant: "zebra-co",
            host: "go.zebra.test",
            scheme: "zebrascheme",
            app: "zebra-app",
            route: "zebra-route",
            draft: "zebra-draft",
            suite: "zebra-suite",
            shortLink: "zebra-code",
            environment: "zebra-env",
            install: "zebra-install",
            idempotencyKey: "zebra-idempotency",
            key: key,
            session: session.id,
            event: event,
            export: String(export.split(separator: "/", maxSplits: 1).last ?? ""),
            draftVersion: try #require(drafted.json?["version"]?.text),
            continuation: try #require(resolved.json?["continuation"]?["token"]?.text)
        )
        self.admin = admin
        self.token = token
        let hashes = try await admin.get("revisions").json?["revisions"]?.elements?.compactMap {
            $0["contentHash"]?.text
        }
        marks = ["zebra", key.lowercased(), session.id, event, "987654321"] + (hashes ?? [])
        #expect(hashes?.count == 2)
    }

    /// Everything about the tenant that can be read. Reading changes none of it.
    func everything() async throws -> [String] {
        var texts: [String] = []
        for path in [
            "settings", "settings/history", "drafts", "draft", "draft?draft=zebra-draft", "draft?environment=zebra-env",
            "table", "revisions",
            "suites", "suites/zebra-suite", "exports", "erasures", "events", "retention",
            "short-links", "short-links/zebra-code/history",
        ] {
            let answer = try await admin.get(path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            texts.append(answer.text)
        }
        texts.append(try await admin.get("/keys/\(names.key)").text)
        let sessions = try await admin.get("/sessions").text
        #expect(sessions.contains(names.session))
        texts.append(sessions)
        return texts
    }
}
