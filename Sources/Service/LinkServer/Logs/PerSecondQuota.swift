import Synchronization

/// A quota of log lines for each second, so that a flood of requests does not flood the log.
final class PerSecondQuota: Sendable {
    private let limit: UInt64
    /// The second in the upper half, the lines taken in it in the lower.
    private let state = Atomic<UInt64>(0)
    private let origin = ContinuousClock.now

    init(_ limit: UInt64) { self.limit = limit }

    /// Takes one line from the quota of the instant's second; returns false if none is left.
    func take(at instant: ContinuousClock.Instant) -> Bool {
        let second = UInt64(clamping: (instant - origin).components.seconds) & 0xFFFF_FFFF
        var seen = state.load(ordering: .relaxed)
        while true {
            let isSame = seen >> 32 == second
            if isSame, seen & 0xFFFF_FFFF >= limit { return false }
            let next = isSame ? seen + 1 : second << 32 | 1
            let (isTaken, found) = state.weakCompareExchange(expected: seen, desired: next, ordering: .relaxed)
            if isTaken { return true }
            seen = found
        }
    }
}
