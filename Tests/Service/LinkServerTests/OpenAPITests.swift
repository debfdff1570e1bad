import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting
import Testing

@testable import LinkServer

/// `/openapi.json` matches the ports' endpoints exactly.
@Suite(.timeLimit(.minutes(15)))
struct OpenAPITests {
    /// `GET /path/{name}`
    private static func operations(of document: OpenAPIDocument) -> [(name: String, node: JSONNode)] {
        (document.content["paths"]?.members ?? []).flatMap { path in
            (path.value.members ?? []).filter { $0.key != "parameters" }.map { operation in
                ("\(operation.key.uppercased()) \(path.key)", operation.value)
            }
        }
    }

    private static func operations(of router: Hummingbird.Router<ServerRequestContext>) -> Set<String> {
        // The router accepts any rest there, and the controller reads three names from it.
        Set(
            PortOperation.all(of: router).map {
                $0.description.replacing("/exports/{path}", with: "/exports/{day}/{hour}/{file}")
            }
        )
    }

    @Test func documentsNameEveryOperationOfTheirPorts() async throws {
        try await withService { service in
            // Clicks use all other paths, which belong to the tenants.
            let clicks: Set = ["GET /{path}", "HEAD /{path}", "GET /{link}", "HEAD /{link}", "GET /", "HEAD /"]
            let open = Set(
                PortOperation.all(of: publicRouter(service.dependencies.publicDependencies)).map(\.description)
            ).subtracting(
                clicks
            )
            #expect(Set(Self.operations(of: .publicPort).map(\.name)).subtracting(clicks) == open)
            let admin = Self.operations(of: adminRouter(service.dependencies))
            #expect(Set(Self.operations(of: .adminPort).map(\.name)) == admin)
        }
    }

    @Test func documentsAreServedToEverybody() async throws {
        try await withService { service in
            for answer in [
                try await service.publicPort(.get, "/openapi.json"),
                try await service.adminPort(.get, "/openapi.json", key: nil),
            ] {
                #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
                #expect(answer.json?["openapi"]?.text?.hasPrefix("3.1.") == true)
            }
        }
    }

    @Test func everyProblemIsDescribed() {
        for document in [OpenAPIDocument.publicPort, .adminPort] {
            let codes = document.content["components"]?["schemas"]?["ProblemCode"]?["oneOf"]?.elements ?? []
            #expect(Set(codes.compactMap { $0["const"]?.text }) == Set(Problem.Code.allCases.map(\.rawValue)))
            #expect(codes.allSatisfy { $0["description"]?.text?.isEmpty == false })
        }
    }

    @Test func everyReferenceLeadsSomewhere() {
        for document in [OpenAPIDocument.publicPort, .adminPort] {
            var nodes = [document.content]
            while let node = nodes.popLast() {
                if let reference = node["$ref"]?.text {
                    let target = reference.split(separator: "/").dropFirst().reduce(Optional(document.content)) {
                        $0?[String($1)]
                    }
                    #expect(target != nil, "\(reference)")
                }
                nodes += node.elements ?? (node.members ?? []).map(\.value)
            }
        }
    }

    /// Every schema has a type. The only exception is a value that is any JSON, which has a name of its own.
    @Test func everySchemaIsTyped() {
        let types = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"]
        func check(_ schema: JSONNode, _ path: String) {
            #expect(types.contains { schema[$0] != nil } || path.hasSuffix("schemas.JSONValue"), "\(path)")
            let names = schema["type"]?.text.map { [$0] } ?? (schema["type"]?.elements ?? []).compactMap(\.text)
            let isMap = schema["additionalProperties"].map { $0.bool == nil } ?? false
            #expect(!names.contains("object") || isMap || schema["properties"] != nil, "\(path)")
            #expect(!names.contains("array") || schema["items"] != nil, "\(path)")
            for member in schema["properties"]?.members ?? [] { check(member.value, "\(path).\(member.key)") }
            for key in ["items", "additionalProperties"] {
                if let inner = schema[key], inner.bool == nil { check(inner, "\(path).\(key)") }
            }
            for key in ["anyOf", "oneOf", "allOf"] {
                for inner in schema[key]?.elements ?? [] {
                    check(inner, "\(path).\(key)")
                }
            }
        }
        for document in [OpenAPIDocument.publicPort, .adminPort] {
            var nodes = [(document.content, "")]
            while let (node, path) = nodes.popLast() {
                if path.hasSuffix(".schemas") {
                    for member in node.members ?? [] { check(member.value, "\(path).\(member.key)") }
                } else if let schema = node["schema"] {
                    check(schema, "\(path).schema")
                }
                nodes += (node.members ?? []).map { ($0.value, "\(path).\($0.key)") }
                nodes += (node.elements ?? []).map { ($0, path) }
            }
        }
    }

    @Test func eventsHaveTheColumnsOfExports() {
        let event = OpenAPIDocument.adminPort.content["components"]?["schemas"]?["Event"]
        #expect((event?["properties"]?.members ?? []).map(\.key) == ExportSchema.columns)
        #expect((event?["required"]?.elements ?? []).compactMap(\.text) == ExportSchema.columns)
    }

    @Test func contextsHaveTheKeysOfTheDecoder() {
        let context = OpenAPIDocument.publicPort.content["components"]?["schemas"]?["Context"]
        // Only suites choose the time.
        let keys = LinkContext.Key.allCases.filter { $0 != .now }.map(\.rawValue) + ["occurredAt"]
        #expect(Set((context?["properties"]?.members ?? []).map(\.key)) == Set(keys))
    }

