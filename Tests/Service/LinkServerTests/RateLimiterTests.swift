import Foundation
import TestSupport
import Testing

@testable import LinkServer

struct RateLimiterTests {
    private static let second: UInt64 = 1_000_000_000

    private func limiter(seed: UInt64 = 7) -> RateLimiter { RateLimiter(setsPerShard: 4, seed: seed) }

    @Test func burstIsAdmittedAtOnceAndThenTheRate() throws {
        let limit = try #require(RateLimit(perSecond: 10, burst: 5))
        let limiter = limiter()
        for _ in 0..<5 { #expect(limiter.take(for: 1, within: limit, at: 0) == .admitted) }
        #expect(limiter.take(for: 1, within: limit, at: 0) == .refused(wait: 100_000_000))
        #expect(limiter.take(for: 1, within: limit, at: 99_999_999) == .refused(wait: 1))
        #expect(limiter.take(for: 1, within: limit, at: 100_000_000) == .admitted)
        #expect(limiter.take(for: 2, within: limit, at: 100_000_000) == .admitted)
        // A long pause fills the bucket, and not more.
        for _ in 0..<5 { #expect(limiter.take(for: 1, within: limit, at: 100 * Self.second) == .admitted) }
        #expect(limiter.take(for: 1, within: limit, at: 100 * Self.second) != .admitted)
    }

    /// All of a message is taken if one request is, and later requests wait for it.
    @Test func severalAreTakenTogetherAndMayExceedTheBurst() throws {
        let limit = try #require(RateLimit(perSecond: 1, burst: 10))
        let limiter = limiter()
        #expect(limiter.take(9, for: 1, within: limit, at: 0) == .admitted)
        #expect(limiter.take(4, for: 1, within: limit, at: 0) == .admitted)
        #expect(limiter.take(for: 1, within: limit, at: 0) == .refused(wait: 4 * Self.second))
        #expect(limiter.take(10, for: 1, within: limit, at: 3 * Self.second) == .refused(wait: Self.second))
        // A larger amount counts as a burst.
        #expect(limiter.take(1_000, for: 1, within: limit, at: 4 * Self.second) == .admitted)
        #expect(limiter.take(for: 1, within: limit, at: 4 * Self.second) == .refused(wait: 10 * Self.second))
        #expect(limiter.take(.min, for: 1, within: limit, at: 14 * Self.second) == .admitted)
        #expect(limiter.take(for: 1, within: limit, at: 14 * Self.second) == .admitted)
    }

    /// The rest of a message follows its first request, unless that of another message has exceeded the burst.
    @Test func restOfAMessageIsTakenEvenFromAnEmptyBucket() throws {
        let limit = try #require(RateLimit(perSecond: 1, burst: 10))
        let limiter = limiter()
        for _ in 0..<10 { #expect(limiter.take(for: 1, within: limit, at: 0) == .admitted) }
        #expect(limiter.take(5, after: 1, for: 1, within: limit, at: 0) == .admitted)
        #expect(limiter.take(5, after: 1, for: 1, within: limit, at: 0) == .refused(wait: 4 * Self.second))
        #expect(limiter.take(for: 1, within: limit, at: 0) == .refused(wait: 5 * Self.second))
        #expect(limiter.take(1_000, after: 1, for: 1, within: limit, at: 4 * Self.second) == .admitted)
        #expect(limiter.take(for: 1, within: limit, at: 4 * Self.second) == .refused(wait: 10 * Self.second))
    }

    /// Messages of 1 to 30 requests in two steps, as the service takes them: the first before the body, the rest after
    /// it, with heads of other messages in between.
    @Test(arguments: [(100, 200), (3, 1), (7, 50), (1, 20)])
    func messagesNeverExceedTwoBurstsPlusRate(perSecond: Int, burst: Int) throws {
        let limit = try #require(RateLimit(perSecond: perSecond, burst: burst))
        var random = SeededGenerator(seed: UInt64(burst))
        for _ in 0..<20 {
            let limiter = limiter(seed: random.next())
            var (now, admitted, heads) = (UInt64(0), 0, 0)
            for _ in 0..<2_000 {
                now += random.next() % (limit.interval * 2) / (random.next() % 8 == 0 ? 1 : 64)
                if heads > 0, random.next() % 2 == 0 {
                    heads -= 1
                    let amount = Int(random.next() % 30) + 1
                    let verdict = limiter.take(amount, after: 1, for: 42, within: limit, at: now)
                    if verdict == .admitted { admitted += min(amount, burst) - 1 }
                } else if limiter.take(for: 42, within: limit, at: now) == .admitted {
                    (admitted, heads) = (admitted + 1, heads + 1)
                }
                let allowed = UInt128(2 * burst) + UInt128(now) * UInt128(perSecond) / UInt128(Self.second)
                #expect(UInt128(admitted) <= allowed)
            }
        }
    }

    /// Single requests at ten times the rate leave messages of 100 the share that they have of all requests.
    @Test func singleRequestsDoNotStarveMessages() throws {
        let limit = try #require(RateLimit(perSecond: 100, burst: 200))
        let limiter = limiter()
        var random = SeededGenerator(seed: 9)
        var (singles, messages) = (0, 0)
        for index in 0..<60_000 as Range<UInt64> {
            let now = index * 1_000_000
            let isMessage = random.next() % 10 == 0
            guard limiter.take(for: 1, within: limit, at: now) == .admitted else { continue }
            if !isMessage {
                singles += 1
            } else if limiter.take(100, after: 1, for: 1, within: limit, at: now) == .admitted {
                messages += 1
            }
        }
        #expect(messages * 20 > singles && messages * 5 < singles)
    }

    @Test func nothingOverflows() throws {
        let limits = [(1, 1_000_000), (1_000_000, 1), (1_000_000, 1_000_000), (.max, .max), (7, 0), (3, .min)]
        for (perSecond, burst) in limits {
            let limit = try #require(RateLimit(perSecond: perSecond, burst: burst))
            let limiter = limiter()
            for now in [0, 1, UInt64.max / 2, .max - 1, .max, 0, 5] {
                for amount in [1, .max, .min] {
                    for taken in [0, 1, .max, .min] {
                        _ = limiter.take(amount, after: taken, for: .max, within: limit, at: now)
                    }
                }
            }
        }
        #expect(RateLimit(perSecond: 0, burst: 5) == nil)
        #expect(RateLimit(perSecond: -1, burst: 5) == nil)
    }

    /// Holds for any distribution of requests, in any interval that starts with a full bucket.
    @Test(arguments: [(100, 200), (3, 1), (7, 50), (999_983, 17), (1, 20)])
    func admissionsNeverExceedBurstPlusRate(perSecond: Int, burst: Int) throws {
        let limit = try #require(RateLimit(perSecond: perSecond, burst: burst))
        var random = SeededGenerator(seed: UInt64(perSecond))
        for _ in 0..<20 {
            let limiter = limiter(seed: random.next())
            let start = random.next() >> 2
            var (now, admitted) = (start, 0)
            for _ in 0..<2_000 {
                // Usually much faster than allowed, sometimes with a pause.
                let step = random.next() % (limit.interval * 2) / (random.next() % 8 == 0 ? 1 : 64)
                now += step
                if limiter.take(for: 42, within: limit, at: now) == .admitted { admitted += 1 }
                let allowed = UInt128(burst) + UInt128(now - start) * UInt128(perSecond) / UInt128(Self.second)
                #expect(UInt128(admitted) <= allowed)
            }
        }
    }

    /// A caller that keeps to the rate is never refused.
    @Test func callerWithinTheRateIsNeverRefused() throws {
        let limit = try #require(RateLimit(perSecond: 100, burst: 1))
        let limiter = limiter()
        for index in 0..<1_000 {
            #expect(limiter.take(for: 1, within: limit, at: UInt64(index) * limit.interval) == .admitted)
        }
    }

    /// A flood does not grow the limiter, and a caller at its limit stays limited meanwhile: 10,000 callers a second,
    /// and 500 requests of one caller.
    @Test func floodOfCallersNeitherGrowsItNorResetsALimit() throws {
        let limit = try #require(RateLimit(perSecond: 10, burst: 20))
        let limiter = RateLimiter(setsPerShard: 64, seed: 3)
        let capacity = limiter.capacity
        var (admitted, refused) = (0, 0)
        let callers = FloodSize.callers
        for index in 0..<callers {
            let now = index * 100_000
            #expect(limiter.take(for: index | 1 << 40, within: limit, at: now) == .admitted)
            guard index % 20 == 0 else { continue }
            if limiter.take(for: 1, within: limit, at: now) == .admitted { admitted += 1 } else { refused += 1 }
        }
        let seconds = Int(callers / 10_000)
        #expect(admitted <= 20 + 10 * seconds + 1)
        #expect(admitted >= 10 * seconds)
        #expect(refused > admitted)
        #expect(limiter.capacity == capacity && capacity == 16 * 64 * 8)
    }

    /// A caller is evicted only if all others of its set owe more.
    @Test func fullestBucketIsEvicted() throws {
        let limit = try #require(RateLimit(perSecond: 1, burst: 100))
        let limiter = RateLimiter(setsPerShard: 1, seed: 11)
        // Fills the limiter with callers that owe two, except one that owes 50.
        #expect(limiter.take(50, for: 0xFFFF, within: limit, at: 0) == .admitted)
        for caller in 1...2_000 as ClosedRange<UInt64> {
            #expect(limiter.take(2, for: caller, within: limit, at: 0) == .admitted)
        }
        #expect(limiter.take(50, for: 0xFFFF, within: limit, at: 0) == .admitted)
        #expect(limiter.take(for: 0xFFFF, within: limit, at: 0) == .refused(wait: Self.second))
    }

    @Test func lowerLimitHoldsAtOnceAndLeavesNoOldDebt() throws {
        let wide = try #require(RateLimit(perSecond: 1, burst: 1_000))
        let narrow = try #require(RateLimit(perSecond: 1, burst: 10))
        let limiter = limiter()
        #expect(limiter.take(1_000, for: 1, within: wide, at: 0) == .admitted)
        #expect(limiter.take(for: 1, within: narrow, at: 0) == .refused(wait: 11 * Self.second))
        #expect(limiter.take(for: 1, within: wide, at: 0) == .refused(wait: Self.second))
    }

    @Test func clockSetBackCausesNoLongRefusal() throws {
        let limit = try #require(RateLimit(perSecond: 10, burst: 5))
        let limiter = limiter()
        for _ in 0..<5 { _ = limiter.take(for: 1, within: limit, at: 1_000 * Self.second) }
        // As long as with the largest debt.
        #expect(limiter.take(for: 1, within: limit, at: 0) == .refused(wait: 600_000_000))
        #expect(limiter.take(for: 1, within: limit, at: 0) == .refused(wait: 600_000_000))
    }
}

/// The number of callers in a flood: a million, or RATE_LIMIT_FLOOD.
private enum FloodSize {
    static let callers = ProcessInfo.processInfo.environment["RATE_LIMIT_FLOOD"].flatMap { UInt64($0) } ?? 1_000_000
}
