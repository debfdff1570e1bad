import AsyncHTTPClient
import Foundation
import HTTPTransport
import LinkServer
import NIOCore
import NIOHTTP1
import NIOSSL
import TLSTestSupport
import TestSupport
import Testing

/// The public port under TLS, as clients see it.
@Suite(.timeLimit(.minutes(15)))
struct SecureConnectionTests {
    /// The port with a certificate of an authority of its own, and what a client who trusts that configures.
    private func secured(
        http2: HTTP2Offer = .enabled,
        minimum: CertificateFiles.MinimumVersion = .tls12,
        _ change: (inout ServerLimits) -> Void = { $0.headSeconds = HangLimit.seconds },
        _ body: (_ port: Int, _ client: TLSConfiguration) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority()
            var files = try authority.identity().write(to: directory)
            files.minimumVersion = minimum
            let certificates = try ServerCertificates.forTest(files, http2: http2)
            try await withService { service in
                try await service.listening(change, certificates: certificates) { port in
                    try await body(port, try authority.client())
                }
            }
        }
    }

    private func withClient(
        _ tls: TLSConfiguration,
        _ version: HTTPClient.Configuration.HTTPVersion = .automatic,
        _ body: (HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = version
        // The suite's own limit is the only one: a busy machine is slow in everything, also in waiting for a free stream.
        configuration.timeout.connect = Self.patience
        let client = HTTPClient(configuration: configuration)
        do { try await body(client) } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private static let patience = TimeAmount.minutes(15)

    private struct Answer: Equatable {
        let status: UInt
        let fields: [String]
        let body: String
    }

    private func ask(
        _ client: HTTPClient,
        _ base: String,
        _ request: (path: String, host: String, body: String?),
        within patience: TimeAmount = patience
    ) async throws -> (Answer, Bool) {
        var message = HTTPClientRequest(url: base + request.path)
        message.headers.add(name: "Host", value: request.host)
        message.headers.add(name: "X-Request-ID", value: "same")
        if let body = request.body {
            message.method = .POST
            message.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await client.execute(message, timeout: patience)
        let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
        let fields = response.headers.filter { $0.name.lowercased() != "date" && $0.name.lowercased() != "connection" }
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return (Answer(status: response.status.code, fields: fields, body: body), response.version == .http2)
    }

    /// An answer's id is of its own in every version of HTTP.
    private static let requests: [(path: String, host: String, body: String?)] = [
        ("/.well-known/apple-app-site-association", "farechoice.taxi", nil),
        ("/.well-known/assetlinks.json", "yourappdomain.com", nil),
        ("/product/1", "go.yourappdomain.com", nil),
        ("/", "unknown.example", nil),
        ("/openapi.json", "localhost", nil),
        ("/resolve", "localhost", "{"),
        ("/resolve", "localhost", String(repeating: " ", count: 300_000)),
    ]

    @Test func sameAnswersWithAndWithoutTLS() async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority()
            let certificates = try ServerCertificates.forTest(try authority.identity().write(to: directory))
            try await withService { service in
                try await service.listening { plain in
                    try await service.listening(certificates: certificates) { secure in
                        for request in Self.requests {
                            try await withClient(try authority.client(), .http1Only) { client in
                                let (expected, _) = try await ask(client, "http://127.0.0.1:\(plain)", request)
                                let (answer, isHTTP2) = try await ask(client, "https://localhost:\(secure)", request)
                                #expect(answer == expected, "\(request.path)")
                                #expect(!isHTTP2)
                                try await withClient(try authority.client()) { client in
                                    let (answer, isHTTP2) = try await ask(
                                        client,
                                        "https://localhost:\(secure)",
                                        request
                                    )
                                    // Of HTTP/2 the client writes ':authority' from the URL, so only that host can be asked.
                                    if request.host == "localhost" { #expect(answer == expected, "\(request.path)") }
                                    #expect(isHTTP2)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func manyRequestsShareAConnection() async throws {
        try await secured { port, tls in
            try await withClient(tls) { client in
                try await withThrowingTaskGroup(of: UInt.self) { group in
                    for _ in 0..<300 {
                        group.addTask {
                            var request = HTTPClientRequest(url: "https://localhost:\(port)/resolve")
                            request.method = .POST
                            request.body = .bytes(ByteBuffer(string: #"{"url":"yourapp://product/1"}"#))
                            let response = try await client.execute(request, timeout: Self.patience)
                            _ = try await response.body.collect(upTo: 1 << 20)
                            return response.status.code
                        }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
        }
    }

    @Test func http2IsNotOfferedWhereItIsOff() async throws {
        try await secured(http2: .disabled) { port, tls in
            try await withClient(tls) { client in
                let (answer, isHTTP2) = try await ask(
                    client,
                    "https://localhost:\(port)",
                    ("/openapi.json", "localhost", nil)
                )
                #expect(answer.status == 200)
                #expect(!isHTTP2)
            }
        }
    }

    // MARK: The certificate

    @Test func newConnectionsUseTheNewCertificateAndOldOnesContinue() async throws {
        try await withTemporaryDirectory { directory in
            let (old, new) = (try TestAuthority(), try TestAuthority())
            let certificates = try ServerCertificates.forTest(try old.identity().write(to: directory))
            try await withService { service in
                try await service.listening(certificates: certificates) { port in
                    let request = (path: "/openapi.json", host: "localhost", body: String?.none)
                    for version in [HTTPClient.Configuration.HTTPVersion.http1Only, .automatic] {
                        _ = try old.identity().write(to: directory)
                        _ = try certificates.reload()
                        try await withClient(try old.client(), version) { open in
                            #expect(try await ask(open, "https://localhost:\(port)", request).0.status == 200)
                            _ = try new.identity().write(to: directory)
                            #expect(try certificates.reload() == .renewed)
                            // Its connection is kept alive, and it would not trust another certificate.
                            #expect(try await ask(open, "https://localhost:\(port)", request).0.status == 200)
                        }
                        try await withClient(try old.client(), version) { later in
                            await #expect(throws: (any Error).self) {
                                // The client goes on trying.
                                try await ask(later, "https://localhost:\(port)", request, within: .seconds(3))
                            }
                        }
                        try await withClient(try new.client(), version) { later in
                            let (answer, _) = try await ask(later, "https://localhost:\(port)", request)
                            #expect(answer.status == 200)
                        }
                    }
                }
            }
        }
    }

    // MARK: The handshake

    private func handshake(_ port: Int, _ configuration: TLSConfiguration) async -> Bool {
        do {
            return try await SecureClient.connect(port, configuration).exchange { exchange in
                try await exchange.begin()
                return try await exchange.first(.settings) != nil
            }
        } catch {
            return false
        }
    }

    @Test func oldVersionsAreRefused() async throws {
        try await secured { port, tls in
            for (version, isSpoken) in [(TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                var client = tls
                client.minimumTLSVersion = version
                client.maximumTLSVersion = version
                #expect(await handshake(port, client) == isSpoken, "\(version)")
            }
        }
    }

    @Test func tls12IsRefusedWhere13IsTheLeast() async throws {
        try await secured(minimum: .tls13) { port, tls in
            for (version, isSpoken) in [(TLSVersion.tlsv12, false), (.tlsv13, true)] {
                var client = tls
                client.minimumTLSVersion = version
                client.maximumTLSVersion = version
                #expect(await handshake(port, client) == isSpoken, "\(version)")
            }
        }
    }

    @Test(
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-AES256-GCM-SHA384", true),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", true), ("ECDHE-ECDSA-AES128-SHA", false),
            ("ECDHE-ECDSA-AES256-SHA", false), ("AES128-GCM-SHA256", false), ("AES256-SHA", false),
        ]
    )
    func onlySuitesWithForwardSecrecyAndAuthenticatedEncryption(_ suite: String, _ isSpoken: Bool) async throws {
        try await secured { port, tls in
            var client = tls
            client.maximumTLSVersion = .tlsv12
            client.cipherSuites = suite
            #expect(await handshake(port, client) == isSpoken)
        }
    }

    @Test(arguments: ["", "\u{16}\u{3}\u{1}\u{0}\u{64}\u{1}", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    func handshakeThatDoesNotFinishIsClosed(_ beginning: String) async throws {
        try await secured({ $0.headSeconds = 1 }) { port, _ in
            _ = try await onThread {
                let connection = try RawConnection(port: port)
                connection.send(beginning)
                return try connection.readToEnd()
            }
        }
    }

    @Test func unfinishedHandshakesAreEvicted() async throws {
        try await secured({
            $0.connections = 10
            $0.headSeconds = HangLimit.seconds
        }) { port, tls in
            try await onThread {
                let silent = try (0..<9).map { _ in Unique(try RawConnection(port: port)) }
                _ = silent
            }
            #expect(await handshake(port, tls))
        }
    }

    private final class Unique: Sendable {
        let connection: RawConnection
        init(_ connection: consuming RawConnection) { self.connection = connection }
    }
}
