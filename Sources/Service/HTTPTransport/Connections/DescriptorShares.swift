/// Divides the process's file descriptors among the ports. Without this limit, connections to the public port could use
/// up the descriptors that the ops port, the admin port and the files need.
package struct DescriptorShares: Sendable, Hashable {
    /// Maximum number of open connections of each port.
    package let `public`: Int
    package let admin: Int
    package let ops: Int

    /// Connections of the control socket.
    package static let control = 8
    /// The fewest descriptors that a process can run with.
    package static let least = 128
    private static let leastFiles = 64

    /// - Parameters:
    ///   - limit: Number of descriptors that the process may open.
    ///   - requested: Connections of a port if there are enough descriptors.
    package init(limit: Int, requested: Int) {
        let opsPort = min(64, max(16, limit / 64))
        let rest = limit - max(Self.leastFiles, limit / 8) - opsPort - Self.control
        let adminPort = min(1_024, max(8, rest / 8))
        ops = min(requested, opsPort)
        admin = min(requested, adminPort)
        `public` = max(1, min(requested, rest - adminPort))
    }

    package func connections(of port: PortRole) -> Int {
        switch port {
        case .public: `public`
        case .admin: admin
        case .ops: ops
        }
    }
}
