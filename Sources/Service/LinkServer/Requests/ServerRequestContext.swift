package import Hummingbird
import LinkEvents
import Logging
import NIOCore
import Networking

/// The context of a request besides the message itself.
package struct ServerRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    var scope: RequestScope
    /// The authenticator on the admin port, with which a change checks the caller's key again; nil on other ports.
    var keys: APIKeyAuthenticator?
    /// Set for a request with an `Idempotency-Key`.
    var repeatable: RepeatableChange?

    var requestID: String { scope.requestID.description }
    var logFields: AccessLogFields { scope.logFields }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        scope = RequestScope(client: ClientAddress(NetworkAddress(source.channel.remoteAddress)))
    }

    /// The context of a request that this process answers without a connection.
    init(requestID: RecordedID, logger: Logger) {
        struct Source: RequestContextSource { let logger: Logger }
        coreContext = CoreRequestContextStorage(source: Source(logger: logger))
        scope = RequestScope(client: ClientAddress(nil))
        scope.requestID = requestID
    }
}
