import LinkRouting

/// Compares hosts as devices do: whatever their case, an international name equal to its Punycode.
enum HostComparison {
    /// `domain` is a host, or `*.` and a host, which covers what lies below it but not the host itself.
    static func host(_ host: String, isOf domain: String) -> Bool {
        let host = canonical(host)
        let domain =
            domain.utf8.starts(with: "*.".utf8) ? "*." + canonical(String(domain.dropFirst(2))) : canonical(domain)
        guard domain.utf8.starts(with: "*.".utf8) else { return host == domain }
        return HostName.parents(of: host).contains { $0 == domain.dropFirst(2) }
    }

    /// A text that is no host name, such as an address in brackets, is compared as it is.
    private static func canonical(_ text: String) -> String {
        if let name = try? HostName(text) { return name.ascii }
        return String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}
