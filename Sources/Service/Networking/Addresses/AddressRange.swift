/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`. An address without a prefix length is a range of
/// one. Bits after the prefix are ignored: `10.1.2.3/8` is `10.0.0.0/8`.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The prefix, followed by zeros.
    private let network: NetworkAddress
    /// One bits for the prefix, out of all 128 bits.
    private let mask: UInt128

    /// Returns nil if the text is not a range. A range of IPv4-mapped IPv6 addresses, such as `::ffff:10.0.0.0/104`, is
    /// the IPv4 range.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // A range has no zone: the same range would be a different one at each interface.
        guard !parts[0].contains("%"), let address = NetworkAddress(parts[0]) else { return nil }
        let bits = address.isIPv4 ? 32 : 128
        let skipped = address.isIPv4 && parts[0].contains(":") ? 96 : 0
        guard let length = parts.count == 1 ? bits : Self.number(parts[1]).map({ $0 - skipped }),
            (0...bits).contains(length)
        else { return nil }
        // A shift by all 128 bits yields 0. The first 96 bits of an IPv4 address are its marker as IPv4-mapped.
        mask = ~(UInt128.max >> (128 - bits + length))
        network = NetworkAddress(bits: address.bits & mask)
    }

    package var description: String {
        "\(network.text)/\(mask.leadingOnes - (network.isIPv4 ? 96 : 0))"
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        // No IPv6 range contains an IPv4 address, not even `::/0`.
        address.isIPv4 == network.isIPv4 && address.bits & mask == network.bits
    }

    /// Parses digits without a sign or leading zeros.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...3).contains(text.utf8.count), text == "0" || text.utf8.first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension [AddressRange] {
    package func contains(_ address: NetworkAddress) -> Bool { contains { $0.contains(address) } }
}

extension NetworkAddress {
    /// Whether the address is reachable over the public internet. False for the ranges that IANA reserves for special
    /// purposes (RFC 6890 and its registries), and for IPv6 addresses that embed such an IPv4 address.
    package var isPublic: Bool {
        guard !Self.special.contains(self) else { return false }
        return embedded?.isPublic ?? true
    }

    /// The IPv4 address that a translator (64:ff9b::/96) or 6to4 (2002::/16) would send to; nil for other addresses.
    private var embedded: NetworkAddress? {
        guard bytes.count == 16 else { return nil }
        if Self.translated.contains(self) { return NetworkAddress(bytes: Array(bytes[12...])) }
        if Self.sixToFour.contains(self) { return NetworkAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }

    private static let translated = ["64:ff9b::/96"].compactMap { AddressRange($0) }
    private static let sixToFour = ["2002::/16"].compactMap { AddressRange($0) }

    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, loopback, and the deprecated IPv4-compatible addresses.
        "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7",
        "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { AddressRange($0) }
}

extension UInt128 {
    fileprivate var leadingOnes: Int { (~self).leadingZeroBitCount }
}
