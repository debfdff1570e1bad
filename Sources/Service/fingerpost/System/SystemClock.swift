import Dispatch
import Foundation
import LinkRouting
import LinkServer

/// The wall clock. Code in other modules gets the time injected.
enum SystemClock {
    static func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
}

/// The system's source of random numbers. Code in other modules gets random bytes injected.
enum SystemRandom {
    static func bytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Returns a number from 0 that is below `bound`.
    static func number(below bound: Int) -> Int { .random(in: 0..<bound) }
}

extension ServerEnvironment {
    static var system: ServerEnvironment {
        ServerEnvironment(
            now: SystemClock.now,
            uptime: { .now },
            limiterTime: { DispatchTime.now().uptimeNanoseconds },
            sleep: { try await Task.sleep(for: $0) },
            randomBytes: SystemRandom.bytes,
            randomWord: BufferedRandom().next,
            addressKey: SystemRandom.bytes,
            seed: .random(in: .min ... .max),
            software: BuildInfo.software
        )
    }
}
