/// The rate limit of one caller: a burst at once, and `perSecond` requests a second from then on. The last message of a
/// burst may exceed it by its links, which the next requests wait for.
package struct RateLimit: Sendable, Hashable {
    /// Upper bounds of `perSecond` and `burst`.
    package static let mostPerSecond = 1_000_000
    package static let mostAtOnce = 1_000_000

    /// Requests a second.
    package let perSecond: Int
    /// Requests at once.
    package let burst: Int

    /// The cost of one request in nanoseconds, rounded up, so that at most `perSecond` requests are admitted. With the
    /// bounds above, it and ``capacity`` are below 2⁵⁰, so a sum of a few such values does not overflow.
    let interval: UInt64
    /// The cost of the burst in nanoseconds.
    let capacity: UInt64

    /// Returns nil, no limit, if `perSecond` is not positive. Clamps both values to their bounds; a burst is at least
    /// one request.
    package init?(perSecond: Int, burst: Int) {
        guard perSecond > 0 else { return nil }
        self.perSecond = min(perSecond, Self.mostPerSecond)
        self.burst = min(max(burst, 1), Self.mostAtOnce)
        let second = 1_000_000_000
        interval = UInt64((second + self.perSecond - 1) / self.perSecond)
        capacity = interval * UInt64(self.burst)
    }
}
