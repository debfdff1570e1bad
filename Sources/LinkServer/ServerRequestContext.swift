import Hummingbird
import Logging
import NIOCore
import OutboundHTTP

/// What a handler knows of its request beside the message itself.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var scope: RequestScope
    /// Of the admin port: whoever changes something is asked for his key again.
    var keys: APIKeyAuthenticator?
    /// Of a request with an `Idempotency-Key`.
    var repeatable: RepeatableChange?

    var requestID: String { scope.requestID }
    var facts: AccessLogFields { scope.facts }

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        scope = RequestScope(
            client: ClientAddress(ProxyProtocol.source ?? NetworkAddress(source.channel.remoteAddress))
        )
    }
}
