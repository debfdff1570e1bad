import Foundation
package import LinkRouting
import NIOCore
package import Networking

/// A client of the admin API.
package struct AdminClient: Sendable {
    package typealias Exchange =
        @Sendable (
            _ method: OutboundHTTP.Method,
            _ target: String,
            _ headers: [(String, String)],
            _ body: [UInt8]?
        ) async throws -> Response

    private let exchange: Exchange
    package var environment: String?
    /// What the command needs of its key. An error about a missing scope names all scopes that the key lacks.
    package var needs = KeyNeeds()

    package static let maximumBytes = 256 << 20

    /// - Parameter exchange: Sends a request and returns its response, whatever its status is.
    package init(environment: String? = nil, exchange: @escaping Exchange) {
        self.environment = environment
        self.exchange = exchange
    }

    /// A client of an admin port.
    package init(server: String, key: String, environment: String?) {
        self.init(environment: environment) { method, target, headers, body in
            do {
                let response = try await OutboundHTTP(timeout: .seconds(120), maximumBytes: Self.maximumBytes)
                    .send(method, server + target, [("Authorization", "Bearer \(key)")] + headers, body)
                let answer = Response(response)
                if let reason = Self.wrongAddress(server, response, answer.body) { throw fail(reason, .unavailable) }
                return answer
            } catch let failure as OutboundHTTP.Failure {
                throw fail(failure.description, .unavailable)
            }
        }
    }

    package struct Response: Sendable {
        package let status: Int
        package let eTag: String?
        package let bytes: [UInt8]
        /// The parsed body; null if it is not JSON.
        package let body: JSONNode

        private static let limits = JSONReader.Limits(maximumBytes: AdminClient.maximumBytes, maximumDepth: 64)

        package init(status: Int, eTag: String? = nil, bytes: [UInt8]) {
            self.status = status
            self.eTag = eTag
            self.bytes = bytes
            body = (try? JSONReader.parse(bytes, limits: Self.limits)) ?? .null
        }

        package init(_ response: OutboundHTTP.Response) {
            let eTag = response.header("ETag").map { $0.trimmingCharacters(in: ["\""]) }
            self.init(status: response.status, eTag: eTag, bytes: response.body)
        }
    }

    /// An error response of the server.
    package struct Refusal: Error {
        package let status: Int
        package let body: JSONNode
        /// The tenant of the request; nil for a request that belongs to none.
        package let tenant: String?
        /// What the command needs of its key.
        package let needs: KeyNeeds
        /// The tenant that was probably meant, if there is none with the name.
        package var nearTenant: String?
        /// Whether the command wrote the body of the request, so that a place in it means nothing to a person.
        package var isComposed = false

        package var code: String { body["code"]?.text ?? "" }

        package init(status: Int, body: JSONNode, tenant: String? = nil, needs: KeyNeeds = KeyNeeds()) {
            self.status = status
            self.body = body
            self.tenant = tenant
            self.needs = needs
        }
    }

    /// Sends a request. Throws ``Refusal`` for a status other than 2xx, and an exit code if the server does not
    /// respond.
    ///
    /// - Parameter path: The path below `/admin/v1/`. Only a slash within a segment is escaped, as `%2F`.
    package func send(
        _ method: OutboundHTTP.Method,
        _ path: String,
        query: [(String, String)] = [],
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> Response {
        guard environment == nil || !Self.isForAllEnvironments(method, path) else {
            throw fail("remove --environment: this command concerns all environments.", .invalidUsage)
        }
        var components = URLComponents()
        components.queryItems = (query + (environment.map { [("environment", $0)] } ?? [])).map {
            URLQueryItem(name: $0.0, value: $0.1)
        }
        let parameters = components.percentEncodedQuery.flatMap { $0.isEmpty ? nil : "?\($0)" } ?? ""
        let escaped = path.components(separatedBy: "%2F")
            .map { $0.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? $0 }.joined(separator: "%2F")
        let response = try await exchange(method, "/admin/v1/\(escaped)\(parameters)", headers, body)
        guard (200..<300).contains(response.status) else {
            let parts = path.split(separator: "/")
            let tenant = parts.count > 1 && parts[0] == "tenants" ? String(parts[1]) : nil
            var refusal = Refusal(status: response.status, body: response.body, tenant: tenant, needs: needs)
            if refusal.code == "unknown_tenant" { refusal.nearTenant = try? await nearTenant(to: tenant) }
            throw refusal
        }
        return response
    }

    /// Whether a request concerns keys, the audit log, short links, or what all environments of a tenant share. A key for
    /// one environment may read the suites with its environment.
    private static func isForAllEnvironments(_ method: OutboundHTTP.Method, _ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard parts.first == "tenants", parts.count > 2 else { return true }
        let isRead = method == .get && parts[2] == "suites"
        return !isRead && ["archive", "unarchive", "erasures", "retention", "suites", "short-links"].contains(parts[2])
    }

    /// Returns the tenant that was probably meant, among those that the key has access to.
    private func nearTenant(to tenant: String?) async throws -> String? {
        let answer = try await exchange(.get, "/admin/v1/tenants?limit=1000", [], nil)
        return tenant?.nearest(among: (answer.body["tenants"]?.elements ?? []).compactMap { $0["id"]?.text })
    }

    /// Returns the error for a response that is not from an admin port, with the address to use; nil if it is.
    private static func wrongAddress(
        _ server: String,
        _ response: OutboundHTTP.Response,
        _ body: JSONNode
    ) -> String? {
        let isPage = response.header("Content-Type")?.hasPrefix("text/html") == true
        let isLink = (300..<400).contains(response.status) || body["code"]?.text == "unknown_host"
        guard isPage && response.status < 500 || isLink || body["code"]?.text == "not_found" else { return nil }
        let port = body["detail"]?.text.flatMap { $0.hasPrefix("This is the ") ? " \($0)" : nil } ?? ""
        return
            "\(server) is not the admin address of a Fingerpost server (it answered \(response.status) for /admin/v1).\(port) "
            + "Give the admin address with --server or FINGERPOST_SERVER, such as http://127.0.0.1:8081."
    }

    /// Makes a link that signs in to the console once.
    package func makeConsoleLink() async throws -> JSONNode {
        let response = try await exchange(.post, "/console/links", [], [])
        guard response.status == 201 else { throw Refusal(status: response.status, body: response.body) }
        return response.body
    }

    /// Returns all entries of a list, whose member has the name of the last part of the path.
    package func list(_ path: String) async throws -> [JSONNode] {
        let member = path.split(separator: "/").last.map(String.init) ?? path
        var entries: [JSONNode] = []
        var cursor: String?
        repeat {
            let query = [("limit", "1000")] + (cursor.map { [("cursor", $0)] } ?? [])
            let page = try await send(.get, path, query: query).body
            entries += page[member]?.elements ?? []
            cursor = page["nextCursor"]?.text
        } while cursor != nil
        return entries
    }

    /// Sends a request with a JSON body; nil sends no body.
    package func send(
        _ method: OutboundHTTP.Method,
        _ path: String,
        query: [(String, String)] = [],
        ifMatch: String? = nil,
        json: JSONNode?
    ) async throws -> Response {
        var headers = ifMatch.map { [("If-Match", "\"\($0)\"")] } ?? []
        if json != nil { headers.append(("Content-Type", "application/json")) }
        do {
            let body = json.map { Array($0.json().utf8) }
            return try await send(method, path, query: query, headers: headers, body: body)
        } catch let refusal as Refusal {
            var composed = refusal
            composed.isComposed = true
            throw composed
        }
    }
}
