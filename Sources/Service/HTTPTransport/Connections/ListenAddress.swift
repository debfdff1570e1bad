/// The address on which a port listens; port 0 takes a free port.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package var description: String { "\(host):\(port)" }

    /// Maximum number of connections that wait to be accepted: the default of the limit `net.core.somaxconn` on Linux.
    /// Linux drops SYNs beyond it, and clients retry after 1 s. With a long queue, a flood delays other clients by
    /// milliseconds.
    package static let backlog = 4_096
}
