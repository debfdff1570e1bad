import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// Keys, request ids and paths on all ports.
@Suite(.timeLimit(.minutes(15)))
struct RequestTests {
    private static let longest = String(repeating: "a", count: 64)

    @Test(arguments: [("abc-1._Z", true), (longest, true), (longest + "a", false), ("a b", false), ("a\u{E9}", false)])
    func requestIDIsAcceptedOnlyIfItIsPlain(id: String, isKept: Bool) async throws {
        try await withService { service in
            let name = try #require(HTTPField.Name("X-Request-ID"))
            let answer = try await service.resolve(#"{"url":"yourapp://home"}"#, headers: [name: id])
            #expect((answer["X-Request-ID"] == id) == isKept)
            let event = try #require(try await service.events(of: "shop").first)
            #expect(event.requestID.description == answer["X-Request-ID"])
        }
    }

    @Test func jsonEndsWithALineBreak() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for answer in [
                try await service.resolve(#"{"url":"yourapp://home"}"#), try await service.resolve("{"),
                try await service.publicPort(.get, "/openapi.json"), try await session.get("table"),
                try await session.get("stats/totals"), try await session.get("events"),
                try await session.get("nothing"),
            ] {
                #expect(Array(answer.body.suffix(2)) == Array("}\n".utf8), "\(answer.text.suffix(100))")
            }
        }
    }

    @Test func expiredKeyIsInvalid() async throws {
        try await withService { service in
            let expiry = Timestamp(milliseconds: service.clock.now.milliseconds + 1_000)
            let key = try service.makeKey(expiresAt: expiry)
            #expect(try await service.adminPort(.get, "/admin/v1/tenants", key: key).status == 200)
            service.clock.advance(seconds: 1)
            let answer = try await service.adminPort(.get, "/admin/v1/tenants", key: key)
            #expect(answer.status == 401)
            #expect(answer.json?["code"]?.text == "invalid_key")
        }
    }

    @Test(arguments: [
        (KeyGrant.Scope.tablesRead, "GET", "/draft", 200), (.tablesRead, "PUT", "/draft", 403),
        (.tablesRead, "POST", "/draft/publish", 403), (.tablesRead, "GET", "/exports", 403),
        (.exportsRead, "GET", "/exports", 200), (.exportsRead, "GET", "/draft", 403),
        (.publish, "PUT", "/settings", 403), (.tablesWrite, "PUT", "/settings", 403),
        (.explain, "GET", "/draft", 403), (.resolve, "GET", "/settings", 403),
    ])
    func scopeOpensOnlyItsOwnEndpoints(
        scope: KeyGrant.Scope,
        method: String,
        path: String,
        status: Int
    ) async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [scope])
            let method = try #require(HTTPRequest.Method(rawValue: method))
            let body = method == .put ? "{}" : ""
            let own = try await service.adminPort(method, "/admin/v1/tenants/shop\(path)", key: key, body: body)
            #expect(own.status == status)
            let other = try await service.adminPort(method, "/admin/v1/tenants/taxi\(path)", key: key, body: body)
            #expect(other.status == 403)
        }
    }

    @Test func unknownAppIsAWarning() async throws {
        try await withService { service in
            func warnings(_ app: String) async throws -> String? {
                let body = #"{"url":"yourapp://home","context":{"app":"\#(app)"}}"#
                return try await service.resolve(body).json?["warnings"]?.json()
            }
            let known = try await warnings("ios")
            #expect(known == nil)
            let message =
                "context.app: 'ios2' is not an app in the tenant's settings; the first app of the platform was used."
            let unknown = try await warnings("ios2")
            #expect(unknown == "[\"\(message)\"]")
        }
    }

    /// A key for one tenant lists only that tenant.
    @Test func listOfTenantsEndsAtTheKeysOwn() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [.tablesRead])
            let answer = try await service.adminPort(.get, "/admin/v1/tenants", key: key)
            #expect(answer.status == 200)
            #expect(answer.json?["tenants"]?.elements?.compactMap { $0["id"]?.text } == ["shop"])
        }
    }

    @Test(arguments: [
        "..", "../x/y", "%2e%2e/%2e%2e/x", "dt=1/../x", "dt=1/%2e%2e/x", "dt=1%2f..%2f/h/x", "/etc/passwd", "a/b/c/d",
        "tenant=taxi/dt=1/x", "dt=1/hour=1/%00", ".hidden/a/b", "dt=1/hour=1/" + String(repeating: "x", count: 500),
    ])
    func exportNamesLeadNowhereElse(name: String) async throws {
        try await withService { service in
            let key = try service.makeKey()
            let answer = try await service.adminPort(.get, "/admin/v1/tenants/shop/exports/\(name)", key: key)
            #expect(answer.status == 404)
            #expect(answer.json?["code"]?.text == "unknown_export")
        }
    }

}
