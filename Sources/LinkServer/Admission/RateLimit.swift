/// How much one caller may ask for: so many at once, and so many a second from then on.
package struct RateLimit: Sendable, Hashable {
    package static let mostPerSecond = 1_000_000
    package static let mostAtOnce = 1_000_000

    package let perSecond: Int
    package let burst: Int

    /// In nanoseconds: what one request costs, rounded up, so that never more than `perSecond` come out; and what a caller
    /// may owe at most. With the bounds above they are below 2⁵⁰, so sums of a few of them fit.
    let interval: UInt64
    let capacity: UInt64

    /// Nil where there is no limit: `perSecond` is 0. Both are held to their bounds, and a burst is at least one request.
    package init?(perSecond: Int, burst: Int) {
        guard perSecond > 0 else { return nil }
        self.perSecond = min(perSecond, Self.mostPerSecond)
        self.burst = min(max(burst, 1), Self.mostAtOnce)
        let second = 1_000_000_000
        interval = UInt64((second + self.perSecond - 1) / self.perSecond)
        capacity = interval * UInt64(self.burst)
    }
}
