import HTTPTransport
import HTTPTypes
import Networking

extension TrustedProxies {
    /// Returns the client's address, read from the header fields of its request if `peer` is a trusted proxy.
    func client(of peer: NetworkAddress?, headers: HTTPFields) -> ClientAddress {
        client(of: peer, lines: headers[values: header.name])
    }
}

extension ForwardingHeader {
    var name: HTTPField.Name { self == .forwarded ? Self.forwardedName : Self.xForwardedForName }

    private static let forwardedName = HTTPField.Name.constant("Forwarded")
    private static let xForwardedForName = HTTPField.Name.constant("X-Forwarded-For")
}
