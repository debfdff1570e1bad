import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkServer

/// Without a key, only the endpoints that docs/api.md calls public answer. The endpoints are read from the routers.
@Suite(.timeLimit(.minutes(15)))
struct OpenSurfaceTests {
    /// docs/api.md in parts: the text before the first heading, and the sections by heading.
    private static func document() throws -> (head: String, sections: [String: String]) {
        let file = Repository.file("docs/api.md")
        let parts = try String(contentsOf: file, encoding: .utf8).split(separator: "\n## ").map(String.init)
        let sections = parts.dropFirst().map { part in
            (String(part.prefix { $0 != "\n" }), part)
        }
        return (parts[0], Dictionary(uniqueKeysWithValues: sections))
    }

    /// Returns each `GET /path` that a text has in backticks. `GET …` means all other paths.
    private static func operations(in text: String) -> Set<PortOperation> {
        Set(
            text.matches(of: /`(GET|POST) (\/[^` ]*|…)/).compactMap { match in
                HTTPRequest.Method(rawValue: String(match.output.1)).map {
                    PortOperation(method: $0, path: match.output.2 == "…" ? "/{path}" : String(match.output.2))
                }
            }
        )
    }

    private func ask(
        _ service: TestService,
        _ operation: PortOperation,
        key: String?,
        admin: Bool
    ) async throws -> TestResponse {
        let path = operation.path { $0 == "tenant" ? "acme" : $0 == "revision" ? "1" : "x" }
        let headers: HTTPFields = key.map { [.authorization: "Bearer \($0)"] } ?? [:]
        return admin
            ? try await service.adminPort(operation.method, path, key: key)
            : try await service.publicPort(operation.method, path, host: "go.acme.test", headers: headers)
    }

    @Test func adminPortRequiresAKey() async throws {
        let open = Self.operations(in: try Self.document().head)
        #expect(open == [PortOperation(method: .get, path: "/openapi.json")])
        try await withService { service in
            _ = try await AdminSession.acme(service)
            // A key with the scopes of callers, which opens nothing on the admin port.
            let caller = try await AdminSession(service, scopes: [.resolve, .explain]) { $0.tenant = TenantID("acme") }
            let parent = try await AdminSession(service)
            let child = AdminSession(
                service,
                try await parent.post("/keys", #"{"name": "child", "scopes": ["admin"]}"#)
            )
            let grandchild = AdminSession(
                service,
                try await child.post("/keys", #"{"name": "child", "scopes": ["admin"]}"#)
            )
            #expect(try await grandchild.get("/tenants").status == 200)
            #expect(try await parent.delete("/keys/\(parent.id)").status == 200)
            for operation in PortOperation.all(of: adminRouter(service.dependencies)) {
                let without = try await ask(service, operation, key: nil, admin: true)
                let wrong = try await ask(service, operation, key: "fp_production_x", admin: true)
                let scopeless = try await ask(service, operation, key: caller.key, admin: true)
                // Keys created with a key end with it.
                for key in [child.key, grandchild.key] where !open.contains(operation) {
                    let orphan = try await ask(service, operation, key: key, admin: true)
                    #expect(orphan.status == 401 && orphan.code == "invalid_key", "\(operation): \(orphan.text)")
                }
                if open.contains(operation) {
                    #expect([without, wrong, scopeless].map(\.status) == [200, 200, 200], "\(operation)")
                } else {
                    #expect(without.status == 401 && without.code == "missing_key", "\(operation): \(without.text)")
                    #expect(without["WWW-Authenticate"] == "Bearer", "\(operation)")
                    #expect(wrong.status == 401 && wrong.code == "invalid_key", "\(operation): \(wrong.text)")
                    #expect(scopeless.status == 403 && scopeless.code == "forbidden", "\(operation): \(scopeless.text)")
                    for answer in [without, wrong, scopeless] {
                        #expect(!answer.text.contains("go.acme.test"), "\(operation): \(answer.text)")
                    }
                }
            }
        }
    }

    @Test func publicAndOpsPortsHaveOnlyDocumentedOperations() async throws {
        let document = try Self.document()
        let open = Self.operations(in: document.head).union(
            Self.operations(in: try #require(document.sections["Public"]))
        )
        let ops = Self.operations(in: try #require(document.sections["Ops"]))
        try await withService { service in
            // The root path belongs to clicks, and HEAD is GET without a body.
            let here = PortOperation.all(of: publicRouter(service.dependencies.publicDependencies)).map { operation in
                PortOperation(
                    method: operation.method == .head ? .get : operation.method,
                    path: operation.path == "/" ? "/{path}" : operation.path
                )
            }
            #expect(Set(here) == open)
            #expect(PortOperation.all(of: opsRouter(service.opsParts)) == ops)
        }
    }

    /// The control socket has the operations of the admin port, and four that no port answers, whatever the key is.
    @Test func noPortHasTheOperationsOfTheOperator() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let tasks = OperatorTasks { _ in
                .null
            } verifyLog: {
                .null
            }
            let admin = PortOperation.all(of: adminRouter(service.dependencies))
            let control = PortOperation.all(of: controlRouter(service.dependencies, tasks))
            #expect(control.isSuperset(of: admin))
            let operators = control.subtracting(admin)
            #expect(
                Set(operators.map(\.description)) == [
                    "POST /admin/v1/backup", "POST /admin/v1/log/verify",
                    "GET /admin/v1/tenants/{tenant}/windows", "POST /admin/v1/tenants/{tenant}/windows/{window}",
                ]
            )
            let document = OpenAPIDocument.adminPort.content["paths"]?.members?.map(\.key) ?? []
            let ops = buildOpsApplication(service.opsParts, at: ListenAddress(host: "127.0.0.1", port: 0)) { _ in }
            for operation in operators {
                #expect(!document.contains(operation.path), "\(operation)")
                for key in [session.key, nil] {
                    let port = try await ask(service, operation, key: key, admin: true)
                    #expect(port.status == 404 && port.code == "not_found", "\(operation): \(port.text)")
                }
                let path = operation.path { _ in "acme" }
                // On the host of a tenant, a GET of any other path is a link.
                let open = try await service.publicPort(operation.method, path)
                #expect(open.status == 404, "\(operation): \(open.text)")
                #expect(try await service.send(operation.method, path, "localhost", [:], "", to: ops).status == 404)
            }
        }
    }

    /// The table's column `scope` matches `x-scopes` of `/openapi.json`, which OpenAPITests compare with the server.
    @Test func documentNamesTheScopeOfEveryOperation() throws {
        let text = try #require(try Self.document().sections["Admin"])
        let operations = OpenAPIDocument.adminPort.content["paths"]?.members ?? []
        var checked = 0
        for path in operations where path.key != "/openapi.json" {
            for operation in path.value.members ?? [] where operation.key != "parameters" {
                let scopes = (operation.value["x-scopes"]?.elements ?? []).compactMap(\.text)
                let short = path.key.replacing("/admin/v1/tenants/{tenant}", with: "T").replacing(
                    "{revision}",
                    with: "7"
                )
                .replacing("{name}", with: "NAME").replacing("{id}", with: "ID").replacing(
                    "{dimension}",
                    with: "DIMENSION"
                )
                .replacing("{code}", with: "CODE").replacing("{day}/{hour}/{file}", with: "dt=…/hour=…/events-…")
                let method = operation.key.uppercased()
                let rows = text.split(separator: "\n").filter { row in
                    guard row.hasPrefix("| `") else { return false }
                    let first = row.split(separator: "|")[0]
                    let names = first.matches(of: /`([A-Z]+)(?: ([^`?]+))?(?:\?[^`]*)?`/)
                    let paths = names.compactMap { $0.output.2.map(String.init) }
                    return paths.contains(short) && names.contains { $0.output.1 == method }
                }
                #expect(rows.count == 1, "\(method) \(short) stands in one row")
                let cell = rows.first.map { String($0.split(separator: "|")[1]) } ?? ""
                #expect(scopes.allSatisfy { cell.contains("`\($0)`") }, "\(method) \(short): \(scopes) in \(cell)")
                checked += 1
            }
        }
        #expect(checked > 40)
    }
}
