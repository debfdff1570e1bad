import Hummingbird
import Logging
import NIOCore

/// What a handler knows of its request beside the message itself.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// `X-Request-ID` where the client sent a proper one, else made here.
    var requestID = "-"
    /// When its head was read, where requests are timed.
    var arrival: ContinuousClock.Instant?
    let facts = RequestFacts()
    /// The socket's peer.
    let peerAddress: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peerAddress = source.channel.remoteAddress?.ipAddress
    }
}
