import LinkCatalog
import LinkRouting

extension Catalog {
    /// The host for a place of a path below `/__links`: the place itself if it is the host of a tenant, else the first
    /// host of the tenant with this id, preferably one that answers clicks. Nil if there is none.
    func authority(of place: String) -> String? {
        if let link = try? DeepLink.parse("https://\(place)/"), let host = link.host,
            table(forHost: host, port: link.port) != nil || tableForAssociation(ofHost: host) != nil
        {
            return place
        }
        guard let tenant = TenantID(place), let domains = table(of: tenant)?.settings.identity.domains else {
            return nil
        }
        let single = domains.filter { !$0.coversSubdomains }
        let domain = single.first { $0.serves == .links } ?? single.first
        return domain.map { domain in domain.port.map { "\(domain.host):\($0)" } ?? domain.host }
    }
}
