import Console
import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkEvents
import LinkRouting
import LinkServer
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

/// What a port answered.
struct TestResponse: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]

    /// Without the line break at the end of JSON.
    var text: String {
        let isJSON = headers[.contentType].map { $0 == "application/json" || $0 == "application/problem+json" } ?? false
        return String(decoding: isJSON && body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...], as: UTF8.self)
    }
    var json: JSONNode? { try? JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20)) }

    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

extension TestService {
    func resolve(_ body: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await publicPort(.post, "/resolve", headers: headers, body: body)
    }

    func publicPort(
        _ method: HTTPRequest.Method,
        _ path: String,
        host: String = "localhost",
        headers: HTTPFields = [:],
        body: String = "",
        from peer: String = "203.0.113.77"
    ) async throws -> TestResponse {
        let connection = try await PublicTestConnection(dependencies, from: peer)
        return try await connection.send(method, path, host: host, headers: headers, body: body)
    }

    func adminPort(
        _ method: HTTPRequest.Method,
        _ path: String,
        key: String?,
        headers: HTTPFields = [:],
        body: String = "",
        from peer: String = "203.0.113.77"
    ) async throws -> TestResponse {
        var headers = headers
        if let key { headers[.authorization] = "Bearer \(key)" }
        let request = Self.request(method, path, "localhost", headers, body)
        return try await admin.port(of: dependencies)(request, peer)
    }

    var opsParts: OpsDependencies {
        OpsDependencies(
            health: health,
            metrics: dependencies.metrics,
            readings: readings,
            limits: dependencies.limits,
            unsent: dependencies.unsent,
            traces: dependencies.traces,
            logSettings: dependencies.logSettings,
            logger: dependencies.logger,
            now: dependencies.linkResolver.now,
            uptime: { clock.uptime },
            makeRequestID: { "test" }
        )
    }

    func opsPort(_ path: String) async throws -> TestResponse {
        let application = buildOpsApplication(opsParts, at: ListenAddress(host: "127.0.0.1", port: 0)) { _ in }
        return try await send(.get, path, "localhost", [:], "", to: application)
    }

    func send<Port: ApplicationProtocol>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ host: String,
        _ headers: HTTPFields,
        _ body: String,
        from peer: String = "203.0.113.77",
        to application: Port
    ) async throws -> TestResponse {
        try await Self.send(Self.request(method, path, host, headers, body), from: peer, to: application, logger)
    }

    func send<Port: ApplicationProtocol>(
        _ request: Request,
        from peer: String = "203.0.113.77",
        to application: Port
    ) async throws -> TestResponse {
        try await Self.send(request, from: peer, to: application, logger)
    }

    private var logger: Logger { dependencies.logger }

    private static func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ host: String,
        _ headers: HTTPFields,
        _ body: String
    ) -> Request {
        var headers = headers
        if !body.isEmpty { headers[.contentLength] = "\(body.utf8.count)" }
        return Request(
            head: HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(string: body))
        )
    }

    fileprivate static func send<Port: ApplicationProtocol>(
        _ request: Request,
        from peer: String,
        to application: Port,
        _ logger: Logger
    ) async throws -> TestResponse {
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 40_000)
        let context = Port.Responder.Context(
            source: ApplicationRequestContextSource(channel: channel, logger: logger)
        )
        let response = try await application.responder.respond(to: request, context: context)
        let written = WrittenBody()
        try await response.body.write(written)
        return TestResponse(status: response.status.code, headers: response.headers, body: written.bytes)
    }
}

/// The admin port, built for the first request. Building it takes longer than most requests.
final class TestAdminPort: Sendable {
    typealias Port = @Sendable (_ request: Request, _ peer: String) async throws -> TestResponse
    private let built = Mutex<Port?>(nil)

    func port(of dependencies: ServerDependencies) -> Port {
        built.withLock { built in
            if let built { return built }
            let port = Self.port(
                buildAdminApplication(
                    dependencies,
                    at: ListenAddress(host: "127.0.0.1", port: 0),
                    addPages: Console(dependencies, address: nil, random: Self.randomBytes).addRoutes
                ) { _ in },
                dependencies.logger
            )
            built = port
            return port
        }
    }

    private static func randomBytes(_ count: Int) -> Data { Data((0..<count).map { _ in .random(in: .min ... .max) }) }

    private static func port(_ application: some ApplicationProtocol, _ logger: Logger) -> Port {
        { try await TestService.send($0, from: $1, to: application, logger) }
    }
}

private final class WrittenBody: ResponseBodyWriter, Sendable {
    private let written = Mutex<[UInt8]>([])

    var bytes: [UInt8] { written.withLock(\.self) }

    func write(_ buffer: ByteBuffer) async throws { written.withLock { $0 += buffer.readableBytesView } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
