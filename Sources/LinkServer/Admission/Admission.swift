import Atomics
package import CoreMetrics
package import LinkRouting
import Metrics
import OutboundHTTP

/// The gate that every request of the public and the admin port passes: who asks, and whether not too often.
///
/// It is synchronous and takes plain values, so that whatever answers a request can ask it. First the caller, before anything
/// of a body is read: its key where keys have a limit of their own, else its address. Then, once it is known, the tenant, so
/// that one under attack does not cost the others. What is refused is counted in `fingerpost_ratelimited_total{scope}`.
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

    /// What a limit is of.
    package enum Scope: Int, Sendable, CaseIterable {
        case address, key, tenant, authentication, tail

        package var name: String { "\(self)" }

        /// For 16 shards: 131,072 addresses in 2 MiB; there are not as many of the others.
        fileprivate var setsPerShard: Int {
            switch self {
            case .address: 1_024
            case .authentication: 128
            case .key, .tenant, .tail: 64
            }
        }
    }

    /// Whom a request is counted on.
    package enum Caller: Sendable, Hashable {
        case address(ClientAddress)
        /// A valid key, by its id.
        case key(String)
        case tenant(TenantID)
        /// A tail of a tenant's events that is opened: with a bucket of its own, so that tails cost no links.
        case tails(TenantID)
        /// An address that showed a wrong key.
        case wrongKey(ClientAddress)
    }

    /// - Parameters:
    ///   - seed: Random.
    ///   - uptime: Nanoseconds of a clock that never goes back, whatever is done to the wall clock.
    package init(
        _ policy: AdmissionPolicy,
        seed: UInt64,
        metrics: any MetricsFactory,
        uptime: @escaping @Sendable () -> UInt64
    ) {
        current = ManagedAtomic(Box(policy))
        limiters = Scope.allCases.map { RateLimiter(setsPerShard: $0.setsPerShard, seed: seed) }
        refusals = Scope.allCases.map {
            Counter(label: "fingerpost_ratelimited_total", dimensions: [("scope", $0.name)], factory: metrics)
        }
        self.seed = seed
        self.uptime = uptime
    }

    package var policy: AdmissionPolicy { current.load(ordering: .acquiring).policy }

    /// Replaces the limits; what callers have used up of the old ones still counts.
    package func update(_ policy: AdmissionPolicy) { current.store(Box(policy), ordering: .releasing) }

    /// Takes `amount` requests from the caller's allowance. Nil when they are admitted.
    package func admit(_ caller: Caller, amount: Int = 1) -> RateLimitRefusal? {
        let policy = policy
        let (scope, limit): (Scope, RateLimit?) =
            switch caller {
            case .address(let client): (.address, policy.exempts(client) ? nil : policy.address)
            case .key: (.key, policy.key)
            case .tenant: (.tenant, policy.tenant)
            case .tails: (.tail, policy.tenant)
            case .wrongKey(let client): (.authentication, policy.exempts(client) ? nil : policy.authentication)
            }
        guard let limit else { return nil }
        let verdict = limiters[scope.rawValue].take(amount, for: number(of: caller), within: limit, at: uptime())
        guard case .refused(let wait) = verdict else { return nil }
        refusals[scope.rawValue].increment()
        return RateLimitRefusal(scope: scope, limit: limit, wait: wait)
    }

    /// The same for those who answer by throwing.
    func check(_ caller: Caller, amount: Int = 1) throws(Problem) {
        if let refusal = admit(caller, amount: amount) { throw Problem(refusal) }
    }

    private func number(of caller: Caller) -> UInt64 {
        switch caller {
        case .address(let client), .wrongKey(let client): client.number
        case .key(let id): hash(id)
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
    /// Nobody is exempt for the address of a proxy that does not tell who asks.
    fileprivate func exempts(_ client: ClientAddress) -> Bool {
        guard let address = client.address else { return false }
        return !client.isHidden && exempt.contains(address)
    }
}

extension ClientAddress {
    /// One number for all addresses that share a limit: the first half of an IPv6 address. Those of IPv4 have theirs below
    /// ::/16, where there is no network; peers without an address share one.
    fileprivate var number: UInt64 {
        guard let address else { return 0 }
        return UInt64(truncatingIfNeeded: address.isIPv4 ? address.bits : address.bits >> 64)
    }
}
