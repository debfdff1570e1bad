import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// An HTTPS server on a free loopback port for the names in `HTTPSServer.names`, with its own certificate authority.
///
/// It answers on its own threads, because other tests may block those of Swift concurrency.
struct HTTPSServer {
    static let names = ["acme.test", "*.acme.test", "*.cdn.test"]

    let port: Int
    /// The authority's certificate in a PEM file.
    let authority: String

    struct Answer: Sendable {
        var status: HTTPResponseStatus = .ok
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        var body = ""
    }

    /// The answer for a host and path; nil never answers.
    typealias Responder = @Sendable (_ host: String, _ path: String) -> Answer?

    static func run(
        in directory: String,
        newestVersion: TLSVersion? = nil,
        respond: @escaping Responder,
        _ body: (HTTPSServer) async throws -> Void
    ) async throws {
        let identity = try Identity()
        let authority = "\(directory)/authority.pem"
        try identity.authority.write(toFile: authority, atomically: true, encoding: .utf8)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.server.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = newestVersion
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(respond: respond))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(HTTPSServer(port: channel.localAddress?.port ?? 0, authority: authority)))
        } catch {
            outcome = .failure(error)
        }
        try await channel.close()
        try outcome.get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let respond: Responder

        init(respond: @escaping Responder) { self.respond = respond }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            let host = head.headers.first(name: "Host")?.split(separator: ":").first.map(String.init) ?? ""
            guard var answer = respond(host, head.uri) else { return }
            answer.headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
            answer.headers.add(name: "Connection", value: "close")
            let status = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
            context.write(wrapOutboundOut(.head(status)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        // A client that does not trust the certificate aborts the handshake.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// An untrusted certificate authority, and a certificate signed by it.
    struct Identity {
        let authority: String
        let server: String
        let key: String

        init() throws {
            let root = Certificate.PrivateKey(P256.Signing.PrivateKey())
            let own = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName("Fingerpost test authority") }
            let start = Date.now.addingTimeInterval(-3_600)
            let end = Date.now.addingTimeInterval(86_400)
            authority = try Certificate(
                version: .v3,
                serialNumber: .init(),
                publicKey: root.publicKey,
                notValidBefore: start,
                notValidAfter: end,
                issuer: name,
                subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try .init { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) },
                issuerPrivateKey: root
            ).serializeAsPEM().pemString
            server = try Certificate(
                version: .v3,
                serialNumber: .init(),
                publicKey: Certificate.PrivateKey(own).publicKey,
                notValidBefore: start,
                notValidAfter: end,
                issuer: name,
                subject: try DistinguishedName { CommonName("acme.test") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try .init { SubjectAlternativeNames(HTTPSServer.names.map { .dnsName($0) }) },
                issuerPrivateKey: root
            ).serializeAsPEM().pemString
            key = own.pemRepresentation
        }
    }
}
