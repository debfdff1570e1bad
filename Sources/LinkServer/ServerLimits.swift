/// What a request may cost.
package struct ServerLimits: Sendable, Hashable {
    /// Of `POST /resolve` with one link.
    package var bodyBytes = 16_384
    /// Of `POST /resolve` with up to 100 links.
    package var batchBytes = 262_144
    /// Of a table or settings written through the admin port.
    package var tableBytes = 32 << 20
    /// Of a suite that is stored.
    package var suiteBytes = 4 << 20
    package var connections = 10_000
    package var idleSeconds = 60

    package init() {}
}
