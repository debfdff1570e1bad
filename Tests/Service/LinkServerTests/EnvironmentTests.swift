import HTTPTypes
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// A tenant's environments are those in its settings and those with a live table.
@Suite(.timeLimit(.minutes(15)))
struct EnvironmentTests {
    /// Everyone may resolve links in all environments.
    private static let open = AdminSession.settings + "\nenvironmentKey: optional"
    private static let more = #"{"path":"/more","open":{"screen":"More"}}"#
    private static let suite =
        #"{"formatVersion":1,"cases":[{"link":"acme://item/7","context":{"platform":"ios"},"expect":{"action":"open_app"}}]}"#

    private func resolve(_ environment: String, of service: TestService) async throws -> JSONNode? {
        let body = #"{"url":"acme://item/7","environment":"\#(environment)","context":{"platform":"ios"}}"#
        return try await service.resolve(body).json
    }

    @Test func linkOfAnUnknownEnvironmentIsUnmatchedWithAWarning() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("settings", yaml: Self.open).status == 200)
            let answer = try await resolve("stagin", of: service)
            #expect(answer?["outcome"]?.text == "unmatched" && answer?["environment"]?.text == "stagin")
            #expect(
                answer?["warnings"]?.json()
                    == #"["'stagin' is not one of the tenant's environments, so no route matches; did you mean 'staging'?"]"#
            )
            #expect(try await resolve("staging", of: service)?["warnings"] == nil)
            #expect(try await resolve("production", of: service)?["warnings"] == nil)
            let far = try await resolve("quality", of: service)?["warnings"]?.elements?.first?.text
            #expect(far == "'quality' is not one of the tenant's environments, so no route matches.")
            #expect(Set(try await service.events(of: "acme").map(\.environment.rawValue)).contains("stagin"))
        }
    }

    @Test func unpublishedEnvironmentsAreCountedAsOne() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("settings", yaml: Self.open).status == 200)
            for number in 0..<30 { _ = try await resolve("invented-\(number)", of: service) }
            func count(_ environment: String) async throws -> Int64? {
                try await session.get("stats/totals?environment=\(environment)").json?["count"]?.int
            }
            #expect(try await session.get("stats/totals?environment=invented-7").code == "unknown_environment")
            #expect(try await count("-") == 30)
            #expect(try await count("production") == 0)
            _ = try await session.send(.put, "draft/routes/more?environment=staging", Self.more)
            #expect(try await session.post("draft/publish?environment=staging").status == 201)
            _ = try await resolve("staging", of: service)
            #expect(try await count("staging") == 1)
            #expect(try await count("-") == 30)
        }
    }

    /// A mistyped environment is not answered like an empty one.
    @Test func nothingIsReadOrWrittenInAnUnknownEnvironment() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let answers = [
                try await session.put("draft?environment=prod", yaml: AdminSession.table),
                try await session.send(.put, "draft/routes/more?environment=prod", Self.more),
                try await session.post("draft/plan?environment=prod", AdminSession.tableJSON),
                try await session.post("revisions/1/promote?to=prod"),
                try await session.post("draft/publish?environment=prod"),
                try await session.post("draft/plan?environment=prod"),
                try await session.post("draft/test?environment=prod"),
                try await session.post("apply?environment=prod", #"{"table":\#(AdminSession.tableJSON)}"#),
                try await session.put("suites/smoke?environment=prod", yaml: Self.suite),
            ]
            for answer in answers {
                #expect(answer.status == 422 && answer.code == "unknown_environment", "\(answer.text)")
                #expect(answer.json?["detail"]?.text?.contains("add it to 'environments'") == true)
            }
            for path in [
                "table", "draft", "drafts", "draft/routes", "draft/routes/home", "revisions", "revisions/1",
                "revisions/1/diff", "suites", "suites/smoke", "settings/history", "stats/totals", "stats/top/route",
                "events", "events/tail",
            ] {
                let answer = try await session.get("\(path)?environment=stagin")
                #expect(answer.status == 422 && answer.code == "unknown_environment", "\(path): \(answer.text)")
                let hint = "Did you mean 'staging'? Its environments are production, staging."
                #expect(answer.text.contains(hint), "\(path): \(answer.text)")
                #expect(try await session.get("\(path)?environment=staging").code != "unknown_environment", "\(path)")
            }
            // Settings may declare it.
            #expect(try await session.get("settings?environment=prod").status == 200)

            let settings = AdminSession.settings.replacing("[staging]", with: "[prod]")
            #expect(try await session.put("settings?environment=prod", yaml: settings).status == 200)
            #expect(try await session.post("revisions/1/promote?to=prod").status == 201)
            // A live environment continues to work after the settings no longer name it.
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 200)
            #expect(try await session.send(.put, "draft/routes/more?environment=prod", Self.more).status == 201)
            #expect(try await session.post("draft/publish?environment=prod").status == 201)
            #expect(try await resolve("prod", of: service)?["warnings"] == nil)
        }
    }

    @Test func keyOfAnEnvironmentLearnsNoOtherName() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let quality = try #require(EnvironmentID("quality"))
            let key = try await AdminSession(service) { $0.environments = [quality] }
            let answers = [
                try await key.get("table?environment=quality"),
                try await key.post("draft/plan?environment=quality", AdminSession.tableJSON),
                try await key.post("apply?environment=quality", #"{"table":\#(AdminSession.tableJSON)}"#),
            ]
            for answer in answers {
                #expect(answer.status == 422 && answer.code == "unknown_environment", "\(answer.text)")
                #expect(!answer.text.contains("staging") && !answer.text.contains("Its environments"), "\(answer.text)")
            }
        }
    }

    @Test func environmentOfAnAppIsKnown() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let app = "- {id: beta, platform: ios, teamID: ABCDE12345, bundleID: com.beta, environment: beta}"
            let settings = AdminSession.settings.replacing("[{id: ios", with: "\n  \(app)\n  - {id: ios")
                .replacing("com.acme}]", with: "com.acme}")
            #expect(try await session.put("settings", yaml: settings).status == 200)
            #expect(try await session.put("draft?environment=beta", yaml: AdminSession.table).status == 200)
        }
    }

    /// The two commands of the documentation: what passes in staging goes to production without an override.
    @Test func stagingNeedsNoOverride() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.put("suites/smoke", yaml: Self.suite).status == 200)
            let table = AdminSession.table + "\n  - {id: new, path: /new, open: {screen: New}}\n"
            #expect(try await session.put("draft?environment=staging", yaml: table).status == 200)
            let staged = try await session.post("draft/publish?environment=staging")
            #expect(staged.status == 201, "\(staged.text)")
            let promoted = try await session.post("revisions/2/promote?environment=staging&to=production")
            #expect(promoted.status == 201, "\(promoted.text)")
        }
    }

    /// A suite that names its environments guards only these.
    @Test func suiteGuardsItsEnvironments() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite =
                #"{"formatVersion":1,"environments":["staging"],"cases":[{"link":"acme://item/7","expect":{"route":"none"}}]}"#
            #expect(try await session.put("suites/smoke", yaml: suite).status == 200)
            #expect(try await session.put("draft?environment=staging", yaml: AdminSession.table).status == 200)
            #expect(try await session.post("draft/publish?environment=staging").code == "suites_failed")
            #expect(try await session.send(.put, "draft/routes/more", Self.more).status == 201)
            #expect(try await session.post("draft/publish").status == 201)
        }
    }

    /// It would never run there.
    @Test(arguments: [
        #""environments":["stagin"],"cases":[{"link":"acme://a","expect":{"route":"item"}}]"#,
        #""cases":[{"link":"acme://a","environments":["production","stagin"],"expect":{"route":"item"}}]"#,
    ])
    func suiteOfAnUnknownEnvironmentIsRefused(members: String) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite = #"{"formatVersion":1,\#(members)}"#
            let file = #"{"suites":{"smoke":\#(JSONNode.string(suite).json())}}"#
            for answer in [try await session.put("suites/smoke", yaml: suite), try await session.post("apply", file)] {
                #expect(answer.status == 422 && answer.code == "unknown_environment", "\(answer.text)")
                #expect(answer.text.contains("Did you mean 'staging'?"), "\(answer.text)")
            }
            #expect(try await session.get("suites").json?["suites"]?.elements?.isEmpty == true)
            // A live table makes it known.
            let settings = AdminSession.settings.replacing("[staging]", with: "[stagin]")
            #expect(try await session.put("settings", yaml: settings).status == 200)
            #expect(try await session.post("revisions/1/promote?to=stagin").status == 201)
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 200)
            #expect(try await session.put("suites/smoke", yaml: suite).status == 200)
        }
    }

    /// Answers of other environments need a key unless the settings open them.
    @Test func stagingNeedsAKey() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(try await session.post("revisions/1/promote?to=staging").status == 201)
            let ask = #"{"url":"acme://item/7","environment":"staging"}"#
            #expect(try await service.resolve(ask).status == 401)
            #expect(try await session.put("settings", yaml: Self.open).status == 200)
            #expect(try await service.resolve(ask).status == 200)
        }
    }

    @Test func environmentsAreFew() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            func settings(_ range: ClosedRange<Int>) -> String {
                let names = range.map { "e\($0)" }.joined(separator: ", ")
                return AdminSession.settings.replacing("[staging]", with: "[\(names)]")
            }
            let many = try await session.put("settings", yaml: settings(1...17))
            #expect(many.status == 422 && many.code == "invalid_settings", "\(many.text)")
            #expect(try await session.put("settings", yaml: settings(1...16)).status == 200)
            #expect(try await session.post("revisions/1/promote?to=e16").status == 201)
            // e16 stays live, so there is no room for sixteen others.
            let others = try await session.put("settings", yaml: settings(17...32))
            #expect(others.status == 422 && others.code == "invalid_settings", "\(others.text)")
            #expect(try await session.put("settings", yaml: settings(17...31)).status == 200)
        }
    }
}
