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
    /// For which a client may take nothing of what waits for it.
    package var stalledSeconds = 30
    /// For which a tail of events goes on before its reader must come back.
    package var tailSeconds = 3_600

    package init() {}
}
