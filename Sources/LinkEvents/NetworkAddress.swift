import Foundation

/// An IPv4 or IPv6 address.
struct NetworkAddress: Hashable {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// Reads what `inet_pton` reads, and ignores an IPv6 zone (`%eth0`).
    init?(_ text: String) {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
            return
        }
        var sixteen = [UInt8](repeating: 0, count: 16)
        let address = String(text.prefix { $0 != "%" })
        guard inet_pton(AF_INET6, address, &sixteen) == 1 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        bytes = sixteen.starts(with: mapped) ? Array(sixteen[12...]) : sixteen
    }

    /// The /24 of an IPv4 address, the /48 of an IPv6 one: what a house or a company has, not who lives there.
    var network: String {
        guard bytes.count == 16 else { return bytes.prefix(3).map(String.init).joined(separator: ".") + ".0/24" }
        var masked = Array(bytes.prefix(6)) + [UInt8](repeating: 0, count: 10)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &masked, &text, socklen_t(text.count)) != nil else {
            preconditionFailure("16 bytes are an address, and the text has room for every one")
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/48"
    }
}
