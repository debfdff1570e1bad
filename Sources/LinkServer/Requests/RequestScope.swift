import LinkRouting
import OutboundHTTP

/// What is known of a request beside its message, whichever way it is answered.
struct RequestScope: Sendable {
    /// `X-Request-ID` where the client sent a proper one, else made here.
    var requestID = "-"
    /// When its head was read, where requests are timed.
    var arrival: ContinuousClock.Instant?
    /// The socket's peer, or whom a proxy opened the connection for; once the request is admitted, who asks.
    var client: ClientAddress
    /// The trace that its work belongs to: that of who asks, else one of its own.
    var trace: TraceContext?
    /// Whether who asks takes part in tracing; others have no use for a trace.
    var isTraced = false
    let facts = AccessLogFields()

    init(client: ClientAddress) { self.client = client }
}
