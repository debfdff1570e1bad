import Synchronization

/// Token buckets for any number of callers in memory of a fixed size.
///
/// A bucket is one number, the moment at which it would be full again, so a full one needs no room. They stand in sets of
/// eight; a caller's set comes from a hash under a random seed, and a caller without a bucket takes the place of the one in
/// its set that is the nearest to full. What that one forgets is what its caller owed, so a caller is only ever let off, never
/// refused for another. To be let off `n` requests, a caller must have all other seven places of his set, which he cannot
/// tell, held by callers who each owe more than `n`: it costs more requests than it gives. That ends where more callers are at
/// their limit at once than there are buckets; a limit for each of them means nothing there.
final class RateLimiter: Sendable {
    /// Each has a lock of its own.
    private let shards: [Shard]
    private let seed: UInt64
    private let setMask: UInt64

    private static let ways = 8
    private static let shardBits: UInt64 = 4

    private struct Bucket {
        var caller: UInt64 = 0
        /// On the clock of `take`.
        var fullAt: UInt64 = 0
    }

    private final class Shard: Sendable {
        let buckets: Mutex<[Bucket]>

        init(_ count: Int) { buckets = Mutex(Array(repeating: Bucket(), count: count)) }
    }

    enum Verdict: Equatable {
        case admitted
        /// - Parameter wait: Nanoseconds until as much would be admitted.
        case refused(wait: UInt64)
    }

    /// - Parameters:
    ///   - setsPerShard: Rounded up to a power of two; 16 shards of so many sets of eight buckets of 16 bytes.
    ///   - seed: Random, so that nobody can choose callers that share a set.
    init(setsPerShard: Int, seed: UInt64) {
        var sets = 1
        while sets < setsPerShard { sets *= 2 }
        let count = sets * Self.ways
        shards = (0..<(1 << Self.shardBits)).map { _ in Shard(count) }
        setMask = UInt64(sets - 1)
        self.seed = seed
    }

    /// How many callers it remembers at most. It never changes.
    var capacity: Int { shards.reduce(0) { $0 + $1.buckets.withLock(\.count) } }

    /// Takes from the caller's bucket, if there is enough in it.
    ///
    /// - Parameters:
    ///   - amount: More than the burst is as much as the burst, else it would never be admitted.
    ///   - now: Nanoseconds of a clock that never goes back; one that does refuses nobody longer than an empty bucket does.
    func take(_ amount: Int = 1, for caller: UInt64, within limit: RateLimit, at now: UInt64) -> Verdict {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(caller)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        let shard = shards[Int(hash >> (64 - Self.shardBits))]
        let first = Int(hash & setMask) * Self.ways
        let cost = limit.interval * UInt64(min(max(amount, 0), limit.burst))
        return shard.buckets.withLock { buckets in
            let place = Self.place(of: caller, from: first, in: buckets)
            let isKnown = buckets[place].caller == caller
            // A limit that was lowered meanwhile, or a clock that went back, leaves no debt above the capacity.
            let fullAt = isKnown ? buckets[place].fullAt : 0
            let debt = fullAt > now ? min(fullAt - now, limit.capacity) : 0
            guard debt + cost <= limit.capacity else { return .refused(wait: debt + cost - limit.capacity) }
            let (sum, isBeyondTime) = now.addingReportingOverflow(debt + cost)
            buckets[place] = Bucket(caller: caller, fullAt: isBeyondTime ? .max : sum)
            return .admitted
        }
    }

    /// Where the caller's bucket is, or else that of the set's which is the nearest to full.
    private static func place(of caller: UInt64, from first: Int, in buckets: borrowing [Bucket]) -> Int {
        var nearest = first
        for place in first..<(first + ways) {
            if buckets[place].caller == caller { return place }
            if buckets[place].fullAt < buckets[nearest].fullAt { nearest = place }
        }
        return nearest
    }
}
