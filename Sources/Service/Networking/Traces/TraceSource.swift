import Synchronization

/// Generates the ids of traces and spans. Ids must be well distributed and unique, but they are not secrets, so a seed
/// that is chosen at random once suffices.
package final class TraceSource: Sendable {
    private let state: Atomic<UInt64>

    package init(seed: UInt64 = .random(in: .min ... .max)) { state = Atomic(seed) }

    /// Returns the context of a new trace.
    package func root() -> TraceContext {
        TraceContext(traceID: TraceID(high: next(), low: next()), spanID: next())
    }

    /// Returns the context for work on behalf of a caller with these headers. Starts a new trace if they are invalid or
    /// missing.
    package func work(for parent: String?, state: String?) -> TraceContext {
        parent.flatMap { TraceContext(parent: $0, state: state) }?.child(next()) ?? root()
    }

    /// SplitMix64, which returns every value once per period. 0 is not a valid id.
    private func next() -> UInt64 {
        var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return mixed == 0 ? 1 : mixed
    }
}
