import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// Tables that others publish while a draft is edited are kept, whatever the draft's base.
@Suite(.timeLimit(.minutes(15)))
struct DraftBaseTests {
    @Test func draftsThatWereBegunBeforeAnythingWasLiveAreMerged() async throws {
        try await withService { service in
            let session = try await newTenant(service)
            #expect(try await session.send(.put, "draft/routes/a1?draft=one", Self.route("a1")).status == 201)
            #expect(try await session.send(.put, "draft/routes/b1?draft=two", Self.route("b1")).status == 201)
            #expect(try await session.post("draft/publish?draft=one").status == 201)
            let plan = try await session.post("draft/plan?draft=two")
            #expect(plan.json?["changes"]?["words"]?.elements?.map(\.text) == ["adds 'b1' for /b1"])
            #expect(try await session.post("draft/publish?draft=two").status == 201)
            #expect(try await session.liveRoutes() == ["a1", "b1"])
        }
    }

    @Test func sameRouteInTwoFirstDraftsIsAConflict() async throws {
        try await withService { service in
            let session = try await newTenant(service)
            for (draft, path) in [("one", "/1"), ("two", "/2")] {
                let route = #"{"path":"\#(path)"}"#
                #expect(try await session.send(.put, "draft/routes/a?draft=\(draft)", route).status == 201)
            }
            #expect(try await session.post("draft/publish?draft=one").status == 201)
            let refused = try await session.post("draft/publish?draft=two")
            #expect(refused.status == 412 && refused.code == "conflict")
            #expect(refused.json?["conflicts"]?.elements?.first?["base"] == .null)
        }
    }

