package import LinkRouting

/// The hosts that each tenant claims. A claim covers a host with all of its ports. A claim of `*.x` covers every host
/// below `x`. It also covers `x` itself, because the association files of `*.x` are served there too.
package struct HostClaims: Sendable {
    private var hosts: [String: Set<TenantID>] = [:]
    /// Tenants by the host after `*.`.
    private var wildcards: [String: Set<TenantID>] = [:]
    /// Tenants by each parent of their hosts; a claim of `*.` on that parent would cover such a host.
    private var below: [String: Set<TenantID>] = [:]

    /// The overlaps with claims of other tenants that are allowed.
    package enum Rule: Sendable {
        /// No overlap with another tenant's claim.
        case exclusive
        /// Any overlap except the identical domain. For keys of all tenants, and for the local administrator.
        case overlapping
    }

    /// The parents that `below` records; nil for all.
    private let parents: Set<String>?

    /// - Parameter parents: The hosts that ``overlap(_:coversSubdomains:of:)`` will be called for with
    ///   `coversSubdomains`, if known; limits the memory used.
    package init(parents: Set<String>? = nil) { self.parents = parents }

    /// - Parameter host: In the form of ``Domain/host``.
    package mutating func add(_ host: String, coversSubdomains: Bool, of tenant: TenantID) {
        hosts[host, default: []].insert(tenant)
        if coversSubdomains { wildcards[host, default: []].insert(tenant) }
        guard parents?.isEmpty != true else { return }
        for parent in HostName.parents(of: host) {
            let parent = String(parent)
            if parents?.contains(parent) ?? true { below[parent, default: []].insert(tenant) }
        }
    }

    /// Whether some link or association file would belong both to the domain and to another tenant.
    package func overlap(_ host: String, coversSubdomains: Bool, of tenant: TenantID) -> Bool {
        func isOthers(_ tenants: Set<TenantID>?) -> Bool { tenants?.contains { $0 != tenant } ?? false }
        return isOthers(hosts[host]) || HostName.parents(of: host).contains { isOthers(wildcards[String($0)]) }
            || coversSubdomains && isOthers(below[host])
    }
}

extension Catalog {
    /// The domains that overlap with a domain of another tenant. They were claimed with a key of all tenants.
    package var overlappingDomains: [(tenant: TenantID, domain: String)] {
        var domains: [TenantID: [Domain]] = [:]
        for table in tables { domains[table.tenant] = table.settings.identity.domains }
        var claims = HostClaims()
        for (tenant, domains) in domains {
            for domain in domains { claims.add(domain.host, coversSubdomains: domain.coversSubdomains, of: tenant) }
        }
        return domains.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { tenant, domains in
            domains.filter { claims.overlap($0.host, coversSubdomains: $0.coversSubdomains, of: tenant) }
                .map { (tenant, ($0.coversSubdomains ? "*." : "") + $0.host) }
        }
    }

    /// The live domains that no tenant may claim, because a later list of public suffixes has them.
    package var refusedDomains: [(tenant: TenantID, domain: String)] {
        let settings = Dictionary(tables.map { ($0.tenant, $0.settings.identity) }) { first, _ in first }
        return settings.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { tenant, identity in
            identity.domains.filter { $0.refusal != nil }.map { (tenant, ($0.coversSubdomains ? "*." : "") + $0.host) }
        }
    }
}
