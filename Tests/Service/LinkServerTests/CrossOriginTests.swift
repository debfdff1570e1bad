import HTTPTypes
import LinkServer
import LinkTable
import Testing

/// Pages of other origins call the endpoints for apps if the configuration names their origin.
@Suite(.timeLimit(.minutes(15)))
struct CrossOriginTests {
    private static let origin = "https://www.acme.test"
    private static let link = #"{"url": "yourapp://product/7"}"#

    private static func policy(_ change: (inout AdmissionPolicy) -> Void = { _ in }) -> AdmissionPolicy {
        var policy = AdmissionPolicy.unlimited
        policy.origins = [origin, "capacitor://localhost"]
        change(&policy)
        return policy
    }

    private static func fields(_ origin: String?, asks method: String? = nil) -> HTTPFields {
        var fields = HTTPFields()
        fields[.origin] = origin
        fields[.accessControlRequestMethod] = method
        return fields
    }

    @Test(arguments: ["/resolve", "/_fp/events", "/_fp/table?app=ios"])
    func preflightNamesWhatAPageMaySend(path: String) async throws {
        try await withService(admitting: Self.policy()) { service in
            for origin in [Self.origin, "capacitor://localhost"] {
                let headers = Self.fields(origin, asks: "POST")
                let answer = try await service.publicPort(.options, path, host: "no.test", headers: headers)
                #expect(answer.status == 200 && answer.body.isEmpty)
                #expect(answer["Access-Control-Allow-Origin"] == origin)
                #expect(answer["Access-Control-Allow-Methods"] == "GET, POST")
                #expect(answer["Access-Control-Allow-Headers"]?.hasPrefix("Authorization, Content-Type, ") == true)
                #expect(answer["Access-Control-Max-Age"] == "7200")
                #expect(answer["Access-Control-Allow-Credentials"] == nil)
                #expect(answer["Vary"] == "Origin")
            }
        }
    }

    @Test(
        arguments: [
            ("/resolve", "https://www.acme.test.evil.example"), ("/resolve", "http://www.acme.test"),
            ("/resolve", "https://www.acme.test:8443"), ("/resolve", "null"), ("/resolve", "*"), ("/resolve", nil),
            // No endpoint for apps.
            ("/openapi.json", Self.origin), ("/.well-known/assetlinks.json", Self.origin), ("/product/7", Self.origin),
            ("/_fp/nothing", Self.origin),
        ] as [(String, String?)]
    )
    func otherOriginsAndPathsGetNoPermission(path: String, origin: String?) async throws {
        try await withService(admitting: Self.policy()) { service in
            for method in [HTTPRequest.Method.options, .get, .post] {
                let headers = Self.fields(origin, asks: "POST")
                let host = "go.yourappdomain.com"
                let answer = try await service.publicPort(method, path, host: host, headers: headers, body: Self.link)
                #expect(method != .options || answer.status == 405 || answer.status == 404)
                let permissions = answer.headers.filter { $0.name.canonicalName.hasPrefix("access-control-") }
                #expect(permissions.isEmpty, "\(method) \(path): \(permissions)")
            }
        }
    }

    @Test func pagesReadAnswersAndProblems() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 1, burst: 3) }
        try await withService(admitting: policy) { service in
            let headers = Self.fields(Self.origin)
            for (path, body, status) in [
                ("/resolve", Self.link, 200), ("/resolve", "{", 400), ("/_fp/events", "{}", 400),
                // The address has used up its requests.
                ("/resolve", Self.link, 429),
            ] {
                let answer = try await service.publicPort(.post, path, headers: headers, body: body)
                #expect(answer.status == status)
                #expect(answer["Access-Control-Allow-Origin"] == Self.origin, "\(status)")
                #expect(answer["Access-Control-Expose-Headers"] == "ETag, Retry-After, X-Request-ID")
            }
        }
    }

    /// A shared cache keeps a table for each origin.
    @Test func tablesDependOnTheOrigin() async throws {
        try await withService(admitting: Self.policy()) { service in
            try await service.load(AppEventTests.acme())
            let key = try TablePrivateKey(seed: Array(repeating: 7, count: 32))
            service.dependencies.appTables.update(TableSigner(key))
            await service.dependencies.appTableService.signTables()
            let kinds: [HTTPFields] = [[:], [.ifNoneMatch: "*"]]
            for origin in [Self.origin, "https://other.test", nil] {
                for fields in kinds {
                    var headers = fields
                    headers[.origin] = origin
                    let path = "/_fp/table?app=ios"
                    let answer = try await service.publicPort(.get, path, host: "go.acme.test", headers: headers)
                    #expect(answer.status == (fields.isEmpty ? 200 : 304))
                    #expect(answer["Vary"] == "Accept-Encoding, Origin")
                    #expect(answer["Access-Control-Allow-Origin"] == (origin == Self.origin ? origin : nil))
                }
            }
        }
    }

    @Test func withoutTheSettingNothingChanges() async throws {
        try await withService { service in
            let headers = Self.fields(Self.origin, asks: "POST")
            let preflight = try await service.publicPort(.options, "/resolve", headers: headers)
            #expect(preflight.status == 405 && preflight["Allow"] == "POST" && preflight["Vary"] == nil)
            let answer = try await service.publicPort(.post, "/resolve", headers: headers, body: Self.link)
            #expect(answer.status == 200 && answer["Vary"] == nil && answer["Access-Control-Allow-Origin"] == nil)
        }
    }
}
