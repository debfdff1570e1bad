/// Hosts and hosts behind `*.` by their names: how long a look-up takes depends on the host that is asked for, not on how many
/// there are. An entry is known by its place in the list that the index is made of; of equal ones the first counts.
struct HostIndex: Sendable, Hashable {
    private var exact: [Key: Int] = [:]
    /// By the host behind `*.`.
    private var parents: [Key: Int] = [:]
    /// The same on any port, by the ASCII form alone.
    private var wildcards: [String: Int] = [:]

    private struct Key: Sendable, Hashable {
        let host: String
        let port: UInt16?
    }

    init(_ domains: [Domain]) {
        for (place, domain) in domains.enumerated() {
            add(domain.name, coversSubdomains: domain.coversSubdomains, port: domain.port, at: place)
        }
    }

    init(_ hosts: [DestinationPolicy.Host]) {
        for (place, host) in hosts.enumerated() {
            switch host {
            case .exact(let name): add(name, coversSubdomains: false, port: nil, at: place)
            case .subdomains(let parent): add(parent, coversSubdomains: true, port: nil, at: place)
            }
        }
    }

    private mutating func add(_ name: HostName, coversSubdomains: Bool, port: UInt16?, at place: Int) {
        for host in [name.ascii, name.unicode] {
            let key = Key(host: host, port: port)
            if coversSubdomains {
                if parents[key] == nil { parents[key] = place }
            } else if exact[key] == nil {
                exact[key] = place
            }
        }
        if coversSubdomains, wildcards[name.ascii] == nil { wildcards[name.ascii] = place }
    }

    /// The entry of a host in look-up form: the exact one, else the longest that covers it.
    func place(of host: String, port: UInt16?) -> Int? {
        if let place = exact[Key(host: host, port: port)] { return place }
        guard !parents.isEmpty else { return nil }
        for parent in HostName.parents(of: host) {
            if let place = parents[Key(host: String(parent), port: port)] { return place }
        }
        return nil
    }

    /// The entry `*.host`, on whatever port.
    func wildcard(of host: String) -> Int? { wildcards[host] }
}
