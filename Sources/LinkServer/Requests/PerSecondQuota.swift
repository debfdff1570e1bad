import Synchronization

/// A number of lines for each second, so that a flood of requests is none of lines.
final class PerSecondQuota: Sendable {
    private let limit: UInt64
    /// The second in the upper half, how many it has had in the lower.
    private let state = Atomic<UInt64>(0)
    private let origin = ContinuousClock.now

    init(_ limit: UInt64) { self.limit = limit }

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
