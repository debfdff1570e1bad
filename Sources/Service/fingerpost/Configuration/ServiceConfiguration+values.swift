import HTTPTransport
import LinkServer
import Networking

extension ServiceConfiguration {
    /// Parses address ranges separated by commas or spaces; an empty text yields none.
    static func ranges(_ key: String, _ text: String) throws -> [AddressRange] {
        try text.split { $0 == "," || $0.isWhitespace }.map { text in
            guard let range = AddressRange(text) else {
                throw Invalid(
                    key,
                    "contains '\(text)'; write ADDRESS/BITS, such as 10.0.0.0/8, separated by commas."
                )
            }
            return range
        }
    }

    /// Throws if two ports have the same address. Port 0 takes a free one.
    static func requireDistinct(_ ports: [(name: String, address: ListenAddress)]) throws {
        for (index, port) in ports.enumerated() where port.address.port != 0 {
            guard let other = ports[..<index].first(where: { $0.address == port.address }) else { continue }
            throw Invalid(
                "\(port.name).port",
                "and \(other.name).port are both \(port.address); choose another port for one."
            )
        }
    }

    /// What an operator may not know about the configuration, for the log.
    var warnings: [String] {
        let host = adminAddress.host
        let isLocal = host.hasPrefix("127.") || ["localhost", "::1", "[::1]"].contains(host)
        let all = admission.policy.proxies.ranges.map(\.description).first { ["0.0.0.0/0", "::/0"].contains($0) }
        let found: [String?] = [
            exports.unused.map { "\($0) has no effect without exports.sink: s3" },
            isLocal ? nil : "the admin port has no TLS and listens on \(host); let only a proxy with TLS reach it",
            all.map { "trustedProxies contains \($0), so every client may name another address as its own" },
        ]
        return found.compactMap(\.self)
    }
}
