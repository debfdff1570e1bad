import AsyncHTTPClient
import Foundation
import LinkRouting
import NIOCore
import NIOHTTP1
import StubLinks
import StubMatching
import StubServer
import TestSupport

/// A stub server with tenant files in a folder of its own.
struct RunningStub: Sendable {
    let server: StubServer
    let links: StubLinks
    /// The folder, with `tenants`, `suites` and `mappings`.
    let folder: String
    private let client: HTTPClient

    static let now = instant("2026-11-21T10:00:00Z")

    /// Runs `body` with a server that has fixed time and chance.
    static func run<Value: Sendable>(
        tenants: [String: String] = ["acme.yaml": acme],
        suites: [String: String] = [:],
        mappings: [String: String] = [:],
        configure: (inout StubLinks.Configuration, inout StubConfiguration) throws -> Void = { _, _ in },
        _ body: (RunningStub) async throws -> Value
    ) async throws -> Value {
        try await withTemporaryDirectory { folder in
            for (name, files) in ["tenants": tenants, "suites": suites, "mappings": mappings] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)",
                    withIntermediateDirectories: true
                )
                for (file, text) in files { try write(text, "\(folder)/\(name)/\(file)") }
            }
            var configuration = StubConfiguration()
            configuration.folder = folder
            configuration.environment.now = { now }
            configuration.environment.random = StubEnvironment.seededRandom(1)
            var linkConfiguration = StubLinks.Configuration()
            linkConfiguration.folder = folder
            linkConfiguration.environment = configuration.environment
            try configure(&linkConfiguration, &configuration)
            let links = try await StubLinks(linkConfiguration)
            configuration.endpoints = links
            let server = try await StubServer(configuration)
            var options = HTTPClient.Configuration(redirectConfiguration: .disallow)
            options.timeout = .init(connect: .seconds(Int64(HangLimit.seconds)))
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: options)
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await body(RunningStub(server: server, links: links, folder: folder, client: client))
                )
            } catch {
                result = .failure(error)
            }
            await server.stop()
            await links.stop()
            try await client.shutdown()
            return try result.get()
        }
    }

    static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    func send(
        _ method: HTTPMethod,
        _ path: String,
        host: String? = nil,
        headers: [(String, String)] = [],
        body: String? = nil
    ) async throws -> Answer {
        try await Answer.of(method, server.port, path, host: host, headers: headers, body: body, client)
    }

    func get(_ path: String, host: String? = nil, headers: [(String, String)] = []) async throws -> Answer {
        try await send(.GET, path, host: host, headers: headers)
    }

    func resolve(_ body: String, session: String? = nil) async throws -> JSONNode {
        let prefix = session.map { "/__session/\($0)" } ?? ""
        return try await send(.POST, "\(prefix)/resolve", body: body).json
    }

    /// Creates a session and returns its id.
    @discardableResult
    func addSession(_ document: String = "{}") async throws -> String {
        let answer = try await send(.POST, "/__admin/sessions", body: document)
        guard answer.status == 201, let id = answer.json["id"]?.text else { throw UnexpectedAnswer(answer: answer) }
        return id
    }

    struct UnexpectedAnswer: Error {
        let answer: Answer
    }

    /// A tenant with a clickable host, a website, and a route with a condition on a trait, a country and a time.
    static let acme = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [go.acme.test, {host: www.acme.test, serves: association}]
          schemes: [acme]
          environments: [staging]
          explain: public
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme, stores: [{kind: appStore, id: "1"}]}
        table:
          routes:
            - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}, web: "https://www.acme.test/i/{id}"}
            - {id: account, path: /account, signIn: required, open: {screen: Account}}
            - {id: vip, path: /offer, when: {traits: {tier: [gold]}}, open: {screen: Vip}}
            - {id: german, path: /offer, when: {country: [DE]}, web: "https://www.acme.test/de"}
            - {id: later, path: /offer, when: {time: {from: "2027-01-01T00:00:00Z"}}, web: "https://www.acme.test/2027"}
            - {id: offer, path: /offer, web: "https://www.acme.test/offer"}
        """
}

/// What a server answered.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONNode { (try? JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 4 << 20))) ?? .null }

    subscript(name: String) -> String? { headers.first(name: name) }

    static func of(
        _ method: HTTPMethod,
        _ port: Int,
        _ path: String,
        host: String?,
        headers: [(String, String)],
        body: String?,
        _ client: HTTPClient
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        if let host { request.headers.add(name: "Host", value: host) }
        request.headers.add(contentsOf: headers)
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .seconds(Int64(HangLimit.seconds)))
        let bytes = try await response.body.collect(upTo: 4 << 20)
        return Answer(
            status: Int(response.status.code),
            headers: response.headers,
            body: Array(bytes.readableBytesView)
        )
    }
}
