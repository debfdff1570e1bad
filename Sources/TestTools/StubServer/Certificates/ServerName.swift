import Foundation
import SwiftASN1
import X509

/// A host name or an address of the server: in its certificate, and in calls of its admin API.
package struct ServerName: Sendable, Hashable {
    private enum Kind: Hashable {
        case name(String)
        case address([UInt8])
    }

    private let kind: Kind

    /// Nil for a text that is neither an address nor a host name. The first label may be `*`.
    package init?(_ text: String) {
        if let address = Self.address(text) {
            kind = .address(address)
            return
        }
        let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253,
            labels.enumerated().allSatisfy({ Self.isLabel($1) || ($0 == 0 && $1 == "*" && labels.count > 2) })
        else { return nil }
        kind = .name(text.lowercased())
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let isHyphen = { (byte: UInt8) in byte == UInt8(ascii: "-") }
        guard let first = label.utf8.first, let last = label.utf8.last, label.utf8.count <= 63 else { return false }
        return !isHyphen(first) && !isHyphen(last)
            && label.utf8.allSatisfy {
                isHyphen($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    private static func address(_ text: String) -> [UInt8]? {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        // A socket for both versions shows an IPv4 address as ::ffff:192.0.2.1.
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
    }

    /// Whether the name is `other`, or equals it with `*` in place of the first label.
    func covers(_ other: ServerName) -> Bool {
        guard case .name(let pattern) = kind, pattern.hasPrefix("*."), case .name(let name) = other.kind,
            let dot = name.firstIndex(of: ".")
        else { return self == other }
        return pattern.dropFirst() == name[dot...]
    }

    var generalName: GeneralName {
        switch kind {
        case .name(let name): .dnsName(name)
        case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        }
    }

    /// The names under which every stub server is reached: from the same machine, a simulator, and an emulator, for which
    /// the machine is 10.0.2.2.
    package static let standard = ["localhost", "127.0.0.1", "::1", "10.0.2.2"].compactMap(ServerName.init)
}
