package import HTTPTransport
import LinkRouting

/// A refused request: the limit that it exceeds, and when it would be admitted.
package struct RateLimitRefusal: Error, Sendable, Hashable {
    package let scope: Admission.Scope
    package let limit: RateLimit
    /// Nanoseconds until the request would be admitted.
    let wait: UInt64

    /// The wait in whole seconds, rounded up.
    package var retryAfter: UInt64 { (wait + 999_999_999) / 1_000_000_000 }
}

extension Problem {
    /// The hint is a quota of the whole burst in the time in which an empty bucket fills.
    package init(_ refusal: RateLimitRefusal) {
        let (limit, seconds) = (refusal.limit, refusal.retryAfter)
        let whose =
            switch refusal.scope {
            case .address: "from this address"
            case .key: "with this key"
            case .tenant: "for this tenant"
            case .tail: "for event tails of this tenant"
            case .authentication: "with an invalid key from this address"
            case .code: "with unknown codes from this address"
            case .link: "for new links from this address"
            }
        self.init(
            .rateLimited,
            "Too many requests \(whose): the limit is \(limit.perSecond) per second and \(limit.burst) at once; "
                + "each link of a message counts. Try again in \(seconds) s."
        )
        extensions = [JSONNode.Member("scope", .string(refusal.scope.name))]
        let window = (limit.burst + limit.perSecond - 1) / limit.perSecond
        hints = [
            .rateLimit(scope: refusal.scope.name, burst: limit.burst, window: window, seconds: seconds)
        ]
    }
}
