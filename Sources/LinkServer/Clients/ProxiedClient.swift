import OutboundHTTP

/// An event that names the client for which a proxy opened the connection; sent before anything else.
struct ProxiedClient: Sendable {
    let address: NetworkAddress
}
