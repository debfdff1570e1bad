extension Identity {
    /// Whether the tenant owns the link's host and port, or its custom scheme.
    public func owns(_ link: DeepLink) -> Bool {
        guard let host = link.host else { return schemes.contains { $0.name == link.scheme } }
        return domainIndex(for: host, port: link.port) != nil
    }

    /// Returns the domain for a host: the exact one, else the longest wildcard that covers it; nil for none.
    public func domain(for host: String, port: UInt16? = nil) -> Domain? {
        domainIndex(for: host, port: port).map { domains[$0] }
    }

    /// Returns the domain `*.host` on any port. Its association files are served on the host itself.
    public func wildcard(of host: String) -> Domain? { domainIndex.wildcard(of: host).map { domains[$0] } }

    func domainIndex(for host: String, port: UInt16?) -> Int? { domainIndex.index(of: host, port: port) }

    /// Returns the link without its first segment, if that is a host that the scheme ignores.
    public func withoutIgnoredHost(_ link: DeepLink) -> DeepLink {
        guard link.hasAuthoritySegment, let scheme = schemes.first(where: { $0.name == link.scheme }) else {
            return link
        }
        let host = link.pathBytes[link.segments[0].range]
        return scheme.ignores(host: host) ? link.droppingAuthoritySegment() : link
    }
}

extension Scheme {
    /// Whether the decoded host of a link is ignored instead of being a path segment.
    func ignores(host: ArraySlice<UInt8>) -> Bool {
        switch hosts {
        case .segment: false
        case .ignored: true
        case .ignoring(let hosts): hosts.contains { areEqual(host, $0.utf8, .ignored) }
        }
    }
}
