package import HTTPTypes
package import OutboundHTTP

/// Who asks, as far as the proxies that the operator trusts tell.
package struct ClientAddress: Sendable, Hashable {
    /// Nil for a peer that was gone before it could be asked for.
    package let address: NetworkAddress?
    /// Whether a trusted proxy named somebody whose address cannot be read: then `address` is that proxy's, and what its
    /// own address may do is not theirs.
    package let isHidden: Bool

    package init(_ address: NetworkAddress?, isHidden: Bool = false) {
        self.address = address
        self.isHidden = isHidden
    }
}

/// Which peers are proxies of ours, and where they say whom they ask for.
package struct TrustedProxies: Sendable, Hashable {
    package var ranges: [AddressRange] = []
    package var header = ForwardingHeader.xForwardedFor

    /// More proxies than this in a row are no chain of ours.
    private static let mostHops = 32

    package init() {}

    package func contains(_ address: NetworkAddress) -> Bool { ranges.contains(address) }

    /// The socket's peer, unless it is a proxy of ours. Then the header's addresses from right to left, each written by the
    /// one before: the first that is no proxy of ours. Where one cannot be read, the last proxy that we trust; where all are
    /// ours, the first of the chain.
    package func client(of peer: NetworkAddress?, headers: HTTPFields) -> ClientAddress {
        client(of: peer, lines: headers[values: header.name])
    }

    /// - Parameter lines: The values of ``header``, in their order; asked for of a trusted peer only.
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

/// The header that the proxies before this server write. Only one is read: the other may come from anybody.
package enum ForwardingHeader: String, Sendable, CaseIterable {
    case xForwardedFor = "x-forwarded-for"
    case forwarded

    var name: HTTPField.Name { self == .forwarded ? Self.forwardedName : Self.xForwardedForName }

    // Both are constants of this program, and proper names.
    private static let forwardedName = HTTPField.Name("Forwarded") ?? .from
    private static let xForwardedForName = HTTPField.Name("X-Forwarded-For") ?? .from
}
