import Hummingbird
import LinkEvents
import LinkService
import Logging
import NIOCore
import NetworkTypes

/// The context of a request besides the message itself.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var scope: RequestScope
    /// Set on the admin port: a change checks the caller's key again.
    var keys: APIKeyAuthenticator?
    /// Set for a request with an `Idempotency-Key`.
    var repeatable: RepeatableChange?

    var requestID: String { scope.requestID.description }
    var facts: AccessLogFields { scope.facts }

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        scope = RequestScope(client: ClientAddress(NetworkAddress(source.channel.remoteAddress)))
    }
}
