import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// A change of Unicode normalisation alone is a change, because links are compared by bytes.
@Suite(.timeLimit(.minutes(15)))
struct ExactChangeTests {
    private static let (composed, apart) = ("/caf\u{E9}", "/cafe\u{301}")
    private static let table = """
        routes:
          - {id: cafe, owner: shop, path: "\(composed)", open: {screen: Cafe}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
        """

    private func withCafe(_ body: (TestService, AdminSession) async throws -> Void) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("draft", yaml: Self.table).status == 200)
            #expect(try await session.post("draft/publish").status == 201)
            try await body(service, session)
        }
    }

    @Test func keyOfOtherRoutesDoesNotChangeIt() async throws {
        try await withCafe { service, session in
            let blogger = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) {
                $0.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)
            }
            let changed = Self.table.replacing(Self.composed, with: Self.apart)
            #expect(changed.utf8.count == Self.table.utf8.count + 1)
            let whole = try await blogger.put("draft", yaml: changed)
            #expect(whole.status == 403 && whole.code == "forbidden", "\(whole.text)")
            let route = #"{"owner":"shop","path":"\#(Self.apart)","open":{"screen":"Cafe"}}"#
            #expect(try await blogger.send(.put, "draft/routes/cafe", route).status == 403)
            let lines = #"{"id":"cafe","owner":"shop","path":"\#(Self.apart)","open":{"screen":"Cafe"}}"#
            #expect(try await blogger.post("draft/routes", lines).status == 403)
            // The same holds for an administrator's draft.
            #expect(try await session.put("draft", yaml: changed).status == 200)
            #expect(try await blogger.post("draft/publish").status == 403)
            #expect(try await session.route(of: "acme://caf%C3%A9") == "cafe")
        }
    }

    @Test func ownerAndPathOfAKeyAreMeantByBytes() async throws {
        try await withCafe { service, _ in
            let limited = try await AdminSession(service, scopes: [.tablesWrite]) {
                $0.routes = KeyGrant.RouteLimit(owners: ["caf\u{E9}"], pathPrefixes: ["\(Self.composed)/"])
            }
            for (id, owner, path, status) in [
                ("a", "caf\u{E9}", "\(Self.composed)/a", 201), ("b", "cafe\u{301}", "\(Self.composed)/b", 403),
                ("c", "caf\u{E9}", "\(Self.apart)/c", 403),
            ] {
                let route = #"{"owner":"\#(owner)","path":"\#(path)","open":{"screen":"S"}}"#
                #expect(try await limited.send(.put, "draft/routes/\(id)", route).status == status, "\(id)")
            }
        }
    }

    @Test func validChangeIsReportedPublishedAndKept() async throws {
        try await withCafe { _, session in
            // A draft that was created before the change and does not contain it.
            let more = #"{"path":"/more"}"#
            #expect(try await session.send(.put, "draft/routes/more?draft=other", more).status == 201)

            let changed = Self.table.replacing(Self.composed, with: Self.apart)
            #expect(try await session.put("draft", yaml: changed).status == 200)
            let words = ["'cafe': path changes from \"\(Self.composed)\" to \"\(Self.apart)\""]
            let plan = try await session.post("draft/plan")
            #expect(plan.json?["changes"]?["words"]?.elements == words.map(JSONNode.string))
            let published = try await session.post("draft/publish")
            #expect(published.status == 201 && published.json?["changes"]?["changed"]?.elements?.count == 1)
            #expect(try await session.route(of: "acme://cafe%CC%81") == "cafe")
            #expect(try await session.route(of: "acme://caf%C3%A9") == nil)

            #expect(try await session.post("draft/publish?draft=other").status == 201)
            #expect(try await session.route(of: "acme://cafe%CC%81") == "cafe")
            #expect(try await session.route(of: "acme://more") == "more")
        }
    }

    @Test func twoSpellingsOfOneChangeAreAConflict() async throws {
        try await withCafe { _, session in
            for (draft, screen) in [("one", "Caf\u{E9}"), ("two", "Cafe\u{301}")] {
                let route = #"{"owner":"shop","path":"\#(Self.composed)","open":{"screen":"\#(screen)"}}"#
                #expect(try await session.send(.put, "draft/routes/cafe?draft=\(draft)", route).status == 200)
            }
            #expect(try await session.post("draft/publish?draft=one").status == 201)
            let second = try await session.post("draft/publish?draft=two")
            #expect(second.status == 412 && second.code == "conflict")
        }
    }

    @Test func settingsTellIt() async throws {
        try await withCafe { _, session in
            let body =
                #"{"settings":{"domains":["go.acme.test"],"schemes":["acme"],"privacy":{"recordQuery":["NAME"]}},"table":{"routes":[]}}"#
            let settings = try await session.put(
                "settings",
                yaml: AdminSession.settings + "\nprivacy: {recordQuery: [\"caf\u{E9}\"]}"
            )
            #expect(settings.status == 200)
            let plan = try await session.post("draft/plan", body.replacing("NAME", with: "cafe\u{301}"))
            let paths = plan.json?["settings"]?.elements?.compactMap { $0["path"]?.text } ?? []
            #expect(paths.contains("privacy.recordQuery"), "\(plan.text)")
        }
    }
}
