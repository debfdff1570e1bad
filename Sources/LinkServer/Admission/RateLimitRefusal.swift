import HTTPTypes
import LinkRouting

/// Why a request is not admitted, and when it would be.
package struct RateLimitRefusal: Error, Sendable, Hashable {
    package let scope: Admission.Scope
    package let limit: RateLimit
    /// Nanoseconds.
    let wait: UInt64

    /// Whole seconds, rounded up.
    package var retryAfter: UInt64 { (wait + 999_999_999) / 1_000_000_000 }
}

extension Problem {
    /// 429 with `Retry-After`, and with the limit as draft-ietf-httpapi-ratelimit-headers has it: a quota of the whole burst
    /// for the time in which an empty bucket fills.
    init(_ refusal: RateLimitRefusal) {
        let (limit, seconds) = (refusal.limit, refusal.retryAfter)
        let whose =
            switch refusal.scope {
            case .address: "from this address"
            case .key: "with this key"
            case .tenant: "for this tenant"
            case .tail: "for tails of this tenant"
            case .authentication: "with a wrong key from this address"
            }
        self.init(
            .rateLimited,
            "Too many requests \(whose): at most \(limit.perSecond) a second and \(limit.burst) at once are taken. "
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
    // Constants of this program, and proper names.
    fileprivate static let rateLimit = HTTPField.Name("RateLimit") ?? .retryAfter
    fileprivate static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy") ?? .retryAfter
}
