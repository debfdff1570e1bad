/// A block of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`; an address alone is a block of one.
package struct AddressRange: Hashable, Sendable {
    private let network: [UInt8]
    private let length: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(parts[0]) else { return nil }
        network = address.bytes
        guard parts.count == 2 else {
            length = network.count * 8
            return
        }
        guard let length = Int(parts[1]), (0...network.count * 8).contains(length) else { return nil }
        self.length = length
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == network.count else { return false }
        let whole = length / 8
        guard address.bytes[..<whole] == network[..<whole] else { return false }
        guard length % 8 > 0 else { return true }
        let mask = UInt8.max << (8 - length % 8)
        return address.bytes[whole] & mask == network[whole] & mask
    }
}

extension [AddressRange] {
    package func contains(_ address: NetworkAddress) -> Bool { contains { $0.contains(address) } }
}

extension NetworkAddress {
    /// Whether the address is reached over the open internet: in none of the blocks that IANA keeps for special purposes
    /// (RFC 6890 and its registries), and not an IPv4 address of one of them in the clothes of IPv6.
    package var isPublic: Bool {
        guard !Self.special.contains(self) else { return false }
        return embedded?.isPublic ?? true
    }

    /// The IPv4 address that a translator (64:ff9b::/96) or 6to4 (2002::/16) would send to.
    private var embedded: NetworkAddress? {
        guard bytes.count == 16 else { return nil }
        if Self.translated.contains(self) { return NetworkAddress(bytes: Array(bytes[12...])) }
        if Self.sixToFour.contains(self) { return NetworkAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }

    private static let translated = ["64:ff9b::/96"].compactMap(AddressRange.init)
    private static let sixToFour = ["2002::/16"].compactMap(AddressRange.init)

    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, loopback, and the deprecated IPv4-compatible addresses.
        "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7",
        "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap(AddressRange.init)
}
