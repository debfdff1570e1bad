import Hummingbird
import Logging
import NIOCore
import OutboundHTTP

/// What a handler knows of its request beside the message itself.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// `X-Request-ID` where the client sent a proper one, else made here.
    var requestID = "-"
    /// When its head was read, where requests are timed.
    var arrival: ContinuousClock.Instant?
    let facts = RequestFacts()
    /// The socket's peer, or whom a proxy opened the connection for; behind `AdmissionMiddleware` who asks.
    var client: ClientAddress

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        client = ClientAddress(ProxyProtocol.source ?? NetworkAddress(source.channel.remoteAddress))
    }
}