    @Test func draftOfANewEnvironmentKeepsWhatIsPromotedThereMeanwhile() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let staging = "?environment=staging"
            #expect(try await session.send(.put, "draft/routes/more\(staging)", Self.route("more")).status == 201)
            #expect(try await session.post("revisions/1/promote?to=staging").status == 201)
            #expect(try await session.post("draft/publish\(staging)").status == 201)
            #expect(try await session.liveRoutes("staging") == ["home", "item", "blog", "more"])
        }
    }

    @Test func tableThatWasMadeFromNothingKeepsWhatIsPublishedMeanwhile() async throws {
        try await withService { service in
            let session = try await newTenant(service)
            #expect(try await session.send(.put, "draft/routes/a", Self.route("a")).status == 201)
            #expect(try await session.post("draft/publish").status == 201)
            let table = #"{"routes":[{"id":"b","path":"/b"}]}"#
            #expect(try await session.send(.put, "draft?draft=late&base=0", table).status == 200)
            #expect(try await session.post("draft/publish?draft=late").status == 201)
            #expect(try await session.liveRoutes() == ["a", "b"])
            #expect(try await session.send(.put, "draft?base=-1", table).code == "invalid_request")
            #expect(try await session.send(.put, "draft?base=9", table).code == "unknown_revision")
        }
    }

    /// Otherwise the routes that were added between the two bases would be removed.
    @Test func draftTakesTheBaseOfTheTableThatReplacesIt() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.send(.put, "draft/routes/more", Self.route("more")).status == 201)
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.put("draft", yaml: AdminSession.table).json?["base"]?.int == 2)
            let older = AdminSession.table + "\n  - {id: own, path: /own}\n"
            #expect(try await session.put("draft?base=1", yaml: older).json?["base"]?.int == 1)
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.liveRoutes() == ["home", "item", "blog", "more", "own"])
        }
    }

    @Test func conflictIsResolvedByRewritingTheDraftOnTheLiveTable() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for draft in ["one", "two"] {
                let route = #"{"path":"/item/{id:int}","open":{"screen":"\#(draft)"}}"#
                #expect(try await session.send(.put, "draft/routes/item?draft=\(draft)", route).status == 200)
            }
            #expect(try await session.post("draft/publish?draft=one").status == 201)
            #expect(try await session.post("draft/publish?draft=two").code == "conflict")
            let both = AdminSession.table.replacing("screen: Item", with: "screen: Both")
            #expect(try await session.put("draft?draft=two&base=2", yaml: both).status == 200)
            #expect(try await session.post("draft/publish?draft=two").status == 201)
            #expect(try await session.get("table").json?["routes"]?.elements?[1]["open"]?["screen"]?.text == "Both")
        }
    }

    @Test func keyOfSomeRoutesMovesNoDraftToAnotherBase() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            _ = try await admin.send(.put, "draft/routes/more", Self.route("more"))
            #expect(try await admin.post("draft/publish").status == 201)
            // The administrator removes 'item' in a draft.
            #expect(try await admin.delete("draft/routes/item").status == 204)
            let draft = try await admin.get("draft").text
            let blogger = try await AdminSession(service, scopes: [.tablesWrite, .tablesRead]) {
                $0.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)
            }
            for base in [0, 1] {
                let refused = try await blogger.send(.put, "draft?base=\(base)", draft)
                #expect(refused.status == 403 && refused.text.contains("changing the draft's base"), "\(refused.text)")
            }
            #expect(try await blogger.send(.put, "draft?base=2", draft).status == 200)
        }
    }

    /// A merge of a table with an older base would bring back what others have undone since, when they publish it.
    @Test func keyOfSomeRoutesCreatesNoDraftOfAnOlderBase() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            _ = try await admin.send(.put, "draft/routes/more", Self.route("more"))
            #expect(try await admin.post("draft/publish").status == 201)
            let blogger = try await AdminSession(service, scopes: [.tablesWrite, .tablesRead]) {
                $0.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)
            }
            let live = try await admin.get("draft").text
            let refused = try await blogger.send(.put, "draft?base=1", live)
            #expect(refused.status == 403 && refused.text.contains("changing the draft's base"), "\(refused.text)")
            #expect(try await blogger.send(.put, "draft?base=2", live).status == 200)
        }
    }

    // MARK: Revisions of another environment

    @Test func keyOfOneEnvironmentSeesNoBaseOfAnother() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            #expect(try await admin.post("revisions/1/promote?to=staging").status == 201)
            let secret = #"{"path":"/item/{id:int}","open":{"screen":"Secret"}}"#
            #expect(try await admin.send(.put, "draft/routes/item", secret).status == 200)
            #expect(try await admin.post("draft/publish").status == 201)
            let staging = "environment=staging"
            let environment = try #require(EnvironmentID("staging"))
            let tester = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish, .exportsRead]) {
                $0.environments = [environment]
            }
            let table = try await admin.get("revisions/1/table").text.replacing("Item", with: "Mine")
            let absent = try await tester.get("revisions/99?\(staging)").json?["detail"]?.text
            for (method, path, body) in [
                ("GET", "revisions/3?\(staging)", ""), ("GET", "revisions/3/table?\(staging)", ""),
                ("GET", "revisions/3/diff?\(staging)", ""), ("GET", "revisions/2/diff?to=3&\(staging)", ""),
                ("POST", "revisions/3/rollback?\(staging)", ""),
                ("POST", "revisions/3/promote?to=staging&\(staging)", ""),
                ("PUT", "draft?base=3&\(staging)", table),
                ("POST", "draft/plan?\(staging)", #"{"basedOn":3,"table":\#(table)}"#),
            ] {
                let answer = try await tester.send(.init(method) ?? .get, path, body)
                #expect(answer.status == 404 && answer.code == "unknown_revision", "\(method) \(path): \(answer.text)")
                #expect(answer.json?["detail"]?.text?.replacing("3", with: "99") == absent)
                #expect(!answer.text.contains("Secret"))
            }
            let listed = try await tester.get("/tenants").json?["tenants"]?.elements?.first { $0["id"]?.text == "acme" }
            #expect(listed?["live"] == .object(["staging": .int(2)]))
            // Another user's draft may have this base. Its conflicts show what is live and what the draft contains.
            #expect(try await admin.send(.put, "draft?base=3&\(staging)", table).status == 200)
            for path in ["plan", "publish", "replay"] {
                let conflict = try await tester.post("draft/\(path)?\(staging)")
                #expect(conflict.status == 412 && conflict.code == "conflict", "\(path): \(conflict.text)")
                #expect(!conflict.text.contains("Secret"))
                #expect(try await admin.post("draft/\(path)?\(staging)").text.contains("Secret"))
            }
        }
    }

    @Test func promotionTakesARevisionOfTheEnvironmentThatIsNamed() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.send(.put, "draft/routes/more", Self.route("more")).status == 201)
            #expect(try await session.post("draft/publish").status == 201)
            let wrong = try await session.post("revisions/1/promote?environment=staging&to=production")
            #expect(wrong.status == 400 && wrong.code == "invalid_request", "\(wrong.text)")
            #expect(wrong.text.contains("Revision 1 belongs to 'production', not to 'staging'"))
            let same = try await session.post("revisions/1/promote?to=production")
            #expect(same.status == 400 && same.text.contains("roll back"), "\(same.text)")
            #expect(try await session.get("table")["ETag"] == "\"2\"")

            let promoted = try await session.post("revisions/1/promote?to=staging")
            #expect(promoted.status == 201 && promoted.json?["origin"]?.text == "promotion")
            let listed = try await session.get("revisions?environment=staging").json?["revisions"]?.elements?.first
            #expect(listed?["origin"]?.text == "promotion" && listed?["originRevision"]?.int == 1)
            let audited = try await session.get("/audit?tenant=acme&limit=1").json?["audit"]?.elements?.first
            #expect(audited?["environment"]?.text == "staging" && audited?["after"]?["origin"]?.text == "promotion")
        }
    }

    @Test func unknownRevisionIsNotReportedAsGone() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for path in ["revisions/99/rollback", "revisions/99/promote?to=staging"] {
                let refused = try await session.post(path)
                #expect(refused.code == "unknown_revision")
                #expect(refused.json?["detail"]?.text == "There is no revision 99; list them at …/revisions.")
            }
        }
    }

    // MARK: Setup

    private static func route(_ id: String) -> String { #"{"path":"/\#(id)"}"# }

    private func newTenant(_ service: TestService) async throws -> AdminSession {
        var session = try await AdminSession(service)
        session.tenant = "fresh"
        #expect(try await session.put("settings", yaml: "domains: [go.fresh.test]\nschemes: [fresh]").status == 201)
        return session
    }
}

extension AdminSession {
    fileprivate func liveRoutes(_ environment: String = "production") async throws -> Set<String> {
        let table = try await get("table?environment=\(environment)").json
        return Set((table?["routes"]?.elements ?? []).compactMap { $0["id"]?.text })
    }
}
