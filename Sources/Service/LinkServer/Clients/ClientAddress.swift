package import Networking

/// The address of a client, as reported by the proxies that the operator trusts.
package struct ClientAddress: Sendable, Hashable {
    /// Nil for a peer that disconnected before its address could be read.
    package let address: NetworkAddress?
    /// Whether a trusted proxy named a client with an unreadable address. `address` is then the proxy's, and the client
    /// gets none of the proxy's exemptions.
    package let isHidden: Bool

    package init(_ address: NetworkAddress?, isHidden: Bool = false) {
        self.address = address
        self.isHidden = isHidden
    }
}

/// The addresses of our own proxies, and the header in which they name their client.
package struct TrustedProxies: Sendable, Hashable {
    /// Addresses of the proxies.
    package var ranges: [AddressRange] = []
    /// The header that the proxies write.
    package var header = ForwardingHeader.xForwardedFor

    /// Maximum number of elements that are read; a longer chain of proxies is not ours.
    private static let mostHops = 32

    package init() {}

    /// Whether the address is one of a trusted proxy.
    package func contains(_ address: NetworkAddress) -> Bool { ranges.contains(address) }

    /// Returns the client's address: the socket's peer, unless that is a trusted proxy. Otherwise reads the header from
    /// right to left, where each address was written by the proxy before, and returns the first that is not a trusted
    /// proxy. If an address cannot be read, returns that of the last trusted proxy; if all are trusted, the first of
    /// the chain.
    ///
    /// - Parameter lines: The values of ``header``, in their order; evaluated for a trusted peer only.
    package func client(of peer: NetworkAddress?, lines: @autoclosure () -> [String]) -> ClientAddress {
        guard let peer, contains(peer) else { return ClientAddress(peer) }
        var nearest = peer
        for element in ForwardedElements(lines(), of: header).prefix(Self.mostHops) {
            let named =
                switch header {
                case .xForwardedFor: ForwardedNode.address(element)
                case .forwarded: ForwardedNode.address(ofForwarded: element)
                }
            guard let named else { return ClientAddress(nearest, isHidden: true) }
            nearest = named
            if !contains(named) { break }
        }
        return ClientAddress(nearest)
    }
}

/// The header that the proxies before this server write. Only one is read, because the other may come from any client.
package enum ForwardingHeader: String, Sendable, CaseIterable {
    case xForwardedFor = "x-forwarded-for"
    case forwarded
}
