import AsyncHTTPClient
import LinkRouting
import NIOCore
import NIOHTTP1
import StubMatching
import StubServer
import TestSupport

/// A stub server on a free port, and a client.
struct StubExchange {
    let server: StubServer

    /// It leaves answers compressed, unlike `HTTPClient.shared`.
    static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(timeout: .init(connect: .seconds(Int64(HangLimit.seconds))))
    )

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONNode? { try? JSONReader.parse(body, limits: .stubs) }
    }

    /// Starts a server, and stops it when `body` returns or throws.
    static func run(
        _ change: (inout StubConfiguration) -> Void = { _ in },
        _ body: (StubExchange) async throws -> Void
    ) async throws {
        var configuration = StubConfiguration()
        // Hundreds of tests run in parallel, so a target may answer late.
        configuration.limits.connectSeconds = Int64(HangLimit.seconds)
        configuration.limits.proxySeconds = Int64(HangLimit.seconds)
        change(&configuration)
        let server = try await StubServer(configuration)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(StubExchange(server: server)))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        try outcome.get()
    }

    /// Sends a request. The answer is not decompressed.
    func send(
        _ method: String,
        _ target: String,
        _ headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        client: HTTPClient = StubExchange.client
    ) async throws -> Answer {
        try await Self.send(method, server.url + target, headers, body: body, client: client)
    }

    static func send(
        _ method: String,
        _ url: String,
        _ headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        client: HTTPClient = StubExchange.client
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        request.headers = headers
        if !body.isEmpty { request.body = .bytes(body) }
        let answer = try await client.execute(request, timeout: .seconds(Int64(HangLimit.seconds)))
        let bytes = try await answer.body.collect(upTo: 64 << 20)
        return Answer(status: Int(answer.status.code), headers: answer.headers, body: Array(buffer: bytes))
    }

    /// Adds a stub, which must be valid.
    func add(_ mapping: String) async throws {
        let answer = try await send("POST", "/__admin/mappings", body: Array(mapping.utf8))
        guard answer.status == 201 else { throw Refused(answer: answer.text) }
    }

    struct Refused: Error { let answer: String }
}
