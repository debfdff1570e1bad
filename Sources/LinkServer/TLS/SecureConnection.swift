import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL

/// A connection under TLS, which then speaks what client and server agreed on (ALPN): HTTP/2, or HTTP/1.1 as without TLS.
///
/// Hummingbird's `TLSChannel` and `HTTP2UpgradeChannel` keep the certificate of the start, wait for a handshake for ever, and
/// take no limits for HTTP/2.
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
            // No handshake: a scanner, a client of 2009, one that does not trust us. Its own log says so.
            logger.trace("no handshake", metadata: ["error": "\(error)"])
        }
    }
}
