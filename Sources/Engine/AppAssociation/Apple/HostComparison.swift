import LinkRouting

/// Compares hosts as devices do: ignoring case, with an internationalised name equal to its Punycode form.
enum HostComparison {
    /// Returns whether `domain` covers `host`. `domain` is a host, or `*.` and a host. The wildcard covers the
    /// subdomains of that host but not the host itself.
    static func host(_ host: String, isOf domain: String) -> Bool {
        let host = canonical(host)
        let domain =
            domain.utf8.starts(with: "*.".utf8) ? "*." + canonical(String(domain.dropFirst(2))) : canonical(domain)
        guard domain.utf8.starts(with: "*.".utf8) else { return host == domain }
        return HostName.parents(of: host).contains { $0 == domain.dropFirst(2) }
    }

    /// Returns the form of a host that is compared. A text that is not a host name, such as an address in brackets, is
    /// only converted to lower case.
    private static func canonical(_ text: String) -> String {
        if let name = try? HostName(text) { return name.ascii }
        return String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}
