package import LinkRouting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The clock, the random numbers and the disk. Tests replace them.
package struct ClientEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    package var random: @Sendable () -> UInt64
    package var sleep: @Sendable (Duration) async throws -> Void
    package var disk: any ClientDisk

    package init(
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        disk: any ClientDisk
    ) {
        self.now = now
        self.random = random
        self.sleep = sleep
        self.disk = disk
    }

    package static let live = ClientEnvironment(
        now: systemTime,
        random: { UInt64.random(in: 0...UInt64.max) },
        sleep: { try await Task.sleep(for: $0) },
        disk: POSIXDisk()
    )

    @Sendable private static func systemTime() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000)
    }
}

extension ClientEnvironment {
    /// A random number in 0..<1.
    var fraction: Double { Double(random() >> 11) / 9_007_199_254_740_992 }

    /// A random id of 32 hexadecimal digits.
    var randomID: String {
        [random(), random()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}

/// The delay before the next attempt after failures: doubled with each failure, with full jitter, so that clients that
/// failed together do not retry together.
struct Backoff: Sendable {
    private static let first = Duration.seconds(2)
    private static let longest = Duration.seconds(3_600)
    private static let longestRetryAfter = 86_400

    private(set) var failures = 0

    mutating func succeed() { failures = 0 }

    /// - Parameters:
    ///   - retryAfter: The `Retry-After` of the response in seconds; at most a day is honoured.
    ///   - fraction: A random number from 0 to 1.
    mutating func fail(retryAfter: Int?, fraction: Double) -> Duration {
        failures = min(failures + 1, 12)
        let longest = min(Self.first * (1 << (failures - 1)), Self.longest)
        let requested = Duration.seconds(min(max(retryAfter ?? 0, 0), Self.longestRetryAfter))
        return requested + Duration.seconds(1) + longest * fraction
    }
}
