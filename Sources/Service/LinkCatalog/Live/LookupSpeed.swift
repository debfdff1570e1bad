import Synchronization

/// Whether links of a table turn out to take long, so that they must not be looked up on an event loop.
///
/// The number of steps says what the worst link of a table may take. Hardly any table with many steps is slow, so its
/// lookups are measured: one slow lookup makes the table slow, until many lookups in succession are fast.
package final class LookupSpeed: Sendable {
    /// The number of lookups that have yet to be fast; 0 or less if the table is fast.
    private let lookupsToGo = Atomic<Int>(0)

    /// The processor time of a slow lookup, in nanoseconds. A usual one takes a few thousand.
    private static let slow: UInt64 = 250_000
    /// The number of lookups after a slow one. A caller could otherwise make the table fast with a few fast links.
    private static let lookupsUntilFast = 100_000

    package init() {}

    package var isSlow: Bool { lookupsToGo.load(ordering: .relaxed) > 0 }

    /// Measures a lookup.
    func measuring<Result>(_ lookup: () -> Result) -> Result {
        let start = ProcessorTime.thread
        let result = lookup()
        note(nanoseconds: ProcessorTime.thread &- start)
        return result
    }

    /// Notes the processor time of a lookup.
    package func note(nanoseconds: UInt64) {
        if nanoseconds > Self.slow {
            lookupsToGo.store(Self.lookupsUntilFast, ordering: .relaxed)
        } else if isSlow {
            lookupsToGo.subtract(1, ordering: .relaxed)
        }
    }
}
