import HTTPTypes
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
    /// A 429 with `Retry-After`, and with the limit as in draft-ietf-httpapi-ratelimit-headers: a quota of the whole
    /// burst in the time in which an empty bucket fills.
    init(_ refusal: RateLimitRefusal) {
        let (limit, seconds) = (refusal.limit, refusal.retryAfter)
        let whose =
            switch refusal.scope {
            case .address: "from this address"
            case .key: "with this key"
            case .tenant: "for this tenant"
            case .tail: "for event tails of this tenant"
            case .authentication: "with an invalid key from this address"
            }
        self.init(
            .rateLimited,
            "Too many requests \(whose): the limit is \(limit.perSecond) per second and \(limit.burst) at once. "
                + "Try again in \(seconds) s."
        )
        facts = [JSONNode.Member("scope", .string(refusal.scope.name))]
        let window = (limit.burst + limit.perSecond - 1) / limit.perSecond
        headers[.retryAfter] = "\(seconds)"
        headers[.rateLimitPolicy] = "\"\(refusal.scope.name)\";q=\(limit.burst);w=\(window)"
        headers[.rateLimit] = "\"\(refusal.scope.name)\";r=0;t=\(seconds)"
    }
}

extension HTTPField.Name {
    // Valid constants; the alternatives are never used.
    fileprivate static let rateLimit = HTTPField.Name.constant("RateLimit")
    fileprivate static let rateLimitPolicy = HTTPField.Name.constant("RateLimit-Policy")
}
