package import OutboundHTTP

/// Who is told apart from whom, and how much each may ask for. It can be replaced while the service runs.
package struct AdmissionPolicy: Sendable, Hashable {
    package var proxies = TrustedProxies()
    /// Of an address; of IPv6 of its /64, which is what one household or server has.
    package var address = RateLimit(perSecond: 100, burst: 200)
    /// Of a valid key; nil where keys are counted as addresses are.
    package var key: RateLimit?
    package var tenant: RateLimit?
    /// Of wrong keys from one address.
    package var authentication = RateLimit(perSecond: 1, burst: 20)
    /// Addresses that have no limit of their own. Those of keys and tenants hold for them as well.
    package var exempt: [AddressRange] = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }

    package init() {}

    /// Trusts nobody and limits nothing.
    package static var unlimited: AdmissionPolicy {
        var policy = AdmissionPolicy()
        policy.address = nil
        policy.authentication = nil
        return policy
    }
}
