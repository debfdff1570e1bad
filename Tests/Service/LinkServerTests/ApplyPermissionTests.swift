import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// What a key may apply: a file of `fingerpost pull` always has settings, also if only its table was edited.
@Suite(.timeLimit(.minutes(15)))
struct ApplyPermissionTests {
    private static let changed = #"{"routes":[{"id":"home","path":"/","open":{"screen":"Start"}}]}"#

    private func body(_ settings: JSONNode?) -> String {
        let settings = settings.map { #""settings":\#($0.json()),"# } ?? ""
        return #"{\#(settings)"removeOthers":true,"table":\#(Self.changed)}"#
    }

    @Test(arguments: [nil, ["production", "staging"]] as [[String]?])
    func unchangedSettingsNeedNoAdministrator(_ environments: [String]?) async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let key = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish]) {
                $0.environments = environments.map { Set($0.compactMap { EnvironmentID($0) }) }
            }
            let settings = try #require(try await key.get("settings").json?["settings"])
            let applied = try await key.post("apply", body(settings), headers: [.ifMatch: "\"1\""])
            #expect(applied.status == 201 && applied.json?["revision"]?.int == 2, "\(applied.text)")
            #expect(applied.json?["settingsRevision"] == nil)
            #expect(try await key.get("settings").headers[.eTag] == "\"1\"")

            let members = (settings.members ?? []).filter { $0.key != "schemes" }
            let other = JSONNode(.object(members + [JSONNode.Member("schemes", .array([.string("other")]))]))
            let refused = try await key.post("apply", body(other))
            #expect(refused.status == 403 && refused.code == "forbidden", "\(refused.text)")
            let need = environments == nil ? "the scope 'admin'" : "a key without limits on environments or routes"
            #expect(refused.text.contains("The file changes 'settings', which needs \(need);"), "\(refused.text)")
            #expect(try await key.get("settings").json?["settings"] == settings)
        }
    }

    @Test func newTenantNeedsAnAdministrator() async throws {
        try await withService { service in
            var key = try await AdminSession(service, scopes: [.tablesRead, .tablesWrite, .publish])
            key.tenant = "fresh"
            let refused = try await key.post("apply", body(.object([:])))
            #expect(refused.status == 403 && refused.text.contains("'admin'"), "\(refused.text)")
            var admin = try await AdminSession(service)
            admin.tenant = "fresh"
            #expect(try await admin.post("apply", body(.object([:]))).status == 201)
        }
    }

    /// Hosts and association files use the table of production.
    @Test func linksMoveInProductionOnly() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let suite =
                #"{"formatVersion":1,"cases":[{"link":"https://www.acme.test/item/7","expect":{"route":"item"}}]}"#
            #expect(try await admin.send(.put, "suites/links", suite).status == 200)
            for (query, count) in [("", 1), ("?environment=staging", 0)] {
                let plan = try await admin.post("draft/plan\(query)", #"{"table":\#(Self.changed)}"#)
                #expect(plan.json?["moves"]?.elements?.count == count, "\(query): \(plan.text)")
            }
        }
    }
}
