import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkTable
import Networking
import TestSupport
import Testing

/// `GET /_fp/table`: signed tables for apps.
@Suite(.timeLimit(.minutes(15)))
struct AppTableTests {
    private let key: TablePrivateKey
    private let scope: TableScope

    init() throws {
        key = try TablePrivateKey(seed: Array(repeating: 7, count: 32))
        scope = TableScope(tenant: tenant("acme"), app: try #require(AppID("ios")))
    }

    private func get(
        _ service: TestService,
        _ query: String = "app=ios&tenant=acme",
        _ method: HTTPRequest.Method = .get,
        host: String = "localhost",
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await service.publicPort(method, "/_fp/table?\(query)", host: host, headers: headers)
    }

    private func withTables(
        _ settings: String = "",
        _ body: (TestService) async throws -> Void
    ) async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme(settings))
            service.dependencies.appTables.update(TableSigner(key))
            await service.dependencies.appTableService.signTables()
            try await body(service)
        }
    }

    @Test func tableIsSignedAndVerifies() async throws {
        try await withTables { service in
            let response = try await get(service)
            #expect(response.status == 200 && response["Content-Type"] == SignedTable.mediaType)
            #expect(response["ETag"] == SignedTable.entityTag(of: response.body))
            #expect(response["Cache-Control"] == "public, max-age=60" && response["Vary"] == "Accept-Encoding")
            let table = try SignedTable.verify(
                response.body,
                keys: [key.publicKey],
                expecting: scope,
                at: service.clock.now
            )
            #expect(table.claims.revision.rawValue == 1 && table.claims.settingsRevision == 1)
            #expect(table.routeCount == 2)
            let head = try await get(service, "app=ios&tenant=acme", .head)
            #expect(head.status == 200 && head.body == [] && head["ETag"] == response["ETag"])
        }
    }

    @Test func tableIsCompressedAndRevalidated() async throws {
        try await withTables { service in
            let plain = try await get(service)
            let packed = try await get(service, headers: [.acceptEncoding: "gzip"])
            #expect(packed["Content-Encoding"] == "gzip" && packed["ETag"] == plain["ETag"])
            var unpacked: [UInt8] = []
            try GunzipStream().write(packed.body) { unpacked += $0 }
            #expect(unpacked == plain.body)
            let tag = try #require(plain["ETag"])
            for encoding in ["gzip", "identity"] {
                let known = try await get(service, headers: [.ifNoneMatch: tag, .acceptEncoding: encoding])
                #expect(known.status == 304 && known.body == [] && known["ETag"] == tag)
            }
        }
    }

    @Test func newRevisionReplacesTheTableWhenItIsSigned() async throws {
        try await withTables { service in
            let before = try await get(service)
            try await service.load(AppEventTests.acme(routes: #"{id: new, path: /new, open: {screen: New}}"#))
            #expect(try await get(service).body == before.body)
            await service.dependencies.appTableService.signTables()
            let after = try await get(service)
            let table = try SignedTable.verify(after.body, keys: [key.publicKey], expecting: scope)
            #expect(table.claims.revision.rawValue == 2 && table.routeCount == 1)
        }
    }

    /// The same revision has the same bytes within a week, and is signed again afterwards.
    @Test func tableIsSignedAgainEveryWeek() async throws {
        try await withTables { service in
            let first = try await get(service)
            service.clock.advance(seconds: 7 * 86_400)
            await service.dependencies.appTableService.signTables()
            let second = try await get(service)
            #expect(second.body != first.body)
            let tables = try [first, second].map {
                try SignedTable.verify($0.body, keys: [key.publicKey], expecting: scope)
            }
            #expect(tables[0].claims.issuedAt < tables[1].claims.issuedAt)
            #expect(tables[0].claims.revision == tables[1].claims.revision)
        }
    }

    @Test func keyIsReplacedWithoutARestart() async throws {
        try await withTables { service in
            let next = try TablePrivateKey(seed: Array(repeating: 8, count: 32))
            service.dependencies.appTables.update(TableSigner(next))
            await service.dependencies.appTableService.signTables()
            let response = try await get(service)
            let keys = [key.publicKey, next.publicKey]
            _ = try SignedTable.verify(response.body, keys: keys, expecting: scope)
            #expect(throws: TableRejection.self) {
                try SignedTable.verify(response.body, keys: [key.publicKey], expecting: scope)
            }
        }
    }

    /// A signature of another key, as from a wrong agent, is never served.
    @Test func wrongSignatureIsNotServed() async throws {
        try await withTables { service in
            let before = try await get(service)
            let other = try TablePrivateKey(seed: Array(repeating: 9, count: 32))
            let wrong = try TablePrivateKey(seed: Array(repeating: 10, count: 32))
            service.dependencies.appTables.update(
                TableSigner(publicKey: other.publicKey) { try wrong.signature(of: $0) }
            )
            await service.dependencies.appTableService.signTables()
            #expect(try await get(service).body == before.body)
        }
    }

    @Test(arguments: [
        ("app=ios&tenant=acme&app=ios", 400, "invalid_request"), ("tenant=acme", 400, "invalid_request"),
        ("app=ios&tenant=acme&revision=1", 400, "invalid_request"), ("app=IOS&tenant=acme", 400, "invalid_request"),
        ("app=android&tenant=acme", 404, "not_found"), ("app=ios&tenant=nobody", 404, "unknown_tenant"),
        ("app=ios", 404, "unknown_host"), ("app=ios&tenant=acme&environment=staging", 401, "missing_key"),
    ])
    func wrongRequestIsRefused(query: String, status: Int, code: String) async throws {
        try await withTables { service in
            let response = try await get(service, query)
            #expect(response.status == status && response.json?["code"]?.text == code, "\(response.text)")
        }
    }

    @Test func hostOrKeyNamesTheTenant() async throws {
        try await withTables { service in
            #expect(try await get(service, "app=ios", host: "go.acme.test").status == 200)
            let own = try service.makeKey(tenant: "acme", scopes: [.resolve])
            #expect(try await get(service, "app=ios", headers: [.authorization: "Bearer \(own)"]).status == 200)
            let other = try service.makeKey(tenant: "shop", scopes: [.admin])
            let refused = try await get(service, headers: [.authorization: "Bearer \(other)"])
            #expect(refused.status == 404 && refused.json?["code"]?.text == "unknown_tenant")
        }
    }

    @Test func clientKeyIsRequiredAsForResolve() async throws {
        try await withTables("clientKey: required") { service in
            #expect(try await get(service).json?["code"]?.text == "missing_key")
            let key = try service.makeKey(tenant: "acme", scopes: [.resolve])
            let response = try await get(service, headers: [.authorization: "Bearer \(key)"])
            #expect(response.status == 200 && response["Cache-Control"] == "private, max-age=60")
        }
    }

    @Test func withoutAKeyThereAreNoTables() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            await service.dependencies.appTableService.signTables()
            let response = try await get(service)
            #expect(response.status == 404 && response.json?["detail"]?.text?.contains("tables.signingKey") == true)
            service.dependencies.appTables.update(TableSigner(key))
            let early = try await get(service)
            #expect(early.status == 503 && early["Retry-After"] == "5")
        }
    }

    @Test func requestsCountAgainstTheTenantsRateLimit() async throws {
        var policy = AdmissionPolicy.unlimited
        policy.tenant = RateLimit(perSecond: 1, burst: 1)
        try await withService(admitting: policy) { service in
            try await service.load(AppEventTests.acme())
            service.dependencies.appTables.update(TableSigner(key))
            await service.dependencies.appTableService.signTables()
            #expect(try await get(service).status == 200)
            #expect(try await get(service).status == 429)
        }
    }
}
