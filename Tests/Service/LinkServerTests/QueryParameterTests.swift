import HTTPTypes
import LinkRouting
import LinkServer
import Testing

/// Admin operations refuse unknown query parameters, because a misspelt one would otherwise be ignored silently.
@Suite(.timeLimit(.minutes(15)))
struct QueryParameterTests {
    private struct Operation: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let parameters: [String]
    }

    /// The operations of `/openapi.json` with the parameters that their path declares.
    private static let operations: [Operation] = {
        let document = OpenAPIDocument.adminPort.content
        func names(_ list: JSONNode?) -> [String] {
            (list?.elements ?? []).compactMap { item in
                let path = item["$ref"]?.text?.split(separator: "/").dropFirst().map(String.init)
                let whole = path?.reduce(Optional(document)) { $0?[$1] } ?? item
                return whole["in"]?.text == "query" ? whole["name"]?.text : nil
            }
        }
        var operations: [Operation] = []
        for path in document["paths"]?.members ?? [] where path.key != "/openapi.json" {
            for one in path.value.members ?? [] where one.key != "parameters" {
                guard let method = HTTPRequest.Method(rawValue: one.key.uppercased()) else { continue }
                let own = names(path.value["parameters"]) + names(one.value["parameters"])
                operations.append(Operation(method: method, path: path.key, parameters: own))
            }
        }
        return operations
    }()

    private static func path(_ operation: Operation) -> String {
        operation.path.replacing("{tenant}", with: "acme").replacing("{id}", with: "nothing")
            .replacing("{revision}", with: "1").replacing("{name}", with: "nothing")
            .replacing("{day}", with: "dt=2026-11-21").replacing("{hour}", with: "hour=00")
            .replacing("{file}", with: "events-1.json").replacing("{dimension}", with: "country")
            .replacing("{code}", with: "spring")
    }

    @Test func misspeltParameterIsRefusedAndNothingIsDone() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(
                try await session.put("draft", yaml: AdminSession.table + "\n  - {id: new, path: /new}").status == 200
            )
            for (path, hint) in [
                ("draft/publish?enviroment=staging", "did you mean 'environment'?"),
                ("draft/publish?drafft=x", "did you mean 'draft'?"),
                ("draft/publish?env=x", "it has draft, environment."),
                ("draft/publish?environment=staging&environment=production", "occurs twice"),
                ("draft/publish?enviro%6Dent=staging", "not a query parameter"),
                ("draft/publish?Environment=staging", "did you mean"),
            ] {
                let answer = try await session.post(path)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(path): \(answer.text)")
                #expect(answer.json?["detail"]?.text?.contains(hint) == true, "\(path): \(answer.text)")
            }
            let route = #"{"path":"/qa","open":{"screen":"QA"}}"#
            let written = try await session.send(.put, "draft/routes/qa?enviroment=staging&drafft=x", route)
            #expect(written.status == 400)
            #expect(try await session.get("draft/routes/qa").code == "unknown_route")
            #expect(try await session.get("revisions").json?["revisions"]?.elements?.count == 1)
        }
    }

    @Test func everyOperationTakesWhatItDeclaresAndNothingElse() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            #expect(Self.operations.count > 40)
            for operation in Self.operations {
                let path = Self.path(operation)
                let unknown = try await service.adminPort(operation.method, path + "?okapi=1", key: session.key)
                #expect(unknown.status == 400 && unknown.code == "invalid_request", "\(operation): \(unknown.text)")
                #expect(unknown.text.contains("'okapi' is not a query parameter"), "\(operation): \(unknown.text)")
                for name in operation.parameters {
                    let known = try await service.adminPort(operation.method, "\(path)?\(name)=x", key: session.key)
                    #expect(!known.text.contains("is not a query parameter"), "\(operation) \(name): \(known.text)")
                }
            }
        }
    }

    /// Somebody may believe that only this environment is affected.
    @Test(
        arguments: [
            (.post, "archive"), (.post, "unarchive"), (.delete, ""), (.get, "retention"),
            (.post, "retention"), (.post, "erasures"), (.get, "exports"), (.post, "exports"),
            (.post, "exports/dt=2026-11-21/hour=00/events-1.json"), (.post, "revisions/prune"),
        ] as [(HTTPRequest.Method, String)]
    )
    func operationOfTheWholeTenantTakesNoEnvironment(method: HTTPRequest.Method, path: String) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let full = "/admin/v1/tenants/acme\(path.isEmpty ? "" : "/\(path)")"
            for environment in ["stagin", "staging", "production"] {
                let query = "?environment=\(environment)"
                let answer = try await service.adminPort(method, full + query, key: session.key)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.text)")
                #expect(answer.text.contains("Remove 'environment': this operation is for the whole tenant"))
            }
            #expect(try await session.get("table").status == 200)
        }
    }

    /// An unauthorised caller learns nothing about the parameters.
    @Test func keyIsCheckedFirst() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let foreign = try await AdminSession(service) { $0.tenant = TenantID("shop") }
            #expect(try await service.adminPort(.get, "/admin/v1/tenants/acme/draft?okapi=1", key: nil).status == 401)
            #expect(
                try await service.adminPort(.get, "/admin/v1/tenants/acme/draft?okapi=1", key: foreign.key).status
                    == 403
            )
        }
    }
}
