/// The limits on the memory and work that clients can cause.
package struct StubLimits: Sendable {
    package var connections = 1_000
    package var bodyBytes = 50 << 20
    package var headerBytes = 64 << 10
    /// The longest time from a connection to the head of its first request.
    package var firstRequestSeconds: Int64 = 60
    package var sessions = 1_000
    /// The maximum size of the bodies of all requests and answers under way, over all connections.
    package var messageBytes = 256 << 20
    /// The maximum time that the server waits for a connection to a target, and for its answer.
    package var connectSeconds: Int64 = 5
    package var proxySeconds: Int64 = 60

    package init() {}
}
