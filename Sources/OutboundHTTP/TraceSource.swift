import Synchronization

/// Makes the ids of traces and spans: spread over all values and never twice, which is all that they must be. They guard
/// nothing, so a seed that is random once is enough.
package final class TraceSource: Sendable {
    private let state: Atomic<UInt64>

    package init(seed: UInt64 = .random(in: .min ... .max)) { state = Atomic(seed) }

    /// A trace that begins here.
    package func root() -> TraceContext {
        TraceContext(traceID: TraceID(high: next(), low: next()), spanID: next())
    }

    /// What is done here for a caller who sent this; a new trace where that is none.
    package func work(for parent: String?, state: String?) -> TraceContext {
        parent.flatMap { TraceContext(parent: $0, state: state) }?.child(next()) ?? root()
    }

    /// SplitMix64, which passes through every value once; 0 is no id.
    private func next() -> UInt64 {
        var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return mixed == 0 ? 1 : mixed
    }
}
