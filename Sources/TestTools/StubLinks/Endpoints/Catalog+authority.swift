import LinkCatalog
import LinkRouting

extension Catalog {
    /// The host for a name in a path below `/__links`: the name itself if it is the host of a tenant, else the first
    /// host of the tenant with this id, preferably one that answers clicks. Nil if there is none.
    func authority(of name: String) -> String? {
        if let link = try? DeepLink.parse("https://\(name)/"), let host = link.host,
            table(forHost: host, port: link.port) != nil || tableForAssociation(ofHost: host) != nil
        {
            return name
        }
        guard let tenant = TenantID(name), let domains = table(of: tenant)?.settings.identity.domains else {
            return nil
        }
        let single = domains.filter { !$0.coversSubdomains }
        let domain = single.first { $0.serves == .links } ?? single.first
        return domain.map { domain in domain.port.map { "\(domain.host):\($0)" } ?? domain.host }
    }
}
