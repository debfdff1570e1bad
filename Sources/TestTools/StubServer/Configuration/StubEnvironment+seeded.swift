import Foundation
package import LinkRouting
import Synchronization

extension StubEnvironment {
    package static let systemTime: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    package static let systemHostName = ProcessInfo.processInfo.hostName

    /// The time zones of this machine.
    package static let systemZone: @Sendable (String, Timestamp) -> (offset: Int, name: String)? = { name, instant in
        guard let zone = TimeZone(identifier: name) else { return nil }
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
        return (zone.secondsFromGMT(for: date), zone.abbreviation(for: date) ?? name)
    }

    /// The same numbers in every run, in the order of the calls.
    package static func seededRandom(_ seed: UInt64) -> @Sendable () -> UInt64 {
        let state = SeededWords(seed)
        return { state.next() }
    }

    /// A source of random numbers for one use.
    var generator: WordGenerator { WordGenerator(word: random) }
}

/// SplitMix64.
private final class SeededWords: Sendable {
    private let state: Mutex<UInt64>

    init(_ seed: UInt64) { state = Mutex(seed) }

    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

struct WordGenerator: RandomNumberGenerator {
    let word: @Sendable () -> UInt64

    mutating func next() -> UInt64 { word() }

    /// A number of the normal distribution with mean 0 and deviation 1 (Box and Muller).
    mutating func gaussian() -> Double {
        let distance = Double.random(in: Double.leastNonzeroMagnitude...1, using: &self)
        return (-2 * log(distance)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }

    /// Milliseconds of a lognormal distribution.
    mutating func lognormal(_ median: Double, _ sigma: Double, _ maximum: Double) -> Int {
        Int(min(maximum, (median * exp(sigma * gaussian())).rounded()))
    }
}
