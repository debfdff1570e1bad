import Synchronization

/// Token buckets for any number of callers in memory of a fixed size.
///
/// A bucket is one number, the time at which it would be full again, so a full bucket needs no memory. Buckets are
/// stored in sets of eight, and a hash with a random seed selects a caller's set. A caller without a bucket evicts the
/// bucket in its set that is nearest to full.
///
/// An eviction forgets a debt. It may admit a caller too early, but it never refuses a caller for the requests of
/// another. A caller gains nothing by provoking evictions. To lose a debt of `n` requests, it must fill the other seven
/// buckets of its set with callers that each owe more than `n`, and it cannot determine which callers share its set.
/// This costs more requests than it gains. The guarantee ends when more callers are at their limit at once than there
/// are buckets.
final class RateLimiter: Sendable {
    /// Each shard has a lock of its own.
    private let shards: [Shard]
    private let seed: UInt64
    private let setMask: UInt64

    private static let bucketsPerSet = 8
    private static let shardBits: UInt64 = 4

    private struct Bucket {
        var caller: UInt64 = 0
        /// Time at which the bucket is full, on the clock of `take`.
        var fullAt: UInt64 = 0
    }

    private final class Shard: Sendable {
        let buckets: Mutex<[Bucket]>

        init(_ count: Int) { buckets = Mutex(Array(repeating: Bucket(), count: count)) }
    }

    enum Verdict: Equatable {
        case admitted
        /// - Parameter wait: Nanoseconds until it would be admitted.
        case refused(wait: UInt64)
    }

    /// - Parameters:
    ///   - setsPerShard: The number of sets in each of the 16 shards, rounded up to a power of two. A set has eight
    ///     buckets of 16 bytes.
    ///   - seed: A random seed, so that callers cannot choose to share a set.
    init(setsPerShard: Int, seed: UInt64) {
        var sets = 1
        while sets < setsPerShard { sets *= 2 }
        let count = sets * Self.bucketsPerSet
        shards = (0..<(1 << Self.shardBits)).map { _ in Shard(count) }
        setMask = UInt64(sets - 1)
        self.seed = seed
    }

    /// Maximum number of callers that are remembered; constant.
    var capacity: Int { shards.reduce(0) { $0 + $1.buckets.withLock(\.count) } }

    /// Takes `amount` from the caller's bucket if it holds one request. What it does not hold becomes a debt of at most
    /// one more burst, which later requests wait for: if a whole message had to fit, callers that send single requests
    /// would always empty the bucket before a message of many links finds room.
    ///
    /// - Parameters:
    ///   - amount: Clamped to the burst. 0 takes nothing, and evicts no bucket.
    ///   - taken: How many of them were admitted before. The rest of a message is refused only if the rest of another one
    ///     has exceeded the burst in between.
    ///   - now: Nanoseconds of a monotonic clock. If it goes back, a refusal lasts no longer than with the largest debt.
    func take(
        _ amount: Int = 1,
        after taken: Int = 0,
        for caller: UInt64,
        within limit: RateLimit,
        at now: UInt64
    ) -> Verdict {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(caller)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        let shard = shards[Int(hash >> (64 - Self.shardBits))]
        let first = Int(hash & setMask) * Self.bucketsPerSet
        let cost = limit.interval * UInt64(max(min(max(amount, 0), limit.burst) - max(taken, 0), 0))
        let needed = taken > 0 ? 0 : limit.interval
        return shard.buckets.withLock { buckets in
            let index = Self.index(of: caller, from: first, in: buckets)
            let isKnown = buckets[index].caller == caller
            // Clamped, in case the limit was lowered or the clock went back.
            let fullAt = isKnown ? buckets[index].fullAt : 0
            let debt = fullAt > now ? min(fullAt - now, 2 * limit.capacity) : 0
            guard debt + needed <= limit.capacity else { return .refused(wait: debt + needed - limit.capacity) }
            guard cost > 0 else { return .admitted }
            let (sum, isBeyondTime) = now.addingReportingOverflow(debt + cost)
            buckets[index] = Bucket(caller: caller, fullAt: isBeyondTime ? .max : sum)
            return .admitted
        }
    }

    /// Returns the index of the caller's bucket, or otherwise of the bucket in the set that is nearest to full.
    private static func index(of caller: UInt64, from first: Int, in buckets: borrowing [Bucket]) -> Int {
        var nearest = first
        for index in first..<(first + bucketsPerSet) {
            if buckets[index].caller == caller { return index }
            if buckets[index].fullAt < buckets[nearest].fullAt { nearest = index }
        }
        return nearest
    }
}
