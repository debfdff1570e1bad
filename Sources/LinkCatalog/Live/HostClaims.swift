package import LinkRouting

/// Whose hosts are whose, as far as others may not take them: a host with all of its ports, and for `*.x` both `x` itself,
/// where the association files of `*.x` stand as well, and everything below it.
package struct HostClaims: Sendable {
    private var hosts: [String: Set<TenantID>] = [:]
    /// By what stands behind `*.`.
    private var wildcards: [String: Set<TenantID>] = [:]
    /// By what lies above a host: `*.` of it would take that host.
    private var below: [String: Set<TenantID>] = [:]

    /// Who may claim what overlaps with another tenant's.
    package enum Rule: Sendable {
        /// Only what overlaps with no other tenant's.
        case exclusive
        /// All but what another tenant names exactly so: for keys of all tenants, and at the machine itself.
        case overlapping
    }

    /// Nil for all hosts.
    private let wanted: Set<String>?

    /// - Parameter wanted: The hosts whose `*.` ``overlap(_:coversSubdomains:of:)`` is asked about, where that is known.
    package init(askedBelow wanted: Set<String>? = nil) { self.wanted = wanted }

    /// - Parameter host: As ``Domain/host``.
    package mutating func add(_ host: String, coversSubdomains: Bool, of tenant: TenantID) {
        hosts[host, default: []].insert(tenant)
        if coversSubdomains { wildcards[host, default: []].insert(tenant) }
        guard wanted?.isEmpty != true else { return }
        for parent in HostName.parents(of: host) {
            let parent = String(parent)
            if wanted?.contains(parent) ?? true { below[parent, default: []].insert(tenant) }
        }
    }

    /// Whether some link or association file would be both the domain's and another tenant's.
    package func overlap(_ host: String, coversSubdomains: Bool, of tenant: TenantID) -> Bool {
        func isOthers(_ tenants: Set<TenantID>?) -> Bool { tenants?.contains { $0 != tenant } ?? false }
        return isOthers(hosts[host]) || HostName.parents(of: host).contains { isOthers(wildcards[String($0)]) }
            || coversSubdomains && isOthers(below[host])
    }
}

extension Catalog {
    /// The domains of each tenant that overlap with another one's: such as were claimed before that was refused, or with a
    /// key of all tenants.
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
}
