package import Networking

/// The rate limits, the trusted proxies and the origins of pages. It can be replaced while the service runs.
package struct AdmissionPolicy: Sendable, Hashable {
    package var proxies = TrustedProxies()
    /// Limit of an address, or of the /64 of an IPv6 address, which is what one household or server has.
    package var address = RateLimit(perSecond: 100, burst: 200)
    /// Limit of a valid key. If it is nil, requests with a key count against the limit of their address.
    package var key: RateLimit?
    /// Limit of a tenant; nil for none.
    package var tenant: RateLimit?
    /// Limit of wrong keys from one address.
    package var authentication = RateLimit(perSecond: 1, burst: 20)
    /// Limit of unknown codes of a tenant's short links from one address.
    package var unknownCode = RateLimit(perSecond: 10, burst: 100)
    /// Limit of short links that apps make from one address.
    package var newLink = RateLimit(perSecond: 1, burst: 20)
    /// Addresses without a limit of their own. The limits of keys and tenants apply to them as well.
    package var exempt: [AddressRange] = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }

    /// The origins whose pages may call the endpoints for apps, such as `https://www.acme.com`.
    package var origins: Set<String> = []

    package init() {}

    /// A policy without trusted proxies and without limits.
    package static var unlimited: AdmissionPolicy {
        var policy = AdmissionPolicy()
        policy.address = nil
        policy.authentication = nil
        policy.unknownCode = nil
        policy.newLink = nil
        return policy
    }
}
