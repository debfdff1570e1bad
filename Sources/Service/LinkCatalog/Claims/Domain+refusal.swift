package import LinkRouting

extension Domain {
    /// Why no tenant may claim the domain, and what to write instead; nil if one may. A claim takes a name from all other
    /// tenants, so each name that it covers must be able to belong to one owner.
    package var refusal: String? {
        let lastLabel = host.split(separator: ".").last.map(String.init) ?? ""
        if Self.isNumber(lastLabel) {
            return "'\(host)' is an IP address, which no tenant can own; write a host name such as links.example.com."
        }
        if let standard = Self.namesWithoutOwner[lastLabel] {
            return
                "'\(host)' can have no owner in the DNS (\(standard)); write your own domain, such as links.example.com, "
                + "or a name under 'test'."
        }
        for label in unicodeHost.unicodeScalars.split(separator: ".") {
            guard let joiner = JoinerContext.misplacedJoiner(in: label) else { continue }
            return
                "'\(host)' has the invisible character U+\(String(joiner.value, radix: 16, uppercase: true)) where it does "
                + "not change how letters are joined; remove it."
        }
        if PublicSuffixes.contains(host) {
            return
                "'\(host)' is a public suffix (list of \(PublicSuffixes.date)), below which anybody can register names; "
                + "write your own name, such as example.\(host)."
        }
        if coversSubdomains, let suffix = PublicSuffixes.suffix(below: host) {
            let covered = suffix == "*.\(host)" ? "only public suffixes" : "'\(suffix)', a public suffix"
            return
                "'*.\(host)' covers \(covered) (list of \(PublicSuffixes.date)), below which anybody can register names; "
                + "list your own hosts."
        }
        return nil
    }

    /// Whether browsers read a host with this last label as an IPv4 address, such as `127.0.0.1` and `0x7f.1`. No
    /// top-level domain is a number.
    private static func isNumber(_ label: String) -> Bool {
        label.allSatisfy(\.isWholeNumber) || label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Top-level names below which nobody can own a host, with the document that says so. `test`, `example` and `internal`
    /// are not among them: tests, documents and internal networks use them.
    private static let namesWithoutOwner = [
        "localhost": "RFC 6761", "invalid": "RFC 6761", "local": "RFC 6762", "onion": "RFC 7686", "alt": "RFC 9476",
        "arpa": "RFC 3172",
    ]
}
