/// A cache of the policy for the hosts that the settings name, so that checking a destination is one comparison.
struct HostPolicyCache: Sendable {
    private let hosts: [Host]

    private struct Host: Sendable {
        let name: String
        let isAllowed: Bool
        let isOwn: Bool
    }

    init(_ identity: Identity, and more: [String]) {
        var names: [String] = more
        for case .exact(let host) in identity.destinations.hosts { names.append(host.ascii) }
        for domain in identity.domains where !domain.coversSubdomains { names.append(domain.host) }
        var hosts: [Host] = []
        for name in names where !hosts.contains(where: { $0.name == name }) && hosts.count < Self.limit {
            hosts.append(
                Host(
                    name: name,
                    isAllowed: identity.destinations.allows(host: name),
                    isOwn: identity.domainIndex(for: name, port: nil) != nil
                )
            )
        }
        self.hosts = hosts
    }

    /// Maximum number of hosts. A linear search through more would take longer than the policy's own lookup.
    private static let limit = 8

    /// Whether links may lead to the host; nil when the host is not cached.
    func isAllowed(_ host: String) -> Bool? {
        for index in hosts.indices where hosts[index].name == host { return hosts[index].isAllowed }
        return nil
    }

    /// Whether the tenant owns the host at its default port; nil when the host is not cached.
    func isOwn(_ host: String) -> Bool? {
        for index in hosts.indices where hosts[index].name == host { return hosts[index].isOwn }
        return nil
    }
}

extension Router {
    /// Whether links may lead to this scheme and host, like ``DestinationPolicy/allows(_:)``.
    func allows(scheme: String, host: String?) -> Bool {
        guard let host, let isAllowed = knownHosts.isAllowed(host) else {
            return identity.destinations.allows(scheme: scheme, host: host)
        }
        return isAllowed && (scheme == "https" || identity.destinations.allowsPlainHTTP)
    }

    func owns(host: String) -> Bool { knownHosts.isOwn(host) ?? (identity.domainIndex(for: host, port: nil) != nil) }

    func owns(scheme: String) -> Bool {
        for index in identity.schemes.indices where identity.schemes[index].name == scheme { return true }
        return false
    }
}
