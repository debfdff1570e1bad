import AsyncHTTPClient
package import NIOCore
import NIOHTTP1

/// Every request that goes out of the process: with a time-out, a bound on the answer, and no redirects.
package struct OutboundHTTP: Sendable {
    package struct Response: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    package enum Failure: Error, CustomStringConvertible {
        case unreachable(String, reason: String)

        package var description: String {
            switch self {
            case .unreachable(let url, let reason): "\(url) did not answer: \(reason)"
            }
        }
    }

    private let timeout: TimeAmount
    private let maximumBytes: Int

    package init(timeout: TimeAmount = .seconds(10), maximumBytes: Int = 8 << 20) {
        self.timeout = timeout
        self.maximumBytes = maximumBytes
    }

    /// Posts a JSON body. `url` may be `http+unix://` with an escaped path, for the control socket.
    package func post(_ url: String, json: [UInt8]) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(json)
        return try await send(request)
    }

    /// Gets with these headers, of which `Host` may name another host than the URL.
    package func get(_ url: String, headers: [(String, String)] = []) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> Response {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let answer = try await client.execute(request, timeout: timeout)
            let body = try await answer.body.collect(upTo: maximumBytes)
            try await client.shutdown()
            return Response(status: Int(answer.status.code), body: Array(buffer: body))
        } catch {
            try await client.shutdown()
            throw Failure.unreachable(request.url, reason: "\(error)")
        }
    }
}
