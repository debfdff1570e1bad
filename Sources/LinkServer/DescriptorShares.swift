/// How the descriptors that the process may open are shared out: without a bound of their own, connections of strangers would take those
/// of the probes, of the admin port and of the files.
package struct DescriptorShares: Sendable, Hashable {
    package let `public`: Int
    package let admin: Int
    package let ops: Int

    /// Of the control socket.
    package static let control = 8
    /// The fewest that a process can do with.
    package static let least = 128
    private static let leastFiles = 64

    /// - Parameters:
    ///   - limit: How many the process may open.
    ///   - wanted: How many connections a port holds open where there are enough.
    package init(limit: Int, wanted: Int) {
        let opsPort = min(64, max(16, limit / 64))
        let rest = limit - max(Self.leastFiles, limit / 8) - opsPort - Self.control
        let adminPort = min(1_024, max(8, rest / 8))
        ops = min(wanted, opsPort)
        admin = min(wanted, adminPort)
        `public` = max(1, min(wanted, rest - adminPort))
    }

    func connections(of port: PortRole) -> Int {
        switch port {
        case .public: `public`
        case .admin: admin
        case .ops: ops
        }
    }
}
