import Foundation
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkTable
import TestSupport
import Testing

@testable import LinkServer

/// No shared cache serves a response to the wrong client. A cache stores a `public` response under the
/// scheme, host, path and query of its request, and under the fields that `Vary` names.
@Suite(.timeLimit(.minutes(15)))
struct SharedCacheTests {
    /// A row of the table in docs/security.md.
    private struct Row {
        let answer: String
        let operation: String
        let withoutKey: String
        let withKey: String
        let vary: String
    }

    private static func rows() throws -> [Row] {
        let file = Repository.file("docs/security.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Caches\n") })
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
            }
            return Row(answer: cells[0], operation: cells[1], withoutKey: cells[2], withKey: cells[3], vary: cells[4])
        }
    }

    private static let host = "go.acme.test"

    /// Runs `body` with a tenant that has association files, clicks and a signed table.
    private func withTenant(_ body: (TestService) async throws -> Void) async throws {
        try await withService { service in
            try await service.load(
                AppEventTests.acme(
                    "destinations: {hosts: [www.acme.test]}",
                    routes: #"{id: item, path: "/item/{id}", open: {screen: Item}, web: "https://www.acme.test/{id}"}"#
                )
            )
            service.dependencies.appTables.update(
                TableSigner(try TablePrivateKey(seed: Array(repeating: 7, count: 32)))
            )
            await service.dependencies.appTableService.signTables()
            try await body(service)
        }
    }

    /// The requests of the rows: path, body, other fields and expected status.
    private static let requests: [String: [(path: String, body: String, fields: HTTPFields, status: Int)]] = [
        "association file": [
            ("/.well-known/apple-app-site-association", "", [:], 200), ("/apple-app-site-association", "", [:], 200),
            ("/.well-known/assetlinks.json", "", [:], 200), ("/.well-known/assetlinks.json?x=1", "", [:], 200),
            ("/.well-known/assetlinks.json", "", [.ifNoneMatch: "*"], 304),
            ("/.well-known/assetlinks.json", "", [.acceptEncoding: "gzip"], 200),
        ],
        "signed table": [
            ("/_fp/table?app=ios", "", [:], 200), ("/_fp/table?app=ios&tenant=acme", "", [:], 200),
            ("/_fp/table?app=ios", "", [.ifNoneMatch: "*"], 304),
            ("/_fp/table?app=ios", "", [.acceptEncoding: "gzip"], 200),
        ],
        "OpenAPI document": [("/openapi.json", "", [:], 200), ("/openapi.json?x=1", "", [:], 200)],
        "click": [
            ("/item/1", "", [:], 302), ("/nothing", "", [:], 404), ("/item/%2e%2e", "", [:], 400),
            ("/item/1", "", [.accept: "text/html"], 302), ("/nothing", "", [.accept: "text/html"], 404),
        ],
        "resolution": [("/resolve", #"{"url": "acme://item/1"}"#, [:], 200)],
        "result of reports, link of an app": [
            ("/_fp/events", AppEventTests.batch(AppEventTests.event("a")), [:], 200), ("/_fp/links", "{}", [:], 400),
            ("/_fp/installs", "{}", [:], 400),
        ],
        "problem": [
            ("/_fp/table?app=none", "", [:], 404), ("/_fp/table", "", [.accept: "text/html"], 400),
            ("/_fp/nothing", "", [:], 404), ("/.well-known/nothing", "", [.accept: "text/html"], 404),
        ],
    ]

    @Test func everyResponseHasTheFieldsOfTheDocument() async throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.answer)) == Set(Self.requests.keys), "the table in docs/security.md")
        try await withTenant { service in
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            for row in rows {
                for request in Self.requests[row.answer] ?? [] {
                    let methods: [HTTPRequest.Method] =
                        request.body.isEmpty ? (row.answer == "OpenAPI document" ? [.get] : [.get, .head]) : [.post]
                    for (method, isKeyed) in methods.flatMap({ [($0, false), ($0, true)] }) {
                        var fields = request.fields
                        if isKeyed { fields[.authorization] = "Bearer \(key)" }
                        let answer = try await service.publicPort(
                            method,
                            request.path,
                            host: Self.host,
                            headers: fields,
                            body: request.body
                        )
                        let text = "\(method) \(request.path), key: \(isKeyed)"
                        #expect(answer.status == request.status, "\(text): \(answer.text)")
                        #expect(answer["Cache-Control"] == (isKeyed ? row.withKey : row.withoutKey), "\(text)")
                        #expect(answer["Vary"] == (row.vary.isEmpty ? nil : row.vary), "\(text)")
                    }
                }
            }
        }
    }

    /// For one URL, every response that a shared cache may keep is the one without a key, whatever else a client sends.
    @Test func publicResponseIsTheSameForEveryClient() async throws {
        try await withTenant { service in
            let fields: [HTTPFields] = try [
                [:], ["X-Forwarded-Host": "go.yourappdomain.com"], ["Forwarded": "host=go.yourappdomain.com"],
                ["X-Original-URL": "/_fp/table?app=android&tenant=shop"], ["Accept": "text/html"],
                ["Origin": "https://evil.example"], ["Cookie": "a=b"], ["Range": "bytes=0-3"],
            ].map { (pairs: [String: String]) in
                HTTPFields(try pairs.map { HTTPField(name: try #require(HTTPField.Name($0.key)), value: $0.value) })
            }
            for (answer, requests) in Self.requests.sorted(by: { $0.key < $1.key }) {
                for request in requests where request.body.isEmpty {
                    let usual = try await service.publicPort(
                        .get,
                        request.path,
                        host: Self.host,
                        headers: request.fields
                    )
                    for tenant in ["acme", "shop", nil, "none"] {
                        let key = tenant == "none" ? nil : try service.makeKey(tenant: tenant, scopes: [.resolve])
                        for others in fields {
                            var fields = request.fields
                            for field in others { fields[field.name] = field.value }
                            if let key { fields[.authorization] = "Bearer \(key)" }
                            let other = try await service.publicPort(
                                .get,
                                request.path,
                                host: Self.host,
                                headers: fields
                            )
                            guard other["Cache-Control"]?.contains("public") != false else { continue }
                            #expect(
                                other.status == usual.status && other.body == usual.body
                                    && other["ETag"] == usual["ETag"],
                                "\(answer): \(request.path) for \(others) with a key of \(tenant ?? "all tenants")"
                            )
                        }
                    }
                }
            }
        }
    }

    /// Spellings of a host that a cache may hold for the same one have the same file.
    @Test(arguments: ["go.acme.test:80", "go.acme.test:443", "GO.ACME.TEST", "go.acme.test.", "GO.acme.test.:443"])
    func spellingsOfAHostHaveTheSameFile(spelling: String) async throws {
        try await withTenant { service in
            for path in ["/.well-known/assetlinks.json", "/_fp/table?app=ios"] {
                let usual = try await service.publicPort(.get, path, host: Self.host)
                let other = try await service.publicPort(.get, path, host: spelling)
                #expect(other.status != 200 || other.body == usual.body, "\(path)")
                #expect(other.status == 200 || other["Cache-Control"] == "no-store", "\(path)")
            }
        }
    }

    /// A key of another tenant does not replace the tenant of the host.
    @Test func foreignKeyGetsNoTable() async throws {
        try await withTenant { service in
            let foreign = try service.makeKey(tenant: "shop", scopes: [.resolve])
            let headers: HTTPFields = [.authorization: "Bearer \(foreign)"]
            let table = try await service.publicPort(.get, "/_fp/table?app=ios", host: Self.host, headers: headers)
            #expect(table.status == 404 && table.code == "unknown_tenant" && table["Cache-Control"] == "no-store")
            let reports = AppEventTests.batch(AppEventTests.event("a"), members: #""environment": "production""#)
            let events = try await service.publicPort(
                .post,
                "/_fp/events",
                host: Self.host,
                headers: headers,
                body: reports
            )
            #expect(events.status == 404 && events.code == "unknown_tenant")
            #expect(try await service.events(of: "shop").isEmpty)
        }
    }

    /// Every endpoint is in the table of docs/security.md.
    @Test func documentHasEveryEndpoint() async throws {
        let documented = Set(try Self.rows().flatMap { $0.operation.split(separator: ", ").map(String.init) })
        try await withService { service in
            let endpoints = publicRouter(service.dependencies.publicDependencies).endpoints.filter {
                !$0.methods.isEmpty
            }
            let paths = Set(
                endpoints.map { $0.path == "/" || $0.path == PublicEndpoint.anyPath ? "other paths" : $0.path }
            )
            #expect(documented.subtracting(["any"]) == paths)
        }
    }

    /// On the admin port, a shared cache may keep only the document.
    @Test func adminPortHasNoOtherPublicResponse() async throws {
        try await withService { service in
            let key = try service.makeKey()
            for operation in PortOperation.all(of: adminRouter(service.dependencies)) where operation.method == .get {
                let path = operation.path { $0 == "tenant" ? "shop" : $0 == "revision" ? "1" : "x" }
                let answer = try await service.adminPort(.get, path, key: key)
                let control = try #require(answer["Cache-Control"], "\(operation)")
                let isDocument = operation.path == "/openapi.json"
                #expect(
                    isDocument ? control.hasPrefix("public") : control.hasPrefix("private") || control == "no-store",
                    "\(operation): \(control)"
                )
            }
        }
    }
}
