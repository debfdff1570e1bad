import OutboundHTTP

/// Whether the proxies before the public port send a PROXY header.
package enum ProxyProtocol: String, Sendable, CaseIterable {
    case off, v2

    /// The client that the proxy named for the connection, while the connection is handled.
    @TaskLocal static var source: NetworkAddress?
}
