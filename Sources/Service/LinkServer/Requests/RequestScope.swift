import LinkEvents
import LinkRouting
import Networking

/// The state of a request besides its message, both of the public port and of the ports that Hummingbird serves.
struct RequestScope: Sendable {
    /// `X-Request-ID` if the client sent a valid one, otherwise generated.
    var requestID: RecordedID = "-"
    /// When the head was read; nil where requests are not timed.
    var arrival: ContinuousClock.Instant?
    /// The socket's peer, or the client that a PROXY header names. After admission, the client as the trusted proxies
    /// report it.
    var client: ClientAddress
    /// Whether the request was taken from the limit of its address, and not from that of its key.
    var countsForAddress = false
    /// The trace of the request's work: the client's if it sent one, otherwise a new one.
    var trace: TraceContext?
    /// Whether the client sent a trace; only such clients get one in the response.
    var isTraced = false
    let logFields = AccessLogFields()

    init(client: ClientAddress) { self.client = client }
}
