import LinkRouting

/// What a request may cost.
package struct ServerLimits: Sendable, Hashable {
    /// Of `POST /resolve` with one link.
    package var bodyBytes = 16_384
    /// Of `POST /resolve` with up to 100 links.
    package var batchBytes = 262_144
    /// Of a table written through the admin port.
    package var tableBytes = 32 << 20
    /// Of a table written or checked; each takes 2 to 3 KB while the table is checked.
    package var tableRoutes = 40_000
    /// Of one tenant, all environments together.
    package var drafts = 64
    /// How many lists and objects may stand inside one another in the body of `POST /resolve`.
    package var jsonDepth = 32
    /// Of a suite that is stored.
    package var suiteBytes = 4 << 20
    /// Of a request's target.
    package var uriBytes = 8_192
    /// Of all names and values of a request's header fields together.
    package var headerBytes = 16_384
    package var headerFields = 64
    /// From the first byte of a request's head to its last.
    package var headSeconds = 5
    /// From a request's head to the last byte of its body, on the public port.
    package var bodySeconds = 10
    /// The same on the admin port, which takes tables.
    package var tableSeconds = 60
    /// Of the public port, and of the others where they get as many.
    package var connections = 10_000
    /// How many descriptors the process may open, which the connections are bounded by.
    package var descriptors = 65_536
    /// What all clients together may leave untaken of their answers.
    package var unsentBytes = 128 << 20
    package var idleSeconds = 60
    /// For which a client may take nothing of what waits for it.
    package var stalledSeconds = 30
    /// For which a tail of events goes on before its reader must come back.
    package var tailSeconds = 3_600

    package init() {}
}