    /// Tables, settings and suites have the schemas that `fingerpost schema` prints.
    @Test func documentsOfPeopleHaveOneDefinition() {
        let schemas = OpenAPIDocument.adminPort.content["components"]?["schemas"]
        for name in ["Settings", "App", "Table", "Route", "Condition", "Suite", "CaseContext"] {
            let keys = (DocumentSchema.definition(name)?.schema["properties"]?.members ?? []).map(\.key)
            #expect(!keys.isEmpty && (schemas?[name]?["properties"]?.members ?? []).map(\.key) == keys, "\(name)")
        }
        #expect(schemas?["RouteContent"]?["required"] == .array([.string("path")]))
    }

    @Test func operationsHaveNamesScopesAndSummaries() {
        var seen: Set<String> = []
        for (name, node) in Self.operations(of: .adminPort) + Self.operations(of: .publicPort) {
            #expect(node["summary"]?.text?.isEmpty == false, "\(name)")
            #expect(node["responses"]?.members?.isEmpty == false, "\(name)")
            if name != "GET /openapi.json" {
                let isNew = seen.insert(node["operationId"]?.text ?? name).inserted
                #expect(isNew, "\(name)")
            }
        }
    }

    // MARK: Authorisation

    /// The scopes that an admin operation declares; all of them are needed.
    private struct Rule: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let scopes: Set<KeyGrant.Scope>

        var isAboutOneTenant: Bool { path.contains("{tenant}") }

        func path(of tenant: String) -> String {
            path.replacing("{tenant}", with: tenant).replacing("{id}", with: "item").replacing("{revision}", with: "1")
                .replacing("{name}", with: "items").replacing("{day}", with: "dt=2026-11-21")
                .replacing("{hour}", with: "hour=00").replacing("{file}", with: "events-1.json")
                .replacing("{dimension}", with: "country").replacing("{code}", with: "spring")
        }
    }

    private static let rules: [Rule] = operations(of: .adminPort).compactMap { name, node in
        let parts = name.split(separator: " ")
        guard let method = HTTPRequest.Method(rawValue: String(parts[0])), name != "GET /openapi.json" else {
            return nil
        }
        let scopes = (node["x-scopes"]?.elements ?? []).compactMap { $0.text.flatMap(KeyGrant.Scope.init(rawValue:)) }
        return Rule(method: method, path: String(parts[1]), scopes: Set(scopes))
    }

    @Test func everyOperationNeedsAScope() {
        #expect(Self.rules.count > 30)
        for rule in Self.rules { #expect(!rule.scopes.isEmpty, "\(rule.method) \(rule.path)") }
    }

    /// Every operation × every single scope × the own tenant and another one.
    @Test(arguments: KeyGrant.Scope.allCases)
    func scopeOpensExactlyTheDocumentedOperations(scope: KeyGrant.Scope) async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            var sessions: [Set<KeyGrant.Scope>: AdminSession] = [:]
            for rule in Self.rules {
                let needed = rule.scopes
                // If an operation needs several scopes, a key with all of them is tested too.
                let others = needed.subtracting([scope])
                for scopes in Set([Set([scope]), others.union([scope])]) {
                    let mayOwn = scopes.contains(.admin) || needed.isSubset(of: scopes)
                    let session: AdminSession
                    if let known = sessions[scopes] {
                        session = known
                    } else {
                        session = try await AdminSession(service, scopes: scopes) { $0.tenant = TenantID("acme") }
                        sessions[scopes] = session
                    }
                    let own = try await session.service.adminPort(rule.method, rule.path(of: "acme"), key: session.key)
                    // Some operations concern all tenants. A key for one tenant is refused whatever its scopes.
                    let isRefused = own.status == 403 && own.code == "forbidden"
                    let isGlobal =
                        !rule.path.contains("short-links")
                        && ["/audit/verify", "/{tenant}", "archive"].contains(where: rule.path.hasSuffix)
                    #expect(isRefused == (!mayOwn || isGlobal), "\(rule.method) \(rule.path) \(scopes): \(own.text)")
                    guard rule.isAboutOneTenant else { continue }
                    let other = try await session.service.adminPort(
                        rule.method,
                        rule.path(of: "shop"),
                        key: session.key
                    )
                    #expect(
                        other.status == 403 && other.code == "forbidden",
                        "\(rule.method) \(rule.path): \(other.text)"
                    )
                }
            }
        }
    }

    @Test func withoutAValidKeyNothingOpens() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let revoked = try await AdminSession(service)
            #expect(try await admin.delete("/keys/\(revoked.id)").status == 200)
            for rule in Self.rules {
                for (key, code) in [(nil, "missing_key"), (revoked.key, "invalid_key"), ("fp_x", "invalid_key")] {
                    let answer = try await service.adminPort(rule.method, rule.path(of: "acme"), key: key)
                    #expect(answer.status == 401 && answer.code == code, "\(rule.method) \(rule.path): \(answer.text)")
                }
            }
        }
    }

    @Test func keyOfAnotherEnvironmentSeesNothingOfThisOne() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let staging = try #require(EnvironmentID("staging"))
            let session = try await AdminSession(service) { $0.environments = [staging] }
            for rule in Self.rules where rule.isAboutOneTenant {
                let answer = try await service.adminPort(rule.method, rule.path(of: "acme"), key: session.key)
                #expect(answer.status == 403, "\(rule.method) \(rule.path): \(answer.text)")
            }
        }
    }
}
