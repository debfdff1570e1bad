import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

/// The running process with a certificate: its start, and how it ends open connections.
@Suite(.timeLimit(.minutes(15)))
struct TLSTests {
    /// Writes the certificate and key into the folder. Returns the environment variables that name them.
    private func variables(_ directory: String, _ identity: HTTPSServer.Identity) throws -> [String: String] {
        let (certificate, key) = (directory + "/fullchain.pem", directory + "/privkey.pem")
        try identity.server.write(toFile: certificate, atomically: true, encoding: .utf8)
        try identity.key.write(toFile: key, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        return [
            "FINGERPOST_PUBLIC_TLS_CERTIFICATE": certificate, "FINGERPOST_PUBLIC_TLS_KEY": key,
            "FINGERPOST_SHUTDOWN_DRAIN_SECONDS": "0",
        ]
    }

    /// Sends `begin`, calls `isOpen` when the first bytes arrive, and returns every byte up to the end of the connection.
    /// All of it runs on the event loop: the service closes a connection that sends nothing, and a test may wait long
    /// for a thread of the shared pool.
    private func read(
        _ port: UInt16,
        _ protocols: [String],
        _ begin: String,
        trusting authority: String,
        isOpen: @escaping @Sendable () -> Void
    ) async throws -> ByteBuffer {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.utf8), format: .pem)])
        configuration.applicationProtocols = protocols
        let tls = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let received = loop.makePromise(of: ByteBuffer.self)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(try NIOSSLClientHandler(context: tls, serverHostname: "acme.test"))
                    try pipeline.addHandler(Collector(begin: begin, isOpen: isOpen, received: received))
                }
            }
            .connect(host: "127.0.0.1", port: Int(port))
            .cascadeFailure(to: received)
        return try await received.futureResult.get()
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let begin: String
        private let isOpen: () -> Void
        private let received: EventLoopPromise<ByteBuffer>
        private var all = ByteBuffer()

        init(begin: String, isOpen: @escaping () -> Void, received: EventLoopPromise<ByteBuffer>) {
            (self.begin, self.isOpen, self.received) = (begin, isOpen, received)
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: begin)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if all.readableBytes == 0 { isOpen() }
            all.writeImmutableBuffer(unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) { received.succeed(all) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    @Test func endOfTheServiceIsAnnouncedToOpenConnections() async throws {
        try await withTemporaryDirectory { directory in
            let identity = try HTTPSServer.Identity()
            let server = try RunningServer(
                directory: directory + "/data",
                environment: try variables(directory, identity)
            )
            #expect(server.printed.contains("public  https://127.0.0.1:"))
            // The HTTP/2 preface and SETTINGS, without a request.
            let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0"
            let text = "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: yourappdomain.com\r\n\r\n"
            let old = try await read(server.publicPort, ["http/1.1"], text, trusting: identity.authority) {
                server.send(SIGTERM)
            }
            #expect(String(buffer: old).hasPrefix("HTTP/1.1 200 "))
            #expect(server.wait().status == 0)

            let again = try RunningServer(
                directory: directory + "/data",
                environment: try variables(directory, identity)
            )
            let new = try await read(again.publicPort, ["h2"], preface, trusting: identity.authority) {
                again.send(SIGTERM)
            }
            // GOAWAY: eight bytes of payload on stream 0, last stream 2^31 - 1, no error.
            let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]
            #expect(Array(buffer: new).firstRange(of: goAway) != nil)
            #expect(again.wait().status == 0)
        }
    }

    @Test func filesThatCannotBeUsedAreOneLineAndExitSeventyEight() async throws {
        try await withTemporaryDirectory { directory in
            let (one, other) = (try HTTPSServer.Identity(), try HTTPSServer.Identity())
            let variables = try variables(directory, one)
            try other.key.write(toFile: directory + "/privkey.pem", atomically: false, encoding: .utf8)
            let foreign = try serve(directory, variables)
            #expect(foreign.status == 78)
            let reason =
                "public.tls.key: \(directory)/privkey.pem does not match the certificate in \(directory)/fullchain.pem; write the path of that certificate's key."
            #expect(foreign.text.hasSuffix(#""error":"\#(reason)","exit_code":"78"}"# + "\n"), "\(foreign.text)")
            #expect(foreign.text.split(separator: "\n").count == 1, "\(foreign.text)")
            let half = try serve(directory, ["FINGERPOST_PUBLIC_TLS_KEY": directory + "/privkey.pem"])
            #expect(half.status == 78)
            #expect(
                half.text
                    == "fingerpost: FINGERPOST_PUBLIC_TLS_KEY is set and public.tls.certificate is not; write both, or neither for plain HTTP.\n"
            )
            #expect(try serve(directory, ["FINGERPOST_PUBLIC_HTTP2": "on"]).text.contains("write enabled or disabled."))
            // The data directory was not touched.
            #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
        }
    }

    private func serve(_ directory: String, _ variables: [String: String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = [
            "serve", "--data", directory + "/data", "--public", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--ops",
            "127.0.0.1:0",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .merging(variables.merging(["FINGERPOST_LOG_LEVEL": "warning"]) { $1 }) { $1 }
        let pipe = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
