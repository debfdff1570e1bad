import HTTPTypes
import LinkCatalog
import LinkRouting
import Testing

@testable import LinkServer

/// The admin API for the operator of the machine, who needs no key.
@Suite(.timeLimit(.minutes(15)))
struct ControlEndpointsTests {
    private struct Answer {
        let status: Int
        let body: JSONNode

        subscript(name: String) -> JSONNode? { body[name] }
    }

    private func ask(
        _ service: TestService,
        _ method: String,
        _ path: String,
        _ body: String = ""
    ) async throws -> Answer {
        let tasks = OperatorTasks {
            .object(["files": .array([.string($0)])])
        } verifyLog: {
            .object(["whole": .bool(true)])
        }
        let answer = try await InternalEndpoints(ofControl: service.dependencies, tasks)
            .answer(method, "/admin/v1/\(path)", [("Content-Length", "\(body.utf8.count)")], Array(body.utf8))
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        return Answer(status: answer.status, body: try JSONReader.parse(answer.body, limits: limits))
    }

    /// A key that the operator creates depends on no other key.
    @Test func changesOfTheOperatorAreTheSystemsInTheAudit() async throws {
        try await withService { service in
            let made = try await ask(service, "POST", "keys", #"{"name": "ci", "scopes": ["admin"]}"#)
            #expect(made.status == 201 && made["createdBy"] == .null)
            let key = try #require(made["key"]?.text)
            #expect(try await service.adminPort(.get, "/admin/v1/keys", key: key).status == 200)

            let id = try #require(made["id"]?.text)
            #expect(try await ask(service, "DELETE", "keys/\(id)").status == 200)
            #expect(try await service.adminPort(.get, "/admin/v1/keys", key: key).status == 401)

            let rows = try await ask(service, "GET", "audit?limit=2")["audit"]?.elements ?? []
            #expect(rows.map { $0["action"]?.text } == ["key.revoke", "key.create"])
            for row in rows {
                #expect(row["actor"] == Actor.system.json)
                #expect(row["requestId"]?.text?.isEmpty == false && row["requestId"]?.text != "-")
            }
        }
    }

    /// The operator neither waits for the limits of callers and tenants nor uses them up.
    @Test func operatorHasNoRateLimit() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.address = RateLimit(perSecond: 1, burst: 1)
        policy.tenant = RateLimit(perSecond: 1, burst: 1)
        try await withService(admitting: policy) { service in
            let key = try service.makeKey()
            for _ in 0..<5 { #expect(try await ask(service, "GET", "tenants/shop/draft").status == 200) }
            #expect(try await service.adminPort(.get, "/admin/v1/tenants/shop/draft", key: key).status == 200)
            #expect(try await service.adminPort(.get, "/admin/v1/tenants/shop/draft", key: key).status == 429)
            #expect(try await ask(service, "GET", "tenants/shop/draft").status == 200)
        }
    }

    @Test func operationsOfTheOperatorAnswer() async throws {
        try await withService { service in
            #expect(try await ask(service, "POST", "backup", #"{"to": "/b"}"#).body.json() == #"{"files":["/b"]}"#)
            #expect(try await ask(service, "POST", "backup").status == 400)
            #expect(try await ask(service, "POST", "log/verify")["whole"]?.bool == true)
            _ = try await service.resolve(#"{"url": "yourapp://product/1"}"#)
            let manifest = try await ask(service, "POST", "tenants/shop/exports")
            let name = try #require(manifest["name"]?.text)
            let windows = try await ask(service, "GET", "tenants/shop/windows")
            #expect(windows["windows"]?.elements?.map(\.text) == [name])
            let end = try #require(manifest["window"]?["end"]?.text)
            #expect(try await ask(service, "GET", "tenants/shop/windows?since=\(end)")["windows"]?.elements == [])
            #expect(try await ask(service, "GET", "tenants/shop/windows?since=now").status == 400)
            let window = try #require(name.split(separator: "/").last)
            let filled = try await ask(service, "POST", "tenants/shop/windows/\(window)")
            #expect(filled.body.json() == #"{"result":"kept","rows":1}"#)
            #expect(try await ask(service, "POST", "tenants/shop/windows/nope").status == 404)
            #expect(try await ask(service, "GET", "tenants/nope/windows")["code"]?.text == "unknown_tenant")
        }
    }
}
