import Atomics
package import CoreMetrics
package import HTTPTransport
package import LinkCatalog
package import LinkRouting
import Metrics
import Networking

/// Admission control for every request of the public and the admin port: a rate limit for each caller and tenant.
///
/// All methods are synchronous and take plain values, so any code that answers a request can call them. The caller is
/// checked first, before the body is read: by key if keys have a limit of their own, otherwise by address. For an address,
/// the rest of a message is taken once its links are counted. The tenant is checked once it is known, so that an attack on
/// one does not affect the others. Refusals are counted in `fingerpost_rate_limited_total{scope}`.
package final class Admission: Sendable {
    private let current: ManagedAtomic<Box>
    private let limiters: [RateLimiter]
    private let refusals: [Counter]
    private let seed: UInt64
    private let uptime: @Sendable () -> UInt64

    private final class Box: AtomicReference, Sendable {
        let policy: AdmissionPolicy

        init(_ policy: AdmissionPolicy) { self.policy = policy }
    }

    /// The kind of caller that a limit applies to.
    package enum Scope: Int, Sendable, CaseIterable {
        case address, key, tenant, authentication, tail, code, link

        /// The value of the metric's label and of problems' `scope`.
        package var name: String { "\(self)" }

        /// Buckets for 16 shards: 131,072 addresses in 2 MiB; the other scopes have fewer callers.
        fileprivate var setsPerShard: Int {
            switch self {
            case .address: 1_024
            case .authentication, .code, .link: 128
            case .key, .tenant, .tail: 64
            }
        }
    }

    /// The caller whose bucket a request is taken from.
    package enum Caller: Sendable, Hashable {
        case address(ClientAddress)
        /// A valid key, by its id.
        case key(KeyID)
        case tenant(TenantID)
        /// Opening a tail of a tenant's events. It has a bucket of its own, so that tails take no requests from links.
        case tails(TenantID)
        /// An address that sent a wrong key.
        case wrongKey(ClientAddress)
        /// An address that asked for a code of no short link of a tenant. Many people may share the address: guesses at the
        /// codes of one tenant do not stop the links of others.
        case unknownCode(ClientAddress, TenantID)
        /// An address whose app makes a short link.
        case newLink(ClientAddress)
    }

    /// - Parameters:
    ///   - seed: A random seed for the hash of callers.
    ///   - uptime: Nanoseconds of a monotonic clock, independent of the wall clock.
    package init(
        _ policy: AdmissionPolicy,
        seed: UInt64,
        metrics: any MetricsFactory,
        uptime: @escaping @Sendable () -> UInt64
    ) {
        current = ManagedAtomic(Box(policy))
        limiters = Scope.allCases.map { RateLimiter(setsPerShard: $0.setsPerShard, seed: seed) }
        refusals = Scope.allCases.map {
            Counter(label: "fingerpost_rate_limited_total", dimensions: [("scope", $0.name)], factory: metrics)
        }
        self.seed = seed
        self.uptime = uptime
    }

    /// The current policy.
    package var policy: AdmissionPolicy { current.load(ordering: .acquiring).policy }

    /// Whether the policy limits tenants.
    package var limitsTenants: Bool { current.load(ordering: .acquiring).policy.tenant != nil }

    /// Replaces the limits. Requests that were admitted under the old limits still count.
    package func update(_ policy: AdmissionPolicy) { current.store(Box(policy), ordering: .releasing) }

    /// The number of requests that a message counts as: its links or reports, or its bytes by 2 KiB if these are more.
    package static func cost(ofLinks links: Int, bytes: Int) -> Int { max(1, links, (bytes + 2_047) / 2_048) }

    /// Takes `amount` requests, at most the burst, from the caller's bucket. Returns nil if they are admitted: all of
    /// them, if one is. An amount of 0 takes none, and is refused if one would be.
    ///
    /// - Parameter taken: How many of them were admitted before.
    package func admit(_ caller: Caller, amount: Int = 1, after taken: Int = 0) -> RateLimitRefusal? {
        guard amount > taken || amount == 0 else { return nil }
        let box = current.load(ordering: .acquiring)
        let (scope, limit): (Scope, RateLimit?) =
            switch caller {
            case .address(let client): (.address, box.policy.exempts(client) ? nil : box.policy.address)
            case .key: (.key, box.policy.key)
            case .tenant: (.tenant, box.policy.tenant)
            case .tails: (.tail, box.policy.tenant)
            case .wrongKey(let client): (.authentication, box.policy.exempts(client) ? nil : box.policy.authentication)
            case .unknownCode(let client, _): (.code, box.policy.exempts(client) ? nil : box.policy.unknownCode)
            case .newLink(let client): (.link, box.policy.exempts(client) ? nil : box.policy.newLink)
            }
        guard let limit else { return nil }
        let verdict = limiters[scope.rawValue].take(
            amount,
            after: taken,
            for: number(of: caller),
            within: limit,
            at: uptime()
        )
        guard case .refused(let wait) = verdict else { return nil }
        refusals[scope.rawValue].increment()
        return RateLimitRefusal(scope: scope, limit: limit, wait: wait)
    }

    /// Takes requests like ``admit(_:amount:after:)``. Throws a ``Problem`` if they are refused.
    ///
    /// - Parameter taken: How many of them were admitted before.
    package func check(_ caller: Caller, amount: Int = 1, after taken: Int = 0) throws(Problem) {
        if let refusal = admit(caller, amount: amount, after: taken) { throw Problem(refusal) }
    }

    private func number(of caller: Caller) -> UInt64 {
        switch caller {
        case .address(let client), .wrongKey(let client), .newLink(let client): client.number
        case .unknownCode(let client, let tenant): client.number ^ hash(tenant.rawValue)
        case .key(let id): hash(id.rawValue)
        case .tenant(let tenant), .tails(let tenant): hash(tenant.rawValue)
        }
    }

    private func hash(_ text: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(text)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}

extension AdmissionPolicy {
    /// Whether the address is exempt. The address of a proxy that does not name its client never is.
    fileprivate func exempts(_ client: ClientAddress) -> Bool {
        guard let address = client.address else { return false }
        return !client.isHidden && exempt.contains(address)
    }
}

extension ClientAddress {
    /// The number shared by all addresses under one limit: the first half of an IPv6 address. IPv4 addresses have
    /// numbers below ::/16, where there is no network, and peers without an address share one number.
    fileprivate var number: UInt64 {
        guard let address else { return 0 }
        return UInt64(truncatingIfNeeded: address.isIPv4 ? address.bits : address.bits >> 64)
    }
}
