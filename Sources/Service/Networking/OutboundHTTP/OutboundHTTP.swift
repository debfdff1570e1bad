import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends all outgoing requests of the process. Requests have a timeout and a response size limit, carry the trace of
/// the current task, and follow no redirects.
package struct OutboundHTTP: Sendable {
    package struct Response: Sendable {
        package let status: Int
        private let headers: HTTPHeaders
        package let body: [UInt8]

        init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Returns the first header with this name, ignoring case; nil if there is none.
        package func header(_ name: String) -> String? { headers.first(name: name) }
    }

    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The addresses that may be contacted.
    package enum Reach: Sendable {
        /// Any address, because the operator configured the server.
        case anywhere
        /// Only public addresses and these ranges, because somebody else may have chosen the name.
        ///
        /// Names are looked up once; the connection goes to the checked address, which prevents DNS rebinding.
        case publicAddresses(and: [AddressRange])
    }

    private let timeout: TimeAmount
    private let maximumBytes: Int
    private let reach: Reach
    /// A PEM file with trust roots in addition to the system's.
    private let extraRoots: String?
    /// The address to connect to, instead of looking up the host.
    private let address: NetworkAddress?
    private let lookUp: @Sendable (_ host: String) async -> [NetworkAddress]

    /// - Parameters:
    ///   - timeout: The time limit of a request.
    ///   - maximumBytes: The maximum size of a response body.
    ///   - address: The address to connect to, instead of looking up the URL's host. The operator named it, so it is
    ///     not checked.
    ///   - lookUp: Returns every address of a host; called once for each request that is checked.
    package init(
        timeout: TimeAmount = .seconds(10),
        maximumBytes: Int = 8 << 20,
        reach: Reach = .anywhere,
        extraRoots: String? = nil,
        address: NetworkAddress? = nil,
        lookUp: @escaping @Sendable (_ host: String) async -> [NetworkAddress] = NetworkAddress.lookUp
    ) {
        self.timeout = timeout
        self.maximumBytes = maximumBytes
        self.reach = reach
        self.extraRoots = extraRoots
        self.address = address
        self.lookUp = lookUp
    }

    /// Posts a JSON body. `url` may be `http+unix://` with an escaped path, for the control socket.
    package func post(
        _ url: String,
        json: [UInt8],
        headers: [(String, String)] = []
    ) async throws(Failure) -> Response {
        try await send(.post, url, headers + [("Content-Type", "application/json")], json)
    }

    /// Gets a URL with these headers. `Host` may name another host than the URL.
    package func get(_ url: String, headers: [(String, String)] = []) async throws(Failure) -> Response {
        try await send(.get, url, headers)
    }

    /// Sends a request, with a body if one is given.
    package func send(
        _ method: Method,
        _ url: String,
        _ headers: [(String, String)],
        _ body: [UInt8]? = nil
    ) async throws(Failure) -> Response {
        // The client traps on a port that is too large.
        if let port = URL(string: url)?.port, UInt16(exactly: port) == nil {
            throw Failure(.unreachable, url, "'\(port)' is not a port; write 1 to 65535")
        }
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method.rawValue)
        for (name, value) in (TraceContext.current?.headers ?? []) + headers {
            request.headers.replaceOrAdd(name: name, value: value)
        }
        if let body { request.body = .bytes(body) }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = timeout
        // A refused connection fails at once instead of after the timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.refuseInvalidStatus()
        var tls = TLSConfiguration.makeClientConfiguration()
        // Phones require it as well (App Transport Security); NIO still permits TLS 1.0.
        tls.minimumTLSVersion = .tlsv12
        if let extraRoots { tls.additionalTrustRoots = [.file(extraRoots)] }
        configuration.tlsConfiguration = tls
        if let (host, address) = try await judgedAddress(of: url) {
            // The client looks an IPv6 address up in brackets.
            configuration.dnsOverride = [host: address.text, "[\(host)]": address.text]
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result = await execute(request, by: client)
        // Only this request used the client, so a failed shutdown loses nothing.
        try? await client.shutdown()
        return try result.get()
    }

    private func execute(_ request: HTTPClientRequest, by client: HTTPClient) async -> Result<Response, Failure> {
        do {
            let answer = try await client.execute(request, timeout: timeout)
            let body = try await answer.body.collect(upTo: maximumBytes)
            return .success(
                Response(status: Int(answer.status.code), headers: answer.headers, body: Array(buffer: body))
            )
        } catch {
            return .failure(Failure(error, url: request.url, timeout: timeout, maximumBytes: maximumBytes))
        }
    }

    /// Returns the host and the address to connect to; nil if the client looks the host up itself. Parses the host like
    /// the client does.
    private func judgedAddress(of url: String) async throws(Failure) -> (host: String, address: NetworkAddress)? {
        let parts = URL(string: url)
        let host = parts?.host?.trimmingCharacters(in: ["[", "]"])
        if let host, let address { return (host, address) }
        guard case .publicAddresses(let exceptions) = reach else { return nil }
        // Other schemes lead to a local socket, which has no address to check.
        guard let scheme = parts?.scheme?.lowercased(), ["http", "https"].contains(scheme), let host, !host.isEmpty
        else { throw Failure(.unreachable, url, "it is not an http:// or https:// URL") }
        let found = await lookUp(host)
        guard let first = found.first else {
            throw Failure(.unknownHost, url, "'\(host)' does not resolve to an address")
        }
        if let refused = found.first(where: { !$0.isPublic && !exceptions.contains($0) }) {
            throw Failure(
                .privateAddress,
                url,
                "'\(host)' resolves to \(refused.text), which is not a public address"
            )
        }
        return (host, first)
    }
}
