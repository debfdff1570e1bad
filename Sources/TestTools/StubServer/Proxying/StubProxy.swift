import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Networking
import StubMatching
import Synchronization

/// Sends requests to a target and returns its answers unchanged.
///
/// `OutboundHTTP` is not used: a proxy needs every method, repeated headers and connections that stay open. The client
/// is made by the first request, so that a server without proxying never makes an outgoing connection.
final class StubProxy: Sendable {
    private let limits: StubLimits
    private let reusesConnections: Bool
    /// Identifies the server in the requests that it passes on; nil if it does not mark them.
    private let id: String?
    private let client: Mutex<HTTPClient?> = Mutex(nil)

    /// A target that does not answer, or an invalid address.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// Whether the request came back to a server that had passed it on.
        var isLoop = false
    }

    /// Names the servers that have passed a request on. `Via` is not used, because some targets do not compress an answer
    /// to a request that has it.
    private static let passedBy = "Fingerpost-Passed-By"
    /// The limit is above 1, because a request may pass a server several times: a session may send it to the stubs of
    /// its server, and each stub of a chain may remove a prefix. Each pass adds about 60 bytes to the header.
    private static let maximumPasses = 16

    /// Headers that belong to one connection and are not passed on (RFC 9110, section 7.6.1).
    private static let hopByHop = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    /// Headers that the client sets itself.
    private static let ownHeaders = ["content-length", "host"]

    /// - Parameters:
    ///   - reusesConnections: Whether a request may take the connection of an earlier one. The target may close it at that
    ///     moment, and then the request fails.
    ///   - id: Identifies the server, so that it recognizes a request that comes back; nil if none can.
    init(limits: StubLimits, reusesConnections: Bool = true, id: String? = nil) {
        self.limits = limits
        self.reusesConnections = reusesConnections
        self.id = id
    }

    /// - Parameter proxy: The options of a stub; nil without a stub.
    func send(
        _ request: StubRequest,
        to base: String,
        _ proxy: ResponseDefinition.Proxy? = nil
    ) async throws -> StubAnswer {
        let url = try Self.url(request, base, proxy)
        let passed = request.headers.filter { $0.has(name: Self.passedBy) }.flatMap { $0.value.split(separator: ",") }
        guard passed.count(where: { $0.trimmingBlanks == id }) < Self.maximumPasses else {
            throw Self.loopFailure(base)
        }
        var outgoing = HTTPClientRequest(url: url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        let removed =
            Self.hopByHop + Self.ownHeaders + (proxy?.removedHeaders ?? []).map { $0.lowercased() } + [
                StubSessions.header.lowercased()
            ]
        for header in request.headers where !removed.contains(header.name.lowercased()) {
            outgoing.headers.add(name: header.name, value: header.value)
        }
        if let id { outgoing.headers.add(name: Self.passedBy, value: id) }
        if !reusesConnections { outgoing.headers.replaceOrAdd(name: "Connection", value: "close") }
        for header in proxy?.additionalHeaders ?? [] {
            outgoing.headers.replaceOrAdd(name: header.name, value: header.value)
        }
        if !request.body.isEmpty {
            // The headers say gzip when the client compressed the body.
            outgoing.body = .bytes(request.encodedBody ?? request.body)
            // As WireMock does.
            if request.header("content-type") == nil, request.header("transfer-encoding") != nil {
                outgoing.headers.add(name: "Content-Type", value: "text/plain; charset=UTF-8")
            }
        }
        let answer = try await exchange(outgoing, base)
        let loop = ServeEvent.LoggedResponse.proxyLoopHeader
        guard !answer.headers.contains(where: { $0.has(name: loop) }) else { throw Self.loopFailure(base) }
        return answer
    }

    private func exchange(_ request: HTTPClientRequest, _ base: String) async throws -> StubAnswer {
        do {
            let answer = try await sharedClient().execute(request, timeout: .seconds(limits.proxySeconds))
            let body = try await answer.body.collect(upTo: limits.bodyBytes)
            return StubAnswer(
                status: Int(answer.status.code),
                headers: answer.headers.filter { !Self.hopByHop.contains($0.name.lowercased()) }
                    .map { HeaderField($0.name, $0.value) },
                body: Array(buffer: body)
            )
        } catch {
            throw Failure(description: Self.problem(error, base))
        }
    }

    private static func loopFailure(_ base: String) -> Failure {
        Failure(
            description: "the target \(base) leads back to this stub server, which has passed this request on "
                + "\(maximumPasses) times; name the address of the real service",
            isLoop: true
        )
    }

    private static func problem(_ error: any Error, _ base: String) -> String {
        if let error = error as? IOError, error.errnoCode == ECONNREFUSED {
            return "nothing accepts connections at \(base); check that the target runs, and its address"
        }
        return "the target \(base) did not answer: \(error); check that it runs, and its address"
    }

    func stop() async {
        let client = client.withLock { $0.take() }
        // Only proxied requests used the client, and they have ended or their connections are closed.
        try? await client?.shutdown()
    }

    private static func url(
        _ request: StubRequest,
        _ base: String,
        _ proxy: ResponseDefinition.Proxy?
    ) throws -> String {
        if let problem = proxyTargetProblem(base) { throw Failure(description: problem) }
        var target = request.target
        if let prefix = proxy?.prefixToRemove, target.hasPrefix(prefix) {
            target = String(target.dropFirst(prefix.count))
        }
        if !target.hasPrefix("/") { target = "/" + target }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + target
    }

    private func sharedClient() -> HTTPClient {
        client.withLock { client in
            if let client { return client }
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            configuration.timeout.connect = .seconds(limits.connectSeconds)
            configuration.connectionPool.retryConnectionEstablishment = false
            // Each pass of a chain through this server holds a connection. With fewer, the passes would wait for each other.
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.connections
            configuration.decompression = .disabled
            configuration.refuseInvalidStatus()
            let made = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            client = made
            return made
        }
    }
}
