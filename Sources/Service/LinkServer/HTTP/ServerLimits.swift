import LinkRouting

/// The limits of requests, connections and stored documents. Sizes are in bytes.
package struct ServerLimits: Sendable, Hashable {
    /// Body of `POST /resolve` with one link.
    package var bodyBytes = 16_384
    /// Body of `POST /resolve` with up to 100 links.
    package var batchBytes = 262_144
    /// Table written through the admin port.
    package var tableBytes = 32 << 20
    /// Routes of a table that is written or checked; each takes 2 to 3 KB while the table is checked.
    package var tableRoutes = 40_000
    /// Drafts of one tenant, in all environments together.
    package var drafts = 64
    /// Nesting depth of lists and objects in the body of `POST /resolve`.
    package var jsonDepth = 32
    /// Events of one tenant that are recorded in a UTC day from requests without one of its keys; 0 for no limit.
    package var dayBytes = 16 << 30
    /// Stored suite.
    package var suiteBytes = 4 << 20
    /// Target of a request.
    package var uriBytes = 8_192
    /// All header field names and values of a request together.
    package var headerBytes = 16_384
    /// Number of a request's header fields.
    package var headerFields = 64
    /// Time from the first byte of a request's head to its last.
    package var headSeconds = 5
    /// Time from the setup of a connection to the last byte of its PROXY header.
    package var proxyHeaderSeconds = 5
    /// Time from a request's head to the last byte of its body, on the public port.
    package var bodySeconds = 10
    /// Time from a request's head to the last byte of its body, on the admin port, which takes tables.
    package var tableSeconds = 60
    /// Connections of the public port, and of each other port if it gets as many.
    package var connections = 10_000
    /// File descriptors that the process may open; they bound the connections.
    package var descriptors = 65_536
    /// Bytes of responses that all clients together may leave unread.
    package var unsentBytes = 128 << 20
    /// Time for which a connection may be idle before its next request.
    package var idleSeconds = 60
    /// Maximum time without progress while response bytes wait for the client.
    package var stalledSeconds = 30
    /// Time after which a tail of events ends and its reader must reconnect.
    package var tailSeconds = 3_600

    package init() {}
}
