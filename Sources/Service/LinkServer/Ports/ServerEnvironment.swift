package import Foundation
package import LinkRouting

/// Time, randomness and the version. The process takes them from the system, a test sets them.
package struct ServerEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    package var uptime: @Sendable () -> ContinuousClock.Instant
    /// The clock of the rate limits, in nanoseconds.
    package var limiterTime: @Sendable () -> UInt64
    package var sleep: @Sendable (Duration) async throws -> Void
    package var randomBytes: @Sendable (_ count: Int) -> Data
    /// Called for each event.
    package var randomWord: @Sendable () -> UInt64
    /// The secret that pseudonymises addresses for a day.
    package var addressKey: @Sendable (_ count: Int) -> Data
    /// The seed of trace ids and of the rate limiters' hashes.
    package var seed: UInt64
    /// The program and its version, for manifests of exports.
    package var software: String

    package init(
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant,
        limiterTime: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        randomBytes: @escaping @Sendable (_ count: Int) -> Data,
        randomWord: @escaping @Sendable () -> UInt64,
        addressKey: @escaping @Sendable (_ count: Int) -> Data,
        seed: UInt64,
        software: String
    ) {
        self.now = now
        self.uptime = uptime
        self.limiterTime = limiterTime
        self.sleep = sleep
        self.randomBytes = randomBytes
        self.randomWord = randomWord
        self.addressKey = addressKey
        self.seed = seed
        self.software = software
    }
}
