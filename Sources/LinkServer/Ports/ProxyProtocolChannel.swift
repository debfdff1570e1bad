import HummingbirdCore
import Logging
import NIOCore
import OutboundHTTP

/// A connection that begins with a PROXY header if its peer is a trusted proxy. `base` handles what follows the header,
/// and the whole connection of any other peer.
struct ProxyProtocolChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let isTrusted: @Sendable (NetworkAddress) -> Bool

    /// Maximum time from setup to the last byte of the header.
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
            logger.debug("the PROXY protocol header is missing or invalid", metadata: ["error": "\(error)"])
        }
    }
}

extension ServerChildChannel {
    /// Returns this channel behind a ``ProxyProtocolChannel`` that trusts the proxies of the current admission policy.
    func afterProxyHeader(_ admission: Admission) -> any ServerChildChannel {
        ProxyProtocolChannel(base: self) { admission.policy.proxies.contains($0) }
    }
}
