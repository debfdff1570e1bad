/// An index of hosts and of wildcards (`*.host`) by name. The cost of a lookup depends on the length of the host, not
/// on the number of entries. Entries are identified by their position in the source list; the first of equal entries
/// wins.
struct HostIndex: Sendable, Hashable {
    private var exact: [Key: Int] = [:]
    /// Wildcards by the host after `*.`.
    private var parents: [Key: Int] = [:]
    /// Wildcards by the host's ASCII form, regardless of the port.
    private var wildcards: [String: Int] = [:]

    private struct Key: Sendable, Hashable {
        let host: String
        let port: UInt16?
    }

    init(_ domains: [Domain]) {
        for (index, domain) in domains.enumerated() {
            add(domain.name, coversSubdomains: domain.coversSubdomains, port: domain.port, at: index)
        }
    }

    init(_ hosts: [DestinationPolicy.Host]) {
        for (index, host) in hosts.enumerated() {
            switch host {
            case .exact(let name): add(name, coversSubdomains: false, port: nil, at: index)
            case .subdomains(let parent): add(parent, coversSubdomains: true, port: nil, at: index)
            }
        }
    }

    private mutating func add(_ name: HostName, coversSubdomains: Bool, port: UInt16?, at index: Int) {
        for host in [name.ascii, name.unicode] {
            let key = Key(host: host, port: port)
            if coversSubdomains {
                if parents[key] == nil { parents[key] = index }
            } else if exact[key] == nil {
                exact[key] = index
            }
        }
        if coversSubdomains, wildcards[name.ascii] == nil { wildcards[name.ascii] = index }
    }

    /// Returns the entry for a host in lookup form: the exact host, else the longest wildcard that covers it; nil for
    /// none.
    func index(of host: String, port: UInt16?) -> Int? {
        if let index = exact[Key(host: host, port: port)] { return index }
        guard !parents.isEmpty else { return nil }
        for parent in HostName.parents(of: host) {
            if let index = parents[Key(host: String(parent), port: port)] { return index }
        }
        return nil
    }

    /// Returns the entry `*.host` on any port; nil for none.
    func wildcard(of host: String) -> Int? { wildcards[host] }
}
