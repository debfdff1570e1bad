import AsyncHTTPClient
import Foundation
import LinkRouting
import NIOCore
import NIOSSL
import StubMatching
import StubServer
import TestSupport
import Testing

/// The port with HTTPS, and the authority that signs for it.
struct HTTPSTests {
    /// Runs `body` with a client that trusts only the authority.
    private static func withClient(
        trusting authority: StubAuthority,
        _ body: (HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(Int64(HangLimit.seconds))
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: authority.der, format: .der)
        ])
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // A client that is not shut down ends the process of all tests.
        do { try await body(client) } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private static func identity(_ authority: StubAuthority) throws -> StubIdentity {
        try authority.identity(for: ServerName.standard, now: Date())
    }

    @Test func clientThatTrustsTheAuthorityGetsAnswers() async throws {
        try await withTemporaryDirectory { directory in
            let (authority, isNew) = try AuthorityFolder(directory + "/ca").authority(now: Date())
            #expect(isNew)
            let identity = try Self.identity(authority)
            try await StubExchange.run { configuration in
                configuration.https = StubConfiguration.HTTPS(port: 0, identity: identity)
            } _: { exchange in
                let body = String(repeating: "a", count: 100_000)
                try await exchange.add(
                    #"{"request":{"method":"POST","scheme":"https"},"response":{"body":"\#(body)"}}"#
                )
                let port = try #require(exchange.server.securePort)
                try await Self.withClient(trusting: authority) { client in
                    for host in ["127.0.0.1", "localhost"] {
                        // Twice, so that a connection is used again.
                        for _ in 0..<2 {
                            let url = "https://\(host):\(port)/"
                            let sent = Array(body.utf8)
                            let answer = try await StubExchange.send("POST", url, body: sent, client: client)
                            #expect(answer.text == body)
                        }
                    }
                }
                #expect(try await exchange.send("POST", "/").status == 404)
            }
        }
    }

    @Test func clientWithoutTheAuthorityGetsNoAnswer() async throws {
        try await withTemporaryDirectory { directory in
            let (authority, _) = try AuthorityFolder(directory + "/ca").authority(now: Date())
            let (other, _) = try AuthorityFolder(directory + "/other").authority(now: Date())
            let identity = try Self.identity(authority)
            try await StubExchange.run { configuration in
                configuration.https = StubConfiguration.HTTPS(port: 0, identity: identity)
            } _: { exchange in
                let url = try #require(exchange.server.secureURL)
                try await Self.withClient(trusting: other) { client in
                    await #expect(throws: (any Error).self) { try await StubExchange.send("GET", url, client: client) }
                }
            }
        }
    }

    @Test func keyIsForItsOwnerOnlyAndTheAuthorityStays() throws {
        try inTemporaryDirectory { directory in
            let folder = AuthorityFolder(directory + "/a/ca")
            let first = try folder.authority(now: Date()).authority
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/a/ca/ca-key.pem")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let (second, isNew) = try folder.authority(now: Date())
            #expect(!isNew)
            #expect(second.der == first.der)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/a") == ["ca"])
        }
    }

    @Test(arguments: [
        ("chmod 644 ca-key.pem", "chmod 600"),
        ("rm ca-key.pem", "has no ca.pem with its ca-key.pem"),
        ("echo nonsense > ca.pem", "damaged"),
        ("cp ../other/ca.pem .", "is not its key"),
    ])
    func wrongFilesAreNamed(command: String, message: String) throws {
        try inTemporaryDirectory { directory in
            let folder = AuthorityFolder(directory + "/ca")
            _ = try folder.authority(now: Date())
            _ = try AuthorityFolder(directory + "/other").authority(now: Date())
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", command]
            shell.currentDirectoryURL = URL(filePath: directory + "/ca")
            try shell.run()
            shell.waitUntilExit()
            let failure = #expect(throws: StubAuthority.Failure.self) { try folder.authority(now: Date()) }
            #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
        }
    }

    @Test func expiredAuthorityIsRefused() throws {
        try inTemporaryDirectory { directory in
            let folder = AuthorityFolder(directory + "/ca")
            _ = try folder.authority(now: Date())
            let later = Date().addingTimeInterval(11 * 366 * 86_400)
            let failure = #expect(throws: StubAuthority.Failure.self) { try folder.authority(now: later) }
            #expect(failure?.description.contains("has expired") == true)
        }
    }

    @Test func folderWithOtherContentIsRefused() throws {
        try inTemporaryDirectory { directory in
            try Data().write(to: URL(filePath: directory + "/notes.txt"))
            #expect(throws: StubAuthority.Failure.self) { try AuthorityFolder(directory).authority(now: Date()) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["notes.txt"])
        }
    }

    @Test(arguments: [
        ("api.example.test", true), ("*.example.test", true), ("127.0.0.1", true), ("::1", true), ("LOCALHOST", true),
        ("", false), ("*", false), ("*.test", false), ("a..b", false), ("-a.test", false), ("a b", false),
        ("a_b.test", false), (String(repeating: "a", count: 64), false),
    ])
    func serverNameIsAHostNameOrAnAddress(text: String, isName: Bool) {
        #expect((ServerName(text) != nil) == isName)
    }
}
