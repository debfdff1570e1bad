import Foundation
import HTTPTypes
import LinkCatalog
import LinkServer
import Testing

/// A browser on the service's machine with the cookie of one session.
final class ConsoleBrowser {
    let service: TestService
    private(set) var cookie: String?

    init(_ service: TestService) { self.service = service }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, path, headers: headers)
    }

    func post(_ path: String, _ fields: [String: String], headers: HTTPFields = [:]) async throws -> TestResponse {
        let body = fields.sorted { $0.key < $1.key }
            .map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        return try await send(.post, path, body.joined(separator: "&"), headers: headers)
    }

    func signIn(_ key: String, next: String = "/console") async throws -> TestResponse {
        try await post("/console/sign-in", ["key": key, "next": next])
    }

    /// The hidden text of every form of the session.
    func formToken() async throws -> String { try await hidden("formToken", in: "/console/acme/try") }

    /// The value of a hidden field of a page.
    func hidden(_ name: String, in path: String) async throws -> String {
        let page = try await get(path).text
        let start = try #require(page.firstRange(of: #"name="\#(name)" value=""#), "\(page)")
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = "",
        headers: HTTPFields
    ) async throws -> TestResponse {
        var headers = headers
        headers[.cookie] = cookie
        let answer = try await service.adminPort(method, path, key: nil, headers: headers, body: body)
        if let set = answer.headers[.setCookie] { cookie = String(set.prefix { $0 != ";" }) }
        return answer
    }
}

/// Runs `body` with a service, its tenant `acme`, and a key with the scopes.
func withConsole(
    scopes: Set<KeyGrant.Scope> = [.admin],
    admitting policy: AdmissionPolicy = .unlimited,
    _ body: (ConsoleBrowser, AdminSession) async throws -> Void
) async throws {
    try await withService(admitting: policy) { service in
        _ = try await AdminSession.acme(service)
        let session = try await AdminSession(service, scopes: scopes)
        try await body(ConsoleBrowser(service), session)
    }
}
