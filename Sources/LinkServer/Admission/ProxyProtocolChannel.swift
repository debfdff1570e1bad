import HummingbirdCore
import Logging
import NIOCore
import OutboundHTTP

/// Whether the proxies before the public port say whom they open a connection for.
package enum ProxyProtocol: String, Sendable, CaseIterable {
    case off, v2

    /// Whom the proxy of the connection speaks for, for as long as that is handled.
    @TaskLocal static var source: NetworkAddress?
}

/// A connection that may begin with a header of the PROXY protocol: it must when its peer is a trusted proxy, and is read as
/// `base` reads it when its peer is not. `base` sees what follows the header.
struct ProxyProtocolChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let isTrusted: @Sendable (NetworkAddress) -> Bool

    /// From the first byte to the header's last.
    static var limit: TimeAmount { .seconds(5) }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        fileprivate let opened: EventLoopFuture<Opened>
    }

    fileprivate struct Opened: Sendable {
        let base: Base.Value
        let source: NetworkAddress?
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let peer = NetworkAddress(channel.remoteAddress), isTrusted(peer) else {
            return base.setup(channel: channel, logger: logger).map { value in
                let opened = channel.eventLoop.makeSucceededFuture(Opened(base: value, source: nil))
                return Value(channel: channel, opened: opened)
            }
        }
        let header = channel.eventLoop.makePromise(of: NetworkAddress?.self)
        let opened = header.futureResult.flatMap { source in
            base.setup(channel: channel, logger: logger).map { Opened(base: $0, source: source) }
        }
        return channel.eventLoop.makeCompletedFuture {
            let handler = ProxyHeaderHandler(header, then: opened.map { _ in }, within: Self.limit)
            try channel.pipeline.syncOperations.addHandler(handler)
            return Value(channel: channel, opened: opened)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            let opened = try await value.opened.get()
            await ProxyProtocol.$source.withValue(opened.source) {
                await base.handle(value: opened.base, logger: logger)
            }
        } catch {
            logger.debug("a proxy did not say whom it speaks for", metadata: ["error": "\(error)"])
        }
    }
}

extension ServerChildChannel {
    /// This, behind a header of the PROXY protocol where the peer is a proxy that is trusted when it connects.
    func afterProxyHeader(_ admission: Admission) -> any ServerChildChannel {
        ProxyProtocolChannel(base: self) { admission.policy.proxies.contains($0) }
    }
}
