import Foundation

/// The number of cases of property tests.
package enum RandomCases {
    /// `./dev test TARGET` sets `FEWER_RANDOM_CASES`, so that an edit is tested in seconds. All other runs test all cases.
    private static let areFewer = ProcessInfo.processInfo.environment["FEWER_RANDOM_CASES"] == "1"

    /// Returns the seeds from zero: `count` of them, or a fifth.
    package static func seeds<Seed: FixedWidthInteger>(_ count: Seed) -> Range<Seed> {
        0..<(areFewer ? max(1, count / 5) : count)
    }
}
