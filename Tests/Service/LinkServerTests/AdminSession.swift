import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// Admin requests with one key about one tenant.
struct AdminSession {
    let service: TestService
    let key: String
    let id: String
    var tenant = "acme"

    static let settings = """
        domains: [go.acme.test, {host: www.acme.test, serves: association}]
        schemes: [acme]
        apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
        environments: [staging]
        """
    static let table = """
        defaults: {fallback: {web: "https://www.acme.test/"}}
        routes:
          - {id: home, path: /, open: {screen: Home}}
          - {id: item, owner: shop, path: "/item/{id:int}", open: {screen: Item}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
        """

    static let tableJSON = #"{"routes": [{"id": "home", "path": "/", "open": {"screen": "Home"}}]}"#

    /// With a new stored key that has these rights.
    init(
        _ service: TestService,
        scopes: Set<KeyGrant.Scope> = [.admin],
        change: (inout APIKeyIssuer.KeyRequest) -> Void = { _ in }
    ) async throws {
        self.service = service
        var request = APIKeyIssuer.KeyRequest(name: "test", tenant: nil, scopes: scopes)
        change(&request)
        let made = try await service.dependencies.keyIssuer.create(request, change: service.change)
        key = made.key.token
        id = made.key.id.rawValue
    }

    /// With the key from the response that created it.
    init(_ service: TestService, _ made: TestResponse) {
        self.service = service
        key = made.json?["key"]?.text ?? ""
        id = made.json?["id"]?.text ?? ""
    }

    /// An administrator's session and the tenant `acme` with a table, live as revision 1.
    static func acme(_ service: TestService) async throws -> AdminSession {
        let session = try await AdminSession(service)
        #expect(try await session.put("settings", yaml: settings).status == 201)
        #expect(try await session.put("draft", yaml: table).status == 200)
        #expect(try await session.post("draft/publish").status == 201)
        return session
    }

    func get(_ path: String, accept: String? = nil) async throws -> TestResponse {
        try await send(.get, path, headers: accept.map { [.accept: $0] } ?? [:])
    }

    func post(_ path: String, _ body: String = "", headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.post, path, body, headers: headers)
    }

    func put(_ path: String, yaml: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/yaml"
        return try await send(.put, path, yaml, headers: headers)
    }

    func delete(_ path: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.delete, path, headers: headers)
    }

    /// - Parameter path: Relative to the tenant; with a leading slash, relative to `/admin/v1`.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = "",
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let full = path.hasPrefix("/") ? "/admin/v1\(path)" : "/admin/v1/tenants/\(tenant)/\(path)"
        return try await service.adminPort(method, full, key: key, headers: headers, body: body)
    }

    /// The route that a link matches in the app.
    func route(of url: String, environment: String = "production") async throws -> String? {
        let body = #"{"url":"\#(url)","environment":"\#(environment)","context":{"platform":"ios"}}"#
        let headers: HTTPFields = environment == "production" ? [:] : [.authorization: "Bearer \(key)"]
        return try await service.resolve(body, headers: headers).json?["route"]?["id"]?.text
    }
}

extension TestService {
    var change: AuditContext {
        AuditContext(actor: Actor(kind: .system, id: "test", name: "test"), at: clock.now, requestID: "test")
    }
}

extension TestResponse {
    var code: String? { json?["code"]?.text }
}

extension PathPrefix: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        guard let prefix = PathPrefix(text) else { preconditionFailure("'\(text)' is no path prefix") }
        self = prefix
    }
}
