/// The address on which a port listens; port 0 takes a free port.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package var description: String { "\(host):\(port)" }

    /// The longest accept queue that Linux allows, so that a flood of connections delays others by milliseconds. A client
    /// for which the queue has no room retries a second later.
    package static let backlog = 4_096
}
