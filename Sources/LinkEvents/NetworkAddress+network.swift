import OutboundHTTP

extension NetworkAddress {
    /// The /24 of an IPv4 address, the /48 of an IPv6 one: what a house or a company has, not who lives there.
    var network: String {
        guard bytes.count == 16 else { return bytes.prefix(3).map(String.init).joined(separator: ".") + ".0/24" }
        let masked = Array(bytes.prefix(6)) + [UInt8](repeating: 0, count: 10)
        return (NetworkAddress(bytes: masked)?.text ?? "::") + "/48"
    }
}
