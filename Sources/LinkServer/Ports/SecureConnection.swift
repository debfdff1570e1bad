import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL

/// A TLS connection that speaks the protocol negotiated by ALPN: HTTP/2, or HTTP/1.1 as without TLS.
///
/// Hummingbird's `TLSChannel` and `HTTP2UpgradeChannel` keep the certificate loaded at start, have no handshake
/// timeout, and accept no limits for HTTP/2.
struct SecureConnection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let negotiated: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Connection.Value, HTTP2Connection.Value>>
    }

    let certificates: ServerCertificates
    let crowd: ConnectionRegistry
    let http1: HTTP1Connection
    let http2: HTTP2Connection

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let tls = NIOSSLServerHandler(context: certificates.context)
            try channel.pipeline.syncOperations.addHandlers([tls, HandshakeHandler(crowd: crowd)])
        }.flatMap {
            channel.configureHTTP2AsyncSecureUpgrade { channel in
                http1.setup(channel: channel, logger: logger)
            } http2ConnectionInitializer: { channel in
                http2.setup(channel: channel, logger: logger)
            }
        }.map { Value(channel: channel, negotiated: $0) }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch {
            // The handshake failed: a scanner, an outdated client, or one that does not trust the certificate. Its own
            // log tells the reason.
            logger.trace("TLS handshake failed", metadata: ["error": "\(error)"])
        }
    }
}
