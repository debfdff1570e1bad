import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// An explanation resolves a recorded link again with the table that answered it, and says what was not recorded.
@Suite(.timeLimit(.minutes(15)))
struct ExplainTests {
    private static let settings = """
        domains: [go.acme.test]
        schemes: [acme]
        environments: [staging]
        privacy: {recordQuery: [lang], unmatchedPath: firstSegment}
        """
    private static let table = """
        routes:
          - {id: item, path: "/item/{id:int}", open: {screen: Item}}
          - {id: reset, path: "/reset/{token}", sensitive: [token], open: {screen: Reset}}
          - {id: german, path: /sale, when: {locale: de}, open: {screen: Verkauf}}
          - {id: member, path: /sale, when: {authenticated: true}, open: {screen: Member}}
          - {id: sale, path: /sale, open: {screen: Sale}}
        """

    private func withTable(_ body: (AdminSession) async throws -> Void) async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            #expect(try await session.put("settings", yaml: Self.settings).status == 201)
            try await publish(Self.table, session)
            try await body(session)
        }
    }

    private func publish(_ table: String, _ session: AdminSession) async throws {
        #expect(try await session.put("draft", yaml: table).status == 200)
        #expect(try await session.post("draft/publish").status == 201)
    }

    /// Resolves the link; returns the id of its event.
    private func record(_ url: String, context: String = "{}", _ session: AdminSession) async throws -> String {
        let answer = try await session.service.resolve(#"{"url": "\#(url)", "context": \#(context)}"#)
        return try #require(answer.json?["id"]?.text)
    }

    private func explain(_ event: String, _ session: AdminSession) async throws -> JSONNode {
        let answer = try await session.get("events/\(event)/explain")
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.json)
    }

    private func notes(_ explanation: JSONNode) -> [String] {
        (explanation["notes"]?.elements ?? []).compactMap(\.text)
    }

    @Test func theRecordedRevisionAnswersAgain() async throws {
        try await withTable { session in
            let id = try await record(
                "https://go.acme.test/item/5?lang=de&ref=x",
                context: #"{"platform": "ios", "appVersion": "2.1"}"#,
                session
            )
            try await publish(Self.table.replacing("screen: Item", with: "screen: Article"), session)
            let explanation = try await explain(id, session)
            #expect(explanation["event"]?["id"]?.text == id && explanation["event"]?["seq"]?.int == 1)
            #expect(explanation["link"]?.text == "https://go.acme.test/item/5?lang=de")
            #expect(explanation["context"]?.json() == #"{"platform":"ios","appVersion":"2.1"}"#)
            let resolution = explanation["resolution"]
            #expect(resolution?["revision"]?.int == 1 && resolution?["route"]?["id"]?.text == "item")
            #expect(resolution?["destination"]?["screen"]?.text == "Item")
            #expect(resolution?["trace"]?.elements != nil)
            #expect(explanation["differs"]?.json() == "[]")
            let cut = "The link had 41 bytes, more than are shown: "
            #expect(notes(explanation).contains { $0.hasPrefix(cut) }, "\(notes(explanation))")
            #expect(try await explain("1", session) == explanation)
            #expect(try await explain(id.uppercased(), session) == explanation)
        }
    }

    @Test func whatWasNotRecordedIsSaid() async throws {
        try await withTable { session in
            let reset = try await explain(try await record("acme://reset/s3cret", session), session)
            #expect(reset["link"]?.text == "acme://reset/{token}" && reset["differs"]?.json() == "[]")
            #expect(reset["resolution"]?["destination"]?["screen"]?.text == "Reset")
            #expect(!reset.json().contains("s3cret"))
            #expect(notes(reset).contains { $0.hasPrefix("The sensitive value of {token} is never recorded.") })
            // A person who also speaks German.
            let context = #"{"locale": ["en", "de"]}"#
            let sale = try await explain(try await record("acme://sale", context: context, session), session)
            #expect(sale["event"]?["route"]?.text == "german" && sale["resolution"]?["route"]?["id"]?.text == "sale")
            #expect(sale["differs"]?.json() == #"["route"]"#)
            let missing = notes(sale)
            let different = "The answer differs from the recorded one (route 'german', matched, open_app) in: route."
            #expect(missing.first?.hasPrefix(different) == true, "\(missing)")
            #expect(missing.contains { $0.hasPrefix("Only the first language, en, is recorded, ") }, "\(missing)")
            #expect(missing.contains("Not recorded: authenticated. It matters for 'member'."), "\(missing)")
        }
    }

    @Test func linkThatCannotBeResolvedAgainSaysWhy() async throws {
        try await withTable { session in
            for (url, note) in [
                ("acme://nowhere/1/2", "Only a part of the path was recorded"),
                ("https://go.acme.test/../x", "The link was rejected (dot_segment)"),
            ] {
                let explanation = try await explain(try await record(url, session), session)
                #expect(explanation["resolution"] == .null && explanation["differs"]?.json() == "[]")
                #expect(notes(explanation).contains { $0.hasPrefix(note) }, "\(notes(explanation))")
            }
            let id = try await record("acme://item/5", session)
            try await publish(Self.table.replacing("screen: Item", with: "screen: Article"), session)
            session.service.clock.advance(seconds: 60)
            let pruned = try await session.post("revisions/prune", #"{"keep": 1, "olderThanDays": 0}"#)
            #expect(pruned.json?["pruned"]?.json() == "[1]", "\(pruned.text)")
            let explanation = try await explain(id, session)
            #expect(explanation["resolution"] == .null && explanation["event"]?["route"]?.text == "item")
            let gone = "because revision 1 of the table or revision 1 of the settings does not exist any more"
            #expect(notes(explanation).map { $0.contains(gone) } == [true], "\(notes(explanation))")
        }
    }

    /// A followed link is recorded as its target; a blocked one itself.
    @Test func shortLinkIsNamed() async throws {
        try await withTable { session in
            try await publish(Self.table + "\n  - {id: go, path: \"/s/{code}\", follow: shortLinks}", session)
            let link = #"{"code": "spring", "target": "https://go.acme.test/item/5"}"#
            #expect(try await session.post("short-links", link).status == 201)
            let followed = try await explain(try await record("https://go.acme.test/s/spring", session), session)
            #expect(followed["event"]?["shortLink"]?.text == "go.acme.test/spring")
            #expect(followed["link"]?.text == "https://go.acme.test/item/5" && followed["differs"]?.json() == "[]")
            #expect(notes(followed).first == "The short link go.acme.test/spring was followed.")
            #expect(try await session.post("short-links/spring/block", #"{"reason": "Reported."}"#).status == 200)
            let blocked = try await explain(try await record("https://go.acme.test/s/spring", session), session)
            #expect(blocked["event"]?["action"]?.text == "block" && blocked["differs"]?.json() == "[]")
            #expect(blocked["link"]?.text == "https://go.acme.test/s/{code}")
            #expect(blocked["resolution"]?["outcome"]?.text == "undecided")
            let expected = [
                "The short link go.acme.test/spring was not followed (link_blocked).",
                "The link leads to a target that is not replayed. The recorded answer depends on the target.",
            ]
            #expect(Array(notes(blocked).prefix(2)) == expected)
        }
    }

    @Test func onlyTheTenantsOwnEventsAreFound() async throws {
        try await withTable { session in
            let shop = try #require(TenantID("shop"))
            try await session.service.record("2026-11-21T09:00:00Z") { $0.tenant = shop }
            for event in ["1", "2", "9223372036854775807", "01939e2c-7d00-7000-8000-000000000001"] {
                let answer = try await session.get("events/\(event)/explain")
                #expect(answer.status == 404 && answer.code == "unknown_event", "\(event): \(answer.text)")
            }
            for event in ["0", "-1", "x", "01939e2c-7d00-4000-8000-000000000001"] {
                #expect(try await session.get("events/\(event)/explain").code == "invalid_request", "\(event)")
            }
        }
    }

    /// Apps report revisions, so that an event of production may name one of another environment.
    @Test func tableOfAnotherEnvironmentIsNotShown() async throws {
        try await withTable { session in
            let draft = try await session.put("draft?environment=staging", yaml: Self.table)
            let published = try await session.post("draft/publish?environment=staging")
            #expect(draft.status == 200 && published.json?["revision"]?.int == 2, "\(published.text)")
            let acme = try #require(TenantID("acme"))
            try await session.service.record("2026-11-21T09:00:00Z") { event in
                (event.tenant, event.kind, event.outcome) = (acme, .app, .unmatched)
                (event.scheme, event.host, event.path) = ("https", "go.acme.test", "/")
                (event.revision, event.settingsRevision) = (Revision(rawValue: 2), 1)
            }
            let explanation = try await explain("1", session)
            #expect(explanation["resolution"] == .null)
            #expect(notes(explanation).contains { $0.contains("does not exist any more") }, "\(notes(explanation))")
        }
    }

    @Test func keyOfAnotherEnvironmentFindsNothing() async throws {
        try await withTable { session in
            let staging = try #require(EnvironmentID("staging"))
            let limited = try await AdminSession(session.service) { $0.environments = [staging] }
            _ = try await record("acme://item/5", session)
            #expect(try await limited.get("events/1/explain?environment=staging").code == "unknown_event")
            #expect(try await limited.get("events/1/explain").code == "forbidden")
        }
    }
}
